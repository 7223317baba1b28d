"""How a set of questions is made up."""

from __future__ import annotations

import pytest

from data_juicer_ext.siqa.set_counts import NONE, comparison, count_rows
from tests.siqa.sets import Row, how_row, is_present, what_row, yes_no_row


def rows() -> list[Row]:
    """Six questions: plain, negated, and with one wording; one What and two How, of two images."""
    return [
        yes_no_row(0), yes_no_row(1, negated=True), yes_no_row(400, both=False), what_row(0), how_row(0), how_row(1)
    ]  # fmt: skip


def test_answers_are_counted_by_wording_type_and_category() -> None:
    counts = count_rows(rows())
    yes = [is_present(0), not is_present(1), is_present(400)]
    assert counts.rows == 6
    assert counts.yes_no == {"plain": 1, "negated": 1, "one wording only": 1}
    assert [counts.yes[name] for name in ("plain", "negated", "one wording only")] == yes
    assert counts.yes_share == pytest.approx(sum(yes) / 3)
    assert counts.letters["what"] == {"A": 1} and counts.letters["how"] == {"A": 1, "B": 1}
    assert counts.types["scientific_validity", "yes_no"] == 2
    assert counts.categories["category 0"] == (3, 1) and counts.categories["category 1"] == (3, 2)


def test_what_is_not_said_is_counted_as_such() -> None:
    counts = count_rows([{**what_row(0), "dimension": "", "answer": "", "image_category": None, "question_type": ""}])
    assert counts.types == {(NONE, NONE): 1} and counts.letters == {NONE: {NONE: 1}}
    assert counts.categories == {NONE: (1, 1)} and counts.yes_share == 0
    assert "category: rows (images) before -> after" not in comparison(counts, counts)


def test_another_column_may_hold_the_category() -> None:
    assert count_rows([{**what_row(0), "kind": "plot"}], "kind").categories == {"plot": (1, 1)}


def test_a_comparison_tells_both_sets() -> None:
    before, after = count_rows(rows()), count_rows(rows()[:5])
    lines = comparison(before, after)
    assert lines[0] == "rows: 6 before, 5 after"
    assert any(line.startswith(f"Yes share before: {before.yes_share:.1%} of 3 (negated: ") for line in lines)
    assert "What letters after: A 100.0% (1)" in lines
    assert "How letters before: A 50.0% (1), B 50.0% (1)" in lines and "How letters after: A 100.0% (1)" in lines
    assert "  scientific_completeness, How: 1 -> 0" in lines
    assert "  category 1: 3 (2) -> 2 (2)" in lines
