from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.ratings.line_file import LineFile, append_line, number_in
from data_juicer_ext.rows import to_json

WRITER = """
import sys
from pathlib import Path
from data_juicer_ext.ratings.line_file import append_line
for number in range(40):
    append_line(Path(sys.argv[1]), {"who": sys.argv[2], "number": number, "text": "x" * 5000})
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "review" / "lines.jsonl"


def test_lines_of_several_processes_stay_whole(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), who]) for who in "abc"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for who in "abc":
        assert [line["number"] for line in found if line["who"] == who] == list(range(40))


def test_a_cut_off_line_costs_itself_alone(path: Path) -> None:
    append_line(path, {"a": 1})
    with path.open("a") as file:
        file.write('{"a": 2, "text": "cut o')
    lines = LineFile(path)
    assert lines.fresh() == (True, [{"a": 1}])
    append_line(path, {"a": 3})
    assert lines.fresh() == (False, [{"a": 3}])
    assert LineFile(path).fresh()[1] == [{"a": 1}, {"a": 3}]


def test_what_is_new_is_read_once(path: Path) -> None:
    lines = LineFile(path)
    assert lines.fresh() == (False, [])
    append_line(path, {"a": 1})
    assert lines.fresh() == (True, [{"a": 1}]) and lines.fresh() == (False, [])
    append_line(path, {"a": 2})
    assert lines.fresh() == (False, [{"a": 2}])


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(path: Path) -> None:
    path.parent.mkdir()
    lines = LineFile(path)
    with path.open("wb", buffering=0) as file:
        file.write(b'{"a": 1}\n{"b": "\xc3')
        assert lines.fresh()[1] == [{"a": 1}]
        file.write(b'\xa4"}\n')
        assert lines.fresh() == (False, [{"b": "ä"}])


def test_another_file_is_told_anew(path: Path) -> None:
    for number in range(3):
        append_line(path, {"a": number})
    lines = LineFile(path)
    lines.fresh()
    other = path.with_name("other")
    other.write_text('{"a": 9}')  # without its line feed, as an editor may leave it
    other.replace(path)
    assert lines.fresh() == (True, [{"a": 9}])
    append_line(path, {"a": 10})
    assert lines.fresh() == (False, [{"a": 10}])
    path.unlink()
    assert lines.fresh() == (True, [])


def test_a_full_disk_leaves_nothing_of_a_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_line(path, {"a": 1})

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        append_line(path, {"a": 2})
    assert path.read_text() == '{"a": 1}\n'


@given(st.dictionaries(st.text(max_size=8), st.text() | st.integers() | st.none(), max_size=4))
def test_any_object_is_one_line(tmp_path_factory: Any, value: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    append_line(path, value)
    assert path.read_bytes().count(b"\n") == 1
    assert LineFile(path).fresh()[1] == [json.loads(to_json(value))]


@pytest.mark.parametrize("value", [True, None, "1", float("nan"), float("inf"), 10**400, [1]])
def test_what_is_no_number(value: Any) -> None:
    assert number_in({"a": value}, "a") is None and number_in({"a": 2}, "a") == 2.0
