"""Captions whose drawing is on another page: below a drawing as large as a page, or in a list of legends."""

from collections.abc import Mapping, Sequence

from data_juicer_ext.pdf.figures.caption_matching import Match
from data_juicer_ext.pdf.figures.captions import Caption
from data_juicer_ext.pdf.figures.regions import Candidate

_SCORE = 0.5  # as good as the threshold: only order and place speak for it
_LIST = 2  # captions without drawings from which on they are taken for a list


def match_adrift(captions: Sequence[tuple[int, Caption]], alone: Mapping[int, Candidate]) -> list[Match]:
    """Matches of captions (with their pages) that have no drawing, and pages (by index) that hold one and no caption.

    A list of legends goes with as many drawings behind it, in order; a single caption with the drawing on
    the page before or after it.
    """
    if not captions:
        return []
    last = captions[-1][0]
    behind = sorted(page for page in alone if page > last)
    if len(captions) >= _LIST and len(behind) == len(captions):
        return [Match(page, caption, alone[page], _SCORE) for (_, caption), page in zip(captions, behind, strict=True)]
    found: list[Match] = []
    for page, caption in captions:
        for near in (page - 1, page + 1):
            if near in alone and not any(match.page == near for match in found):
                found.append(Match(near, caption, alone[near], _SCORE))
                break
    return found
