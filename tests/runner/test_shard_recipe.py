from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.models.config.parameter_checks import ConfigError
from data_juicer_ext.runner import shard_recipe
from data_juicer_ext.runs.shard_cutting import ShardLayout
from tests.host import recipe


def changed(config: dict[str, Any], **of_claims: Any) -> dict[str, Any]:
    """The recipe with parameters of its claim extractor set."""
    steps = [dict(step) for step in config["process"]]
    for step in steps:
        if "claim_extractor_mapper" in step:
            step["claim_extractor_mapper"] = {**step["claim_extractor_mapper"], **of_claims}
    return {**config, "process": steps}


def test_outputs_are_led_into_the_run_folder(tmp_path: Path) -> None:
    config = {**recipe("verisciqa"), "work_dir": "/elsewhere", "export_type": "parquet"}
    config["process"] = [*config["process"], {"text_length_filter": None}]
    derived = yaml.safe_load(
        shard_recipe.dump(
            shard_recipe.derive(config, tmp_path, "default", ["vision_vote_filter", "figure_rows_mapper"])
        )
    )
    given = [(name, parameters) for step in derived["process"] for name, parameters in step.items()]
    ours = [p["run_dir"] for name, p in given if name in ("vision_vote_filter", "figure_rows_mapper")]
    assert ours == [str(tmp_path)] * 2 and given[-1] == ("text_length_filter", None)
    assert not {"dataset_path", "export_path", "work_dir", "export_type"} & set(derived)
    assert derived["executor_type"] == "default" and derived["use_cache"] is False
    on_ray = shard_recipe.derive(config, tmp_path, "ray", [])
    assert (on_ray["executor_type"], on_ray["ray_address"]) == ("ray", "local")
    assert config["work_dir"] == "/elsewhere"  # the given recipe is left as it was


def test_the_fingerprint_is_of_what_a_recipe_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    config = recipe("verisciqa")
    first = shard_recipe.fingerprint(config)
    assert shard_recipe.fingerprint({**config, "np": 9, "executor_type": "ray", "export_path": "x"}) == first
    assert shard_recipe.fingerprint(changed(config, max_cost=5.0, run_dir="elsewhere")) == first
    manner = {"base_url": "http://x/v1", "timeout": 1, "max_concurrency": 2, "api_key_env": "X"}
    assert shard_recipe.fingerprint(changed(config, model_params=manner)) == first
    assert shard_recipe.fingerprint(changed(config, sampling_params={"temperature": 0.5})) != first
    assert shard_recipe.fingerprint({**config, "process": config["process"][:-1]}) != first
    monkeypatch.setenv("DJ_EXT_TEXT_MODEL", "another-model")
    assert shard_recipe.fingerprint(config) != first


def test_the_run_folder_is_the_recipes_or_the_default() -> None:
    assert shard_recipe.run_dir_of(recipe("quickstart")) == "outputs/quickstart/run"
    assert shard_recipe.run_dir_of({"process": [{"text_length_filter": None}]}) == "./dj_ext_run"


def test_what_a_run_in_shards_can_not_do_is_said() -> None:
    assert not list(shard_recipe.complaints(recipe("verisciqa")))
    found = list(shard_recipe.complaints({"dataset": {"configs": []}, "encrypt_before_export": True}))
    assert len(found) == 2 and "dataset_path" in found[0]


@pytest.mark.parametrize(("text", "says"), [("a: [", "not YAML"), ("- a", "no mapping")])
def test_what_is_no_recipe_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "r.yaml").write_text(text)
    with pytest.raises(ValueError, match=rf"r\.yaml is {says}"):
        shard_recipe.load(tmp_path / "r.yaml")


@pytest.mark.parametrize(
    "key",
    ["dataset_path", "export_path", "export_type", "export_shard_size", "export_in_parallel", "work_dir", "job_id",
     "event_log_dir", "ds_cache_dir", "project_name", "executor_type", "ray_address", "np", "export_extra_args",
     "use_cache", "open_monitor", "temp_dir"],
)  # fmt: skip
def test_where_and_how_fast_a_recipe_runs_is_no_part_of_its_fingerprint(key: str) -> None:
    config = recipe("quickstart")
    assert shard_recipe.fingerprint({**config, key: "another"}) == shard_recipe.fingerprint(config)


