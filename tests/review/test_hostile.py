"""Rows, reasons and names that try to break out of the page, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ratings.rating_file import Rating, append, ratings_path, read_ratings
from data_juicer_ext.review.review_session import Desk
from tests.report.hostile import MARK, TEXTS, hostile_folder
from tests.report.run_folders import RunFolder
from tests.review.conftest import Opened, Served, audit_desk, client_of, rate_desk

Pages = Callable[[], Opened]


def is_whole(opened: Opened) -> None:
    """Nothing has run, nothing else was asked for, and nothing sticks out of the page."""
    page = opened.page
    assert page.evaluate("document.documentElement.id") == "" and page.locator("main").count() == 1
    assert page.locator("iframe, base, main script, main svg, main style, main meta").count() == 0
    sticking_out = (
        "[...document.querySelectorAll('#main *')].map((node) => [node.className, node.getBoundingClientRect().right])"
        ".filter(([, right]) => right > innerWidth + 1)"
    )
    assert page.evaluate(sticking_out) == []


def watched(opened: Opened) -> list[str]:
    asked: list[str] = []
    opened.page.on("request", lambda request: asked.append(request.url))
    return asked


def go_through(opened: Opened, count: int) -> None:
    for place in range(1, count + 1):
        opened.page.locator(".where", has_text=f" {place} of {count}").wait_for()
        is_whole(opened)
        opened.keys("n")


def hostile_rows(folder: RunFolder, form: str) -> RunFolder:
    """Rows for a form, each with one hostile text wherever there is a place for it."""
    rows = []
    for index, text in enumerate(TEXTS):
        image = folder.image(f"i{index}")
        places = [{"paragraph": text, "section": text, "place": text}, {"paragraph": f"Figure {index} shows a rise."}]
        row: dict[str, Any] = {"row_id": f"r{index}", "images": [image], "caption": f"Words before it: {text}",
                               "context_places": json.dumps(places), "number": str(index), "labels": "[]"}  # fmt: skip
        if form == "verisciqa":
            row |= {"question": text, "options": [text, text[::-1], "c"], "answer": "A", "rationale": text}
        if form == "scidiag":
            criteria = {text[:300]: [{"id": text, "text": text, "dimension": text}, {"id": "plain", "text": text}]}
            row |= {"images": [image, image], "criteria": json.dumps(criteria), "generator": text}
        rows.append(row)
    folder.note("vision_vote", "r0")
    folder.end(rows)
    return folder


@pytest.mark.parametrize("form", ["verisciqa", "quality", "scidiag"])
def test_hostile_rows_are_text_to_raters(tmp_path: Path, served: Served, open_page: Pages, form: str) -> None:
    folder = hostile_rows(RunFolder(tmp_path), form)
    opened = open_page()
    asked = watched(opened)
    url = served(rate_desk(folder, form, given_order=True), folder)
    opened.start(url, "Anna")
    go_through(opened, len(TEXTS))
    assert asked and all(address.startswith(url) for address in asked) and MARK not in "".join(asked)


def test_hostile_rows_can_be_rated(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = hostile_rows(RunFolder(tmp_path), "scidiag")
    opened = open_page()
    opened.start(served(rate_desk(folder, "scidiag", given_order=True), folder), "Anna")
    for place in range(1, 4):
        opened.page.locator(".where", has_text=f"Item {place} of").wait_for()
        opened.keys("1", "2", "3", "c")
        opened.page.keyboard.insert_text(TEXTS[place - 1])
        opened.keys("Enter")
    opened.page.locator(".where", has_text="Item 4 of").wait_for()
    found = read_ratings(ratings_path(folder.path))
    assert [rating.reason for rating in found] == list(TEXTS[:3])
    opened.keys("u", "g")
    opened.page.locator(".agreement tbody tr").first.wait_for()
    is_whole(opened)


def test_hostile_runs_can_be_audited(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = hostile_folder(RunFolder(tmp_path))
    for index, text in enumerate(TEXTS):
        append(ratings_path(folder.path), Rating(text, text[:300], f"r-{index}", {text[:300]: text}, text))
        append(ratings_path(folder.path), Rating(text, "verisciqa", f"qa-{index}", {"overall_quality": 3}, text))
    opened = open_page()
    asked = watched(opened)
    url = served(audit_desk(folder), folder)
    opened.start(url, "Anna")
    tabs = opened.page.locator(".tab")
    assert tabs.count() == 3  # kept, refused, undecided
    for group in range(3):
        tabs.nth(group).click()
        go_through(opened, len(TEXTS))
    assert all(address.startswith(url) for address in asked) and MARK not in "".join(asked)


@pytest.mark.parametrize("make", [lambda folder: rate_desk(hostile_rows(folder, "verisciqa")),
                                  lambda folder: audit_desk(hostile_folder(folder))])  # fmt: skip
def test_what_is_sent_is_bounded(tmp_path: Path, make: Callable[[RunFolder], Desk[Any]]) -> None:
    folder = RunFolder(tmp_path)
    client = client_of(make(folder), folder)
    started = client.post("/api/start", json={"annotator": "Anna"})
    sizes = [len(client.get(f"/api/item/{item['id']}").content) for item in started.json()["items"]]
    assert len(started.content) < 50_000 and max(sizes) < 300_000


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_names_are_refused(tmp_path: Path, text: str) -> None:
    folder = hostile_rows(RunFolder(tmp_path), "verisciqa")
    answer = client_of(rate_desk(folder), folder).post(
        "/api/start", content=json.dumps({"annotator": text}), headers={"content-type": "application/json"}
    )
    assert answer.status_code in (413, 422) and len(answer.content) < 300
