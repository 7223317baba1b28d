"""What a recipe says that can't work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ops.host.running_recipe import (
    export_problem,
    literal_keys,
    shared_tags,
    steps,
    storage_secrets,
    tag_of,
    unwritable_export,
)


@pytest.mark.parametrize(
    ("executor", "written", "says"),
    [
        ("default", "folder", "is a folder, and without Ray the export is a file"),
        ("default", "file", ""),
        ("ray", "file", "is a file, and on Ray the export is a folder"),
        ("ray_partitioned", "file", "is a file, and on Ray"),
        ("ray", "empty", ""),
        ("ray", "folder", ""),
        ("ray", "nothing", ""),
    ],
)
def test_an_export_of_the_other_kind_is_told(executor: str, written: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("{}\n")
    (tmp_path / "empty").touch()
    problem = export_problem({"executor_type": executor, "export_path": str(tmp_path / written)})
    assert (says in problem) if says else problem == ""


def test_an_export_in_object_storage_or_none_is_no_folder() -> None:
    for path in ("", None, "s3://bucket/rows"):
        assert export_problem({"export_path": path}) == unwritable_export({"export_path": path}) == ""


def test_the_folder_of_an_export_is_made(tmp_path: Path) -> None:
    assert unwritable_export({"export_path": str(tmp_path / "a" / "b" / "rows.jsonl")}) == ""
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    assert "file/rows.jsonl can't be written" in unwritable_export({"export_path": str(tmp_path / "file/rows.jsonl")})


def test_steps_are_those_that_name_one_operator() -> None:
    process: list[Any] = [{"a_mapper": {"x": 1}}, {"b_filter": None}, {"c_mapper": 3}, {"d": {}, "e": {}}, "f"]
    assert steps(process) == [("a_mapper", {"x": 1}), ("b_filter", {})]


def test_two_listings_need_tags_of_their_own() -> None:
    twice = [{"a_mapper": {}}, {"a_mapper": {"tag": "a"}}, {"a_mapper": {"tag": "b"}}]
    (complaint,) = shared_tags(twice, ["a_mapper"])
    assert "a_mapper is listed 2 times with the tag 'a'" in complaint
    assert shared_tags(twice, ["b_mapper"]) == [] and shared_tags(twice[1:], ["a_mapper"]) == []
    assert [tag_of("a_mapper"), tag_of("b_filter"), tag_of("b_filter", "c")] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"model_params": {"api_key": "k"}},
        {"sampling_params": {"api_key": "k"}},
        {"models": [{"model": "m"}, {"model_params": {"api_key": "k"}}]},
    ],
)
def test_a_key_in_a_recipe_is_told_and_not_shown(parameters: dict[str, Any]) -> None:
    (complaint,) = literal_keys([{"a_mapper": parameters}, {"b_mapper": {"model_params": {"api_key_env": "KEY"}}}])
    assert complaint.startswith("a_mapper: a key does not belong in a recipe") and "`api_key_env`" in complaint


def test_secrets_of_object_storage_in_a_recipe_are_told() -> None:
    given = {"aws_secret_access_key": "s", "aws_session_token": ""}
    found = storage_secrets({"export_extra_args": given, "dataset": {"configs": [{"path": "p"}, given]}})
    assert [each.split(" does not")[0] for each in found] == [
        "export_extra_args: aws_secret_access_key", "dataset: aws_secret_access_key"
    ]  # fmt: skip
    assert "AWS_SECRET_ACCESS_KEY" in found[0] and storage_secrets({"dataset": "p"}) == []
