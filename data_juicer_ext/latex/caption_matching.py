"""Figure-caption pairs that come with a row, tied to the figures of its LaTeX by caption.

VeriSciQA, section on context extraction: both sides normalised to text, then a Levenshtein ratio.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from Levenshtein import ratio

from data_juicer_ext.latex.text.caption_text import comparable


@dataclass(frozen=True)
class Tie:
    """A given pair (its index) and the figure that it is (an index, -1 if refused, with the reason)."""

    given: int
    figure: int
    reason: str = ""


def tie_captions(
    given: Sequence[str], captions: Sequence[str], labels: Sequence[Sequence[str]], threshold: float
) -> list[Tie]:
    """Tie each given caption to the one figure whose caption is at least `threshold` like it.

    `captions` and `labels` are those of the figures. Refused, with a reason: an empty caption, no
    match, several matches (of figures, or of given captions for one figure), a figure without label.
    """
    known = [comparable(caption) for caption in captions]
    exact: dict[str, list[int]] = {}
    for index, text in enumerate(known):
        exact.setdefault(text, []).append(index)
    ties = [_tie(index, comparable(text), known, exact, labels, threshold) for index, text in enumerate(given)]
    taken: dict[int, int] = {}
    for tie in ties:
        taken[tie.figure] = taken.get(tie.figure, 0) + 1
    return [
        Tie(tie.given, -1, "ambiguous: another given caption ties to the same figure")
        if tie.figure >= 0 and taken[tie.figure] > 1
        else tie
        for tie in ties
    ]


def _tie(
    index: int,
    text: str,
    known: Sequence[str],
    exact: dict[str, list[int]],
    labels: Sequence[Sequence[str]],
    threshold: float,
) -> Tie:
    if not text:
        return Tie(index, -1, "empty caption")
    # Figures of a series often have captions that are nearly the same: the very one comes first.
    matches = exact.get(text) or _alike(text, known, threshold)
    if not matches:
        return Tie(index, -1, f"no match: no figure of the LaTeX has this caption (threshold {threshold:g})")
    if len(matches) > 1:
        return Tie(index, -1, f"ambiguous: {len(matches)} figures have this caption")
    if not labels[matches[0]]:
        return Tie(index, -1, "no label: its figure cannot be cited")
    return Tie(index, matches[0])


def _alike(text: str, known: Sequence[str], threshold: float) -> list[int]:
    # The ratio cannot reach the threshold when the lengths differ too much: most pairs end there.
    length = len(text)
    return [
        index
        for index, other in enumerate(known)
        if other
        and 2 * min(length, len(other)) >= threshold * (length + len(other))
        and ratio(text, other, score_cutoff=threshold) >= threshold
    ]
