"""S5: papers on each side of its thresholds."""

from __future__ import annotations

import pytest

from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.paper_filter import drop_paper, paper_finding
from data_juicer_ext.curation.thresholds import Rules
from tests.figures.charts import item

GONE = Finding("S1", "too_small", 10, 50)


def paper(count: int, deleted: int = 0, unnumbered: int = 0) -> list[Item]:
    items = [item(str(number)) for number in range(1, count + 1)]
    for one in items[:deleted]:
        one.deleted = GONE
    for one in items[deleted : deleted + unnumbered]:
        one.figure.number = ""
    return items


@pytest.mark.parametrize(("count", "deleted", "dropped"), [(10, 3, False), (10, 4, True), (3, 1, True), (4, 1, False)])
def test_the_share_of_deleted_figures(count: int, deleted: int, dropped: bool) -> None:
    found = paper_finding(paper(count, deleted), Rules())
    assert (found is not None) == dropped
    if found:
        assert (found.stage, found.reason, found.threshold) == ("S5", "too_many_deleted", 0.3)
        assert found.measured == pytest.approx(deleted / count, abs=1e-4)


@pytest.mark.parametrize(("count", "unnumbered", "dropped"), [(10, 3, False), (10, 4, True), (1, 1, True)])
def test_the_share_of_figures_without_a_number(count: int, unnumbered: int, dropped: bool) -> None:
    found = paper_finding(paper(count, 0, unnumbered), Rules())
    assert (found.reason if found else "") == ("indices_missing" if dropped else "")


def test_thresholds_are_parameters() -> None:
    assert paper_finding(paper(10, 9), Rules(max_deleted=0.9)) is None
    assert paper_finding(paper(10, 1), Rules(max_deleted=0.0)) is not None
    assert paper_finding(paper(10, 0, 10), Rules(max_unnumbered=1.0)) is None


def test_panels_do_not_count_and_no_figures_are_nothing_to_hold_against_a_paper() -> None:
    panels = [item(f"1{letter}", panel=letter, parent_label="f") for letter in "abc"]
    for panel in panels:
        panel.deleted = GONE
    assert paper_finding([item("1"), *panels], Rules()) is None
    assert paper_finding([], Rules()) is None


def test_what_is_left_of_a_dropped_paper_goes_for_its_reason() -> None:
    items = paper(3, 1)
    finding = paper_finding(items, Rules())
    assert finding is not None
    drop_paper(items, finding)
    assert [one.deleted for one in items] == [GONE, finding, finding]
