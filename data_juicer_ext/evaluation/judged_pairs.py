"""What a judge said of pairs of diagrams, in one run or several, read from the rows of `diagram_judge_mapper`."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from data_juicer_ext.diagrams.scoring import PARITY, direction
from data_juicer_ext.evaluation.quality.rows import RowError
from data_juicer_ext.rows import Row

GROUPS = ("diagram_type", "generator")
DEVELOPMENT = ("development", "dev")
NOT_SAID = "(not said)"
_DIGITS = 9
_SIGNS = {"generated": 1, "tie": 0, "reference": -1}


@dataclass(frozen=True)
class JudgedRun:
    """One run over a pair: S_final (0 to 1), and whether the two orders differed in direction (None: not known).

    `criteria` are the score differences generated minus reference, -10 to 10, by criterion; {} where none stand.
    """

    index: int
    final: float
    flipped: bool | None
    criteria: Mapping[str, float] = field(default_factory=dict)


@dataclass
class Judged:
    """A pair with its runs; `groups` are the values of `GROUPS`, `repeated` counts runs that stood twice."""

    pair: str
    groups: dict[str, str]
    contaminated: bool = False
    development: bool = False
    runs: dict[int, JudgedRun] = field(default_factory=dict)
    repeated: int = 0

    @property
    def final(self) -> float:
        """S_final, the mean of the runs."""
        return round(fmean(run.final for run in self.runs.values()), _DIGITS)

    @property
    def direction(self) -> int:
        """1 where S_final is above parity, -1 below, 0 at it."""
        return way(self.final)


def way(final: float) -> int:
    """1 for an S_final above 0.5, -1 below, 0 at it."""
    return _SIGNS[direction(PARITY if abs(final - PARITY) < 10**-_DIGITS else final)]


def read_judged(rows: Sequence[Row], development: Collection[str] = ()) -> tuple[dict[str, Judged], list[str]]:
    """The pairs of an export, and what was refused, with the reason.

    `development` are row or paper ids of the development set; so are rows whose column `split` says it. The last row
    of a pair and run counts.
    """
    found, refused = dict[str, Judged](), list[str]()
    for row in rows:
        try:
            run = _run(row)
        except RowError as error:
            refused.append(str(error))
            continue
        pair = pair_id(row)
        judged = found.setdefault(pair, Judged(pair, {name: str(row.get(name) or NOT_SAID) for name in GROUPS}))
        judged.repeated += run.index in judged.runs
        judged.runs[run.index] = run
        judged.contaminated |= _whole(row.get("contaminated")) == 1
        judged.development |= bool({pair, str(row.get("paper_id") or "")} & set(development))
        judged.development |= str(row.get("split") or "") in DEVELOPMENT
    return found, refused


def merged(exports: Sequence[Mapping[str, Judged]]) -> dict[str, Judged]:
    """The pairs of several exports of one judge, the runs of each counted on from those before."""
    found, first = dict[str, Judged](), 0
    for judged in exports:
        for pair, own in judged.items():
            whole = found.setdefault(pair, replace(own, runs={}, repeated=0))
            whole.runs |= {first + index: run for index, run in own.runs.items()}
            whole.repeated += own.repeated
            whole.contaminated |= own.contaminated
            whole.development |= own.development
        first += 1 + max((index for own in judged.values() for index in own.runs), default=-1)
    return found


def aliases(rows: Sequence[Row]) -> dict[str, str]:
    """By row id the pair's id: people may have rated the row of any run."""
    return {str(row.get("row_id") or ""): pair_id(row) for row in rows}


def pair_id(row: Row) -> str:
    """What the pair of a row is known by, whichever the run: rows of later runs have ids of their own."""
    later = _whole(row.get("run_index"), 0) > 0
    return str((row.get("instance_id") if later else "") or row.get("row_id") or "")


def _run(row: Row) -> JudgedRun:
    pair = pair_id(row)
    if not pair:
        raise RowError(f"a row without row_id: {str(dict(row))[:80]}")
    value = row.get("s_final")
    try:
        final = float(value) if value is not None and not isinstance(value, bool) else math.nan
    except (TypeError, ValueError):
        final = math.nan
    if not 0 <= final <= 1:
        raise RowError(f"{pair}: s_final is {value!r}, not a number from 0 to 1")
    flipped = _whole(row.get("order_flipped"))
    index = _whole(row.get("run_index"), 0)
    return JudgedRun(index, final, bool(flipped) if flipped in (0, 1) else None, _criteria(row.get("judgement"), pair))


def _criteria(value: Any, pair: str) -> dict[str, float]:
    """The differences of a column `judgement`. Raises RowError for one that is no JSON, or holds no numbers."""
    try:
        held = json.loads(value) if isinstance(value, str) and value.strip() else value
        scores = held.get("scores") if isinstance(held, Mapping) else None
        return {name: float(s["generated"]) - float(s["reference"]) for name, s in (scores or {}).items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise RowError(f"{pair}: the column judgement is not one of diagram_judge_mapper") from error


def _whole(value: object, otherwise: int = -1) -> int:
    return int(value) if isinstance(value, (int, float)) and math.isfinite(value) else otherwise
