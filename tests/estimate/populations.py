"""Populations whose truth is known: rows of papers that resemble each other, and what a recipe makes of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data_juicer_ext.estimate.intervals import Numbers
from data_juicer_ext.estimate.paid_rows import Drawn, Frame, draw_rows, frame_of
from data_juicer_ext.estimate.pilot_sample import PilotSample, PilotStep
from data_juicer_ext.estimate.prompt_rehearsal import Rehearsed
from data_juicer_ext.estimate.recipe_steps import RecipeStep

TOKENS_A_CHARACTER = 0.3  # what the provider counts; the estimate reckons with a quarter


@dataclass(frozen=True)
class Population:
    """Rows, and what each sends and gives at every step: arrays of rows by steps."""

    papers: tuple[str, ...]
    sizes: Numbers
    rows_out: Numbers
    calls: Numbers

    @property
    def survivors(self) -> float:
        return float(self.rows_out[:, -1].sum())

    @property
    def steps(self) -> list[RecipeStep]:
        return [RecipeStep(f"step{number}_filter", f"step{number}") for number in range(self.rows_out.shape[1])]

    @property
    def prompt(self) -> Numbers:
        """What the provider counts, a row and step."""
        return np.asarray(self.calls * self.sizes[:, None] * 4 * TOKENS_A_CHARACTER)

    @property
    def frame(self) -> Frame:
        """All rows, of a dataset of all papers."""
        papers = set(self.papers)
        return Frame(len(papers), len(papers), self.rows, 0, self.sent)

    @property
    def rows(self) -> tuple[dict[str, str], ...]:
        return tuple({"row_id": f"row-{n}", "paper_id": paper} for n, paper in enumerate(self.papers))

    @property
    def sent(self) -> Rehearsed:
        one = np.ones(self.rows_out.shape)
        return Rehearsed(one, one * self.sizes[:, None], 0 * one)

    def read(self, papers: set[str]) -> tuple[Frame, Population]:
        """The frame and the population of some of the papers."""
        places = [n for n, paper in enumerate(self.papers) if paper in papers]
        part = Population(tuple(self.papers[n] for n in places), self.sizes[places], self.rows_out[places],
                          self.calls[places])  # fmt: skip
        drawn = Drawn(len(set(self.papers)), tuple({"paper_id": paper} for paper in papers))
        return frame_of(drawn, part.rows, part.sent, 0), part

    def pilot(self, rows: int, seed: int) -> PilotSample:
        """What a pilot of `rows` rows sees."""
        return self.seen(draw_rows(self.frame.rows, rows, seed))

    def seen(self, places: Sequence[int]) -> PilotSample:
        chosen = np.array(places)
        rows_in = np.hstack([np.ones((len(self.papers), 1)), self.rows_out[:, :-1]])
        none = np.zeros(len(places))
        steps = tuple(
            PilotStep(rows_in[chosen, k], self.rows_out[chosen, k], self.calls[chosen, k], none,
                 self.prompt[chosen, k], none)
            for k in range(self.rows_out.shape[1])
        )  # fmt: skip
        return PilotSample(tuple(places), steps, len(places), 0, 0, 0, 0, 0.0, 0)


def of_papers(
    seed: int, keep: Sequence[float], claims: float = 0.0, papers: int = 60, alike: float = 0.15
) -> Population:
    """Papers with about seven rows each. A row becomes `claims` rows on average, more with more text (0: stays one),
    of which a share of about `keep` goes on at each step; `alike` is the correlation within a paper."""
    rng = np.random.default_rng(seed)
    names, sizes, out = list[str](), list[float](), list[list[int]]()
    for paper in range(papers):
        shares = [rng.beta(share * (1 / alike - 1), (1 - share) * (1 / alike - 1)) for share in keep]
        for _ in range(1 + rng.poisson(6)):
            text = rng.gamma(1.5, 1 / 1.5)
            alive = int(rng.poisson(claims * (0.3 + 0.7 * text))) if claims else 1
            steps = [alive] if claims else []
            for share in shares:
                alive = int(rng.binomial(alive, share))
                steps.append(alive)
            names.append(f"paper-{paper}")
            sizes.append(600 + 400 * text)
            out.append(steps)
    rows_out = np.array(out, dtype=float)
    calls = np.hstack([np.ones((len(names), 1)), rows_out[:, :-1]])
    return Population(tuple(names), np.array(sizes), rows_out, calls)
