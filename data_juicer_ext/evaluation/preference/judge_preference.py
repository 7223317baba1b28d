"""A judge's S_final against people's preferences: direction, strength and order (SciDiagBench, tables 3 and 4)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from data_juicer_ext.diagrams.scoring import PARITY
from data_juicer_ext.evaluation.judged_pairs import GROUPS, NOT_SAID, Judged
from data_juicer_ext.evaluation.preference.votes import CONFLICT, TOO_FEW, Human, PairVote, aggregate, by_pair, sign
from data_juicer_ext.evaluation.statistics.alpha_and_kappa import counts_of, fleiss_kappa, krippendorff_alpha
from data_juicer_ext.evaluation.statistics.bootstrap import Resampling
from data_juicer_ext.evaluation.statistics.correlation import correlation
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, share, undefined

GENERATED, REFERENCE = "generated-preferred", "reference-preferred"
STRENGTHS = ("reference", "slight reference", "slight generated", "generated")
_SLIGHT = 1  # a median of 1.5 is more than slight

JudgedAndHuman = tuple[Judged, Human]


@dataclass(frozen=True)
class JudgePreference:
    """One judge. `counts` says what was compared and left out, `rows` are `by`, `value` and the measures of each.

    DAR is the share of pairs where the judge points as people do (a tie points nowhere); `delta` is the mean S_final
    minus parity. `flip_rate` is over all its runs with both orders known.
    """

    judge: str
    counts: dict[str, int]
    rows: list[dict[str, Any]]
    flip_rate: Measure
    flips_known: int
    refused: list[str]


@dataclass(frozen=True)
class PreferenceEvaluation:
    """All judges, and the people: `humans` by pair, `agreement` of the raters among themselves."""

    judges: list[JudgePreference]
    humans: list[Human]
    agreement: dict[str, Any]
    refused: list[str]


def evaluate(
    judges: Mapping[str, tuple[Mapping[str, Judged], Sequence[str]]],
    votes: Iterable[PairVote],
    order: Resampling,
    refused: Sequence[str] = (),
) -> PreferenceEvaluation:
    """Compare judges (by name: pairs, refused rows) with the votes."""
    strengths = by_pair(votes)
    humans = {pair: aggregate(pair, given) for pair, given in strengths.items()}
    found = [_judge(name, judged, humans, order, more) for name, (judged, more) in judges.items()]
    return PreferenceEvaluation(found, list(humans.values()), rater_agreement(strengths, order), list(refused))


def rater_agreement(strengths: Mapping[str, Mapping[str, float]], order: Resampling) -> dict[str, Any]:
    """Fleiss' kappa of the three directions and ordinal alpha of the five strengths, over all pairs that were rated.

    `kappa_left_out` counts the pairs without the commonest number of ratings. Preferences made already have no raters.
    """
    rated = {pair: {r: s for r, s in given.items() if r} for pair, given in strengths.items()}
    rated = {pair: given for pair, given in rated.items() if given}
    ways = {pair: {rater: float(sign(s)) for rater, s in given.items()} for pair, given in rated.items()}
    kappa, left_out = fleiss_kappa(counts_of(ways), order)
    return {
        "pairs": len(rated), "raters": len({rater for given in rated.values() for rater in given}),
        "kappa_direction": kappa, "kappa_left_out": left_out,
        "alpha_ordinal": krippendorff_alpha(counts_of(rated), "ordinal", order),
    }  # fmt: skip


def _judge(
    name: str, judged: Mapping[str, Judged], humans: Mapping[str, Human], order: Resampling, refused: Sequence[str]
) -> JudgePreference:
    usable = [pair for pair in judged.values() if not pair.contaminated and not pair.development]
    both = [(pair, humans[pair.pair]) for pair in sorted(usable, key=lambda p: p.pair) if pair.pair in humans]
    compared = [(pair, human) for pair, human in both if not human.left_out]
    why = Counter(human.left_out for _, human in both)
    counts = {
        "judged": len(judged), "contaminated": sum(pair.contaminated for pair in judged.values()),
        "development": sum(pair.development and not pair.contaminated for pair in judged.values()),
        "without_rating": len(usable) - len(both), "not_judged": len(humans.keys() - judged.keys()),
        "conflict": why[CONFLICT], "too_few": why[TOO_FEW], "compared": len(compared),
        "several_runs": sum(len(pair.runs) > 1 for pair, _ in compared), "refused_rows": len(refused),
    }  # fmt: skip
    known = [run.flipped for pair in usable for run in pair.runs.values() if run.flipped is not None]
    flips = share(sum(known), len(known), "runs with both orders")
    return JudgePreference(name, counts, _rows(compared, order), flips, len(known), list(refused))


def _rows(pairs: Sequence[JudgedAndHuman], order: Resampling) -> list[dict[str, Any]]:
    rows = [{"by": "all", "value": "", **measures(pairs, order)}]
    for value, way in ((GENERATED, 1), (REFERENCE, -1)):
        rows.append({"by": "direction", "value": value, **measures([p for p in pairs if p[1].direction == way], None)})
    for value in STRENGTHS:
        own = [pair for pair in pairs if stratum(pair[1]) == value]
        rows.append({"by": "strength", "value": value, **measures(own, None)})
    for by in GROUPS:
        values = sorted({judged.groups[by] for judged, _ in pairs} - {NOT_SAID})
        for value in values:
            own = [pair for pair in pairs if pair[0].groups[by] == value]
            rows.append({"by": by, "value": value, **measures(own, order)})
    return rows


def stratum(human: Human) -> str:
    """Which of `STRENGTHS` a pair belongs to."""
    side = "generated" if human.direction > 0 else "reference"
    return side if abs(human.strength) > _SLIGHT else f"slight {side}"


def measures(pairs: Sequence[JudgedAndHuman], order: Resampling | None) -> dict[str, Any]:
    """The measures of some pairs; those of strength (Kendall, Spearman) only with an `order`."""
    agreed = sum(judged.direction == human.direction for judged, human in pairs)
    finals = [judged.final for judged, _ in pairs]
    mean = fmean(finals) if finals else None
    found: dict[str, Any] = {
        "n": len(pairs), "agreed": agreed, "ties": sum(not judged.direction for judged, _ in pairs),
        "dar": share(agreed, len(pairs), "pairs"),
        "mean_s_final": undefined("no pairs") if mean is None else Measure(mean),
        "delta": undefined("no pairs") if mean is None else Measure(mean - PARITY),
    }  # fmt: skip
    if order is not None:
        strengths = [human.strength for _, human in pairs]
        found["kendall_tau_b"] = correlation("kendall", finals, strengths, order, "pairs")
        found["spearman_rho"] = correlation("srcc", finals, strengths, order, "pairs")
    return found
