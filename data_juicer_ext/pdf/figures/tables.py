"""Where the tables of a page are, told by their captions and rules; the layout model misses some."""

from collections.abc import Sequence

from data_juicer_ext.pdf.figures.captions import Caption
from data_juicer_ext.pdf.page.geometry import Rect, union

_FIRST = 30.0  # points from a caption to the first rule
_NEXT = 150.0  # points between two rules of a table
_ALIKE = 8.0  # points that their ends may differ
_LEAST = 2  # rules


def ruled_tables(captions: Sequence[Caption], rules: Sequence[Rect]) -> list[Rect]:
    """The rectangles between the rules that follow the caption of a table, or come before it."""
    found = []
    for caption in captions:
        if caption.number:
            continue
        for down in (True, False):
            chain = _chain(caption.rect, captions, rules, down)
            if len(chain) >= _LEAST:
                found.append(union(chain))
                break
    return found


def _chain(caption: Rect, captions: Sequence[Caption], rules: Sequence[Rect], down: bool) -> list[Rect]:
    """The rules of one table, from its caption on."""
    end = caption.y1 if down else caption.y0
    ahead = sorted((rule for rule in rules if rule.shared_width(caption) > 0), key=lambda rule: rule.y0)
    chain: list[Rect] = []
    for rule in ahead if down else reversed(ahead):
        gap = rule.y0 - end if down else end - rule.y1
        if gap < -1.0:
            continue
        if gap > (_NEXT if chain else _FIRST) or _parted(end, rule.y0, caption, captions):
            break
        if chain and abs(rule.x0 - chain[0].x0) + abs(rule.x1 - chain[0].x1) > 2 * _ALIKE:
            continue
        chain.append(rule)
        end = rule.y1 if down else rule.y0
    return chain


def _parted(start: float, end: float, own: Rect, captions: Sequence[Caption]) -> bool:
    low, high = min(start, end), max(start, end)
    return any(
        low < caption.rect.middle[1] < high and caption.rect != own and caption.rect.shared_width(own) > 0
        for caption in captions
    )