@pytest.mark.parametrize(
    "key",
    ["num_proc", "batch_size", "run_dir", "base_url", "api_key_env", "max_concurrency", "requests_per_minute",
     "tokens_per_minute", "timeout", "deadline", "max_tries", "backoff", "max_cost", "max_calls", "mode", "hedge"],
)  # fmt: skip
def test_nor_is_the_manner_of_a_step_at_whatever_depth(key: str) -> None:
    def of(**more: object) -> str:
        return shard_recipe.fingerprint({"process": [{"x_mapper": {"a": 1, "model_params": {"b": 2, **more}, **more}}]})

    assert of(**{key: 9}) == of() and of(other=9) != of()


def test_a_variable_counts_by_its_value_and_a_missing_one_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_MODEL", "a")
    named = shard_recipe.fingerprint({"process": [{"x_mapper": {"api_model": "${MY_MODEL}"}}]})
    assert named == shard_recipe.fingerprint({"process": [{"x_mapper": {"api_model": "a"}}]})
    monkeypatch.delenv("MY_MODEL")
    with pytest.raises(ConfigError, match="MY_MODEL"):
        shard_recipe.fingerprint({"process": [{"x_mapper": {"api_model": "${MY_MODEL}"}}]})


@pytest.mark.parametrize(
    ("variables", "executor", "place", "extra"),
    [
        ({"AWS_ENDPOINT_URL": "http://a"}, "ray", "s3://b/run", {"endpoint_url": "http://a"}),
        ({"AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_S3": "http://s"}, "ray", "s3://b/run",
         {"endpoint_url": "http://s"}),
        ({}, "ray", "s3://b/run", {}),
        ({"AWS_ENDPOINT_URL": "http://a"}, "ray", "/run", {}),
        ({"AWS_ENDPOINT_URL": "http://a"}, "default", "s3://b/run", {}),
    ],
)  # fmt: skip
def test_an_export_on_ray_is_told_where_object_storage_is(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], executor: str, place: str, extra: dict[str, str]
) -> None:
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    derived = shard_recipe.derive(recipe("quickstart"), place, executor, [])
    assert derived["export_extra_args"] == {"mode": "overwrite", **extra} and derived["use_cache"] is False


def test_one_shard_is_loaded_by_one_process_unless_the_recipe_says_more() -> None:
    config = recipe("quickstart")
    assert shard_recipe.derive(config, "/run", "default", [])["load_dataset_kwargs"] == {"num_proc": 1}
    own = {**config, "load_dataset_kwargs": {"num_proc": 3, "x": 1}, "ray_address": "h:1"}
    assert shard_recipe.derive(own, "/run", "default", [])["load_dataset_kwargs"] == {"num_proc": 3, "x": 1}
    on_ray = shard_recipe.derive(own, "/run", "ray", [])
    assert on_ray["load_dataset_kwargs"] == {"num_proc": 3, "x": 1} and on_ray["ray_address"] == "h:1"
    assert "load_dataset_kwargs" not in shard_recipe.derive(config, "/run", "ray", [])


def test_a_recipe_without_any_mapping_for_a_step_gets_its_run_folder() -> None:
    derived = shard_recipe.derive(
        {"process": [{"a_mapper": None}, {"b_mapper": {"x": 1}}]}, "/run", "ray", ["a_mapper"]
    )
    assert derived["process"] == [{"a_mapper": {"run_dir": "/run"}}, {"b_mapper": {"x": 1}}]


def test_what_is_written_has_no_anchors_and_keeps_its_order() -> None:
    shared = {"base_url": "é"}
    text = shard_recipe.dump({"z": shared, "a": shared})
    assert text == "z:\n  base_url: é\na:\n  base_url: é\n"


def test_what_shards_need_so_that_all_rows_are_read() -> None:
    assert shard_recipe.layout({}) == ShardLayout(("text",), ("images", "audios", "videos"))
    own = {"text_keys": ["a", "b"], "image_key": "i", "audio_key": "u", "video_key": "v"}
    assert shard_recipe.layout(own) == ShardLayout(("a", "b"), ("i", "u", "v"))
    assert shard_recipe.layout({"text_keys": "paper_path"}).text_keys == ("paper_path",)


def test_the_first_run_folder_that_a_step_names_counts() -> None:
    process = [{"a_mapper": {"run_dir": ""}}, {"b_mapper": {"run_dir": "one"}}, {"c_mapper": {"run_dir": "two"}}]
    assert shard_recipe.run_dir_of({"process": process}) == "one" and shard_recipe.run_dir_of({}) == "./dj_ext_run"


def test_each_thing_that_shards_can_not_do_is_told_alone() -> None:
    assert [text[:8] for text in shard_recipe.complaints({"dataset": {"a": 1}})] == ["dataset:"]
    assert [text[:8] for text in shard_recipe.complaints({"encrypt_before_export": True})] == ["encrypt_"]
