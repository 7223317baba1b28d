from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.estimate.assumptions import load_assumptions
from data_juicer_ext.estimate.prompt_rehearsal import Rehearsed, rehearse
from data_juicer_ext.estimate.recipe_steps import plan
from data_juicer_ext.models.http.messages import prompt_tokens
from data_juicer_ext.prompts import request
from data_juicer_ext.qa.arxiv_domains import spelled_out
from tests.estimate.figures import CLAIMS, QUESTIONS, VOTE, config, figure_rows
from tests.host import recipe

CHARACTERS = load_assumptions().characters


def rehearsed(rows: list[dict[str, Any]], *process: dict[str, Any]) -> Rehearsed:
    return rehearse(plan(config(*process)).known, rows, CHARACTERS)


def test_the_first_prompt_is_the_one_that_is_sent(tmp_path: Path) -> None:
    rows = figure_rows(tmp_path)
    found = rehearsed(rows, CLAIMS)
    for place, row in enumerate(rows[:2]):
        paragraphs = [entry["paragraph"] for entry in json.loads(row["context_places"])]
        sent = request("verisciqa/claim_extraction", {}, domain=spelled_out("cs.LG"), label=row["label"],
                       labels=json.loads(row["labels"]), paragraphs=paragraphs)  # fmt: skip
        assert found.tokens[place, 0] == prompt_tokens(sent)
    assert found.calls[:, 0].tolist() == [1, 1, 0]  # nobody cites the last figure: dropped without a call


def test_later_prompts_hold_all_but_the_claim_and_the_question(tmp_path: Path) -> None:
    rows = figure_rows(tmp_path)
    found = rehearsed(rows, CLAIMS, QUESTIONS, VOTE)
    assert found.calls[0].tolist() == [1, 1, 3]
    longer = figure_rows(tmp_path)
    places = json.loads(longer[0]["context_places"])
    places[0]["paragraph"] += "x" * 4000
    longer[0]["context_places"] = json.dumps(places)
    more = rehearsed(longer, CLAIMS, QUESTIONS, VOTE).tokens[0] - found.tokens[0]
    assert more.tolist() == [1000, 1000, 0]  # the vote sees no paragraph
    assert not found.silent


def test_images_are_counted_by_the_models_rule(tmp_path: Path) -> None:
    found = rehearsed(figure_rows(tmp_path), CLAIMS, QUESTIONS, VOTE)
    assert found.images[0].tolist() == pytest.approx([0, 0, 3 * 20 * 10 * 1.72])
    assert not found.assumed
    other = {"vision_vote_filter": {"api_model": "my-own", "draws": 3, "model_params": {"image_profile": "gemini"}}}
    found = rehearsed(figure_rows(tmp_path), CLAIMS, QUESTIONS, other)
    assert "images for my-own" in found.assumed[0]


def test_draws_are_counted(tmp_path: Path) -> None:
    robust = [item for item in recipe("verisciqa_robust")["process"] if "mapper" not in next(iter(item))]
    found = rehearsed(figure_rows(tmp_path), CLAIMS, QUESTIONS, *robust)
    assert found.calls[0].tolist() == [1, 1, 1, 3, 3, 3]


@pytest.mark.parametrize(("protocol", "calls", "images"), [("direct", 1, 1), ("sidecar", 1, 1), ("agent", 3, 1)])
def test_a_quality_judge(tmp_path: Path, protocol: str, calls: int, images: int) -> None:
    judge = {"figure_quality_mapper": {"protocol": protocol, "api_model": "o4-mini", "text_api_model": "gpt-4.1"}}
    found = rehearsed(figure_rows(tmp_path), judge)
    assert found.calls[0, 0] == calls and found.text[0, 0] > 300 * calls
    assert found.images[0, 0] == pytest.approx(images * 200 * 1.72)


def test_a_step_whose_columns_nothing_makes_is_silent(tmp_path: Path) -> None:
    found = rehearsed(figure_rows(tmp_path), VOTE)
    assert found.silent == ("vision_vote",) and not found.calls.any()


def test_a_broken_image_costs_nothing_here(tmp_path: Path) -> None:
    rows = figure_rows(tmp_path)
    Path(rows[0]["images"][0]).write_bytes(b"no image")
    assert not rehearsed(rows, CLAIMS, QUESTIONS, VOTE).images.any()


def test_no_rows_make_no_calls() -> None:
    assert rehearsed([], CLAIMS).calls.shape == (0, 1)
