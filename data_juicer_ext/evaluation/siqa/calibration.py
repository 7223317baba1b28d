"""The calibration gate: raters are tested on reference images before their scores count (SIQA, section 3.2)."""

from collections.abc import Mapping, Sequence

from data_juicer_ext.evaluation.siqa.votes import DIMENSIONS, LEAST_RATERS, ExcludedRater, ImageScores, ImageVote, means
from data_juicer_ext.evaluation.statistics.correlation import correlation
from data_juicer_ext.evaluation.statistics.score_agreement import NOISE
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined

GATE = 0.8
_UNTESTED = -2.0


def calibrated(
    votes: Sequence[ImageVote], consensus: Mapping[str, ImageScores] | None, gate: float = GATE
) -> tuple[list[ExcludedRater], dict[str, dict[str, Measure]]]:
    """The raters that the gate leaves out, and by rater and dimension the SRCC with the consensus.

    Only a rater whose SRCC is above `gate` in both dimensions passes. `consensus` are the reference images' scores.
    Without, the mean of the other raters stands for it, and the worst rater goes first, so that one who guesses does
    not fail the others. Nobody is left out where no vote is a calibration's, nor where there is no consensus and no
    three raters to make one of.
    """
    tests = [vote for vote in votes if vote.calibration]
    raters = sorted({vote.rater for vote in votes})
    if not tests or (consensus is None and len({vote.rater for vote in tests}) < LEAST_RATERS):
        return [], {}
    if consensus is not None:
        found = {rater: _tested(tests, rater, consensus) for rater in raters}
        return [_failed(rater, found[rater], gate) for rater in raters if not _passes(found[rater], gate)], found
    return _one_by_one(tests, raters, gate)


def _one_by_one(
    tests: Sequence[ImageVote], raters: Sequence[str], gate: float
) -> tuple[list[ExcludedRater], dict[str, dict[str, Measure]]]:
    found = {rater: _tested(tests, rater, None) for rater in raters}
    left = [rater for rater in raters if _ranks(tests, rater)]
    left_out = [_failed(rater, found[rater], gate) for rater in raters if rater not in left]
    while len(left) >= LEAST_RATERS:
        counted = [vote for vote in tests if vote.rater in left]
        found |= {rater: _tested(counted, rater, None) for rater in left}
        worst = min(left, key=lambda rater: (_least(found[rater]), rater))
        if _passes(found[worst], gate):
            break
        left.remove(worst)
        left_out.append(_failed(worst, found[worst], gate))
    return left_out, found


def _ranks(tests: Sequence[ImageVote], rater: str) -> bool:
    own = [vote.scores for vote in tests if vote.rater == rater]
    return all(len({scores[name] for scores in own if name in scores}) > 1 for name in DIMENSIONS)


def _passes(tested: Mapping[str, Measure], gate: float) -> bool:
    return _least(tested) > gate + NOISE  # a correlation of 0.8 is a hair over it in binary


def _tested(tests: Sequence[ImageVote], rater: str, consensus: Mapping[str, ImageScores] | None) -> dict[str, Measure]:
    return {name: _with(tests, rater, name, consensus) for name in DIMENSIONS}


def _least(tested: Mapping[str, Measure]) -> float:
    """The SRCC of the worse dimension; below all correlations where one is not defined."""
    return min(_UNTESTED if measure.value is None else measure.value for measure in tested.values())


def _failed(rater: str, tested: Mapping[str, Measure], gate: float) -> ExcludedRater:
    reasons = [
        f"{name} {measure.note or f'SRCC {measure.shown()}, not above {gate:g}'}"
        for name, measure in tested.items()
        if measure.value is None or measure.value <= gate + NOISE
    ]
    return ExcludedRater(rater, "calibration", "; ".join(reasons))


def _with(tests: Sequence[ImageVote], rater: str, name: str, consensus: Mapping[str, ImageScores] | None) -> Measure:
    own = {vote.image: vote.scores[name] for vote in tests if vote.rater == rater and name in vote.scores}
    if not own:
        return undefined("no reference image was rated")
    if consensus is None:
        others = means([vote for vote in tests if vote.rater != rater], name)
    else:
        others = {image: scores[name] for image, scores in consensus.items() if name in scores}
    shared = sorted(own.keys() & others.keys())
    return correlation("srcc", [own[i] for i in shared], [others[i] for i in shared], what="shared reference images")
