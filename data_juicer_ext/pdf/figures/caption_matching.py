"""Which caption belongs to which drawing: ranked by overlap, distance and cue, over all pages of a document.

Source: SciFigQual, section on extraction (captions ranked by spatial overlap, vertical distance and a caption
cue, the best above a threshold).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data_juicer_ext.pdf.figures.captions import Caption
from data_juicer_ext.pdf.figures.drawings import ABOVE, BELOW
from data_juicer_ext.pdf.figures.regions import Candidate
from data_juicer_ext.pdf.page.geometry import Rect

THRESHOLD = 0.5
_FAR = 80.0  # points at which distance counts for nothing
_SHARED = 0.15  # of a drawing that may be another figure's as well


@dataclass(frozen=True)
class Match:
    """A caption and its drawing on a page (index from 0); `score` from 0 to 1."""

    page: int
    caption: Caption
    candidate: Candidate
    score: float


def score(caption: Caption, candidate: Candidate, usual_side: str = "") -> float:
    """How well a drawing fits a caption, 0 to 1: overlap, distance, cue, and the side that captions are on here."""
    rect = candidate.rect
    if candidate.side in (ABOVE, BELOW):
        overlap = caption.rect.shared_width(rect) / max(1.0, min(caption.rect.width, rect.width))
        gap = -caption.rect.shared_height(rect)
    else:
        overlap = caption.rect.shared_height(rect) / max(1.0, min(caption.rect.height, rect.height))
        gap = -caption.rect.shared_width(rect)
    near = 1.0 - min(1.0, max(0.0, gap) / _FAR)
    usual = {"": 0.5, candidate.side: 1.0}.get(usual_side, 0.0)
    return 0.25 * max(0.0, min(1.0, overlap)) + 0.25 * near + 0.2 * caption.sure + 0.15 * usual + 0.15 * candidate.drawn


def match_all(pages: Sequence[tuple[int, Sequence[tuple[Caption, Sequence[Candidate]]]]]) -> list[Match]:
    """The matches of a document from the captions of figures, with their candidates, of each page."""
    usual = _usual_side(captions for _, captions in pages)
    found = []
    for page, captions in pages:
        found += _match_page(page, captions, usual)
    return found


def once_each(matches: Sequence[Match]) -> list[Match]:
    """The best match of each number, and those whose caption says that it goes on from another page."""
    best: dict[str, Match] = {}
    for match in matches:
        known = best.get(match.caption.number)
        if not match.caption.continued and (known is None or match.score > known.score):
            best[match.caption.number] = match
    return [match for match in matches if match.caption.continued or best[match.caption.number] is match]


def _usual_side(pages: Iterable[Sequence[tuple[Caption, Sequence[Candidate]]]]) -> str:
    """Whether figures stand above or below their captions, by the captions with a drawing on one side only."""
    votes: Counter[str] = Counter()
    for captions in pages:
        for _, candidates in captions:
            sides = {candidate.side for candidate in candidates if candidate.drawn} & {ABOVE, BELOW}
            if len(sides) == 1:
                votes.update(sides)
    return BELOW if votes[BELOW] > votes[ABOVE] else ABOVE


def _match_page(page: int, captions: Sequence[tuple[Caption, Sequence[Candidate]]], usual: str) -> list[Match]:
    ranked = sorted(
        (
            Match(page, caption, candidate, score(caption, candidate, usual))
            for caption, candidates in captions
            for candidate in candidates
        ),
        key=lambda match: -match.score,
    )
    taken: list[Match] = []
    for match in ranked:
        known = any(other.caption is match.caption for other in taken)
        if match.score >= THRESHOLD and not known and not _is_taken(match.candidate.rect, taken):
            taken.append(match)
    return taken


def _is_taken(rect: Rect, taken: Sequence[Match]) -> bool:
    return any(max(rect.share(other.candidate.rect), other.candidate.rect.share(rect)) > _SHARED for other in taken)
