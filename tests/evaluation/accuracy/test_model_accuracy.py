from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.evaluation.accuracy.accuracy_report import as_text, group_table, understanding_table, write
from data_juicer_ext.evaluation.accuracy.model_accuracy import OVERALL, Accuracy, evaluate
from data_juicer_ext.evaluation.accuracy.model_answers import AnswerSource, read_answers

Row = dict[str, Any]
# Row id, domain, figure type, question type, right letter, and what two models answer ("" is a refusal).
SET = [
    ("q1", "cs.CL", "Line Plot", "Descriptive", "A", "A", "A"),
    ("q2", "cs.CV", "Line Plot", "Relational", "B", "B", "A"),
    ("q3", "astro-ph.GA", "Heatmap", "Descriptive", "C", "D", ""),
    ("q4", "astro-ph.GA", "Line Plot", "Relational", "A", "A", "A"),
    ("q5", "cs.CL", "Heatmap", "Descriptive", "B", "", "B"),
]


def rows(model: str, place: int) -> list[Row]:
    return [
        {"row_id": q[0], "domain": q[1], "figure_type": q[2], "question_type": q[3], "answer": q[4],
         "options": ["w", "x", "y", "z"], "model_answer": q[place], "answer_kind": "letter" if q[place] else "declined",
         "answer_correct": int(q[place] == q[4]), "answer_model": model, "answer_text": q[place] or "I\x1bcannot say"}
        for q in SET
    ]  # fmt: skip


def failed(row_id: str) -> Row:
    return {**next(row for row in rows("x", 5) if row["row_id"] == row_id), "model_answer": "",
            "undecided": {"operator": "mcq_answer_mapper", "reason": "call_failed:timeout"}}  # fmt: skip


@pytest.fixture
def two() -> Accuracy:
    return evaluate(read_answers([AnswerSource("a", rows("o3", 5)), AnswerSource("b", rows("qwen", 6))]))


def test_accuracy_overall_and_by_group(two: Accuracy) -> None:
    whole = two.cell(OVERALL, "", "o3")
    assert (whole.n, whole.right, whole.unclear, whole.failed, whole.chance) == (5, 3, 1, 0, 0.25)
    assert whole.accuracy.value == 0.6
    assert whole.accuracy.low == pytest.approx(0.2307, abs=5e-5) and whole.accuracy.high == pytest.approx(
        0.8824, abs=5e-5
    )
    assert two.cell("domain", "cs", "qwen").right == 2 and two.cell("domain", "cs", "qwen").n == 3
    assert two.cell("figure_type", "Line Plot", "o3").accuracy.value == 1


def test_the_groups_of_a_column_sum_up_to_the_whole(two: Accuracy) -> None:
    for model in two.models:
        whole = two.cell(OVERALL, "", model)
        for by in two.by:
            cells = [two.cell(by, value, model) for value in two.values(by)]
            for name in ("asked", "n", "right", "unclear", "failed"):
                assert sum(getattr(cell, name) for cell in cells) == getattr(whole, name)


def test_the_layout_of_tables_8_to_10(two: Accuracy) -> None:
    assert two.by == ["domain", "figure_type", "question_type"], "no row says anything of a dimension"
    assert group_table(two, "domain") == [
        ["Domain", "o3", "qwen", "questions", "chance"],
        ["astro-ph*", "50.00", "50.00", "2", "25.00"],
        ["cs*", "66.67", "66.67", "3", "25.00"],
        ["Overall", "60.00", "60.00", "5", "25.00"],
    ]
    assert [row[0] for row in group_table(two, "figure_type")] == ["Figure type", "Line Plot*", "Heatmap*", "Overall"]
    assert group_table(two, "question_type", "models")[:3] == [
        ["Question type", "Descriptive*", "Relational*", "Overall"],
        ["o3", "33.33", "100.00", "60.00"],
        ["qwen", "66.67", "50.00", "60.00"],
    ]


def test_an_unclear_answer_is_wrong_and_a_failed_call_is_neither() -> None:
    clear = evaluate(read_answers([AnswerSource("a", rows("o3", 5))]))
    assert [(entry["row_id"], entry["kind"]) for entry in clear.unclear] == [("q5", "declined")]
    answered = [row for row in rows("o3", 5) if row["row_id"] != "q5"]
    lost = evaluate(read_answers([AnswerSource("run", answered, [failed("q5")])]))
    whole = lost.cell(OVERALL, "", "o3")
    assert (whole.asked, whole.n, whole.right, whole.failed) == (5, 4, 3, 1) and whole.accuracy.value == 0.75
    assert lost.failed == {"o3": {"call_failed:timeout": 1}} and lost.unclear == []
    text = as_text(lost)
    assert "o3: 1 calls failed and count neither as right nor as wrong (call_failed:timeout 1)" in text
    assert "name no single option" not in text and "not all asked the same questions" not in text


def test_models_that_were_asked_different_questions_are_told_of() -> None:
    half = [row for row in rows("qwen", 6) if row["row_id"] in ("q1", "q2")]
    found = evaluate(read_answers([AnswerSource("a", rows("o3", 5)), AnswerSource("b", half)]))
    assert "not all asked the same questions" in as_text(found)
    assert found.cell("domain", "astro-ph", "qwen").accuracy.note == "not defined: no answers"
    assert group_table(found, "domain")[1][2] == "-"


