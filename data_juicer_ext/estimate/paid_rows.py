"""The rows that a recipe pays for: the free steps are run, over all of a dataset or over papers drawn at random."""

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from data_juicer_ext.estimate.intervals import Numbers, normal_quantile
from data_juicer_ext.estimate.prompt_rehearsal import Rehearsed, rehearse
from data_juicer_ext.estimate.recipe_steps import RecipeStep
from data_juicer_ext.rows import to_json
from data_juicer_ext.runs.shard_cutting import ShardLayout, scan, shuffled, whole


@dataclass(frozen=True)
class Drawn:
    """Rows of a dataset: how many it has, and those that were drawn, in their order."""

    dataset_rows: int
    rows: tuple[Mapping[str, Any], ...]


def draw(dataset: Path, most: int, seed: int, layout: ShardLayout, spool: Path) -> Drawn:
    """Up to `most` rows of a dataset (0: all), by their content and the seed. Raises DatasetError."""
    try:
        found = scan(dataset, spool)
        chosen = shuffled(found.digests, seed)[: most or None]
        base = (dataset if dataset.is_dir() else dataset.parent).absolute()
        columns, rows = list(found.columns), list[Mapping[str, Any]]()
        with spool.open("rb") as file:
            for place in chosen:
                offset, length = found.spans[place]
                file.seek(offset)
                rows.append(whole(json.loads(file.read(length)), columns, layout, base))
        return Drawn(len(found.digests), tuple(rows))
    finally:
        spool.unlink(missing_ok=True)


def write(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Rows as a JSON Lines file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(to_json(row) + "\n" for row in rows), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Frame:
    """The rows at the door of the first step that calls a model, made from `read` of `dataset_rows` rows.

    `rows` are those for which it makes a call, `free` counts the others, which it drops at no cost.
    `sent` is what `rows` send. `rows_apart` and `tokens_apart` are half the 80% intervals of the numbers of
    rows and of tokens that the whole dataset has, in shares of the likeliest; 0 where all of it was read.
    """

    dataset_rows: int
    read: int
    rows: tuple[Mapping[str, Any], ...]
    free: int
    sent: Rehearsed
    rows_apart: float = 0.0
    tokens_apart: float = 0.0

    @property
    def scale(self) -> float:
        """How many rows of the dataset each one that was read stands for."""
        return self.dataset_rows / self.read


def frame(
    drawn: Drawn,
    rows: Sequence[Mapping[str, Any]],
    steps: Sequence[RecipeStep],
    characters: Mapping[str, int],
    by_paper: bool = True,
) -> Frame:
    """The frame of `rows`, which the free steps have made from those that were drawn of a dataset.

    `by_paper`: those are papers, from which come several rows or none; else they are the rows themselves.
    """
    sent = rehearse(steps, rows, characters)
    if not steps or steps[0].tag in sent.silent:  # not even the first prompt can be told: all rows may be sent
        return frame_of(drawn, rows, sent, 0, by_paper)
    places = np.flatnonzero(sent.calls[:, 0] > 0)
    paid = Rehearsed(sent.calls[places], sent.text[places], sent.images[places], sent.assumed, sent.silent)
    chosen = [rows[int(place)] for place in places]
    return frame_of(drawn, chosen, paid, len(rows) - len(places), by_paper)


def frame_of(
    drawn: Drawn, rows: Sequence[Mapping[str, Any]], sent: Rehearsed, free: int, by_paper: bool = True
) -> Frame:
    """The frame of rows that are paid for, of which it is known what they send."""
    names = [str(row.get("paper_id") or number) if by_paper else str(number) for number, row in enumerate(rows)]
    ones = np.ones(len(rows))
    sizes = sent.tokens[:, 0] if sent.tokens.shape[1] else ones
    apart = (_apart(drawn, names, amounts) for amounts in (ones, sizes))
    return Frame(drawn.dataset_rows, len(drawn.rows), tuple(rows), free, sent, *apart)


def _apart(drawn: Drawn, names: Sequence[str], amounts: Numbers) -> float:
    """How uncertain the sum of `amounts` over the whole dataset is, by how unlike its drawn rows are in them.

    `names` say which of these each amount is from.
    """
    read = len(drawn.rows)
    unseen = 1 - read / drawn.dataset_rows
    if unseen == 0 or not amounts.sum():
        return 0.0
    sums = defaultdict[str, float](float)
    for name, amount in zip(names, amounts, strict=True):
        sums[name] += float(amount)
    each = np.zeros(max(read, len(sums)))  # a drawn row that nothing came from is one of 0
    each[: len(sums)] = list(sums.values())
    if len(each) == 1:
        return 1.0
    return normal_quantile() * float(each.std(ddof=1) / each.mean()) * math.sqrt(unseen / len(each))


def draw_rows(rows: Sequence[Mapping[str, Any]], number: int, seed: int) -> list[int]:
    """The places of up to `number` rows, drawn by their `row_id` and the seed.

    The draw of more rows by the same seed holds those of fewer. Each row has the same chance, whatever
    its paper: whole papers or strata would give samples whose spread says less about the rest.
    """
    digests = [hashlib.sha256(str(row.get("row_id")).encode()).digest()[:16] for row in rows]
    return sorted(shuffled(digests, seed)[:number])
