from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from data_juicer_ext.estimate.recipe_steps import foreign_callers, keyless, plan
from data_juicer_ext.ops.recipe.recipe_check import check
from tests.estimate.figures import CLAIMS, QUESTIONS, VOTE, config
from tests.host import recipe, write_rows


def test_what_comes_before_the_first_call_is_free() -> None:
    found = plan(recipe("verisciqa"))
    assert [next(iter(item)) for item in found.free] == ["latex_figure_context_mapper", "figure_rows_mapper"]
    assert [step.tag for step in found.steps] == [
        "claim_extractor", "mcq_generator", "source_consistency", "visual_dependence_text", "visual_dependence_vision",
        "vision_vote",
    ]  # fmt: skip
    assert not found.foreign


def test_models_are_those_of_the_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJ_EXT_VISION_MODEL", "gpt-4o")
    found = plan(recipe("verisciqa"))
    assert [step.model for step in found.steps] == ["deepseek-chat"] * 4 + ["gpt-4o"] * 2


def test_an_operator_to_look_at_has_nowhere_to_send_anything() -> None:
    [step] = plan(config(CLAIMS)).steps
    assert step.endpoint is not None
    assert step.endpoint.base_url.startswith("http://127.0.0.1:9/") and step.endpoint.key() == ""


def test_both_models_of_a_judge_go_nowhere() -> None:
    given = {"protocol": "agent", "api_model": "o4-mini", "text_api_model": "gpt-4.1"}
    [step] = plan(config({"figure_quality_mapper": given})).steps
    assert step.op.text_endpoint.model == "gpt-4.1" and step.op.text_endpoint.base_url.startswith("http://127.0.0.1:9/")


def test_operators_of_others_are_known_by_name_alone() -> None:
    found = plan(config({"clean_email_mapper": None}, CLAIMS, {"text_length_filter": {"min_len": 1}}))
    assert found.free == ({"clean_email_mapper": None},)
    assert found.foreign == ["text_length_filter"] and [step.tag for step in found.known] == ["claim_extractor"]


def test_operators_of_others_that_may_cost_money_are_known() -> None:
    names = ("clean_email_mapper", "extract_keyword_mapper", "llm_quality_score_filter", "nobody_knows_mapper")
    process = [{name: {}} for name in names]
    assert foreign_callers([*process, CLAIMS]) == ["extract_keyword_mapper", "llm_quality_score_filter"]


def test_a_recipe_without_a_model_has_no_steps() -> None:
    found = plan(config({"figure_rows_mapper": {}}))
    assert not found.steps and len(found.free) == 1


def test_without_a_pilot_no_key_is_needed(tmp_path: Path) -> None:
    given = {**config(CLAIMS, QUESTIONS, VOTE), "use_cache": False, "export_extra_args": {"mode": "overwrite"}}
    dataset = write_rows(tmp_path / "d.jsonl", [{"paper_id": "p"}])
    path = tmp_path / "r.yaml"
    path.write_text(yaml.safe_dump(given))
    assert any("needs a key" in said for said in check(path, str(dataset)))
    path.write_text(yaml.safe_dump(keyless(given)))
    assert not any("needs a key" in said for said in check(path, str(dataset)))
    assert "api_key_env" not in str(given)


@pytest.mark.parametrize("process", [None, [None], [{"claim_extractor_mapper": 3}], [{"a": 1, "b": 2}], ["x"]])
def test_a_malformed_recipe_is_left_for_the_check_to_name(process: object) -> None:
    assert keyless({"process": process}) == {"process": process}


def test_a_literal_key_is_still_found(tmp_path: Path) -> None:
    given = config({"claim_extractor_mapper": {"api_model": "m", "model_params": {"api_key": "sk-1"}}})
    path = tmp_path / "r.yaml"
    path.write_text(yaml.safe_dump(keyless(given)))
    assert any("does not belong in a recipe" in said for said in check(path))
