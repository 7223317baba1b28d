"""What an estimate says that it rests on."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from data_juicer_ext.estimate.assumptions import Assumptions
from data_juicer_ext.estimate.assumptions_in_words import taken_for_granted
from data_juicer_ext.estimate.result import PilotTold
from data_juicer_ext.estimate.uncertain_amounts import Range

ASSUMED = Assumptions(
    claims_per_figure=Range(1, 2, 3), keep={"filter": Range(0.4, 0.5, 0.6), "mapper": Range(0.9, 1, 1)},
    completion_tokens={"others": Range(50, 100, 200), "claim_extractor_mapper": Range(1, 10, 20)},
    thinking_tokens=Range(100, 500, 900), thinking_models=("o3",), repairs=Range(0, 0.02, 0.1),
    frugal_draws=Range(0.5, 0.6, 0.9), characters={}, sources=("shipped.yaml", "mine.yaml"),
)  # fmt: skip
PILOT = PilotTold(30, 25, 0, 0, 50, 0, 1.0, 0, 0, "/pilot")


def step(operator: str, tag: str, model: str = "seer", **more: Any) -> SimpleNamespace:
    known = {"operator": operator, "tag": tag, "model": model, "frugal": False, "is_free": False, "op": None,
             "several": None, "answer_tokens": None, "rows_expected": None}  # fmt: skip
    return SimpleNamespace(**{**known, **more})


CLAIMS = step("claim_extractor_mapper", "claims", "o3-mini",
              several=("claims_per_figure", "claims from a figure that is cited"))  # fmt: skip
VOTE = step("vision_vote_filter", "vote")


def told(
    *steps: SimpleNamespace, pilot: PilotTold | None = None, foreign: tuple[str, ...] = (), **frame: Any
) -> list[str]:
    sent = SimpleNamespace(assumed=["sent: as usual"], silent=frame.pop("silent", ()))
    found = SimpleNamespace(**{"read": 10, "dataset_rows": 10, "tokens_apart": 0.25, "sent": sent, **frame})
    planned = SimpleNamespace(known=list(steps), foreign=foreign)
    return list(taken_for_granted(found, planned, ASSUMED, pilot))  # type: ignore[arg-type]


def test_without_a_pilot_every_rate_is_said_with_its_source() -> None:
    assert told(CLAIMS, VOTE) == [
        "text: 4 characters per token; a pilot takes the provider's own counts",
        "sent: as usual",
        "claims: 2 (1 to 3) claims from a figure that is cited, 10 (1 to 20) tokens an answer",
        "vote: keeps 50% (40% to 60%), 100 (50 to 200) tokens an answer",
        "o3-mini thinks: 500 (100 to 900) more tokens an answer",
        "calls made again because an answer could not be read: 2% of all",
        "nothing comes from the provider's cache of prompts",
        "source of these: shipped.yaml, mine.yaml",
    ]


def test_votes_that_stop_early_are_said() -> None:
    said = told(step("vision_vote_filter", "vote", frugal=True))
    assert "votes that stop when they are certain make 60% of their draws" in said


def test_a_sample_of_the_dataset_is_said_to_be_one() -> None:
    assert told(VOTE, dataset_rows=11)[0] == (
        "the 10 rows of the dataset that were read, drawn at random, stand for all 11 (give or take 25%)"
    )


def test_what_calls_no_model_rests_on_nothing() -> None:
    assert told(step("x_filter", "x", model=""), foreign=("other_mapper",)) == []


def test_what_could_not_be_reckoned_is_named() -> None:
    two = step("figure_quality_mapper", "q", op=SimpleNamespace(text_endpoint=SimpleNamespace(model="writer")))
    same = step("figure_quality_mapper", "q", op=SimpleNamespace(text_endpoint=SimpleNamespace(model="seer")))
    priced = "calls of figure_quality_mapper without an image are priced as those of its vision model"
    assert priced in told(two) and priced not in told(same)
    said = told(VOTE, silent=("vote",), foreign=("a_mapper", "b_filter"))
    assert said[-3:] == [
        "vote: its prompts hang on columns that are not there yet; only a pilot can tell what it costs",
        "a_mapper is not this package's: what it costs, makes and drops is not counted",
        "b_filter is not this package's: what it costs, makes and drops is not counted",
    ]
    assert not any("hang on columns" in line for line in told(VOTE, silent=("vote",), pilot=PILOT))


def test_a_pilot_stands_for_all_others() -> None:
    assert told(VOTE, pilot=PILOT) == ["the 25 rows of the pilot that were decided stand for all others"]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"undecided": 3}, "3 rows of the pilot were left undecided by failed calls: as good as the others"),
        ({"unreached": 2}, "2 rows of the pilot were not run to their end: its budget was reached"),
        ({"hits": 50}, "all answers of the pilot came from the store: their tokens are the mean of such answers there"),
        ({"hits": 49}, "49 answers of the pilot came from the store: their tokens are reckoned by those of the others"),
        ({"untied": 4}, "4 decisions of the pilot can't be traced to a drawn row: they are not counted"),
    ],
)
def test_what_is_odd_about_a_pilot_is_said(changed: dict[str, int], says: str) -> None:
    assert told(VOTE, pilot=replace(PILOT, **changed))[1:] == [says]


def test_a_free_model_has_no_answers_in_a_store_to_speak_of() -> None:
    said = told(step("vision_vote_filter", "vote", is_free=True), pilot=replace(PILOT, hits=50))
    assert said[1:] == ["50 answers of the pilot came from the store: their tokens are reckoned by those of the others"]
