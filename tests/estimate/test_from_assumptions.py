from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from data_juicer_ext.estimate.assumptions import Assumptions, load_assumptions
from data_juicer_ext.estimate.from_assumptions import from_assumptions
from data_juicer_ext.estimate.from_pilot import PilotForecast
from data_juicer_ext.estimate.paid_rows import Drawn, Frame, frame
from data_juicer_ext.estimate.recipe_steps import RecipeStep, plan
from data_juicer_ext.estimate.result import UNKNOWN
from data_juicer_ext.estimate.uncertain_amounts import Range
from tests.estimate.figures import CLAIMS, QUESTIONS, VOTE, config, figure_rows

KNOWN = Range.exact
PAPERS = ({"paper_id": "p0"}, {"paper_id": "p1"})


def certain(**own: object) -> Assumptions:
    """Assumptions without a doubt: 4 claims per figure, half of everything kept, 20 tokens an answer."""
    half = {name: KNOWN(0.5) for name in ("mapper", "filter")}
    given = {"claims_per_figure": KNOWN(4), "keep": half, "completion_tokens": {"others": KNOWN(20)},
             "thinking_tokens": KNOWN(100), "repairs": KNOWN(0), "frugal_draws": KNOWN(0.75), **own}  # fmt: skip
    return replace(load_assumptions(), **given)  # type: ignore[arg-type]


@pytest.fixture
def steps() -> list[RecipeStep]:
    return plan(config(CLAIMS, QUESTIONS, VOTE)).known


@pytest.fixture
def rows(tmp_path: Path, steps: list[RecipeStep]) -> Frame:
    return frame(Drawn(2, PAPERS), figure_rows(tmp_path), steps, load_assumptions().characters)


def test_shares_follow_each_other(rows: Frame, steps: list[RecipeStep]) -> None:
    found = from_assumptions(rows, steps, certain())
    assert [step.rows_in.likely for step in found.steps] == [2, 8, 4]
    assert [step.calls.likely for step in found.steps] == [2, 8, 12]
    assert found.survivors == KNOWN(2)
    assert found.steps[2].completion_tokens == KNOWN(12 * 120)  # o4-mini thinks
    assert found.steps[1].completion_tokens == KNOWN(8 * 20)


def test_prompts_are_those_that_were_rehearsed(rows: Frame, steps: list[RecipeStep]) -> None:
    found = from_assumptions(rows, steps, certain(repairs=KNOWN(0.5)))
    assert found.steps[0].prompt_tokens.likely == pytest.approx(rows.sent.tokens[:, 0].sum() * 1.5)
    assert found.steps[2].prompt_tokens.likely == pytest.approx(rows.sent.tokens[:, 2].mean() * 4 * 1.5)
    assert 0.3 < found.steps[2].image_share < 0.9 and found.steps[0].image_share == 0


def test_prices_are_those_of_the_table(rows: Frame, steps: list[RecipeStep]) -> None:
    vote = from_assumptions(rows, steps, certain()).steps[2]
    assert vote.cost is not None
    assert vote.cost.likely == pytest.approx((vote.prompt_tokens.likely * 1.10 + 12 * 120 * 4.40) / 1e6)


def test_an_unknown_price_is_not_guessed(rows: Frame, steps: list[RecipeStep]) -> None:
    found = from_assumptions(rows, steps, certain())
    assert found.steps[0].cost is None and found.steps[1].cost is None
    assert found.steps[2].cost is not None and found.cost == found.steps[2].cost


def test_doubts_add_by_their_squares(rows: Frame, steps: list[RecipeStep]) -> None:
    def one(**own: object) -> PilotForecast:
        return from_assumptions(rows, steps, certain(**own))

    claims, keep = Range(2, 4, 8), {"mapper": KNOWN(0.5), "filter": Range(0.25, 0.5, 1)}
    assert one(claims_per_figure=claims).survivors == Range(1, 2, 4)
    both = one(claims_per_figure=claims, keep=keep).survivors
    assert (both.low, both.likely, both.high) == pytest.approx((2 - 2**0.5, 2, 2 + 8**0.5))


def test_papers_that_were_not_read_are_counted_with_a_doubt(tmp_path: Path, steps: list[RecipeStep]) -> None:
    found = frame(Drawn(20, PAPERS), figure_rows(tmp_path), steps, load_assumptions().characters)
    first = from_assumptions(found, steps, certain()).steps[0]
    tokens = first.prompt_tokens
    assert first.rows_in.likely == 20 and tokens.low < tokens.likely < tokens.high


def test_frugal_votes_make_fewer_calls(tmp_path: Path) -> None:
    frugal = {"vision_vote_filter": {**VOTE["vision_vote_filter"], "vote_mode": "frugal"}}
    steps = plan(config(CLAIMS, QUESTIONS, frugal)).known
    rows = frame(Drawn(2, PAPERS), figure_rows(tmp_path), steps, load_assumptions().characters)
    assert from_assumptions(rows, steps, certain()).steps[2].calls.likely == pytest.approx(9)


def test_batches_cost_half(rows: Frame, steps: list[RecipeStep]) -> None:
    batch = {"vision_vote_filter": {**VOTE["vision_vote_filter"], "model_params": {"mode": "batch"}}}
    half = from_assumptions(rows, plan(config(CLAIMS, QUESTIONS, batch)).known, certain())
    assert half.cost.likely == pytest.approx(from_assumptions(rows, steps, certain()).cost.likely / 2)


def test_a_step_that_is_not_known_is_not_guessed(tmp_path: Path) -> None:
    steps = plan(config(CLAIMS, VOTE)).known
    rows = frame(Drawn(2, PAPERS), figure_rows(tmp_path), steps, load_assumptions().characters)
    found = from_assumptions(rows, steps, certain())
    assert found.steps[1].basis == UNKNOWN and found.steps[1].cost is None
