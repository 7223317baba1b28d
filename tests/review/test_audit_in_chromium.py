"""Auditing in a real browser, by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from data_juicer_ext.ratings.rating_file import ratings_path, read_ratings
from tests.review.conftest import Opened, Served, audit_desk
from tests.review.folders import SECRETS, questions_run

Pages = Callable[[], Opened]


def where(opened: Opened, text: str) -> None:
    opened.page.locator(".where", has_text=text).wait_for()


def test_rows_are_accepted_and_rejected_with_reasons(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = questions_run(tmp_path)
    opened = open_page()
    opened.start(served(audit_desk(folder), folder), "Anna")
    where(opened, "Row 1 of 4")
    opened.keys("a", "Enter")
    where(opened, "Row 2 of 4")
    opened.keys("r")
    opened.page.keyboard.type("the axis is cut")
    opened.keys("Enter")
    where(opened, "Row 3 of 4")
    opened.keys("4")  # refused by the vote
    where(opened, "Row 1 of 1")
    opened.keys("a")
    opened.page.keyboard.type("it is right")
    opened.keys("Enter")
    where(opened, "Row 1 of 1 · saved")
    found = read_ratings(ratings_path(folder.path))
    assert [(rating.accepted, rating.reason, rating.item) for rating in found] == [
        (True, "", 0), (False, "the axis is cut", 1), (True, "it is right", 6),
    ]  # fmt: skip
    opened.page.reload()
    where(opened, "Row 3 of 4")
    assert opened.page.locator("#count").inner_text() == "3 of 8"
    opened.keys("p")
    where(opened, "Row 2 of 4")
    assert opened.page.locator('.reject[aria-pressed="true"]').count() == 1
    assert opened.page.locator("#reason").input_value() == "the axis is cut"


def test_a_reason_is_asked_for(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = questions_run(tmp_path)
    opened = open_page()
    opened.start(served(audit_desk(folder), folder), "Anna")
    where(opened, "Row 1 of 4")
    opened.keys("Enter")
    opened.until("Accept (a) or reject (r) first.")
    opened.keys("r", "Enter")
    opened.until("A reason is needed.")
    opened.keys("Escape", "u")
    assert opened.page.locator('[aria-pressed="true"]').count() == 0
    assert read_ratings(ratings_path(folder.path)) == []


def test_all_of_a_row_is_on_the_page(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = questions_run(tmp_path)
    opened = open_page()
    opened.start(served(audit_desk(folder), folder), "Anna")
    page = opened.page
    assert page.locator(".tab").all_inner_texts() == [
        "Kept4", "source_consistency1", "visual_dependence1", "vision_vote1", "Undecided1",
    ]  # fmt: skip
    where(opened, "Row 1 of 4")
    mark = page.locator("mark").inner_text()
    assert mark.startswith("Series 0 of Figure") and mark.endswith(f"as {SECRETS['context']} has it.")
    assert page.locator(".trail li").count() == 6 and page.locator(".draw.right").count() == 4
    assert SECRETS["claim"] in page.locator(".block.claim").inner_text()
    opened.keys("5")
    where(opened, "Row 1 of 1")
    assert "the call timed out" in page.locator(".verdict").inner_text()


def test_the_most_divided_come_first_on_request(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = questions_run(tmp_path)
    opened = open_page()
    opened.start(served(audit_desk(folder), folder), "Anna")
    where(opened, "Row 1 of 4")
    assert "chart 0" in opened.page.locator(".block.question").inner_text()
    opened.keys("o")
    where(opened, "Row 1 of 4 · divided 0.67")
    assert "chart 1" in opened.page.locator(".block.question").inner_text()
    first = open_page()
    first.start(served(audit_desk(folder, by_disagreement=True), folder), "Anna")
    where(first, "divided 0.67")
    first.keys("o", "z")
    first.page.wait_for_function("() => document.querySelector('.zoom img')?.naturalWidth === 640")
    first.keys("z")
    first.page.wait_for_function("() => !document.querySelector('dialog')")
    first.keys("g")
    first.until("Nobody has saved an answer yet.")
