from pathlib import Path

import pytest

from data_juicer_ext.storage.json_lines import JsonLinesError, json_objects, leave_out, read_json_lines

MIXED = b'{"n": 1}\n\n[2]\n  \r\n{"n": "\xff"}\n{"n": 3}\n{"n"'


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(MIXED)
    return path


def test_lines_that_are_no_object_are_told_and_left_out(mixed: Path) -> None:
    said: list[str] = []
    assert [row["n"] for row in read_json_lines(mixed, said.append)] == [1, "�", 3]
    assert said[0] == f"{mixed}:3: not a JSON object"
    assert said[1].startswith(f"{mixed}:7: not JSON (") and len(said) == 2


def test_whoever_does_not_mind_torn_lines_hears_nothing(mixed: Path) -> None:
    assert len(list(read_json_lines(mixed, leave_out))) == 3


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"n": 1}\n{"n"', ":2: not JSON"),
        (b"7\n", ":1: not a JSON object"),
        (b'\n{"n": "\xff"}\n', ":2: not JSON .*utf-8"),
        (b"[" * 100_000, ":1: not JSON .*recursion"),
    ],
)
def test_a_file_that_has_to_be_whole_names_its_first_other_line(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(JsonLinesError, match=f"rows.jsonl{says}"):
        list(read_json_lines(path))


def test_blank_lines_count_as_lines() -> None:
    assert list(json_objects(['{"n": 1}', "", '{"n": 2}'], "here")) == [(1, {"n": 1}), (3, {"n": 2})]


def test_no_more_is_read_than_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"n": 1}\n' * 5, "utf-8")
    assert len(list(read_json_lines(path, most=18))) == 2
    assert len(list(read_json_lines(path, most=17))) == 1
