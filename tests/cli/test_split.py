from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.cli.main import main
from tests.host import write_rows

FIGURES: list[dict[str, Any]] = [
    {"paper_id": f"{venue}{paper}", "figure_id": str(figure), "venue": venue, "figure_type": "plot",
     "annotator_count": 3}
    for venue in ("ACL", "ICML") for paper in range(5) for figure in range(2)
]  # fmt: skip


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_parts_are_files_and_the_screen_says_what_they_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = write_rows(tmp_path / "figures.jsonl", FIGURES)
    assert main(["split", str(figures), "--size", "8", "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "test: 8 figures of 4 papers" in shown and "ACL: 4 of 4" in shown and "plot: 100.0%" in shown
    test, rest = lines(tmp_path / "out/test.jsonl"), lines(tmp_path / "out/rest.jsonl")
    assert (len(test), len(rest), lines(tmp_path / "out/held_out.jsonl")) == (8, 12, [])
    assert json.loads((tmp_path / "out/split.json").read_text())["quotas"] == {"ACL": [4, 4], "ICML": [4, 4]}
    first = (tmp_path / "out/test.jsonl").read_bytes()
    main(["split", str(figures), "--size", "8", "--out", str(tmp_path / "again")])
    assert (tmp_path / "again/test.jsonl").read_bytes() == first


def test_ratings_are_counted_in_rater_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = write_rows(tmp_path / "figures.jsonl", FIGURES)
    ratings = [
        {"paper_id": row["paper_id"], "figure_id": row["figure_id"], "rater": rater, "VC": 8}
        for row in FIGURES for rater in ("abc" if row["venue"] == "ACL" else "ab")
    ]  # fmt: skip
    gold = write_rows(tmp_path / "gold.jsonl", ratings)
    given = [
        "split",
        str(figures),
        "--gold",
        str(gold),
        "--quota",
        "ACL=4",
        "--quota",
        "ICML=4",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(given) == 1, "a quota that can't be met"
    assert "ICML: 0 of 4, 4 short" in capsys.readouterr().out
    assert {row["venue"] for row in lines(tmp_path / "out/test.jsonl")} == {"ACL"}


def test_a_quota_that_is_none_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = write_rows(tmp_path / "figures.jsonl", FIGURES)
    assert main(["split", str(figures), "--quota", "ACL", "--out", str(tmp_path / "out")]) == 2
    assert "such as ACL=300" in capsys.readouterr().err


def test_a_split_that_could_not_be_written_leaves_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["split", str(write_rows(tmp_path / "figures.jsonl", FIGURES)), "--out", str(tmp_path / "out"), "--size"]
    main([*command, "8"])
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    write_text = Path.write_text

    def full(path: Path, text: str, **given: Any) -> int:
        if "split.json" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write_text(path, text, **given)

    monkeypatch.setattr(Path, "write_text", full)
    assert main([*command, "4"]) == 2
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    monkeypatch.undo()
    assert main([*command, "4"]) == 0 and len(lines(tmp_path / "out/test.jsonl")) == 4


def test_a_split_needs_a_folder_to_write_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["split", str(tmp_path / "rows.jsonl")])
    assert "--out" in capsys.readouterr().err
