"""Stability of a judge over repeated runs (SciDiagBench, section 4.5 and table 5).

The paper does not spell out its flip rates. Here a flip rate is the share of instances, or of criteria of instances,
whose runs do not all point in one direction; the share of pairs of runs that differ stands beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

from data_juicer_ext.evaluation.judged_pairs import GROUPS, NOT_SAID, Judged, way
from data_juicer_ext.evaluation.preference.votes import sign
from data_juicer_ext.evaluation.statistics.intraclass_correlation import one_way
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, share, undefined

_DIGITS = 9  # differences of means of orders that are 0 but for the last binary digit


@dataclass(frozen=True)
class JudgeStability:
    """One judge: what was counted, and rows (`by`, `value`, measures) for all and by diagram type and generator."""

    judge: str
    counts: dict[str, int]
    rows: list[dict[str, Any]]
    refused: list[str]


def evaluate(judge: str, judged: Mapping[str, Judged], refused: Sequence[str] = ()) -> JudgeStability:
    """The stability of a judge over the pairs with two runs or more; contaminated and development ones are left out."""
    usable = [pair for _, pair in sorted(judged.items()) if not pair.contaminated and not pair.development]
    several = [pair for pair in usable if len(pair.runs) > 1]
    counts = {
        "judged": len(judged), "contaminated": sum(pair.contaminated for pair in judged.values()),
        "development": sum(pair.development and not pair.contaminated for pair in judged.values()),
        "one_run": len(usable) - len(several), "compared": len(several),
        "fewest_runs": min((len(pair.runs) for pair in several), default=0),
        "most_runs": max((len(pair.runs) for pair in several), default=0),
        "repeated": sum(pair.repeated for pair in judged.values()), "refused_rows": len(refused),
    }  # fmt: skip
    rows = [{"by": "all", "value": "", **measures(several)}]
    for by in GROUPS:
        for value in sorted({pair.groups[by] for pair in several} - {NOT_SAID}):
            own = [pair for pair in several if pair.groups[by] == value]
            rows.append({"by": by, "value": value, **measures(own)})
    return JudgeStability(judge, counts, rows, list(refused))


def measures(pairs: Sequence[Judged]) -> dict[str, Any]:
    """The measures of table 5, over pairs with two runs or more.

    `icc` is between / (between + within). `criterion_dispersion` is the standard deviation over the runs of a
    criterion's score difference (points), the mean over all criteria of all instances. `run_sd` is the standard
    deviation of the runs' mean S_final, over the instances that have all runs.
    """
    finals = [[run.final for run in pair.runs.values()] for pair in pairs]
    variance = one_way(finals)
    criteria = [values for pair in pairs for values in _criteria(pair)]
    ways = [[way(final) for final in runs] for runs in finals]
    of_criteria = [[sign(value) for value in values] for values in criteria]
    spread = [stdev(values) for values in criteria]
    return {
        "n": len(pairs), "runs": sum(map(len, finals)), "icc": variance.icc, "between": variance.between,
        "within": variance.within, "direction_flip": _flips(ways, "instances with two runs"),
        "direction_flip_pairs": _pairwise(ways, "instances with two runs"), "criteria": len(criteria),
        "criterion_flip": _flips(of_criteria, "criterion scores of two runs"),
        "criterion_flip_pairs": _pairwise(of_criteria, "criterion scores of two runs"),
        "criterion_dispersion": Measure(fmean(spread)) if spread else undefined("no criterion scores of two runs"),
        "run_sd": _run_sd(pairs),
    }  # fmt: skip


def _criteria(pair: Judged) -> list[list[float]]:
    names = sorted({name for run in pair.runs.values() for name in run.criteria})
    given = [
        [round(run.criteria[name], _DIGITS) for run in pair.runs.values() if name in run.criteria] for name in names
    ]
    return [values for values in given if len(values) > 1]


def _flips(groups: Sequence[Sequence[int]], what: str) -> Measure:
    return share(sum(len(set(group)) > 1 for group in groups), len(groups), what)


def _pairwise(groups: Sequence[Sequence[int]], what: str) -> Measure:
    """The share of pairs of runs that differ, the mean over the groups, so that all weigh the same."""
    shares = [fmean(first != second for first, second in combinations(group, 2)) for group in groups]
    return Measure(fmean(shares)) if shares else undefined(f"no {what}")


def _run_sd(pairs: Sequence[Judged]) -> Measure:
    runs = sorted({index for pair in pairs for index in pair.runs})
    whole = [pair for pair in pairs if len(pair.runs) == len(runs)]
    if len(runs) < 2 or not whole:
        return undefined("no instance has all runs")
    return Measure(stdev(fmean(pair.runs[index].final for pair in whole) for index in runs))
