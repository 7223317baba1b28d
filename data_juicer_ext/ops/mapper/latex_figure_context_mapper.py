"""Paper row to the same row with its figures."""

import json
import re
from base64 import b64decode
from typing import Any

from data_juicer.ops.base_op import OPERATORS, Mapper

from data_juicer_ext.latex.paper import LatexExtraction, LatexOptions, PaperError, figures_from_text, read_figures
from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.ops.base.column_batches import set_column, to_rows
from data_juicer_ext.ops.base.input_roots import root
from data_juicer_ext.ops.base.paper_mapper import PaperMapper
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS, between, count, one_of
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.rows import dump_figures, scrub, to_json
from data_juicer_ext.storage.addresses import under
from data_juicer_ext.storage.papers import StorageError

OP_NAME = "latex_figure_context_mapper"
OWN_OPERATORS.append(OP_NAME)

_DATA_URI = re.compile(r"data:image/[a-zA-Z0-9.+-]{1,40};base64,")
# Papers are heavy rows: small batches keep all processes busy and lose little when one dies.
PAPERS_A_BATCH = 8


@OPERATORS.register_module(OP_NAME)
class LatexFigureContextMapper(PaperMapper, Mapper):
    """Finds the figures of a LaTeX paper with captions, labels, images and citing paragraphs.

    Input: a row a paper with `paper_id` and either `paper_path` (a folder, .tar, .tar.gz, .tgz,
    .zip, .gz of one .tex, or .tex) or the whole LaTeX in `text`; optional `given_captions` and
    `given_images` (JSON lists) tie the figures to given pairs; an image is a path, a data URI or,
    in a list column, bytes. Output: the same row with
    `figures` (a JSON array), `paper_error` ("" or why the paper could not be read) and
    `paper_notes` (a JSON list: files missing, paths refused, pairs refused). A paper that can't be
    read keeps its row, with no figures. Source: VeriSciQA, appendix A.1.
    """

    _batched_op = True
    makes = ("@figures_key", "paper_error", "paper_notes")

    def __init__(
        self,
        paper_root: str = ".",
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
        paper_id_key: str = "paper_id",
        paper_path_key: str = "paper_path",
        latex_key: str = "text",
        figures_key: str = "figures",
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param paper_root: the folder that relative paths in `paper_path` start from, or an address of object
            storage (s3://...); may be `${NAME}` or `${NAME:-default}`.
        :param main_file: the main document, relative to the paper's folder; found where empty.
        :param granularity: `figure` for whole figures, `panel` for their panels as well, each an
            object of its own.
        :param citation_commands: the reference commands that make a paragraph a citing one;
            where empty, \\ref and its whole family, and the paper's own wrappers of them.
        :param paragraph_separator: a regular expression that ends a paragraph; a blank line
            where empty.
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
        :param paper_id_key: the column with the paper's id.
        :param paper_path_key: the column with the paper's path.
        :param latex_key: the column with the LaTeX itself, used where the path is empty.
        :param figures_key: the column that is written.
        :param run_dir: the run folder; images go to `images/` in it.
        :param tag: the name of this listing in the ledger; where empty, the operator's without `_mapper`.
        """
        super().__init__(*args, **kwargs)
        self.paper_id_key, self.paper_path_key = paper_id_key, paper_path_key
        self.latex_key, self.figures_key = latex_key, figures_key
        self.source_keys = (paper_path_key, latex_key)
        try:
            one_of("granularity", granularity, ("figure", "panel"))
            between("caption_matching_threshold", caption_matching_threshold, 0.0, 1.0)
            between("dpi", dpi, 0, 1200)
            bounds = {"max_members": count("max_members", max_members, 0, 10**7),
                      "max_bytes": count("max_bytes", max_bytes, 0, 10**12)}  # fmt: skip
            self.paper_root = root("paper_root", paper_root)
            given = {"main_file": main_file, "granularity": granularity, "plain_numbers": plain_numbers,
                     "caption_matching_threshold": caption_matching_threshold,
                     "images_from_pdf": images_from_pdf, "compiled_pdf": compiled_pdf}  # fmt: skip
            self.options = _options(given, citation_commands, paragraph_separator, {"dpi": dpi, **bounds})
            self.check_dataset("; a paper's row needs its path or its LaTeX")
        except ValueError as error:
            stop(f"{OP_NAME}: {error}")
        if kwargs.get("batch_size") in (None, 1000):
            self.batch_size = PAPERS_A_BATCH
        self.join_run(run_dir, tag, kwargs.get("ray_execution_mode"))
        self.note_lines_without_id()

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of paper rows, each with its figures."""
        results = [self._read(row) for row in to_rows(samples)]
        set_column(samples, self.figures_key, [figures for figures, _, _ in results])
        set_column(samples, "paper_error", [error for _, error, _ in results])
        set_column(samples, "paper_notes", [notes for _, _, notes in results])
        return samples

    def _read(self, row: dict[str, Any]) -> tuple[str, str, str]:
        """The figures, the error and the notes of one paper, as columns hold them."""
        paper_id = str(row.get(self.paper_id_key) or "")
        try:
            found = self._extract(row)
        except PaperError as error:
            message = f"paper {paper_id or '(no paper_id)'}: {error}"
        except StorageError as error:
            stop(f"{OP_NAME}: {error}; put the storage in order, and run the same command again")
        except Exception as error:  # a paper that breaks the parser must cost this paper only
            message = self.why_unread(row, error)
        else:
            self.note(row, "keep", "read" if found.figures else "no_figures",
                       {"figures": len(found.figures), "main_file": found.main_file,
                        "main_reason": found.main_reason, "notes": found.notes[:50]})  # fmt: skip
            return dump_figures(found.figures), "", to_json(found.notes)
        self.note(row, "drop", "unreadable_paper", {"message": scrub(message)})
        return "[]", scrub(message), "[]"

    def _extract(self, row: dict[str, Any]) -> LatexExtraction:
        if problem := self.no_id(row):
            raise PaperError(problem)
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
