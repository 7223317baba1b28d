"""A run folder on object storage, copied here with what its last run kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.fetched_run import fetch_run
from data_juicer_ext.storage import file_access

RUN = "memory://{}/run"
SENT = ("ledger/1.a.1.jsonl", "undecided/1.a.1.jsonl", "manifest.json", "undecided.jsonl", "pairs.jsonl",
        "images/deep/f.png", "review/answers.jsonl", "exports/shard-00000.jsonl", "shards/shard-00000.jsonl",
        "claims/c.json")  # fmt: skip


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A run folder with one file of each kind, a response store, and a run without an export on storage."""
    address = RUN.format(tmp_path.name)
    for name in (*SENT, "store/segments/big.bin"):
        file_access.write(f"{address}/{name}", b"{}\n")
    begun(address, "/somewhere/pairs.jsonl")
    return address


def begun(address: str, export_path: str) -> None:
    run_records.begin(address, {"export_path": export_path})


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("images", [True, False])
def test_all_but_the_store_is_copied_and_counted_images_if_wanted(address: str, tmp_path: Path, images: bool) -> None:
    count = fetch_run(f"{address}/", tmp_path / "here", images)
    copied = names(tmp_path / "here")
    [run] = [name for name in copied if name.startswith("runs/")]
    assert copied - {run} == {name for name in SENT if images or not name.startswith("images/")}
    assert count == len(copied)


def test_an_address_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no run; name the address that the recipe has as run_dir"):
        fetch_run(RUN.format(tmp_path.name), tmp_path / "here", True)


def test_an_export_of_one_file_on_storage_comes_too(address: str, tmp_path: Path) -> None:
    file_access.write(f"memory://{tmp_path.name}/out/pairs.jsonl", b'{"row_id": "a"}\n')
    begun(address, f"memory://{tmp_path.name}/out/pairs.jsonl")
    fetch_run(address, tmp_path / "here", False)
    assert (tmp_path / "here" / "export" / "pairs.jsonl").read_bytes() == b'{"row_id": "a"}\n'


def test_an_export_of_many_files_on_storage_comes_as_a_folder(address: str, tmp_path: Path) -> None:
    for name in ("0.json", "1.json"):
        file_access.write(f"memory://{tmp_path.name}/out/{name}", b"{}\n")
    begun(address, f"memory://{tmp_path.name}/out")
    fetch_run(address, tmp_path / "here", False)
    assert names(tmp_path / "here" / "export") == {"0.json", "1.json"}


def test_the_export_is_that_of_the_last_run(address: str, tmp_path: Path) -> None:
    for name in ("first", "last"):
        file_access.write(f"memory://{tmp_path.name}/{name}.jsonl", b"{}\n")
        begun(address, f"memory://{tmp_path.name}/{name}.jsonl")
    fetch_run(address, tmp_path / "here", False)
    assert names(tmp_path / "here" / "export") == {"last.jsonl"}
