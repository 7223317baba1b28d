"""The run folder of a run in shards on object storage: what goes there, what comes from there, and when."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.folder_lock import BusyError
from data_juicer_ext.runs.ledger import Entry as Decision
from data_juicer_ext.runs.shard_manifest import Manifest, load
from data_juicer_ext.runs.sharded_folder import ShardedFolder
from data_juicer_ext.storage import file_access

MANIFEST = Manifest("/r", "f", "/d", "g", 5, 0)


@pytest.fixture
def kept(tmp_path: Path) -> ShardedFolder:
    return ShardedFolder(f"memory://{tmp_path.name}/run")


def there(kept: ShardedFolder) -> dict[str, bytes]:
    return {name: file_access.read(f"{kept.place}/{name}") for name in file_access.tree(kept.place)}


def put(kept: ShardedFolder, name: str, text: str = "x") -> None:
    (kept.run_dir / name).parent.mkdir(parents=True, exist_ok=True)
    (kept.run_dir / name).write_text(text)


def test_within_a_hold_the_copy_is_what_the_last_run_left(kept: ShardedFolder) -> None:
    names = ("runs/1.json", "ledger/1.a.1.jsonl", "shards/s.jsonl", "exports/s/part.json", "undecided/s.jsonl",
             "manifest.json", "pairs.jsonl", "undecided.jsonl")  # fmt: skip
    for name in names:
        file_access.write(f"{kept.place}/{name}", b"new")
    file_access.write(f"{kept.place}/work/left/part.json", b"of a killed shard")
    file_access.write(f"{kept.place}/images/a.png", b"large")
    put(kept, "exports/gone.jsonl")
    put(kept, "shards/s.jsonl", "old")
    with kept.held():
        assert {name: (kept.run_dir / name).read_text() for name in names} == dict.fromkeys(names, "new")
        assert not (kept.run_dir / "exports/gone.jsonl").exists() and not (kept.run_dir / "images").exists()
        assert not any(name.startswith("work/") for name in there(kept))
        with pytest.raises(BusyError), ShardedFolder(kept.place).held():
            pass
    assert ".lock" not in there(kept)


def test_the_hold_ends_where_what_is_there_can_not_be_brought(
    kept: ShardedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_access, "fetch", lambda pairs: (_ for _ in ()).throw(OSError(5, "away")))
    with pytest.raises(OSError, match="away"), kept.held():
        pass
    assert ".lock" not in there(kept)


def test_a_plain_folder_is_its_own_copy(tmp_path: Path) -> None:
    kept = ShardedFolder(str(tmp_path / "run"))
    with kept.held():
        kept.save(MANIFEST)
        kept.send("pairs.jsonl")
        kept.send_plan()
        kept.fetch_made(tmp_path / "made", "x")
    assert kept.run_dir == tmp_path / "run" and load(kept.run_dir) == MANIFEST and not (tmp_path / "made").exists()
    assert kept.made_at(tmp_path / "made", "x") == str(tmp_path / "made")


def test_the_manifest_is_there_as_soon_as_it_is_saved(kept: ShardedFolder) -> None:
    kept.save(MANIFEST)
    assert json.loads(there(kept)["manifest.json"]) == json.loads((kept.run_dir / "manifest.json").read_text())


def test_what_is_sent_is_there_as_it_is_here_be_it_file_folder_or_gone(kept: ShardedFolder) -> None:
    put(kept, "exports/s/1.json")
    put(kept, "exports/s/2.json")
    put(kept, "exports/t.jsonl")
    kept.send("exports/s", "exports/t.jsonl", "exports/none")
    assert sorted(there(kept)) == ["exports/s/1.json", "exports/s/2.json", "exports/t.jsonl"]
    (kept.run_dir / "exports/s/1.json").unlink()
    (kept.run_dir / "exports/t.jsonl").unlink()
    kept.send("exports/s", "exports/t.jsonl")
    assert sorted(there(kept)) == ["exports/s/2.json"]
    shutil.rmtree(kept.run_dir / "exports/s")
    kept.send("exports/s")
    assert there(kept) == {}


def test_a_new_plan_takes_the_place_of_all_parts_of_the_old(kept: ShardedFolder) -> None:
    for name in ("shards/old.jsonl", "exports/old.jsonl", "undecided/old.jsonl", "manifest.json"):
        file_access.write(f"{kept.place}/{name}", b"old")
    for name in ("shards/new.jsonl", "manifest.json"):
        put(kept, name, "new")
    for name in ("exports", "undecided"):
        (kept.run_dir / name).mkdir(exist_ok=True)
    kept.send_plan()
    assert there(kept) == {"shards/new.jsonl": b"new", "manifest.json": b"new"}


def test_a_kill_between_the_parts_of_a_plan_leaves_no_plan(
    kept: ShardedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_access.write(f"{kept.place}/manifest.json", b"old")
    put(kept, "shards/new.jsonl")
    monkeypatch.setattr(file_access, "send", lambda path, address: (_ for _ in ()).throw(OSError(5, "killed")))
    with pytest.raises(OSError, match="killed"):
        kept.send_plan()
    assert there(kept) == {}


def test_joined_rows_go_there_together(kept: ShardedFolder) -> None:
    put(kept, "pairs.jsonl")
    put(kept, "undecided.jsonl")
    kept.send_joined()
    assert sorted(there(kept)) == ["pairs.jsonl", "undecided.jsonl"]


@pytest.mark.parametrize("rows", [1, 0])
def test_an_export_of_ray_is_fetched_and_nothing_of_it_stays(kept: ShardedFolder, tmp_path: Path, rows: int) -> None:
    made = tmp_path / "made" / "out"
    address = kept.made_at(made, "s-1")
    assert address == f"{kept.place}/work/s-1"
    if rows:
        file_access.write(f"{address}/part.json", b"{}\n")
    file_access.write(f"{kept.place}/work/other/part.json", b"{}\n")
    kept.fetch_made(made, "s-1")
    assert made.is_dir() and [path.name for path in made.iterdir()] == ["part.json"] * rows
    assert list(there(kept)) == ["work/other/part.json"]


@pytest.mark.parametrize("whole", [True, False])
def test_undecided_rows_come_from_all_machines_and_the_ledger_of_a_whole_run_is_joined(
    kept: ShardedFolder, whole: bool
) -> None:
    run = run_records.begin(kept.place, {})

    def row(name: str) -> dict[str, Any]:
        return {"row_id": name, "undecided": {"tag": "t"}}

    run.ledger.record(Decision("a", "op", "t", "undecided", "r"))
    run.undecided.write(row("a"))
    run.flush()
    file_access.write(f"{kept.place}/undecided/{run.run_id}.other.1.jsonl", json.dumps(row("b")).encode() + b"\n")
    assert {r["row_id"] for r in kept.take_undecided(run.run_id, whole=whole)} == {"a", "b"}
    names = list(there(kept))
    assert not any(name.startswith("undecided/") for name in names)
    assert (f"ledger/{run.run_id}.all.jsonl" in names) is whole
    assert any(name.startswith(f"ledger/{run.run_id}.") for name in names)
