"""The lines of text of a page, upright, with what tells headings and captions from running text."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.figures.page_drawing import take_in_rotation
from data_juicer_ext.pdf.page.caption_cues import figure_cue
from data_juicer_ext.pdf.page.geometry import Rect, union
from data_juicer_ext.rows import visible

# Of PyMuPDF's flags: keep spaces, drop what lies outside the page; ligatures come apart.
_FLAGS = 2 | 64
_SPACE = re.compile(r"\s+")
_BOLD = 16
_BOLD_FONT = re.compile(r"bold|black|heavy|demi|(?:cm|sf|ec|la|t1-?)?bx\d|cmssbx|-bd\b|medi\b", re.IGNORECASE)
_MONO_FONT = re.compile(
    r"mono|cour|typewriter|consol|cmtt|sftt|ectt|tctt|-tt|lmtt|txtt|menlo|inconsol|luximono|beramono|letter ?gothic",
    re.IGNORECASE,
)
_SENTENCE = 25  # letters
_MOST_LETTERS = 2000  # of a line
_MOST_LINES = 5000  # of a page; one with more is a drawing made of letters


@dataclass(frozen=True)
class Line:
    """A line of text.

    `size` in points and `font` are those of most of its letters; `lead` is the font of its first ones and `bold_lead`
    tells whether they are bold. `block` numbers the group of lines that it stands in. `base` is the height on the page
    that its letters stand on. `turn` is what makes it upright: 0, 90, 180 or 270 degrees clockwise.
    """

    rect: Rect
    text: str
    size: float
    font: str
    lead: str
    bold_lead: bool
    block: int
    turn: int = 0
    base: float = 0.0

    @property
    def is_code(self) -> bool:
        """Whether it is set in letters of equal width."""
        return _MONO_FONT.search(self.font) is not None


def upright_lines(page: Any) -> tuple[list[Line], int]:
    """The lines of a page of PyMuPDF, and the turn (degrees clockwise) that made its text upright.

    The page's own rotation is taken in first, so that coordinates are those of the page as it is shown.
    A page whose text mostly stands on its side, as that of a table or figure set sideways, is turned as
    well; see `as_shown` for the way back.
    """
    take_in_rotation(page)
    lines = read_lines(page)
    turn = _usual_turn(lines)
    if turn:
        page.set_rotation(turn)
        take_in_rotation(page)
        lines = read_lines(page)
    return lines, turn


def _usual_turn(lines: Sequence[Line]) -> int:
    """The turn of most letters, by sentences where there are any: labels of a drawing stand in all directions."""
    letters = Counter({0: 0})
    for line in [line for line in lines if len(line.text) >= _SENTENCE] or lines:
        letters[line.turn] += len(line.text)
    return letters.most_common(1)[0][0]


def as_shown(rect: Rect, turn: int, width: float, height: float) -> Rect:
    """`rect` of a page that was turned (and is `width` x `height` now) on the page as it is shown."""
    x0, y0, x1, y1 = rect
    if turn == 90:
        return Rect(y0, width - x1, y1, width - x0)
    if turn == 180:
        return Rect(width - x1, height - y1, width - x0, height - y0)
    if turn == 270:
        return Rect(height - y1, x0, height - y0, x1)
    return rect


def read_lines(page: Any) -> list[Line]:
    """The lines of a page of PyMuPDF as it lies, pieces of one line joined."""
    found: list[Line] = []
    for number, block in enumerate(page.get_text("dict", flags=_FLAGS)["blocks"]):
        for raw in block.get("lines", ()):
            line = _line(raw, number)
            if line is None:
                continue
            if found and _continues(found[-1], line):
                line = _joined(found.pop(), line)
            found.append(line)
        if len(found) > _MOST_LINES:
            break
    return found


def _line(raw: dict[str, Any], block: int) -> Line | None:
    spans = [span for span in raw["spans"] if span["text"].strip()]
    text = _SPACE.sub(" ", visible("".join(span["text"] for span in raw["spans"]))).strip()[:_MOST_LETTERS]
    if not spans or not text:
        return None
    first, most = spans[0], max(spans, key=lambda span: len(span["text"]))
    across, down = raw["dir"]
    turn = (0 if across >= 0 else 180) if abs(across) >= abs(down) else 90 if down < 0 else 270
    bold = bool(first["flags"] & _BOLD) or _BOLD_FONT.search(first["font"]) is not None
    return Line(
        Rect(*raw["bbox"]), text, most["size"], most["font"], first["font"], bold, block, turn, most["origin"][1]
    )


def _continues(line: Line, after: Line) -> bool:
    """Whether two pieces make one line: a bold "Figure 1" and what follows it, say."""
    overlap = line.rect.shared_height(after.rect)
    gap = after.rect.x0 - line.rect.x1
    if gap > line.size and (cue := figure_cue(after.text)) is not None and cue.marked:
        return False  # captions side by side
    return (
        line.block == after.block and not line.turn and not after.turn
        and overlap > 0.6 * min(line.rect.height, after.rect.height) and -1 <= gap < 2 * line.size
    )  # fmt: skip


def _joined(line: Line, after: Line) -> Line:
    main = line if len(line.text) >= len(after.text) else after
    space = "" if after.rect.x0 - line.rect.x1 < 0.1 * main.size else " "
    return Line(union((line.rect, after.rect)), f"{line.text}{space}{after.text}", main.size, main.font, line.lead,
                line.bold_lead, line.block, base=main.base)  # fmt: skip
