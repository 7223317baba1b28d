"""Rows that are not in an export, counted and told."""

from __future__ import annotations

from data_juicer_ext.export.rows.left_out import REASONS, LeftOut


def test_counts_words_and_order() -> None:
    left_out = LeftOut(undecided=1200)
    assert left_out.counts() == {} and list(left_out.sorted()) == []
    assert left_out.in_words() == "1,200 rows of the run are undecided; run it again to decide them"
    for reason, row_id, message in [("licence", "b", ""), ("no_row_id", "", "x"), ("licence", "a", "cc-by\x00")]:
        left_out.add(reason, row_id, message)
    assert list(left_out.counts().items()) == [("no_row_id", 1), ("licence", 2)]
    assert left_out.in_words().startswith("1 without a row_id; 2 of another licence; 1,200 rows of the run")
    assert list(left_out.sorted()) == [
        {"row_id": "", "reason": "no_row_id", "message": "x"},
        {"row_id": "a", "reason": "licence", "message": "cc-by"},
        {"row_id": "b", "reason": "licence"},
    ]


def test_undecided_rows_are_told_once() -> None:
    left_out = LeftOut(undecided=3)
    left_out.add("undecided", "a")
    assert left_out.in_words() == "1 undecided"
    assert list(REASONS)[:3] == ["no_row_id", "other_kind", "same_row_id"] and list(REASONS)[-1] == "over_the_limit"
