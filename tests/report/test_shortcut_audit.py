from __future__ import annotations

import random
from pathlib import Path

import pytest

from data_juicer_ext.report.ledger_decisions import count
from data_juicer_ext.report.run_selection import select_runs
from data_juicer_ext.report.shortcut_audit import Shortcuts, blind_baselines
from tests.report.run_folders import RunFolder, qa_row


def audit(rows: list[dict[str, object]]) -> Shortcuts:
    found = Shortcuts()
    for row in rows:
        found.add(row)
    return found


def rules(found: Shortcuts) -> dict[str, float]:
    return {rule.name: rule.accuracy for rule in found.baselines()}


def test_letters_and_lengths() -> None:
    found = audit([
        {"options": ["a", "bb", "ccc"], "answer": "C"},
        {"options": ["a", "bb", "cc"], "answer": "C"},
        {"options": ["aaaa", "b"], "answer": "A"},
    ])  # fmt: skip
    assert found.letters == {3: {"C": 2}, 2: {"A": 1}} and found.rows == 3
    assert found.longest == 2  # a tie is no longest option
    assert found.mean_lengths == (3.0, (3 + 3 + 1) / 5)
    assert rules(found)["the longest option"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert rules(found)["the shortest option"] == 0.0
    assert rules(found)["always the commonest letter"] == 1.0


def test_words_of_question_and_caption_are_a_shortcut() -> None:
    row = {"question": "Which colour has the sea?", "caption": "A blue thing.", "options": ["red sea", "blue", "green"]}
    assert rules(audit([{**row, "answer": "A"}]))["most words of the question"] == 1.0
    assert rules(audit([{**row, "answer": "B"}]))["most words of the caption"] == 1.0


def test_even_answers_show_nothing_and_long_ones_do() -> None:
    draw = random.Random(3)
    rows = []
    for _ in range(400):
        options = ["x" * draw.randint(1, 9) + str(n) for n in range(4)]
        rows.append({"options": options, "answer": "ABCD"[draw.randrange(4)]})
    found = audit(rows)
    assert not any(rule.above_chance for rule in found.baselines())
    assert found.position_p() is not None and found.position_p() > 0.01
    told = audit([{**row, "answer": "ABCD"[max(range(4), key=lambda n: len(row["options"][n]))]} for row in rows])
    assert [rule.name for rule in told.baselines() if rule.above_chance] == ["the longest option"]
    first = audit([{**row, "answer": "A"} for row in rows])
    assert first.position_p() is not None and first.position_p() < 1e-9


def test_few_questions_are_no_test_of_evenness() -> None:
    assert audit([qa_row(number) for number in range(19)]).position_p() is None
    assert audit([]).position_p() is None and audit([]).baselines() == []


@pytest.mark.parametrize(
    "broken", [{"answer": "E"}, {"answer": ""}, {"answer": "AB"}, {"answer": "a"}, {"options": []}]
)
def test_rows_whose_answer_is_none_of_the_options(broken: dict[str, object]) -> None:
    found = audit([{**qa_row(0), **broken}])
    assert (found.rows, found.unused) == (0, 1)


def test_rows_that_are_no_questions() -> None:
    found = audit([{"row_id": "figure-1"}, {"options": None}])
    assert (found.rows, found.unused) == (0, 0)


def test_a_megabyte_of_text_is_looked_at_in_part() -> None:
    found = audit([{"options": ["a " * 10**6, "b"], "answer": "A", "question": "a" * 10**6}])
    assert found.answer_length == 4000


def test_models_without_the_figure_are_measured_over_all_that_they_were_asked(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for number, options in enumerate((["x", "y"], ["x", "y", "z", "w"])):
        folder.note("mcq_generator", f"claim-{number}", detail={"made": f"qa-{number}", "options": options})
    folder.note("visual_dependence", "qa-0", "drop", detail={"hits": 2, "draws": ["A", "A", "none"]})
    folder.note("visual_dependence", "qa-1", "keep", detail={"hits": 0, "draws": ["none", "failed", "B"]})
    [made] = blind_baselines(count(select_runs(folder.path)))
    assert (made.name, made.tried, made.hits) == ("visual_dependence", 5, 2)
    assert made.chance == pytest.approx((3 * 0.5 + 2 * 0.25) / 5)
