from __future__ import annotations

import json
from pathlib import Path

import pytest

from data_juicer_ext.runs import shard_manifest as states
from data_juicer_ext.runs.shard_cutting import Shard
from data_juicer_ext.runs.shard_manifest import Manifest, ManifestError, load


def make() -> Manifest:
    return Manifest.of(
        [Shard("shard-00000", "shard-a", 5), Shard("shard-00001", "shard-b", 2)],
        recipe="/r.yaml", recipe_fingerprint="f", dataset="/d", dataset_fingerprint="g", shard_size=5, seed=0,
    )  # fmt: skip


def test_it_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    manifest = make()
    manifest.shards[0].state, manifest.shards[0].kept = states.DONE, 7
    manifest.save(tmp_path)
    assert load(tmp_path) == manifest
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_what_is_open_and_what_was_whole(tmp_path: Path) -> None:
    manifest = make()
    manifest.shards[0].state, manifest.shards[0].whole_run_id = states.UNDECIDED, "r"
    assert manifest.open == manifest.shards and manifest.whole == manifest.shards[:1]
    manifest.shards[0].state = states.DONE
    assert manifest.open == manifest.shards[1:]


def test_no_manifest_is_none(tmp_path: Path) -> None:
    assert load(tmp_path) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1, "shards": [{"nam": 1}]}', '{"version": 1}'])
def test_what_is_no_manifest_says_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ManifestError, match="--again"):
        load(tmp_path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    make().save(tmp_path)
    value = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**value, "version": 99}))
    with pytest.raises(ManifestError, match="version 99"):
        load(tmp_path)


def test_shards_begin_pending_with_their_names_ids_and_papers() -> None:
    first, second = make().shards
    assert (first.name, first.id, first.papers, first.state) == ("shard-00000", "shard-a", 5, "pending")
    assert (second.run_id, second.whole_run_id, second.export, second.error, second.run_ids) == ("", "", "", "", [])
    assert (second.kept, second.refused, second.undecided, second.calls, second.unpriced) == (0, 0, 0, 0, 0)
    assert first.run_ids is not second.run_ids


def test_what_is_no_manifest_is_told_from_one_that_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(IsADirectoryError):
        load(tmp_path)


def test_the_version_stands_in_the_file(tmp_path: Path) -> None:
    make().save(tmp_path)
    value = json.loads((tmp_path / "manifest.json").read_text())
    assert value["version"] == 1 and value["seed"] == 0 and value["shard_size"] == 5
