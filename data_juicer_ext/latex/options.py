"""What a caller can set when a paper is read, and the error for a paper that cannot be read."""

import re
from dataclasses import dataclass

from data_juicer_ext.errors import DjExtError, UsageError

REFERENCE_COMMANDS = (
    "ref", "cref", "Cref", "autoref", "vref", "Vref", "subref", "fref", "Fref", "figref", "Figref",
    "labelcref", "cpref", "fullref", "nameref", "namecref", "nameCref", "lcnamecref", "zcref", "zref",
    "crefrange", "Crefrange", "vrefrange", "labelcrefrange", "hyperref", "rfig", "rfigs", "figsref",
)  # fmt: skip


class PaperError(DjExtError, ValueError):
    """A paper cannot be read; the message names the file, what is wrong with it and what to do."""


@dataclass(frozen=True)
class LatexOptions:
    """Settings of one extraction.

    :param main_file: path of the main document inside the paper; "" chooses it.
    :param citation_commands: names (without backslash) of the commands that refer to a figure.
        With "ref" among them, commands of unknown classes whose name ends in "ref" or begins with
        "fig" count as well when their argument is the label of a figure.
    :param plain_numbers: take figures that the text names by number only ("Fig. 3b", "Figs. 2--4") as
        cited too, by the numbers that LaTeX would print.
    :param paragraph_separator: regular expression of what stands between two paragraphs.
    :param caption_matching_threshold: least Levenshtein ratio (0 to 1) that ties a given caption.
    :param granularity: "figure", or "panel" to add each panel as an object of its own.
    :param expand_caption_macros: write the paper's own text macros out in plain captions.
    :param dpi: resolution at which PDF, EPS and SVG figures are rasterised.
    :param max_side: longest side in pixels of a rasterised figure.
    :param images_from_pdf: take the image of a figure that has no file (drawn in TeX, or not there) from
        the compiled PDF, if the paper ships one.
    :param compiled_pdf: path of that PDF inside the paper; "" finds it: the one named like the main
        document and beside it, or the only PDF of several pages that is no figure.
    :param max_members: most members of an archive, or files of a folder.
    :param max_bytes: most bytes that an archive may unpack to.
    :param max_source_chars: most characters of LaTeX after inputs and macros are written out.
    """

    main_file: str = ""
    citation_commands: tuple[str, ...] = REFERENCE_COMMANDS
    plain_numbers: bool = False
    paragraph_separator: str = r"\n[ \t]*\n"
    caption_matching_threshold: float = 0.9
    granularity: str = "figure"
    expand_caption_macros: bool = True
    dpi: int = 200
    max_side: int = 2000
    images_from_pdf: bool = True
    compiled_pdf: str = ""
    max_members: int = 20_000
    max_bytes: int = 1_000_000_000
    max_source_chars: int = 20_000_000

    def __post_init__(self) -> None:
        """Raises UsageError for a value outside what is allowed."""
        if self.granularity not in ("figure", "panel"):
            raise UsageError(f"granularity is 'figure' or 'panel', not {self.granularity!r}")
        if not 0.0 <= self.caption_matching_threshold <= 1.0:
            raise UsageError("caption_matching_threshold lies between 0 and 1")
        if not 20 <= self.dpi <= 1200:
            raise UsageError("dpi lies between 20 and 1200")
        if not 64 <= self.max_side <= 10_000:
            raise UsageError("max_side lies between 64 and 10000 pixels")
        if min(self.max_members, self.max_bytes, self.max_source_chars) < 1:
            raise UsageError("max_members, max_bytes and max_source_chars are positive")
        try:
            re.compile(self.paragraph_separator)
        except re.error as error:
            raise UsageError(f"paragraph_separator is no regular expression: {error}") from error
