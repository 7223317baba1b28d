"""What the curation notes of a figure."""

from __future__ import annotations

from data_juicer_ext.curation.findings import Finding, Item, remaining
from data_juicer_ext.rows import Figure


def test_a_finding_says_only_what_it_has() -> None:
    assert Finding("S1", "tiny").as_json() == {"stage": "S1", "reason": "tiny"}
    whole = Finding("S1", "near_duplicate", 0.0, 8, "2:b", "m" * 400).as_json()
    assert whole == {"stage": "S1", "reason": "near_duplicate", "measured": 0.0, "threshold": 8, "other": "2:b",
                     "message": "m" * 300}  # fmt: skip


def test_a_mark_is_a_flag_of_the_figure_and_deletes_nothing() -> None:
    item, gone = Item(Figure(figure_id="1", flags=["z", "small"])), Item(Figure(), deleted=Finding("S1", "tiny"))
    item.mark(Finding("S2", "large"))
    item.mark(Finding("S4", "small"))
    assert item.figure.flags == ["large", "small", "z"] and [mark.reason for mark in item.marks] == ["large", "small"]
    assert remaining([item, gone]) == [item]


def test_a_panel_is_no_figure_of_its_own() -> None:
    assert Item(Figure()).whole
    assert not Item(Figure(panel="a")).whole and not Item(Figure(parent_label="fig:x")).whole


def test_the_record_of_a_deleted_figure() -> None:
    figure = Figure(figure_id="1:a", number="1", label="a", caption="c" * 300, page=3, bbox=[0, 0, 1, 1], images=["i"])
    about = {"figure_id": "1:a", "number": "1", "label": "a", "caption": "c" * 200, "page": 3, "bbox": [0, 0, 1, 1],
             "images": ["i"]}  # fmt: skip
    assert Item(figure).as_json() == about
    assert Item(figure, deleted=Finding("S1", "tiny", 20, 32)).as_json() == {
        **about, "stage": "S1", "reason": "tiny", "measured": 20, "threshold": 32
    }  # fmt: skip
