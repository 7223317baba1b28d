"""The rows of a run that are put before raters: a seeded sample of its export, in an order of each rater's own."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_juicer_ext.rows import Row, content_id, seeded, to_json
from data_juicer_ext.runs.exported_rows import read_rows


@dataclass(frozen=True)
class ReviewItem:
    """A row to rate; `place` is its place in the export."""

    row_id: str
    row: Row
    place: int = 0


@dataclass
class Loaded:
    """The items of an export: `total` rows can be rated, `skipped` ones cannot, `broken` lines could not be read."""

    items: list[ReviewItem] = field(default_factory=list)
    total: int = 0
    skipped: int = 0
    broken: list[str] = field(default_factory=list)


def load_items(export: Path, takes: Callable[[Row], bool], sample: int, seed: int) -> Loaded:
    """`sample` rows (0: all) of those of an export that `takes` lets pass, drawn by `seed`, in the order of the export.

    The same rows and seed give the same sample, however the rows are ordered.
    """
    found = Loaded()
    held: list[tuple[int, int, ReviewItem]] = []  # a heap, the rank that goes first on top
    for place, row in enumerate(read_rows(export, broken=found.broken.append)):
        if not takes(row):
            found.skipped += 1
            continue
        found.total += 1
        item = ReviewItem(row_id_of(row), row, place)
        entry = -_rank("sample", str(seed), item.row_id), -place, item
        if not sample or len(held) < sample:
            heapq.heappush(held, entry)
        else:
            heapq.heappushpop(held, entry)
    found.items = sorted((item for _, _, item in held), key=lambda item: item.place)
    return found


def sampled(items: Sequence[ReviewItem], size: int, seed: int) -> list[ReviewItem]:
    """Up to `size` of some items, drawn by `seed`, in their order."""
    chosen = sorted(items, key=lambda item: _rank("sample", str(seed), item.row_id))[:size]
    return sorted(chosen, key=lambda item: item.place)


def row_id_of(row: Row) -> str:
    """A row's `row_id`; where it has none, an id made of all that the row says."""
    return str(row.get("row_id") or "") or content_id("row", to_json(dict(row)))


def ordered(items: Sequence[ReviewItem], annotator: str, seed: int) -> list[ReviewItem]:
    """Items in an annotator's own order, so that all tire at different ones."""
    return sorted(items, key=lambda item: _rank("order", str(seed), annotator, item.row_id))


def side_of(annotator: str, row_id: str, seed: int) -> int:
    """On which side an annotator sees the first image of a row: -1 left, +1 right."""
    return 1 if _rank("side", str(seed), annotator, row_id) % 2 else -1


def _rank(*parts: Any) -> int:
    return int.from_bytes(seeded(*parts)[:8], "big")
