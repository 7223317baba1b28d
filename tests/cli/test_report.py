from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.cli.main import main
from tests.report.hostile import hostile_folder
from tests.report.run_folders import RunFolder, qa_row


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path)
    folder.note("claim_extractor", "f", made=2)
    folder.note(
        "vision_vote", "qa-1", spent={"calls": 3, "store_hits": 1, "cost": 0.25, "tries": 3, "prompt_tokens": 900}
    )
    folder.note("vision_vote", "qa-2", "drop", "no_majority")
    folder.end([qa_row(1)])
    return folder


def test_page_and_tables(folder: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(folder.path)]) == 0
    said = capsys.readouterr().out
    for line in (
        "After vision-based filtering                 1      50.0%",
        "E1 incorrectly visually grounded or E4 outside knowledge         1  vision_vote",
        "vision_vote               m                            2       1        1         900      $0.2500",
        "vision_vote: 1 calls saved by the store, 0 by early stopping, about $0.1250",
        "answers of 4 options: A 0 (0%)  B 1 (100%)  C 0 (0%)  D 0 (0%)",
        "the answer is the longest option in 0 of 1 questions",
    ):
        assert line in said
    assert said.splitlines()[-1] == str(folder.path / "report.html")
    assert "Question 1?" in (folder.path / "report.html").read_text(encoding="utf-8")


def test_another_place_and_no_samples(folder: RunFolder, tmp_path: Path) -> None:
    assert main(["report", str(folder.path), "--to", str(tmp_path / "r.html"), "--samples", "0"]) == 0
    assert "Question 1?" not in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert not (folder.path / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--samples", "51"], "a number from 0 to 50"),
        (["--export", "gone.jsonl"], "there is no file or folder gone.jsonl"),
    ],
)
def test_wrong_use(folder: RunFolder, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(folder.path), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_without_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "holds no run" in capsys.readouterr().err and not (tmp_path / "report.html").exists()


def test_a_run_nearby_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = RunFolder(tmp_path / "outputs" / "demo")
    folder.note("vision_vote", "a")
    folder.end([])
    monkeypatch.chdir(tmp_path)
    near = "there is one in outputs/demo/run: name it"
    for command in ("report", "summary", "review"):
        assert main([command]) == main([command, "outputs/demo"]) == 2
        said = capsys.readouterr().err.splitlines()
        assert [line.partition(" holds no run; ")[2] for line in said] == [near] * 2
        assert main([command, "outputs/demo/run/runs/../undecided.jsonl"]) == 2
        assert "is a file; name the run folder" in capsys.readouterr().err


def test_the_page_goes_into_a_new_folder(folder: RunFolder, tmp_path: Path) -> None:
    assert main(["report", str(folder.path), "--to", str(tmp_path / "new" / "r.html")]) == 0
    assert (tmp_path / "new" / "r.html").is_file()


def test_hostile_texts_do_not_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(hostile_folder(RunFolder(tmp_path)).path)]) == 0
    said = capsys.readouterr().out
    assert not {"\x1b", "\x07", "\x00", "\u202e"} & set(said) and max(map(len, said.splitlines())) < 400
