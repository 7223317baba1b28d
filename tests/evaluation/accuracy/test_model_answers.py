from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.evaluation.accuracy.model_answers import (
    GROUPS,
    NOT_KNOWN,
    NOT_SAID,
    AnswerSource,
    group,
    read_answers,
)

Row = dict[str, Any]


def row(row_id: str, answer: str, given: str, kind: str = "letter", **more: Any) -> Row:
    right = int(kind == "letter" and answer == given)
    return {
        "row_id": row_id, "answer": answer, "options": ["a", "b", "c"], "model_answer": given, "answer_kind": kind,
        "answer_correct": right, "answer_model": "o3", "answer_text": f"<answer>{given}</answer>", **more,
    }  # fmt: skip


def failed(row_id: str, reason: str = "call_failed:timeout") -> Row:
    made = row(row_id, "A", "")
    for name in ("model_answer", "answer_kind", "answer_correct", "answer_model", "answer_text"):
        del made[name]
    return {**made, "undecided": {"operator": "mcq_answer_mapper", "reason": reason}}


def test_questions_and_answers_are_read() -> None:
    rows = [row("q1", "A", "A", domain="cs.CL cs.LG", figure_type="Line Plot"), row("q2", "B", "C")]
    found = read_answers([AnswerSource("a.jsonl", rows)])
    assert found.models == ["o3"] and found.refused == [] and found.repeated == found.miscounted == 0
    assert found.questions["q1"].groups == {
        "domain": "cs", "figure_type": "Line Plot", "question_type": NOT_SAID, "dimension": NOT_SAID,
    }  # fmt: skip
    assert [answer.right for answer in found.answered("o3").values()] == [True, False]


@pytest.mark.parametrize("kind", ["none", "several", "declined", "unparsable"])
def test_an_answer_that_names_no_single_option_is_wrong_whatever_stands_beside_it(kind: str) -> None:
    found = read_answers([AnswerSource("a", [row("q1", "A", "A", kind, answer_correct=1)])])
    answer = found.given["o3"]["q1"]
    assert (answer.right, answer.letter, answer.kind) == (False, "", kind)
    assert found.miscounted == 1


def test_a_letter_without_a_letter_is_unparsable() -> None:
    assert read_answers([AnswerSource("a", [row("q1", "A", "")])]).given["o3"]["q1"].kind == "unparsable"
    assert read_answers([AnswerSource("a", [row("q1", "A", "None", "")])]).given["o3"]["q1"].kind == "unparsable"


def test_an_undecided_row_is_a_failed_call_unless_it_was_answered_since() -> None:
    source = AnswerSource("run", [row("q1", "A", "A")], [failed("q1"), failed("q2", "call_failed:quota")])
    found = read_answers([source])
    assert found.failed == {"o3": {"q2": "call_failed:quota"}} and set(found.questions) == {"q1", "q2"}


def test_whose_call_failed_is_said_only_where_it_is_known() -> None:
    two = [row("q1", "A", "A"), row("q1", "A", "B", answer_model="other")]
    assert set(read_answers([AnswerSource("run", two, [failed("q2")])]).failed) == {NOT_KNOWN}
    assert set(read_answers([AnswerSource("run", [], [failed("q2")], "named")]).failed) == {"named"}


def test_a_name_stands_for_all_models_of_a_source() -> None:
    rows = [row("q1", "A", "A", answer_model="o3-may"), row("q2", "A", "A", answer_model="o3-june")]
    assert read_answers([AnswerSource("a", rows)]).models == ["o3-june", "o3-may"]
    assert read_answers([AnswerSource("a", rows, name="o3")]).models == ["o3"]


def test_shards_of_one_model_are_one_and_two_runs_are_not() -> None:
    first, second = AnswerSource("a", [row("q1", "A", "A")]), AnswerSource("b", [row("q2", "B", "B")])
    assert len(read_answers([first, second]).given["o3"]) == 2
    with pytest.raises(ValueError, match=r"a and c both hold answers of o3 .* --pred first=a --pred second=c"):
        read_answers([first, AnswerSource("c", [row("q1", "A", "B")])])
    found = read_answers([AnswerSource("a", first.rows, name="x"), AnswerSource("c", [row("q1", "A", "B")], name="y")])
    assert found.models == ["x", "y"]


def test_the_last_answer_of_a_file_counts() -> None:
    found = read_answers([AnswerSource("a", [row("q1", "A", "B"), row("q1", "A", "A")])])
    assert found.repeated == 1 and found.given["o3"]["q1"].right


def test_rows_that_cannot_be_used_are_told_and_cost_nothing_else() -> None:
    rows = [row("q1", "A", "A"), row("", "A", "A"), row("q2", "", "A"), row("q1", "B", "B"), row("q3", "AB", "A")]
    found = read_answers([AnswerSource("a.jsonl", rows)])
    assert len(found.questions) == 1 and found.given["o3"]["q1"].right
    assert len(found.refused) == 4 and all(reason.startswith("a.jsonl: ") for reason in found.refused)
    assert "q1: its right answer is B here and A in another row" in found.refused[2]


def test_a_file_without_answers_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"x\.jsonl: no row has model_answer; give an export of mcq_answer_mapper"):
        read_answers([AnswerSource("x.jsonl", [{"row_id": "q1", "answer": "A"}])])
    assert read_answers([AnswerSource("empty", [])]).models == []


@pytest.mark.parametrize(
    ("domain", "folded"),
    [("cs.CL", "cs"), ("math.AG math.NT", "math"), ("hep-th", "hep-th"), ("cmp-lg", "cs"), ("", NOT_SAID),
     ("History", "History"), (None, NOT_SAID)],
)  # fmt: skip
def test_a_domain_is_folded_into_its_archive(domain: Any, folded: str) -> None:
    assert group({"domain": domain}, "domain") == folded


def test_any_column_makes_groups() -> None:
    found = read_answers(
        [AnswerSource("a", [row("q1", "A", "A", year=2024, flags=["x"])])], [*GROUPS, "year", "flags", "none"]
    )
    groups = found.questions["q1"].groups
    assert (groups["year"], groups["flags"], groups["none"]) == ("2024", '["x"]', NOT_SAID)


@pytest.mark.parametrize(
    ("options", "number"), [(["a", "b"], 2), (json.dumps(["a", "b", "c"]), 3), ("no json", 0), (None, 0), ("", 0)]
)
def test_the_number_of_options(options: Any, number: int) -> None:
    assert read_answers([AnswerSource("a", [row("q1", "A", "A", options=options)])]).questions["q1"].options == number
