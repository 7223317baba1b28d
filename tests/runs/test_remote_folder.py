"""A run folder on object storage and its copy; and runs into one."""

import shutil
import threading
from pathlib import Path

import pytest

from data_juicer_ext.runs import remote_folder, run_records
from data_juicer_ext.runs.ledger import Entry, Spending, decisions, spent_before
from data_juicer_ext.runs.remote_folder import RemoteFolder
from data_juicer_ext.storage import file_access
from tests.locks import waits_for
from tests.s3_server import S3


def entry(row_id: str, verdict: str = "keep", cost: float = 0.0) -> Entry:
    return Entry(row_id, "op", "tag", verdict, "r", spending=Spending(calls=1, cost=cost))  # type: ignore[arg-type]


def test_the_copy_is_what_is_there(s3: S3, tmp_path: Path) -> None:
    folder = RemoteFolder(s3.at("run/"), tmp_path)
    for name in ("a.1.jsonl", "b.1.jsonl"):
        file_access.write(s3.at(f"run/ledger/{name}"), b"{}\n")
    folder.fetch("ledger", "a")
    assert [path.name for path in (tmp_path / "ledger").iterdir()] == ["a.1.jsonl"]
    folder.fetch("ledger")
    file_access.delete([s3.at("run/ledger/a.1.jsonl")])
    file_access.write(s3.at("run/ledger/b.1.jsonl"), b"{}\n{}\n")
    folder.fetch("ledger", "b")
    assert len(list((tmp_path / "ledger").iterdir())) == 2
    folder.fetch("ledger")
    assert [path.read_bytes() for path in (tmp_path / "ledger").iterdir()] == [b"{}\n{}\n"]
    folder.fetch_file("undecided.jsonl")
    assert not (tmp_path / "undecided.jsonl").exists()


def test_pieces_are_joined_and_never_count_twice(s3: S3, tmp_path: Path) -> None:
    folder = RemoteFolder(s3.at("run"), tmp_path / "here")
    for number in range(3):
        file_access.write(s3.at(f"run/ledger/a.host.{number}.jsonl"), f'{{"n": {number}}}\n'.encode())
    file_access.write(s3.at("run/ledger/b.host.0.jsonl"), b"{}\n")
    folder.fetch("ledger")
    folder.join("ledger", "a")
    assert list(file_access.listed(s3.at("run/ledger"))) == ["a.all.jsonl", "b.host.0.jsonl"]
    # Killed before the pieces were removed: one is still there.
    file_access.write(s3.at("run/ledger/a.host.1.jsonl"), b'{"n": 1}\n')
    for other in (folder, RemoteFolder(s3.at("run"), tmp_path / "elsewhere")):
        other.fetch("ledger")
        names = sorted(path.name for path in (other.here / "ledger").iterdir())
        assert names == ["a.all.jsonl", "b.host.0.jsonl"]
    assert (tmp_path / "elsewhere/ledger/a.all.jsonl").read_bytes() == b'{"n": 0}\n{"n": 1}\n{"n": 2}\n'


def test_a_copy_that_lags_behind_loses_no_line(s3: S3, tmp_path: Path) -> None:
    folder = RemoteFolder(s3.at("run"), tmp_path)
    for number in range(20):
        file_access.write(s3.at(f"run/ledger/a.host.{number:02d}.jsonl"), f"{number}\n".encode())
    followers = [threading.Thread(target=folder.fetch, args=("ledger", "a")) for _ in range(3)]
    for follower in followers:
        follower.start()
    (tmp_path / "ledger").mkdir(exist_ok=True)
    folder.join("ledger", "a")
    for follower in followers:
        follower.join()
    assert file_access.read(s3.at("run/ledger/a.all.jsonl")).split() == [str(n).encode() for n in range(20)]
    assert list(file_access.listed(s3.at("run/ledger"))) == ["a.all.jsonl"]


def test_a_run_and_the_one_after_it(s3: S3) -> None:
    first = run_records.begin(s3.at("run"), {"recipe": ["r.yaml"]})
    assert first.images == s3.at("run/images") and first.place == s3.at("run")
    first.ledger.record(entry("1", cost=0.5))
    first.ledger.record(entry("2", "undecided", cost=0.25))
    first.undecided.write({"row_id": "2", "undecided": {"tag": "tag", "reason": "r", "message": "m", "operator": "op"}})
    first.flush()
    rows = run_records.end(first)
    assert [row["row_id"] for row in rows] == ["2"]
    assert set(file_access.tree(s3.at("run"))) == {
        f"ledger/{first.run_id}.all.jsonl", f"runs/{first.run_id}.json", "undecided.jsonl",
    }  # fmt: skip
    second = run_records.begin(s3.at("run"), {})
    second.bring("ledger")
    assert spent_before(second.run_dir, second.run_id) == (0.75, 2)
    second.ledger.record(entry("2"))
    second.flush()
    assert run_records.end(second) == [] and file_access.read(s3.at("run/undecided.jsonl")) == b""
    assert [d["row_id"] for d in decisions(second.run_dir, second.run_id)] == ["2"]
    both = [run_records.about(second.run_dir, one) for one in run_records.run_ids(second.run_dir)]
    assert [about.keys() >= {"started", "ended"} for about in both] == [True, True]


def test_a_copy_that_was_removed_during_a_run_is_no_hindrance(s3: S3) -> None:
    run = run_records.begin(s3.at("run"), {"recipe": ["r.yaml"]})
    run.ledger.record(entry("1"))
    run.flush()
    shutil.rmtree(run.run_dir)
    assert run_records.end(run) == []
    assert run_records.about(run.run_dir, run.run_id).keys() >= {"recipe", "ended"}


def test_a_run_that_never_began_leaves_nothing(s3: S3) -> None:
    run = run_records.begin(s3.at("run"), {})
    assert file_access.tree(s3.at("run"))
    run_records.forget(run)
    assert file_access.tree(s3.at("run")) == {}


def test_a_bucket_that_is_not_there(s3: S3) -> None:
    with pytest.raises(OSError, match="bucket does not exist"):
        run_records.begin("s3://no-bucket-of-ours/run", {})


@pytest.mark.parametrize("call", ["fetch", "join", "drop"])
def test_threads_that_change_the_copy_wait_for_one_another(s3: S3, tmp_path: Path, call: str) -> None:
    folder = RemoteFolder(s3.at("run"), tmp_path)
    file_access.write(s3.at("run/ledger/a.host.0.jsonl"), b"{}\n")
    assert waits_for(remote_folder._lock_of(tmp_path), lambda: getattr(folder, call)("ledger", "a"))
    assert not waits_for(remote_folder._lock_of(tmp_path / "other"), lambda: folder.fetch("ledger", "a"))
