from __future__ import annotations

import json
from pathlib import Path

import pytest

from data_juicer_ext.cli.main import main
from data_juicer_ext.models.store.sqlite import SqliteStore
from data_juicer_ext.models.types import Answer, Usage


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    store = SqliteStore(tmp_path / "store" / "responses.sqlite")
    for number, model in enumerate(("small", "small", "large")):
        about = {"task": "verisciqa/vision_vote", "model": model}
        store.put(f"{number:064x}", Answer("B", model, usage=Usage(10, 2)), about)
    store.close()
    return tmp_path


def test_stats(run_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "stats", str(run_dir)]) == 0
    said = capsys.readouterr().out
    assert "3 answers" in said and "2  small  verisciqa/vision_vote  20 prompt and 4 completion tokens" in said


def test_prune(run_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "prune", str(run_dir), "--model", "small", "--dry-run"]) == 0
    assert "would delete 2 answers, 1 stay" in capsys.readouterr().out
    assert main(["store", "prune", str(run_dir), "--model", "small"]) == 0
    assert "deleted 2 answers, 1 stay" in capsys.readouterr().out
    assert main(["store", "prune", str(run_dir), "--older-than", "30d"]) == 0
    assert "deleted 0 answers, 1 stay" in capsys.readouterr().out


def test_export(run_dir: Path, tmp_path: Path) -> None:
    assert main(["store", "export", str(run_dir), "--to", str(tmp_path / "out.jsonl")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["answer"]["model"] for line in lines] == ["small", "small", "large"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["prune"], "give at least one of older_than, model and task"),
        (["stats", "/no/such/run"], "no response store at /no/such/run"),
    ],
)
def test_wrong_use_says_what_is_right(
    arguments: list[str], says: str, run_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = [] if len(arguments) > 1 else [str(run_dir)]
    assert main(["store", *arguments, *place]) == 2
    assert says in capsys.readouterr().err


def test_an_age_has_a_unit(run_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["store", "prune", str(run_dir), "--older-than", "month"])
    assert "such as 30d" in capsys.readouterr().err


def test_an_export_needs_a_file_to_write_to(run_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["store", "export", str(run_dir)])
    assert "--to" in capsys.readouterr().err
