"""Finds the figures of a LaTeX paper and the text that cites them."""

import json
import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.latex.paper import LatexExtraction, LatexOptions, PaperError, figures_from_text, read_figures
from data_juicer_ext.ops.authoring import ConfigError, between, count, one_of, operator
from data_juicer_ext.ops.base.paper_mapper import PaperMapper
from data_juicer_ext.rows import dump_figures, to_json
from data_juicer_ext.storage.addresses import under

OP_NAME = "latex_figure_context_mapper"

_DATA_URI = re.compile(r"data:image/[a-zA-Z0-9.+-]{1,40};base64,")


@operator(OP_NAME)
class LatexFigureContextMapper(PaperMapper):
    """Finds the figures of a LaTeX paper with captions, labels, images and citing paragraphs.

    A paper that can't be read keeps its row, with no figures.

    Input columns: one row per paper with `paper_id` and either `paper_path` (a folder, .tar, .tar.gz, .tgz, .zip, .gz
        of one .tex, or .tex) or the whole LaTeX in `text`; optional `given_captions` and `given_images` (JSON lists)
        tie the figures to given pairs; an image is a path, a data URI or, in a list column, bytes.
    Output columns: the same row with `figures` (a JSON array), `paper_error` ("" or why the paper could not be read)
        and `paper_notes` (a JSON list: files missing, paths refused, pairs refused).
    Source: VeriSciQA, appendix A.1.
    """

    funnel_label = "papers read"
    table_1_line = "Papers"
    paper_columns = (("paper_path_key", "paper_path"), ("latex_key", "text"))
    makes = ("@figures_key", "paper_error", "paper_notes")
    refusal = PaperError
    unread: Mapping[str, Any] = {"figures": "[]", "paper_notes": "[]"}
    missing_hint = "; a paper's row needs its path or its LaTeX"

    def __init__(
        self,
        main_file: str = "",
        granularity: str = "figure",
        citation_commands: list[str] | None = None,
        paragraph_separator: str = "",
        plain_numbers: bool = False,
        caption_matching_threshold: float = 0.9,
        dpi: int = 0,
        images_from_pdf: bool = True,
        compiled_pdf: str = "",
        max_members: int = 0,
        max_bytes: int = 0,
        latex_key: str = "text",
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param main_file: the main document, relative to the paper's folder; found where empty.
        :param granularity: `figure` for whole figures, `panel` for their panels as well, each an object of its own.
        :param citation_commands: the reference commands that make a paragraph a citing one;
            where empty, \\ref and its whole family, and the paper's own wrappers of them.
        :param paragraph_separator: a regular expression that ends a paragraph; a blank line where empty.
        :param plain_numbers: also take a figure that the text names by its number only ("Fig. 3b",
            "Figs. 2--4") as cited.
        :param caption_matching_threshold: the least Levenshtein similarity, 0 to 1, that ties a
            given caption to a figure.
        :param dpi: the resolution at which PDF and EPS figures become PNG; 0 for the default.
        :param images_from_pdf: take the image of a figure that has no file (drawn in TeX, or not in the
            archive) from the compiled PDF, where the paper ships one.
        :param compiled_pdf: that PDF, relative to the paper's folder; where empty, the one named like
            the main document and beside it, or the only PDF of several pages that is no figure.
        :param max_members: the most files that an archive may hold; 0 for the default.
        :param max_bytes: the most bytes that an archive may unpack to; 0 for the default.
        :param latex_key: the column with the LaTeX itself, used where the path is empty.
        """
        self.latex_key = latex_key
        with self.checked_parameters():
            one_of("granularity", granularity, ("figure", "panel"))
            between("caption_matching_threshold", caption_matching_threshold, 0.0, 1.0)
            between("dpi", dpi, 0, 1200)
            bounds = {"max_members": count("max_members", max_members, 0, 10**7),
                      "max_bytes": count("max_bytes", max_bytes, 0, 10**12)}  # fmt: skip
            given = {"main_file": main_file, "granularity": granularity, "plain_numbers": plain_numbers,
                     "caption_matching_threshold": caption_matching_threshold,
                     "images_from_pdf": images_from_pdf, "compiled_pdf": compiled_pdf}  # fmt: skip
            self.options = _options(given, citation_commands, paragraph_separator, {"dpi": dpi, **bounds})
        super().__init__(*args, **kwargs)

    def source_keys(self) -> tuple[str, ...]:
        """The columns that say where a paper is, or hold its LaTeX."""
        return (self.paper_path_key, self.latex_key)

    def read(self, row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The figures and notes of one paper."""
        found = self._extract(row)
        detail = {"figures": len(found.figures), "main_file": found.main_file, "main_reason": found.main_reason,
                  "notes": found.notes[:50]}  # fmt: skip
        return {"figures": dump_figures(found.figures), "paper_notes": to_json(found.notes)}, detail

    def _extract(self, row: dict[str, Any]) -> LatexExtraction:
        given = _json_list(row, "given_captions")
        captions = None if given is None else [str(caption or "") for caption in given]
        images = self._given_images(row)
        path, text = row.get(self.paper_path_key), row.get(self.latex_key)
        if path:
            return read_figures(under(self.paper_root, str(path)), self.run_info.images, self.options, captions, images)
        if text:
            return figures_from_text(str(text), self.run_info.images, self.options, captions, images)
        raise PaperError(f"the row has neither {self.paper_path_key} nor {self.latex_key}")

    def _given_images(self, row: dict[str, Any]) -> list[str | bytes] | None:
        """Paths, made absolute, addresses, or the bytes of the images that came with a row."""
        images = [_image(item) for item in _json_list(row, "given_images") or ()]
        return [under(self.paper_root, item) if isinstance(item, str) and item else item for item in images] or None


def _options(
    given: dict[str, Any], commands: list[str] | None, separator: str, numbers: dict[str, int]
) -> LatexOptions:
    """The options of the core; of `numbers`, 0 stands for the default."""
    if commands:
        if not isinstance(commands, list) or not all(isinstance(command, str) for command in commands):
            raise ConfigError(f"citation_commands: {commands!r} is not a list of command names such as [ref, cref]")
        given["citation_commands"] = tuple(command.lstrip("\\") for command in commands)
    if separator:
        given["paragraph_separator"] = separator
    given |= {name: number for name, number in numbers.items() if number}
    return LatexOptions(**given)


def _json_list(row: dict[str, Any], column: str) -> list[Any] | None:
    """A column that holds a JSON list (or a list already); None where it is empty."""
    value = row.get(column)
    if not value:
        return None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise PaperError(f"{column} is not a JSON list ({error})") from error
    if not isinstance(value, list):
        raise PaperError(f"{column} is not a JSON list")
    return value


def _image(item: Any) -> str | bytes:
    """An item of `given_images`: a path, bytes, a data URI, or an image as the `datasets` library stores one."""
    if isinstance(item, dict):
        item = item.get("bytes") or item.get("path")
    if isinstance(item, (bytes, bytearray)):
        return bytes(item)
    text = str(item or "")
    match = _DATA_URI.match(text)
    if match is None:
        return text
    try:
        return b64decode(text[match.end() :], validate=True)
    except ValueError:
        return text[:100]
