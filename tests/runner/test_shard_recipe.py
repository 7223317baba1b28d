from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.runner import shard_recipe
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
