"""Fewer questions per figure: near-duplicates of one another fall, and what is over the limit.

Which ones stay hangs on the seed and the rows' ids alone.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from data_juicer_ext.export.rows.first_pass import RowEntry
from data_juicer_ext.export.rows.left_out import LeftOut
from data_juicer_ext.export.rows.paper_splits import rank

_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)*")
_MARKS = re.compile(r"[.,;:!?]+(?=[\s\"'”’]|\Z)|[\"'“”‘’`]")  # what may differ; ">" and "-" may not
# Words that a question may have or lack without asking for something else.
_SMALL = frozenset(
    ("a", "an", "the", "is", "are", "was", "were", "do", "does", "did", "of", "in", "on", "at", "to", "for", "by",
     "that", "this", "figure", "shown", "there", "here", "it", "its", "s")
)  # fmt: skip


def thin(
    entries: Sequence[RowEntry],
    figure: Callable[[RowEntry], str],
    near: float,
    max_per_figure: int,
    seed: int,
    left_out: LeftOut,
) -> list[RowEntry]:
    """The rows that stay, in their order; `figure` names the figure of a row.

    A question falls that is nearly the same (see `nearly_the_same`) as one that stays, then what is over
    `max_per_figure` (0: no limit).
    """
    groups: dict[str, list[RowEntry]] = {}
    for entry in sorted(entries, key=lambda entry: rank(seed, entry.row_id)):
        groups.setdefault(figure(entry), []).append(entry)
    stay = set[str]()
    for group in groups.values():
        kept: list[RowEntry] = []
        for entry in group:
            same = next((other for other in kept if nearly_the_same(entry, other, near)), None)
            if same is not None:
                left_out.add("near_duplicate_question", entry.row_id, f"asks what {same.row_id} asks")
            elif max_per_figure and len(kept) >= max_per_figure:
                left_out.add("over_the_limit", entry.row_id)
            else:
                kept.append(entry)
        stay.update(entry.row_id for entry in kept)
    return [entry for entry in entries if entry.row_id in stay]


def nearly_the_same(first: RowEntry, second: RowEntry, near: float) -> bool:
    """Whether two rows about a figure ask the same; rows that ask nothing, and `near` = 0, are never the same.

    The words are the same but for marks; or they are nearly so, whatever their case, with the same numbers and the
    same right option: both the Levenshtein ratio and the share of words in common (small ones not counted) are at
    least `near`. "Highest" and "lowest" are near to each other, but not in what they ask: numbers and answers tell such
    questions apart.
    """
    from Levenshtein import ratio

    mine, its = _plain(first.asked), _plain(second.asked)
    if not near or not mine or not its:
        return False
    if mine == its:
        return True
    if _plain(first.answered) != _plain(second.answered) or _numbers(mine) != _numbers(its):
        return False
    mine, its = mine.casefold(), its.casefold()
    return _overlap(mine, its) >= near and ratio(mine, its, score_cutoff=near) >= near


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).split()) or text.strip()


def _numbers(plain: str) -> list[str]:
    return sorted(_NUMBER.findall(plain))


def _overlap(first: str, second: str) -> float:
    mine, its = (frozenset(text.split()) - _SMALL for text in (first, second))
    return len(mine & its) / len(mine | its) if mine | its else 1.0