def test_siqas_table_has_dimensions_and_types_as_columns() -> None:
    asked = [
        ("q1", "cognitive_clarity", "yes_no", 2, "A", "A"), ("q2", "cognitive_clarity", "how", 4, "B", "C"),
        ("q3", "scientific_validity", "yes_no", 2, "B", "B"), ("q4", "scientific_validity", "yes_no", 2, "B", "A"),
    ]  # fmt: skip
    given = [
        {"row_id": r, "dimension": d, "question_type": t, "options": ["x"] * k, "answer": a, "model_answer": m,
         "answer_kind": "letter", "answer_model": "o3"}
        for r, d, t, k, a, m in asked
    ]  # fmt: skip
    found = evaluate(read_answers([AnswerSource("a", given)]))
    assert understanding_table(found) == [
        ["Model", "cognitive_clarity", "scientific_validity", "yes_no", "how", "Overall"],
        ["o3", "0.500", "0.500", "0.667", "0.000", "0.500"],
        ["chance", "0.375", "0.500", "0.500", "0.250", "0.438"],
    ]
    assert "Accuracy by dimension and question type" in as_text(found)


def test_a_subset_is_the_same_for_all_models_and_any_order_of_rows() -> None:
    chance = random.Random(0)
    many = [{**row, "row_id": f"{row['row_id']}-{n}"} for n in range(40) for row in rows("o3", 5)]
    other = [{**row, "answer_model": "b"} for row in many]
    first = evaluate(read_answers([AnswerSource("a", many), AnswerSource("b", other)]), subset=50, seed=3)
    chance.shuffle(many)
    again = evaluate(read_answers([AnswerSource("a", many)]), subset=50, seed=3)
    assert again.subset["row_ids"] == first.subset["row_ids"] and len(first.subset["row_ids"]) == 50
    strata = [
        tuple(entry[name] for name in ("domain", "figure_type", "taken", "of")) for entry in first.subset["strata"]
    ]
    assert strata == [
        ("astro-ph", "Heatmap", 10, 40), ("astro-ph", "Line Plot", 10, 40), ("cs", "Heatmap", 10, 40),
        ("cs", "Line Plot", 10, 40), ("cs", "Line Plot", 10, 40),
    ]  # fmt: skip
    assert first.cell(OVERALL, "", "b").n == 50 and first.counts["left_out_by_subset"] == 150
    assert "150  questions outside the subset" in as_text(first)


def test_a_failed_question_stays_in_the_subset() -> None:
    answered = [row for row in rows("o3", 5) if row["row_id"] != "q5"]
    whole = evaluate(read_answers([AnswerSource("a", rows("o3", 5))]), subset=4, seed=1).subset["row_ids"]
    lost = evaluate(read_answers([AnswerSource("a", answered, [failed("q5")])]), subset=4, seed=1).subset["row_ids"]
    assert whole == lost


def test_a_subset_larger_than_the_set_is_the_set() -> None:
    found = evaluate(read_answers([AnswerSource("a", rows("o3", 5))]), subset=1000)
    assert len(found.subset["row_ids"]) == 5 and "the subset is the whole set" in as_text(found)


def test_no_answers_at_all_give_a_stated_result(tmp_path: Path) -> None:
    found = evaluate(read_answers([AnswerSource("a", [])]))
    assert "accuracy not defined: no answers" in as_text(found)
    assert all(path.is_file() for path in write(found, tmp_path))
    only_failed = evaluate(read_answers([AnswerSource("a", [], [failed("q1")], "o3")]))
    assert only_failed.cell(OVERALL, "", "o3").accuracy.note == "not defined: no answers"
    assert "o3: 1 calls failed" in as_text(only_failed)


def test_the_files_say_what_the_screen_says(two: Accuracy, tmp_path: Path) -> None:
    paths = {path.name: path for path in write(two, tmp_path / "out")}
    assert sorted(paths) == [
        "accuracy.csv", "accuracy.json", "by_domain.csv", "by_figure_type.csv", "by_question_type.csv", "letters.csv",
        "unclear.csv",
    ]  # fmt: skip
    cells = list(csv.DictReader(paths["accuracy.csv"].open()))
    assert (cells[0]["by"], cells[0]["model"], float(cells[0]["accuracy"])) == (OVERALL, "o3", 0.6)
    assert float(cells[0]["accuracy_low"]) == pytest.approx(two.cell(OVERALL, "", "o3").accuracy.low)
    assert list(csv.reader(paths["by_domain.csv"].open())) == group_table(two, "domain")
    unclear = list(csv.DictReader(paths["unclear.csv"].open()))
    assert [(row["model"], row["row_id"]) for row in unclear] == [("o3", "q5"), ("qwen", "q3")]
    assert json.loads(paths["accuracy.json"].read_text())["counts"]["questions"] == 5
    text = as_text(two)
    assert "2 answers name no single option and count as wrong" in text and "\x1b" not in text
    assert "o3  q5  declined  I cannot say" in text


def test_a_column_named_like_a_path_writes_no_file_elsewhere(tmp_path: Path) -> None:
    given = [{**row, "../x": "v"} for row in rows("o3", 5)]
    found = evaluate(read_answers([AnswerSource("a", given)], ["domain", "../x"]), ["domain", "../x"])
    assert {path.parent for path in write(found, tmp_path / "out")} == {tmp_path / "out"}
    assert (tmp_path / "out" / "by____x.csv").is_file()
