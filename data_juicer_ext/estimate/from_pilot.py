"""The estimate from a pilot: what its rows took and gave, carried over to all rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.estimate.cost_of_calls import unit_prices
from data_juicer_ext.estimate.intervals import Estimator, Numbers, regressed, scaled, survivors, total
from data_juicer_ext.estimate.paid_rows import Frame
from data_juicer_ext.estimate.pilot_sample import PilotSample, PilotStep
from data_juicer_ext.estimate.recipe_steps import RecipeStep
from data_juicer_ext.estimate.result import PILOT, StepEstimate
from data_juicer_ext.estimate.uncertain_amounts import Range

LEAST_ROWS = 2


class TooSmallError(DjExtError, ValueError):
    """Too few rows of a pilot were decided to say anything about the rest."""


@dataclass(frozen=True)
class PilotForecast:
    """The steps, the rows that come through the last, and the US dollars of all steps of known price."""

    steps: tuple[StepEstimate, ...]
    survivors: Range
    cost: Range


def from_pilot(frame: Frame, steps: Sequence[RecipeStep], sample: PilotSample) -> PilotForecast:
    """What `steps` will take and give over the dataset of `frame`. Raises TooSmallError."""
    if len(sample.places) < LEAST_ROWS:
        raise TooSmallError(
            f"{len(sample.places)} of the pilot's {sample.drawn} rows were decided; at least {LEAST_ROWS} are needed"
        )
    return _Carried(frame, sample).over(steps)


class _Carried:
    """Carries what the sample saw over to the frame, and from that to the dataset."""

    def __init__(self, frame: Frame, sample: PilotSample) -> None:
        self.frame, self.sample = frame, sample
        self.places = np.array(sample.places, dtype=np.intp)
        # The drawn rows are a random sample of the whole dataset's, as those that were read are one.
        self.drawn, self.rows = len(sample.places), round(len(frame.rows) * frame.scale)
        # Known of every row: how long the first step's prompt is. More text to a figure gives more claims.
        self.size = frame.sent.tokens[:, 0]

    def over(self, steps: Sequence[RecipeStep]) -> PilotForecast:
        """All steps, one after the other."""
        made, priced, unseen = list[StepEstimate](), list[Estimator](), Range.exact(0.0)
        arriving, single = Range.exact(self.rows), True
        for number, step in enumerate(steps):
            seen = self.sample.steps[number]
            single &= bool((seen.rows_out <= 1).all() and (seen.rows_in <= 1).all())
            leaving = self._rows(seen.rows_out, single)
            cost = self._cost(number, step, seen)
            one = self._step(number, step, arriving, leaving, cost)
            if cost is not None and seen.calls.sum():
                priced.append(cost)
            elif one.cost is not None:
                unseen = unseen.plus(one.cost)
            made.append(one)
            arriving = leaving
        whole = self._total(lambda places: sum(of(places) for of in priced)) if priced else Range.exact(0.0)
        money = whole.plus(unseen).widened(self.frame.tokens_apart)
        return PilotForecast(tuple(map(self._widened, made)), self._counted(arriving), money)

    def _step(
        self, number: int, step: RecipeStep, arriving: Range, leaving: Range, priced: Estimator | None
    ) -> StepEstimate:
        seen, sent = self.sample.steps[number], self.frame.sent
        calls = arriving.times(self._calls_a_row(number, seen))
        cost = None
        if seen.calls.sum():
            prompt, completion = self._total(self._prompts(number)), self._total(self._completions(number))
            cost = None if priced is None else self._total(priced)
        else:  # no row came here: what would be sent is known, what would come back is not
            prompt, completion = arriving.times(float(sent.tokens[:, number].mean())), Range.exact(0.0)
            prices = unit_prices(step)
            cost = None if prices is None else prompt.times(prices[0])
        tokens = float(sent.tokens[:, number].sum())
        share = float(sent.images[:, number].sum()) / tokens if tokens else 0.0
        return StepEstimate(
            step.operator, step.tag, step.model, PILOT, arriving, calls, prompt, completion, leaving, cost, share
        )

    def _cost(self, number: int, step: RecipeStep, seen: PilotStep) -> Estimator | None:
        prices = None if seen.unpriced else unit_prices(step)
        if prices is None:
            return None
        prompts, completions, factor = self._prompts(number), self._completions(number), _factor(seen, prices)
        return lambda places: factor * (prices[0] * prompts(places) + prices[1] * completions(places))

    def _rows(self, out: Numbers, single: bool) -> Range:
        """The rows that leave a step; `single` where each row of the frame is one row at most up to here."""
        if single:
            return survivors(int(out.sum()), self.drawn, self.rows)
        return self._total(self._mean(out), float(out.sum())).in_whole_rows()

    def _calls_a_row(self, number: int, seen: PilotStep) -> float:
        if seen.rows_in.sum():
            return float(seen.calls.sum() / seen.rows_in.sum())
        return float(self.frame.sent.calls[:, number].mean())

    def _prompts(self, number: int) -> Estimator:
        known = self.frame.sent.tokens[:, number]
        seen = self.sample.steps[number]
        if not known[self.places].sum():
            return self._mean(_filled(seen, seen.prompt, seen.stored[0], np.ones(self.drawn)))
        a_call = known[self.places] / np.maximum(self.frame.sent.calls[self.places, number], 1.0)
        prompt = _filled(seen, seen.prompt, seen.stored[0], a_call)
        return scaled(prompt, known[self.places], float(known.mean()) * self.rows)

    def _completions(self, number: int) -> Estimator:
        seen = self.sample.steps[number]
        return self._mean(_filled(seen, seen.completion, seen.stored[1], np.ones(self.drawn)))

    def _mean(self, y: Numbers) -> Estimator:
        return regressed(y, self.size[self.places], float(self.size.mean()), self.rows)

    def _total(self, estimate: Estimator, at_least: float = 0.0) -> Range:
        return total(estimate, self.drawn, self.rows, at_least)

    def _counted(self, rows: Range) -> Range:
        apart = self.frame.rows_apart
        return rows.widened(apart).in_whole_rows() if apart else rows

    def _widened(self, step: StepEstimate) -> StepEstimate:
        tokens = self.frame.tokens_apart
        return replace(
            step,
            rows_in=self._counted(step.rows_in),
            calls=step.calls.widened(self.frame.rows_apart),
            prompt_tokens=step.prompt_tokens.widened(tokens),
            completion_tokens=step.completion_tokens.widened(tokens),
            rows_out=self._counted(step.rows_out),
            cost=None if step.cost is None else step.cost.widened(tokens),
        )


def _filled(seen: PilotStep, paid: Numbers, stored: float, a_call: Numbers) -> Numbers:
    """Tokens of all calls: those of the responses, and for answers out of the store as many as such calls take.

    `a_call` says how long one call of each row is, in any unit.
    """
    sizes = a_call * (seen.calls - seen.hits)
    hits = a_call * seen.hits
    if sizes.sum() > 0:
        return np.asarray(paid + hits * (paid.sum() / sizes.sum()))
    return np.asarray(hits * (stored * seen.hits.sum() / hits.sum()) if hits.sum() > 0 else paid)


def _factor(seen: PilotStep, prices: tuple[float, float]) -> float:
    """What the pilot's calls cost for each US dollar of the list price: less where the provider had cached."""
    listed = float(seen.prompt.sum()) * prices[0] + float(seen.completion.sum()) * prices[1]
    return seen.cost / listed if listed > 0 else 1.0
