"""`dj-ext check` and the operators' own refusals: what is wrong is said before the first row."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.ops.recipe.recipe_check import check
from tests.host import recipe, write_rows

GOOD_ROW = {"paper_id": "p", "paper_path": "p.tex", "domain": "cs.CL"}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-1234567890")
    monkeypatch.setenv("DJ_EXT_RUN_DIR", str(tmp_path / "run"))
    dataset = write_rows(tmp_path / "papers.jsonl", [GOOD_ROW])
    return {**copy.deepcopy(recipe("verisciqa")), "dataset_path": str(dataset)}


def complaints(config: dict[str, Any], tmp_path: Path) -> str:
    path = tmp_path / "recipe.yaml"
    path.write_text(yaml.safe_dump(config))
    return "\n".join(check(path))


def operator(config: dict[str, Any], name: str) -> dict[str, Any]:
    return next(step[name] for step in config["process"] if name in step)


@pytest.mark.parametrize("name", ["verisciqa", "verisciqa_ray", "verisciqa_robust", "quickstart"])
def test_shipped_recipes_are_ready_to_run(name: str, config: dict[str, Any], tmp_path: Path) -> None:
    assert complaints({**recipe(name), "dataset_path": config["dataset_path"]}, tmp_path) == ""
    assert not (tmp_path / "run").exists(), "a check writes nothing"


@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("use_checkpoint", True, "use_checkpoint: true loses undecided rows"),
        ("use_cache", True, "use_cache: must be false"),
        ("export_extra_args", {}, "mode: overwrite"),
        ("export_path", None, "export_path is missing"),
        ("text_keys", None, "text_keys is missing"),
        ("dataset_path", "nowhere.jsonl", "there is no file nowhere.jsonl"),
        ("dataset_path", None, "dataset_path is missing"),
        ("executor_type", "ray_partitioned", "write `ray`"),
        ("executor_type", "rya", "executor_type: 'rya' is not one of"),
        ("process", None, "no list `process`"),
        ("process", [], "no list `process`"),
        ("export_extra_args", "overwrite", "mode: overwrite"),
        ("export_path", "out/pairs", "must end in .jsonl"),
        ("text_keys", "title", "text_keys: title is no column"),
        ("np", 0, "np: 0 is not a whole number"),
        ("dataset_path", "no/such/folder", "no file or folder"),
        ("dataset_path", "s3://bucket/papers.jsonl", "type: remote, source: s3, path: s3://bucket/papers.jsonl"),
        ("export_extra_args", {"mode": "overwrite", "aws_secret_access_key": "sk-x"}, "variable AWS_SECRET_ACCESS_KEY"),
        ("dataset", {"configs": [{"source": "s3", "aws_session_token": "sk-x"}]}, "variable AWS_SESSION_TOKEN"),
    ],
)
def test_settings_of_the_host(setting: str, value: Any, says: str, config: dict[str, Any], tmp_path: Path) -> None:
    said = complaints({**config, setting: value}, tmp_path)
    assert says in said and "sk-x" not in said


@pytest.mark.parametrize(
    ("name", "parameter", "value", "says"),
    [
        ("vision_vote_filter", "draws", 0, "draws: 0 is not a whole number from 1 to 25"),
        ("vision_vote_filter", "majority", 4, "majority: 4 is not a whole number from 1 to 3"),
        ("vision_vote_filter", "vote_mode", "slow", "vote_mode: 'slow' is not one of fast, frugal"),
        ("vision_vote_filter", "drows", 3, "Unknown parameter 'drows'"),
        ("visual_dependence_filter", "blind_hits", 2, "blind_hits: 2 is not a whole number from 1 to 1"),
        ("latex_figure_context_mapper", "granularity", "page", "granularity: 'page' is not one of figure, panel"),
        ("latex_figure_context_mapper", "caption_matching_threshold", 1.5, "is not a number from 0 to 1"),
        ("claim_extractor_mapper", "api_model", "", "api_model is empty"),
        ("claim_extractor_mapper", "api_model", "${NOT_SET_ANYWHERE}", "NOT_SET_ANYWHERE is not set"),
        ("claim_extractor_mapper", "model_params", {"max_concurency": 3}, "max_concurrency"),
        ("claim_extractor_mapper", "model_params", {"api_key": "sk-secret"}, "api_key_env"),
        ("claim_extractor_mapper", "model_params", {"timeout": -1}, "timeout"),
        ("claim_extractor_mapper", "sampling_params", {"temperature": 3}, "temperature: 3 is not a number from 0 to 2"),
        ("claim_extractor_mapper", "sampling_params", {"n": 3}, "n is set by the operator"),
        ("claim_extractor_mapper", "sampling_params", {"extra_headers": {"x": "sk-secret"}}, "extra_headers"),
        ("claim_extractor_mapper", "model_params", "x", "expected a mapping"),
        ("claim_extractor_mapper", "max_cost", -1, "max_cost: -1 is not a number"),
        ("latex_figure_context_mapper", "citation_commands", "ref", "is not a list of command names"),
        ("latex_figure_context_mapper", "paragraph_separator", "(", "paragraph_separator"),
        ("latex_figure_context_mapper", "dpi", 3, "dpi"),
        ("latex_figure_context_mapper", "max_bytes", -1, "max_bytes: -1 is not a whole number"),
        ("latex_figure_context_mapper", "citation_commands", [1], "is not a list of command names"),
        ("latex_figure_context_mapper", "paper_root", "/no/such/folder", "there is no folder /no/such/folder"),
        ("figure_rows_mapper", "figures_key", "pictures", "needs pictures, which no operator before it makes"),
        ("claim_extractor_mapper", "ray_execution_mode", "actor", "runs as Ray tasks"),
    ],
)
def test_parameters(name: str, parameter: str, value: Any, says: str, config: dict[str, Any], tmp_path: Path) -> None:
    operator(config, name)[parameter] = value
    said = complaints(config, tmp_path)
    assert says in said and (name in said or parameter == "paper_root")
    assert "sk-secret" not in said


def test_a_misspelled_operator_is_named_with_what_was_meant(config: dict[str, Any], tmp_path: Path) -> None:
    config["process"].append({"vision_votes_filter": {}})
    assert "vision_vote_filter" in complaints(config, tmp_path)


def test_two_listings_need_two_tags(config: dict[str, Any], tmp_path: Path) -> None:
    blind = [step["visual_dependence_filter"] for step in config["process"] if "visual_dependence_filter" in step]
    for first, second in (("same", "same"), ("", ""), ("visual_dependence", "")):
        blind[0]["tag"], blind[1]["tag"] = first, second
        assert "visual_dependence_filter is listed 2 times with the tag" in complaints(config, tmp_path)


def test_a_missing_key_is_named_and_offline_is_offered(
    config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    said = complaints(config, tmp_path)
    assert "api_model: offline" in said
    assert said.count("OPENAI_API_KEY is not set") == 2  # once for each of two models, whatever the operators
    assert "claim_extractor_mapper, mcq_generator_mapper, source_consistency_filter, visual_dependence_filter:" in said


def test_a_local_endpoint_needs_no_key(config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert complaints(config, tmp_path) == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("{broken\n", ":1: not JSON"),
        ('{"paper_id": "p", "title": "t"}\n', "none of the columns paper_path, text"),
        ('{"paper_path": "p.tex"}\n', "no column paper_id"),
        ('{"paper_id": "p", "text": "x"}\n{broken\n', ":2: not JSON"),
        ('{"paper_id": "p", "text": "x"}\n[1]\n', ":2: not a JSON object"),
        ('{"paper_id": "p", "text": "x"}\n{"paper_id": null, "text": "x"}\n', "no paper_id in lines 2"),
        ('{"paper_id": "p", "text": "x"}\n{"paper_id": "p", "text": "y"}\n', "'p' in lines 1, 2"),
    ],
)
def test_datasets(text: str, says: str, config: dict[str, Any], tmp_path: Path) -> None:
    Path(config["dataset_path"]).write_text(text)
    assert says in complaints(config, tmp_path)


def test_an_export_path_of_the_other_kind(config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("{}\n")
    on_ray = {**config, "executor_type": "ray", "export_path": str(tmp_path / "rows.jsonl")}
    assert "is a file, and on Ray the export is a folder" in complaints(on_ray, tmp_path)
    assert "is a folder, and without Ray" in complaints({**config, "export_path": str(tmp_path)}, tmp_path)


def test_a_recipe_that_is_not_yaml(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("process: [")
    assert "is not YAML" in check(tmp_path / "r.yaml")[0]


def test_a_run_folder_that_can_not_be_made(config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for step in config["process"]:
        next(iter(step.values()))["run_dir"] = str(tmp_path / "file" / "run")
    assert "can't be written" in complaints(config, tmp_path)


def test_operators_of_one_run_share_one_run_folder(config: dict[str, Any], tmp_path: Path) -> None:
    operator(config, "vision_vote_filter")["run_dir"] = "elsewhere"
    assert "share one run folder" in complaints(config, tmp_path)


def test_every_run_folder_is_looked_at(config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("zz").write_text("")
    places = ("${DJ_EXT_NOT_SET}", "memory://bucket/run", "zz/run")
    for step, place in zip(config["process"], places, strict=False):
        next(iter(step.values()))["run_dir"] = place
    found = complaints(config, tmp_path)
    assert "DJ_EXT_NOT_SET" in found and "zz/run can't be written" in found and "run_dir: run_dir" not in found


def test_operators_in_the_wrong_order(config: dict[str, Any], tmp_path: Path) -> None:
    config["process"][2], config["process"][3] = config["process"][3], config["process"][2]
    assert "mcq_generator_mapper needs claim, which no operator before it makes" in complaints(config, tmp_path)


def test_parameters_that_are_none(config: dict[str, Any], tmp_path: Path) -> None:
    config["process"][-1] = {"vision_vote_filter": "abc"}
    assert "its parameters are 'abc', not names with values" in complaints(config, tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{{ question }} {{ captoin }}", "uses captoin, which it is not given; it is given: caption, domain"),
        ("{% if %}", "vision_vote.jinja"),
    ],
)
def test_a_template_of_ones_own(
    text: str, says: str, config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DJ_EXT_PROMPTS", str(tmp_path / "prompts"))
    assert "DJ_EXT_PROMPTS names" in complaints(config, tmp_path)
    (tmp_path / "prompts" / "verisciqa").mkdir(parents=True)
    (tmp_path / "prompts" / "verisciqa" / "vision_vote.jinja").write_text(text)
    assert says in complaints(config, tmp_path)


def test_a_folder_of_papers_is_not_looked_into(config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    assert complaints({**config, "dataset_path": str(tmp_path / "parts")}, tmp_path) == ""


def test_a_wrong_price_file(config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJ_EXT_PRICES", str(tmp_path / "prices.yaml"))
    assert "prices.yaml can't be read" in complaints(config, tmp_path)
