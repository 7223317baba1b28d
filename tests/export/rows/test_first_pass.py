from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.export.rows.first_pass import Intake
from data_juicer_ext.export.rows.left_out import LeftOut
from data_juicer_ext.export.rows.path_cleaning import Cleaner

PAIR: dict[str, Any] = {
    "row_id": "q1", "paper_id": "p", "figure_id": "f", "images": ["/x/a.png"], "question": "Q?", "options": ["a", "b"],
    "answer": "B", "licence": "cc0-1.0",
}  # fmt: skip
RATED = {"row_id": "r1", "images": ["a.png"], "rating_perception": 3.0, "rating_knowledge": 4.0}


def taken(rows: Iterable[dict[str, Any]], folder: Path, kind: str = "") -> tuple[dict[str, Any], dict[str, int]]:
    """The rows that were taken, read back, and why others were not."""
    left_out = LeftOut()
    with Intake(folder, Cleaner([]), left_out) as intake:
        found = intake.take(rows, kind)
        return {row_id: intake.row(entry) for row_id, entry in found.entries.items()}, left_out.counts()


def test_rows_come_back_without_images_and_nothing_is_left_on_disk(tmp_path: Path) -> None:
    second = {**PAIR, "row_id": "q2", "question": "é \\frac ≤ \u2028?"}
    rows, left_out = taken([PAIR, second], tmp_path)
    plain = {name: value for name, value in PAIR.items() if name != "images"}
    assert rows == {"q1": plain, "q2": {**plain, "row_id": "q2", "question": "é \\frac ≤ \u2028?"}} and left_out == {}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("answer", "text"), [("A", "a"), ("B", "b")])
def test_what_choices_are_made_by_is_kept_in_mind(answer: str, text: str, tmp_path: Path) -> None:
    with Intake(tmp_path, Cleaner([]), LeftOut()) as intake:
        (entry,) = intake.take([{**PAIR, "answer": answer}], "").entries.values()
    assert (entry.asked, entry.answered, entry.licence, entry.images) == ("Q?", text, "cc0-1.0", ("/x/a.png",))


def test_rows_that_are_not_whole_are_left_out_by_name(tmp_path: Path) -> None:
    rows = [PAIR, {**PAIR, "row_id": "q2", "answer": "C"}, {**PAIR, "row_id": ""}, {"row_id": "c", "claim": "x"},
            {**PAIR, "row_id": "q3", "undecided": {"tag": "vision_vote"}}]  # fmt: skip
    found, left_out = taken(rows, tmp_path)
    assert set(found) == {"q1"}
    assert left_out == {"no_row_id": 1, "other_kind": 1, "not_whole": 1, "undecided": 1}


def test_of_two_rows_of_one_id_the_same_one_is_taken_in_any_order(tmp_path: Path) -> None:
    rows = [PAIR, {**PAIR, "question": "R?"}, {**PAIR, "question": "S?"}, dict(PAIR)]
    found = [taken(order, tmp_path)[0] for order in itertools.permutations(rows)]
    assert all(one == found[0] for one in found) and len(found[0]) == 1
    assert taken([PAIR, dict(PAIR)], tmp_path)[1] == {}, "the same row twice is no matter"


def test_ids_are_text_that_every_file_can_hold(tmp_path: Path) -> None:
    rows = [{**PAIR, "row_id": "a\ud800\x00b"}, {**PAIR, "row_id": 7}, {**PAIR, "row_id": "c\ud800", "answer": "Z"}]
    left_out = LeftOut()
    with Intake(tmp_path, Cleaner([]), left_out) as intake:
        found = intake.take(rows, "").entries
        assert {row_id: intake.row(entry)["row_id"] for row_id, entry in found.items()} == {"ab": "ab", "7": "7"}
    (left,) = left_out.sorted()
    assert left["row_id"] == "c" and left["reason"] == "not_whole"


@pytest.mark.parametrize("depth", [600, 900])
def test_a_value_that_is_nested_too_deeply_costs_only_its_row(depth: int, tmp_path: Path) -> None:
    deep = {**PAIR, "row_id": "q2", "provenance": "[" * depth + "]" * depth}
    found, left_out = taken([PAIR, deep], tmp_path)
    assert set(found) == {"q1"} and left_out == {"not_whole": 1}


def test_rows_of_several_kinds_need_a_choice(tmp_path: Path) -> None:
    for rows in ([PAIR, RATED], [RATED, PAIR]):
        with pytest.raises(ValueError, match=r"several kinds: pairs, siqa-s; choose one by --kind"):
            taken(rows, tmp_path)
    found, left_out = taken([PAIR, RATED], tmp_path, "siqa-s")
    assert set(found) == {"r1"} and left_out == {"other_kind": 1}


def test_a_kind_that_is_named_is_believed(tmp_path: Path) -> None:
    answered = {**PAIR, "model_answer": "A", "answer_kind": "letter"}
    with pytest.raises(ValueError, match="answers to a finished set"):
        taken([answered], tmp_path)
    assert set(taken([answered], tmp_path, "pairs")[0]) == {"q1"}


@pytest.mark.parametrize(
    ("rows", "kind", "says"),
    [
        ([{"row_id": "c", "claim": "x"}], "", "the rows are claims, which can't be exported"),
        ([{"row_id": "c", "claim": "x"}], "pairs", "no row has the columns that it needs"),
        ([], "", "the run kept none"),
        ([{**PAIR, "answer": "Z"}], "", "1 not whole"),
    ],
)
def test_nothing_to_export_is_told(rows: list[dict[str, Any]], kind: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=says):
        taken(rows, tmp_path, kind)
