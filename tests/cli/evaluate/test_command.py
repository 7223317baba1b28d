from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from data_juicer_ext.cli.main import main
from tests.host import write_rows

SCORES = {"VC": 8, "SL": 8, "C": 8, "CTX": 2, "MR": 8}
PREDICTIONS = [{"row_id": "f1", "quality": json.dumps({"scores": SCORES, "overall": 6.8})}]
RATINGS = [{"row_id": "f1", "rater": "a", **SCORES}, {"row_id": "f1", "rater": "b", **SCORES, "CTX": None}]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    predicted, gold = write_rows(tmp_path / "pred.jsonl", PREDICTIONS), write_rows(tmp_path / "gold.jsonl", RATINGS)
    return ["evaluate", "quality", "--pred", str(predicted), "--gold", str(gold)]


def test_a_table_on_screen_and_files_on_disk(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*files, "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "1 figures compared, known by row_id" in shown and "MAE" in shown and "W-1 pairs" in shown
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "adjudication.csv", "dispersion.csv", "quality.csv", "quality.json"
    ]  # fmt: skip
    [whole] = json.loads((tmp_path / "out/quality.json").read_text())["rows"]
    assert (whole["n"], whole["mae"]) == (1, 0)


def test_a_folder_of_shards_is_read(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shards").mkdir()
    write_rows(tmp_path / "shards/a.json", PREDICTIONS)
    write_rows(tmp_path / "shards/b.json", [])
    files[files.index("--pred") + 1] = str(tmp_path / "shards")
    assert main([*files, "--out", str(tmp_path / "out"), "--key", "row_id"]) == 0
    assert "1 figures compared" in capsys.readouterr().out


def test_a_file_that_is_not_there_and_a_wrong_key_are_told(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*files, "--key", "label"]) == 2
    assert "looked at the columns: label" in capsys.readouterr().err
    files[files.index("--gold") + 1] = str(tmp_path / "none.jsonl")
    assert main(files) == 2
    assert "there is no file" in capsys.readouterr().err


def test_every_part_says_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    for part in ("quality", "accuracy", "siqa", "preference", "stability", "agreement"):
        with pytest.raises(SystemExit):
            main(["evaluate", part, "--help"])
        shown = capsys.readouterr().out
        assert "--out FOLDER" in shown and f"evaluation/{part}" in shown


def test_the_commands_load_no_statistics_before_they_are_needed() -> None:
    script = (
        "import sys, data_juicer_ext.cli.evaluate.command\n"
        "print([name for name in ('scipy', 'numpy', 'statsmodels', 'pandas', 'krippendorff') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
