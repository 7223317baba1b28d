"""What a float holds: boxes with captions, labels, images and panels, as they stand in the text."""

from dataclasses import dataclass, field
from typing import NamedTuple

from data_juicer_ext.latex.floats.image_paths import Image

_FIGURE_NAMES = (
    "figure wrapfigure SCfigure sidewaysfigure teaserfigure floatingfigure marginfigure figurehere cfigure "
    "longfigure sidefigure fullfigure psfigure figwindow multicolfigure wrapfloat"
)
FIGURES = frozenset(_FIGURE_NAMES.split())
OTHER_FLOATS = frozenset(
    ("table", "wraptable", "sidewaystable", "SCtable", "longtable", "algorithm", "algorithm2e", "listing",
     "deluxetable", "margintable", "floatingtable", "scheme", "lstfloat", "procedure", "teasertable", "longtabu")
)  # fmt: skip
PANEL_ENVIRONMENTS = frozenset(("subfigure", "subcaptionblock", "subcaptiongroup", "subfig", "subtable"))
BOXES = frozenset(
    ("minipage", "center", "strip", "flushleft", "flushright", "adjustbox", "tcolorbox", "widetext", "framed",
     "columns", "column", "mdframed", "multicols", "nofloat", "floatrow", "subfloatrow")
)  # fmt: skip
DRAWINGS = frozenset(
    ("tikzpicture", "picture", "pspicture", "axis", "forest", "tikzcd", "circuitikz", "asy", "xy", "pgfpicture",
     "dot2tex", "mfpic", "bytefield", "prooftree", "quantikz", "feynman", "psgraph")
)  # fmt: skip
# What counts on its own: a label in it is no label of the figure that it stands in.
COUNTED = frozenset(
    ("equation", "align", "alignat", "flalign", "gather", "multline", "eqnarray", "subequations", "algorithmic",
     "codebox", "enumerate")
)  # fmt: skip
PANEL_COMMANDS = frozenset(("subfigure", "subfloat", "sidesubfloat", "subcaptionbox"))
CAPTION_COMMANDS = frozenset(("caption", "captionof", "subcaption", "figcaption", "captionbox"))
IMAGE_COMMANDS = frozenset(
    ("includegraphics", "includesvg", "epsfig", "psfig", "epsfbox", "epsffile", "plotone", "plottwo", "plotfiddle",
     "includestandalone", "adjincludegraphics", "pgfimage", "includeinkscape", "rotatefig", "fig",
     "leftfig", "rightfig", "animategraphics", "plotfour")
)  # fmt: skip
TABLE_COMMANDS = frozenset(("capbtabbox", "ttabbox"))


@dataclass(frozen=True)
class LatexCaption:
    """A caption: offset of its command, span of its text, what it belongs to, and whether it has a number and words."""

    at: int
    start: int
    end: int
    kind: str  # "figure", "panel" or "other" (a table's)
    numbered: bool = True
    empty: bool = False


class LatexLabel(NamedTuple):
    """A label and where it stands."""

    name: str
    at: int


@dataclass
class FloatBox:
    """A stretch of the text with the captions, labels, images and panels that stand in it."""

    name: str
    start: int
    end: int = -1
    captions: list[LatexCaption] = field(default_factory=list)
    labels: list[LatexLabel] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    panels: "list[FloatBox]" = field(default_factory=list)
    unknown_captions: list[LatexCaption] = field(default_factory=list)
    drawn: bool = False
    continued: bool = False
    typed: bool = False
    unclosed: bool = False

    def absorb(self, other: "FloatBox") -> None:
        """Take over what `other` holds."""
        self.captions += other.captions
        self.labels += other.labels
        self.images += other.images
        self.panels += other.panels
        self.drawn |= other.drawn

    @property
    def is_figure(self) -> bool:
        """Whether the box is a figure float of its own."""
        return self.name in FIGURES or self.name in ("teaser", "captionof")


@dataclass
class Floats:
    """All figures of a text, every float's span (figures, tables, algorithms), and all labels in order."""

    figures: list[FloatBox] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    labels: list[LatexLabel] = field(default_factory=list)
