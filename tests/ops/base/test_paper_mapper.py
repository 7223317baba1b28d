"""What operators share that read papers: the root of their paths, and what becomes of a paper that can't be read."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.ops.base import paper_mapper
from data_juicer_ext.ops.base.paper_mapper import PaperMapper, root
from data_juicer_ext.runs.ledger import decisions
from data_juicer_ext.storage.papers import StorageError


class RefusedError(Exception):
    """What the reader below raises, with a reason where it is given one."""

    def __init__(self, reason: str = "") -> None:
        super().__init__("no paper at all")
        self.reason = reason


class Reader(PaperMapper):
    """Reads a paper as its path says: "one" has a figure, "none" has none; other paths are raised."""

    _name = "reader_mapper"
    refusal = RefusedError
    unread: ClassVar[dict[str, Any]] = {"figures": "[]", "pages": 0}

    def read(self, row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        place = row["paper_path"]
        if isinstance(place, Exception):
            raise place
        figures = ["f1"] if place == "one" else []
        return {"figures": str(figures), "pages": 3}, {"figures": len(figures)}


def read(tmp_path: Path, *places: Any, **ids: list[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What comes of papers, and the ledger."""
    reader = Reader(run_dir=str(tmp_path / "run"))
    samples = {"paper_id": ids.get("ids") or [f"p{n}" for n in range(len(places))], "paper_path": list(places)}
    made = reader.process_batched(samples)
    reader.run_info.flush()
    return made, list(decisions(tmp_path / "run", reader.run_info.run_id))


def test_a_paper_that_is_read_has_its_columns_and_no_error(tmp_path: Path) -> None:
    made, ledger = read(tmp_path, "one", "none")
    assert made["figures"] == ["['f1']", "[]"] and made["pages"] == [3, 3] and made["paper_error"] == ["", ""]
    assert [(e["row_id"], e["verdict"], e["reason"], e["paper_id"]) for e in ledger] == [
        ("p0", "keep", "read", "p0"), ("p1", "keep", "no_figures", "p1"),
    ]  # fmt: skip
    assert ledger[0]["detail"] == {"figures": 1}


@pytest.mark.parametrize(
    ("error", "reason", "message"),
    [
        (RefusedError(), "unreadable_paper", "paper p0: no paper at all"),
        (RefusedError("encrypted"), "encrypted", "paper p0: no paper at all"),
        (FileNotFoundError(2, "No such file"), "unreadable_paper", "paper p0: [Errno 2] No such file"),
        (KeyError("x"), "unreadable_paper", "paper p0: KeyError while reading it: 'x'"),
    ],
)
def test_a_paper_that_can_not_be_read_costs_only_itself(
    tmp_path: Path, error: Exception, reason: str, message: str
) -> None:
    made, ledger = read(tmp_path, error, "one")
    assert made["figures"] == ["[]", "['f1']"] and made["pages"] == [0, 3]
    assert made["paper_error"] == [message, ""]
    assert [(e["verdict"], e["reason"]) for e in ledger] == [("drop", reason), ("keep", "read")]
    assert ledger[0]["detail"]["message"] == message


def test_a_reason_of_another_error_is_not_taken_for_a_refusal(tmp_path: Path) -> None:
    error = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    assert error.reason
    assert [entry["reason"] for entry in read(tmp_path, error)[1]] == ["unreadable_paper"]


def test_long_errors_are_cut(tmp_path: Path) -> None:
    made, _ = read(tmp_path, ValueError("x" * 999))
    assert made["paper_error"] == ["paper p0: ValueError while reading it: " + "x" * 300]


def test_a_row_without_an_id_is_named_by_its_path(tmp_path: Path) -> None:
    made, ledger = read(tmp_path, "one", "", ids=["", ""])
    assert "the row has no paper_id (path: one)" in made["paper_error"][0]
    assert "(path: none)" in made["paper_error"][1] and made["paper_error"][0].startswith("paper (no paper_id): ")
    assert ledger[0]["row_id"].startswith("paper-") and ledger[0]["row_id"] != ledger[1]["row_id"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_full_disk_ends_the_run(tmp_path: Path, number: int) -> None:
    with pytest.raises(SystemExit):
        read(tmp_path, OSError(number, "no room"))


def test_failing_storage_ends_the_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read(tmp_path, StorageError(5, "is down", "s3://bucket/p.pdf"))
    said = capfd.readouterr()
    assert "s3://bucket/p.pdf is down; put the storage in order" in said.out + said.err


def test_the_root_is_a_folder_or_an_address_that_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def unreachable(place: str, listing: bool = True) -> str:
        asked.append((place, listing))
        return "no such bucket" if "gone" in place else ""

    monkeypatch.setattr(paper_mapper, "unreachable", unreachable)
    monkeypatch.setenv("PAPERS", str(tmp_path))
    assert root("paper_root", "${PAPERS}/x") == str(tmp_path / "x") and not asked
    assert root("paper_root", "s3://bucket/papers") == "s3://bucket/papers"
    assert asked == [("s3://bucket/papers", False)], "whoever may read need not be allowed to list"
    with pytest.raises(ConfigError, match=r"^paper_root: s3://gone can't be read: no such bucket"):
        root("paper_root", "s3://gone")
    with pytest.raises(ConfigError, match="paper_root: "):
        root("paper_root", "nowhere://x")


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Reader]:
    """A reader in a run over a dataset of these lines."""

    def reader(lines: str, executor: str = "default") -> Reader:
        (tmp_path / "papers.jsonl").write_text(lines)
        config = {"dataset_path": str(tmp_path / "papers.jsonl"), "executor_type": executor}
        monkeypatch.setattr(paper_mapper, "running", lambda: config)
        return Reader(run_dir=str(tmp_path / "run"))

    return reader


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ('{"paper_id": "a", "path": "x"}\n', "no column paper_path"),
        ('{"paper_id": "a", "paper_path": "x"}\n{"paper_id": "a", "paper_path": "y"}\n', "a"),
    ],
)
def test_a_dataset_without_paths_or_with_an_id_twice_is_refused(
    opened: Callable[..., Reader], capfd: pytest.CaptureFixture[str], lines: str, says: str
) -> None:
    with pytest.raises(SystemExit):
        opened(lines)
    assert says in capfd.readouterr().err


def test_lines_without_an_id_that_the_loader_drops_are_in_the_ledger(
    opened: Callable[..., Reader], tmp_path: Path
) -> None:
    lines = '{"paper_id": "a", "paper_path": "x"}\n{"paper_path": "y"}\n'
    reader = opened(lines)
    reader.run_info.flush()
    [entry] = decisions(tmp_path / "run", reader.run_info.run_id)
    assert (entry["row_id"], entry["verdict"]) == ("line-2", "drop")
    assert "line 2 of the dataset has no paper_id" in entry["detail"]["message"]
    assert opened(lines, "ray")._lines_without_id == []
