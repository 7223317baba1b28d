from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.cli.main import main
from data_juicer_ext.siqa.answer_balance import line_of
from tests.siqa.sets import holds, question_set, what_row, yes_no_row


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return question_set(600)


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_file_a_folder_and_parquet_give_the_same_file(
    rows: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pandas

    shuffled = list(rows)
    random.Random(1).shuffle(shuffled)
    written(tmp_path / "rows.jsonl", rows)
    for place in range(3):
        written(tmp_path / "folder" / f"part-{place}.json", shuffled[place::3])
    (tmp_path / "parquet").mkdir()
    pandas.DataFrame(shuffled).to_parquet(tmp_path / "parquet" / "0.parquet")
    made = []
    for name in ("rows.jsonl", "folder", "parquet"):
        assert main(["balance", str(tmp_path / name), "--out", str(tmp_path / "out" / f"{name}.out")]) == 0
        made.append((tmp_path / "out" / f"{name}.out").read_bytes())
    assert made[0] == made[1] == made[2]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "folder.out", "parquet.out", "rows.jsonl.out",
    ]  # fmt: skip
    balanced = [json.loads(line) for line in made[0].decode().split("\n") if line]
    assert len(balanced) == 600 and all(map(holds, balanced))
    told = capsys.readouterr().out
    assert "Yes share after: 50.0% of 200" in told and "What letters after: A 25.0%" in told
    assert "turned around: " in told and "category 6: " in told


def test_how_rows_are_the_same_bytes_before_and_after(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    given = tmp_path / "rows.jsonl"
    given.write_text("".join(map(line_of, rows)), encoding="utf-8")
    assert main(["balance", str(given), "--out", str(tmp_path / "out.jsonl")]) == 0
    how = [line for line in given.read_bytes().split(b"\n") if b'"question_type": "how"' in line]
    assert (
        how
        and [line for line in (tmp_path / "out.jsonl").read_bytes().split(b"\n") if b'"question_type": "how"' in line]
        == how
    )


def test_a_seed_is_another_choice(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    given = written(tmp_path / "rows.jsonl", rows)
    made = []
    for seed in ("0", "0", "1"):
        assert main(["balance", str(given), "--out", str(tmp_path / "out.jsonl"), "--seed", seed]) == 0
        made.append((tmp_path / "out.jsonl").read_bytes())
    assert made[0] == made[1] != made[2]


def test_what_could_not_be_reached_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = written(tmp_path / "rows.jsonl", [yes_no_row(number, both=False) for number in range(60)])
    out = str(tmp_path / "out.jsonl")
    assert main(["balance", str(given), "--out", out]) == 1
    assert "more rows with a negated question; run siqa_refine_mapper" in capsys.readouterr().out
    assert len(Path(out).read_text().split("\n")) == 61
    assert main(["balance", str(given), "--out", out, "--drop"]) == 0
    assert "Yes/No rows left out instead" in capsys.readouterr().out
    assert len(Path(out).read_text().split("\n")) < 60


def test_a_broken_row_is_named_and_the_rest_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = written(tmp_path / "rows.jsonl", [what_row(1), {**what_row(2), "answer": "Z"}])
    assert main(["balance", str(given), "--out", str(tmp_path / "out.jsonl")]) == 1
    assert "refused: qa-00002: the answer 'Z' is none of the options" in capsys.readouterr().out
    assert [json.loads(line)["row_id"] for line in (tmp_path / "out.jsonl").open()] == ["qa-00001"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.jsonl"], "there is no file"), (["rows.jsonl", "--yes-share", "1.5"], "between 0 and 1"),
        (["rows.jsonl", "--max-per-category", "-1"], "--max-per-category"),
        (["broken.jsonl"], "broken.jsonl:1: not JSON"),
    ],
)  # fmt: skip
def test_wrong_use_writes_nothing(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "rows.jsonl", [what_row(1)])
    (tmp_path / "broken.jsonl").write_text("{")
    assert main(["balance", *arguments, "--out", "out.jsonl"]) == 2
    assert says in capsys.readouterr().err and not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("share", ["half", "nan", ""])
def test_a_share_that_is_no_number_is_refused(share: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["balance", "rows.jsonl", "--out", "out.jsonl", "--yes-share", share])
    assert "is no number such as 0.5" in capsys.readouterr().err
