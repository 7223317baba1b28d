"""Fewer questions a figure: near-duplicates of one another fall, and what is over the limit.

Which ones stay hangs on the seed and the rows' ids alone.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

NEAR = 0.9  # from this Levenshtein ratio on, two questions are one, if their answers are as near
_READ = 4000  # characters of a text that are compared
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

Row = dict[str, Any]


def thin(
    rows: Sequence[Row], figure: Callable[[Row], str], max_per_figure: int, seed: int
) -> tuple[list[Row], Counter[str]]:
    """The rows that stay, in their order, and how many fell: `near_duplicate_question`, `over_the_limit`."""
    groups: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: rank(seed, str(row["row_id"]))):
        groups.setdefault(figure(row), []).append(row)
    stay, fell = set[str](), Counter[str]()
    for group in groups.values():
        kept: list[Row] = []
        for row in group:
            if any(nearly_the_same(row, other) for other in kept):
                fell["near_duplicate_question"] += 1
            elif max_per_figure and len(kept) >= max_per_figure:
                fell["over_the_limit"] += 1
            else:
                kept.append(row)
        stay.update(str(row["row_id"]) for row in kept)
    return [row for row in rows if str(row["row_id"]) in stay], fell


def nearly_the_same(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two rows ask the same: the same words, or nearly so with the same numbers and nearly the same answer.

    "highest" and "lowest" are near to each other, but not in what they ask: the answers tell them apart.
    """
    from Levenshtein import ratio

    mine, its = (_plain(row.get("question")) for row in (first, second))
    if not mine or not its:
        return False
    if mine == its:
        return True
    if sorted(_NUMBER.findall(mine)) != sorted(_NUMBER.findall(its)) or ratio(mine, its, score_cutoff=NEAR) < NEAR:
        return False
    answers = [_plain(_answer(row)) for row in (first, second)]
    return answers[0] == answers[1] or ratio(*answers, score_cutoff=NEAR) >= NEAR


def rank(seed: int, name: str) -> tuple[str, str]:
    """A place in an order that hangs on the seed."""
    return hashlib.sha256(f"{seed}\x1f{name}".encode("utf-8", "replace")).hexdigest(), name


def _plain(text: object) -> str:
    return " ".join(str(text or "")[:_READ].casefold().split())


def _answer(row: Mapping[str, Any]) -> str:
    place = ord(str(row.get("answer") or "@")[0]) - ord("A")
    options = row.get("options") or []
    return str(options[place]) if 0 <= place < len(options) else ""
