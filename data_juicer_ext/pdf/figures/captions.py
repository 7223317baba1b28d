"""Captions on a page: where one begins, how far it goes, and how sure it is one."""

from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.pdf.page import layout_model as kinds
from data_juicer_ext.pdf.page.caption_cues import Cue, figure_cue, is_list_entry, other_caption
from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.geometry import Rect, union
from data_juicer_ext.pdf.page.layout_model import Box
from data_juicer_ext.pdf.page.lines import Line

LEAST_SURE = 0.45
_MOST_LINES = 80
_ODD_SIZE = 0.6  # points that a caption's letters differ from running text


@dataclass(frozen=True)
class Caption:
    """A caption: the number of its figure ("" for a table, an algorithm and the like), its lines, its rectangle.

    `end` is where its own text starts in the first line; `sure` (0 to 1) how much speaks for a caption.
    """

    number: str
    lines: tuple[Line, ...]
    rect: Rect
    sure: float
    end: int = 0
    continued: bool = False


def without_panels(captions: Sequence[Caption]) -> list[Caption]:
    """Captions of a page without those of panels, "Figure 2a", where there is one of the whole figure."""
    numbers = {caption.number for caption in captions}
    return [
        caption for caption in captions
        if not (caption.number[-1:].islower() and caption.number[:-1] in numbers and caption.number[:-1])
    ]  # fmt: skip


class CaptionFinder:
    """Finds the captions of one page."""

    def __init__(self, lines: Sequence[Line], boxes: Sequence[Box], style: Style) -> None:
        self._lines = [line for line in lines if not line.turn]
        self._boxes = boxes
        self._style = style
        cued = [line for line in self._lines if figure_cue(line.text) or other_caption(line.text)]
        self._starts = {id(line) for line in cued if self._on_top(line) or not self._goes_on(line)}

    def find(self) -> list[Caption]:
        """The captions of figures and of other things, from top to bottom."""
        found = [caption for line in self._lines if id(line) in self._starts and (caption := self._caption(line))]
        return sorted(found, key=lambda caption: (caption.rect.y0, caption.rect.x0))

    def _caption(self, line: Line) -> Caption | None:
        cue = figure_cue(line.text)
        sure = self._sure(line, cue)
        if sure < LEAST_SURE:
            return None
        lines = self._grown(line)
        if any(is_list_entry(part.text) for part in lines):
            return None
        rect = union(part.rect for part in lines)
        if cue is None:
            return Caption("", tuple(lines), rect, sure)
        return Caption(cue.number, tuple(lines), rect, sure, cue.end, cue.continued)

    # ---- how sure

    def _sure(self, line: Line, cue: Cue | None) -> float:
        box = self._box_of(line)
        sure = 0.0
        if cue is None or cue.marked:
            sure += 0.35
        elif line.text[cue.end :].lstrip()[:1].islower():
            sure -= 0.3
        if cue is not None and cue.alone:
            sure += 0.3
        if line.lead not in (line.font, self._style.font):
            sure += 0.2
        if line.bold_lead and line.lead != self._style.font:
            sure += 0.2
        if line.font != self._style.font or abs(line.size - self._style.size) > _ODD_SIZE:
            sure += 0.15
        if cue is not None and cue.loud:
            sure += 0.1
        captioned = box is not None and box.kind == kinds.CAPTION
        if captioned:
            sure += 0.4 if self._on_top(line) else 0.15
        if self._goes_on(line) and not (captioned and self._on_top(line)):
            sure -= 0.5
        elif self._stands_free(line):
            sure += 0.2
        return max(0.0, min(1.0, sure))

    def _on_top(self, line: Line) -> bool:
        box = self._box_of(line)
        return box is not None and line.rect.y0 - box.rect.y0 < 0.5 * line.rect.height

    def _goes_on(self, line: Line) -> bool:
        """Whether the line goes on with the sentence of a full line right above it."""
        for above in self._lines:
            gap = line.rect.y0 - above.rect.y1
            alike = abs(above.size - line.size) < 0.5 and above.font == line.font
            if not alike or not -0.6 * line.size < gap < 0.6 * line.size or above.rect.y0 >= line.rect.y0:
                continue
            if abs(above.rect.x0 - line.rect.x0) < 25 and above.rect.x1 >= line.rect.x1 - 3 * line.size:
                return not (line.bold_lead and not above.bold_lead)
        return False

    def _stands_free(self, line: Line) -> bool:
        over = line.rect._replace(y0=line.rect.y0 - 0.5 * line.size, y1=line.rect.y0)
        return not any(
            other.rect.meets(over) and other.rect.y0 < line.rect.y0 - 0.5 * line.size for other in self._lines
        )

    def _box_of(self, line: Line) -> Box | None:
        return next((box for box in self._boxes if box.rect.holds_middle(line.rect)), None)

    # ---- how far

    def _grown(self, first: Line) -> list[Line]:
        taken = [first]
        box = self._box_of(first)
        while len(taken) < _MOST_LINES:
            following = self._below(taken, box)
            if following is None or self._another_between(taken[-1], following):
                break
            taken.append(following)
        return taken

    def _another_between(self, last: Line, following: Line) -> bool:
        return any(
            id(line) in self._starts
            and last.base < line.base <= following.base
            and line.rect.shared_width(last.rect) > 0
            for line in self._lines
        )

    def _below(self, taken: Sequence[Line], box: Box | None) -> Line | None:
        last, extent = taken[-1], union(line.rect for line in taken)
        fitting = [line for line in self._lines if self._may_follow(line, taken, extent, box)]
        return min(fitting, key=lambda line: (line.rect.y0 - last.rect.y0, line.rect.x0), default=None)

    def _may_follow(self, line: Line, taken: Sequence[Line], extent: Rect, box: Box | None) -> bool:
        last = taken[-1]
        pitch = line.base - last.base
        if (
            id(line) in self._starts
            or not any(map(str.isalnum, line.text))
            or pitch < 0.5 * last.size
            or line.rect.shared_width(extent) <= 0
        ):
            return False
        if abs(line.size - last.size) > 1.6:
            return False
        own = self._box_of(line)
        usual = max(taken[1].base - taken[0].base if len(taken) > 1 else 1.25 * last.size, self._style.pitch)
        if own is box and box is not None and (box.kind == kinds.CAPTION or abs(line.size - last.size) < _ODD_SIZE):
            return pitch < (2.0 if box.kind == kinds.CAPTION else 1.35) * usual
        if own is not None and own.kind not in (kinds.CAPTION, kinds.TEXT, kinds.LIST_ITEM):
            return False
        indent = line.rect.x0 - last.rect.x0
        aligned = abs(indent) < 4 or (len(taken) == 1 and -30 < indent < 90) or self._centred(line.rect, extent)
        if box is not None and box.kind == kinds.CAPTION:
            usual = self._style.pitch  # the model says that it ends: only a line as close as usual goes on
        return pitch < 1.15 * usual and aligned and abs(line.size - taken[0].size) < 0.7

    @staticmethod
    def _centred(rect: Rect, extent: Rect) -> bool:
        return abs(rect.middle[0] - extent.middle[0]) < 4
