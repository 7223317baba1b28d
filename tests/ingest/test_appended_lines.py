from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.ingest.appended_lines import JsonLines


def test_rows_come_back_over_runs(tmp_path: Path) -> None:
    for number in range(3):
        lines = JsonLines(tmp_path / "a.jsonl")
        lines.add({"n": number, "text": "é\u2028"})
        assert [row["n"] for row in lines.rows()] == list(range(number + 1))
        lines.close()


@pytest.mark.parametrize("torn", ['{"n": 2', "x" * 200_000, '{"n": 2}'])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"n": 1}\n' + torn, "utf-8")
    lines = JsonLines(path)
    lines.add({"n": 3})
    lines.close()
    assert path.read_text("utf-8") == '{"n": 1}\n{"n": 3}\n'


def test_a_file_of_a_torn_line_alone_is_empty(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"n"', "utf-8")
    assert list(JsonLines(tmp_path / "a.jsonl").rows()) == []


def test_rows_that_are_no_longer_wanted(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "a.jsonl")
    for number in range(4):
        lines.add({"n": number})
    lines.keep(lambda row: row["n"] % 2 == 1)
    lines.add({"n": 9})
    assert [row["n"] for row in lines.rows()] == [1, 3, 9]


def test_a_damaged_line_is_told_by_number(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"n": 1}\n{"n"\n{"n": 2}\n', "utf-8")
    with pytest.raises(ValueError, match=r"a.jsonl:2: not JSON"):
        list(JsonLines(tmp_path / "a.jsonl").rows())
