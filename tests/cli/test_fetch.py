"""`dj-ext fetch`, and commands that are given a run folder on object storage."""

from pathlib import Path

import pytest

from data_juicer_ext.cli.main import main
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry
from data_juicer_ext.storage import file_access
from tests.s3_server import S3


@pytest.fixture
def run(s3: S3) -> run_records.Run:
    """A run that has ended, with an image, an export and an undecided row, and a store."""
    run = run_records.begin(s3.at("run"), {"export_path": s3.at("pairs"), "recipe": ["r.yaml"]})
    run.ledger.record(Entry("1", "some_filter", "some", "keep", "r", "p", "f", made=1))
    run.ledger.record(Entry("2", "some_filter", "some", "undecided", "r", "p", "f"))
    about = {"tag": "some", "reason": "r", "message": "m", "operator": "some_filter"}
    run.undecided.write({"row_id": "2", "undecided": about})
    run.flush()
    file_access.write(s3.at("pairs/0.jsonl"), b'{"row_id": "1", "question": "Is it?"}\n')
    file_access.write(s3.at("run/images/diagrams/a.png"), b"image")
    file_access.write(s3.at("run/store/segments/1.jsonl"), b"answers")
    run_records.end(run)
    return run


def test_a_run_folder_is_copied(
    run: run_records.Run, s3: S3, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", s3.at("run/"), str(tmp_path / "here")]) == 0
    here = tmp_path / "here"
    found = {path.relative_to(here).as_posix() for path in here.rglob("*") if path.is_file()}
    assert found == {
        f"ledger/{run.run_id}.all.jsonl", f"runs/{run.run_id}.json", "undecided.jsonl", "images/diagrams/a.png",
        "export/0.jsonl",
    }  # fmt: skip
    assert "5 files" in capsys.readouterr().out
    file_access.delete([s3.at("pairs/0.jsonl")])
    file_access.write(s3.at("pairs/1.jsonl"), b'{"row_id": "1"}\n')
    assert main(["fetch", s3.at("run"), str(tmp_path / "here"), "--no-images"]) == 0
    assert [path.name for path in (tmp_path / "here/export").iterdir()] == ["1.jsonl"]
    assert main(["summary", str(tmp_path / "here")]) == 0
    assert "some" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["summary", "report"])
def test_commands_read_a_copy(
    run: run_records.Run, s3: S3, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    to = ["--to", str(tmp_path / "page.html")] if command == "report" else []
    assert main([command, s3.at("run"), *to]) == 0
    said = capsys.readouterr()
    assert f"Fetching {s3.at('run')}" in said.err and "some" in said.out


def test_the_rows_of_an_export_that_is_one_file(s3: S3, tmp_path: Path) -> None:
    run = run_records.begin(s3.at("run"), {"export_path": s3.at("out/pairs.jsonl")})
    run.ledger.record(Entry("1", "some_filter", "some", "keep", "r", "p", "f", made=1))
    run.flush()
    file_access.write(s3.at("out/pairs.jsonl"), b'{"row_id": "1"}\n')
    run_records.end(run)
    assert main(["fetch", s3.at("run"), str(tmp_path / "here")]) == 0
    assert (tmp_path / "here/export/pairs.jsonl").read_bytes() == b'{"row_id": "1"}\n'


@pytest.mark.parametrize(
    "command",
    [
        ["export", "run", "--format", "rows", "--out", "s3://bucket/out"], ["report", "run", "--to", "s3://bucket/x"],
        ["fetch", "s3://bucket/run", "s3://bucket/there"],
    ],
)  # fmt: skip
def test_no_folder_is_made_of_an_address(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if command[0] == "export":
        from data_juicer_ext.export.options import FORMATS

        command[3] = FORMATS[0]
    assert main(command) == 2
    assert "s3://bucket/" in capsys.readouterr().err and list(tmp_path.iterdir()) == []


def test_answers_of_people_are_not_lost_in_a_copy(
    run: run_records.Run, s3: S3, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", s3.at("run")]) == 2
    assert f"dj-ext fetch {s3.at('run')} FOLDER" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("s3://no-bucket-of-ours/run", "holds no run"), ("gs://x/run", "gcsfs"), ("folder", "is no address"),
    ],
)  # fmt: skip
def test_what_cannot_be_fetched(
    s3: S3, tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str, message: str
) -> None:
    assert main(["fetch", address, str(tmp_path / "here")]) == 2
    assert message in capsys.readouterr().err


def test_names_that_leave_the_folder_are_left_out(run: run_records.Run, s3: S3, tmp_path: Path) -> None:
    file_access.write(s3.at("run/images/..") + "/../../evil.png", b"evil")
    assert main(["fetch", s3.at("run"), str(tmp_path / "a/b/here")]) == 0
    assert not list(tmp_path.rglob("evil.png"))
