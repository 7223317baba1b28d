"""A dataset file looked over before a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.ops.host import dataset_check
from data_juicer_ext.ops.host.dataset_check import Look, look, missing_columns, repeated_ids
from data_juicer_ext.ops.host.running_recipe import RecipeError


def written(tmp_path: Path, text: str, name: str = "papers.jsonl") -> str:
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def test_columns_ids_and_lines_are_found(tmp_path: Path) -> None:
    lines = '{"paper_id": "a", "x": 1}\n{"y": 2}\n\n{"paper_id": 3}\n{"paper_id": "3"}\n{"paper_id": ""}\n'
    found = look(written(tmp_path, lines))
    assert found == Look(("paper_id", "x"), [2], {"3": [4, 5]})
    assert look(written(tmp_path, lines), "y") == Look(("paper_id", "x"), [1, 4, 5, 6], {})


def test_no_more_is_looked_at_than_so_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset_check, "_LOOK_BYTES", 20)
    lines = '{"paper_id": "a"}\n' * 9
    found = look(written(tmp_path, lines))
    assert found is not None and len(found.repeated.get("a", [0])) < 9


def test_other_datasets_are_not_looked_into(tmp_path: Path) -> None:
    assert look(str(tmp_path)) is None and look("s3://bucket/papers.jsonl") is None and look("") is None
    assert look(written(tmp_path, "x", "papers.csv")) is None
    assert look("0.5 a.jsonl 0.5 b.jsonl") is None and look("0.5 a.csv 0.5 b.csv") is None
    listed = written(tmp_path, '[\n{"paper_id": "a"}\n]', "list.json")
    with pytest.raises(RecipeError, match="is empty"):
        look(listed)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("gone.jsonl", None, "there is no file "), ("gone.parquet", None, "there is no file or folder "),
        ("a b.jsonl", '{"paper_id": "a"}\n', "has a space in it"), ("e.jsonl", "", "is empty; it needs one row"),
        ("b.jsonl", '{"paper_id": "a"}\n{broken\n', "dataset_path: "), ("l.jsonl", "[1]\n", "dataset_path: "),
    ],
)  # fmt: skip
def test_what_would_end_the_run_is_told(tmp_path: Path, name: str, text: str | None, says: str) -> None:
    path = str(tmp_path / name) if text is None else written(tmp_path, text, name)
    with pytest.raises(RecipeError, match=says):
        look(path)


@pytest.mark.parametrize(
    ("columns", "one_of", "all_of", "says"),
    [
        (("a", "b"), (), ("a", "b"), ""), (("a",), (), ("a", "b", "c"), "the dataset has no column b, c (it has: a)"),
        ((), ("x",), (), "the dataset has none of the columns x (it has: none)"), (("b",), ("a", "b"), (), ""),
        ((), (), ("b",), "the dataset has no column b (it has: none)"), ((), (), (), ""),
        (("c", "d"), ("a", "b"), (), "the dataset has none of the columns a, b (it has: c, d)"),
        (("a",), ("x",), ("b",), "the dataset has no column b (it has: a)"),
    ],
)  # fmt: skip
def test_what_a_dataset_lacks(columns: list[str], one_of: list[str], all_of: list[str], says: str) -> None:
    assert missing_columns(columns, one_of, all_of) == says


def test_ids_that_stand_twice_are_named_up_to_five() -> None:
    assert repeated_ids(Look(), "paper_id") == ""
    few = repeated_ids(Look(repeated={"a": [1, 2, 3, 4, 5], "b": [6, 7]}), "key")
    assert few.startswith("the dataset has the same key more than once: 'a' in lines 1, 2, 3, 4; 'b' in lines 6, 7. ")
    five = repeated_ids(Look(repeated={str(n): [1, 2] for n in range(5)}), "key")
    six = repeated_ids(Look(repeated={str(n): [1, 2] for n in range(6)}), "key")
    assert "more than once" in five and "and 1 more" not in five and "'4' in lines 1, 2. " in five
    assert "'4' in lines 1, 2, and 1 more. " in six and "'5'" not in six
