"""Rating in a real browser, by keyboard alone: each form, three items, a reload, and nothing on the console."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import krippendorff
import pytest

from data_juicer_ext.ratings.rating_file import Rating, ratings_path, read_ratings
from tests.report.run_folders import RunFolder
from tests.review.conftest import Opened, Served, rate_desk
from tests.review.folders import calibration_file, diagrams_run, figures_run, images_run, questions_run

Pages = Callable[[], Opened]


def answers(folder: RunFolder) -> list[Rating]:
    return read_ratings(ratings_path(folder.path))


def where(opened: Opened, text: str) -> None:
    opened.page.locator(".where", has_text=text).wait_for()


def saved_scores(opened: Opened) -> list[int]:
    """The scores that the page shows as chosen."""
    chosen = opened.page.locator('.score[aria-checked="true"]')
    return [int(chosen.nth(place).get_attribute("data-score")) for place in range(chosen.count())]


def figures_are_seen(opened: Opened) -> None:
    shown = opened.page.wait_for_function(
        "() => [...document.querySelectorAll('.figure img')].length &&"
        "[...document.querySelectorAll('.figure img')].every((image) => image.complete && image.naturalWidth > 100)"
    )
    assert shown.json_value() is True


def test_questions(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = questions_run(tmp_path)
    opened = open_page()
    opened.start(served(rate_desk(folder), folder), "Anna")
    for item, scores in enumerate(("54321", "11111", "35353"), 1):
        where(opened, f"Item {item} of 4")
        figures_are_seen(opened)
        opened.keys(*scores, "Enter")
    where(opened, "Item 4 of 4")
    assert [list(rating.ratings.values()) for rating in answers(folder)] == [
        [5, 4, 3, 2, 1], [1, 1, 1, 1, 1], [3, 5, 3, 5, 3],
    ]  # fmt: skip
    opened.page.reload()
    where(opened, "Item 4 of 4")
    assert opened.page.locator("#count").inner_text() == "3 of 4" and saved_scores(opened) == []
    opened.keys("p", "p", "p")
    where(opened, "Item 1 of 4 · saved")
    assert saved_scores(opened) == [5, 4, 3, 2, 1]


def test_keys_move_undo_and_correct(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = questions_run(tmp_path, 2)
    opened = open_page()
    opened.start(served(rate_desk(folder), folder), "Anna")
    opened.keys("5", "5", "u", "ArrowDown", "2", "ArrowUp", "ArrowUp", "ArrowUp", "4", "Enter")
    opened.until("Not rated yet")
    assert answers(folder) == [] and saved_scores(opened) == [4, 2]
    opened.keys("3", "3", "1", "ArrowRight", "ArrowLeft", "ArrowRight", "c")
    opened.page.keyboard.type("1 z u ?")
    opened.keys("Enter")
    where(opened, "Item 2 of 2")
    [rating] = answers(folder)
    assert (list(rating.ratings.values()), rating.reason) == ([4, 3, 2, 3, 2], "1 z u ?")
    opened.keys("u")
    where(opened, "Item 1 of 2 · saved")
    assert opened.page.locator("#reason").input_value() == "1 z u ?"
    opened.keys("1", "Enter")
    where(opened, "Item 2 of 2")
    assert list(answers(folder)[0].ratings.values()) == [1, 3, 2, 3, 2]
    opened.keys("1", "1", "1", "1", "1", "Enter")
    opened.until("All 2 items are rated.")
    opened.keys("u")
    where(opened, "Item 2 of 2 · saved")


def test_zoom_help_and_agreement_close_by_their_keys(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = questions_run(tmp_path, 2)
    opened = open_page()
    opened.start(served(rate_desk(folder), folder), "Anna")
    opened.keys("z")
    opened.page.wait_for_function("() => document.querySelector('.zoom img')?.naturalWidth === 640")
    opened.keys("+", "+", "ArrowLeft", "5")
    assert "scale(1.5625)" in opened.page.locator(".zoom img").get_attribute("style")
    opened.keys("z", "?")
    opened.until("save and go on")
    opened.keys("?", "g")
    opened.until("Nobody has saved an answer yet.")
    opened.keys("Escape")
    opened.page.wait_for_function("() => !document.querySelector('dialog')")
    assert saved_scores(opened) == []


def test_two_annotators_get_the_alpha_of_the_package(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = questions_run(tmp_path, 3)
    url = served(rate_desk(folder, given_order=True), folder)
    table = {"Anna": ["55443", "22143", "34521"], "Bert": ["54443", "12133", "34422"]}
    for name, items in table.items():
        opened = open_page()
        opened.start(url, name)
        for item, scores in enumerate(items, 1):
            where(opened, f"Item {item} of 3")
            opened.keys(*scores, "Enter")
        opened.until("All 3 items are rated.")
    opened.keys("g")
    rows = opened.page.locator(".agreement tbody tr")
    rows.first.wait_for()
    shown = {rows.nth(n).get_attribute("data-dimension"): rows.nth(n).locator(".alpha").inner_text() for n in range(5)}
    by_annotator: dict[str, dict[str, dict[str, Any]]] = {}
    for rating in answers(folder):
        by_annotator.setdefault(rating.annotator, {})[rating.row_id] = rating.ratings
    for dimension, alpha in shown.items():
        data = [[scores[row][str(dimension)] for row in sorted(scores)] for scores in by_annotator.values()]
        assert alpha == f"{krippendorff.alpha(reliability_data=data, level_of_measurement='ordinal'):.3f}"


def test_figure_quality_by_stages(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = figures_run(tmp_path)
    opened = open_page()
    opened.start(served(rate_desk(folder, given_order=True), folder), "Anna")
    sent: list[str] = []
    opened.page.on("response", lambda answer: sent.append(answer.text() if "/api/item" in answer.url else ""))
    for item, stages in enumerate(("70 6 809", "70 650", "70 809"), 1):
        for place, scores in enumerate(stages.split(), 1):
            where(opened, f"Item {item} of 3 · part {place} of {len(stages.split())}")
            assert opened.page.locator(".caption").count() == (place > 1 and item != 3)
            opened.keys(*scores)
            opened.page.keyboard.type(f"seen at {place}")  # the field has the focus once all is rated
            opened.keys("Enter")
    opened.until("All 3 items are rated.")
    assert [list(rating.ratings.values()) for rating in answers(folder)] == [
        [7, 10, 6, 8, 10, 9], [7, 10, 6, None, 5, 10], [7, 10, None, 8, 10, 9],
    ]  # fmt: skip
    assert answers(folder)[0].reason == "image: seen at 1\ncaption: seen at 2\nciting text: seen at 3"
    opened.page.reload()
    opened.until("All 3 items are rated.")
    opened.keys("u")
    where(opened, "Item 3 of 3 · part 2 of 2: citing text · saved")
    assert saved_scores(opened) == [8, 10, 9]
    assert opened.page.locator(".locked li").all_inner_texts() == ["Visual clarity7", "Structure and layout10"]


def test_scientific_images_after_a_calibration(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = images_run(tmp_path)
    levels = [1, 2, 3, 4, 5]
    desk = rate_desk(folder, calibration=calibration_file(folder, levels))
    opened = open_page()
    opened.start(served(desk, folder), "Anna")
    for number, right in ((1, False), (2, True)):
        opened.until(f"Calibration, round {number}: 5 reference images")
        for item, token in enumerate([one["id"] for one in desk.start("Anna")["items"]], 1):
            level = levels[int(Path(desk.image(token, 0)).stem.rpartition("-")[2])]
            where(opened, f"Item {item} of 5")
            opened.keys(str(level), str(6 - level if right else level), "Enter")
        opened.until("Calibration passed." if right else "Round 1: not there yet.")
        opened.keys("Enter")
    for item in range(1, 4):
        where(opened, f"Item {item} of 3")
        opened.keys("4", str(item), "Enter")
    opened.until("All 3 items are rated.")
    given = [rating.ratings for rating in answers(folder) if not rating.calibration]
    assert given == [{"perception": 4, "knowledge": item} for item in (1, 2, 3)]
    opened.page.reload()
    opened.until("All 3 items are rated.")
    opened.keys("u")
    where(opened, "Item 3 of 3 · saved")
    assert saved_scores(opened) == [4, 3]


@pytest.mark.parametrize("criteria", [(), ("X-1", "X-2")])
def test_two_diagrams(tmp_path: Path, served: Served, open_page: Pages, criteria: tuple[str, ...]) -> None:
    own = [{"id": name, "text": f"Criterion {name}."} for name in criteria]
    folder = diagrams_run(tmp_path, **({"criteria": own} if own else {}))
    opened = open_page()
    desk = rate_desk(folder)
    opened.start(served(desk, folder), "Anna")
    keys = "12345"[: len(criteria) or 5] + "5"
    for item in range(1, 4):
        where(opened, f"Item {item} of 3")
        figures_are_seen(opened)
        assert opened.page.locator("figcaption").all_inner_texts() == ["Left", "Right"]
        opened.keys(*keys, "Enter")
    opened.until("All 3 items are rated.")
    for rating in answers(folder):
        sign = -1 if rating.shown_first == "generated" else 1
        assert rating.ratings["overall"] == sign * 2
        assert list(rating.ratings["criteria"].values()) == [sign * (int(key) - 3) for key in keys[:-1]]
        assert list(rating.ratings["criteria"]) == [*(criteria or ("VOL", "LA", "VER", "CA", "Aesthetics"))]
    opened.page.reload()
    opened.until("All 3 items are rated.")
    opened.keys("u")
    where(opened, "Item 3 of 3 · saved")
    assert saved_scores(opened) == [int(key) - 3 for key in keys]


def test_names_are_asked_for_and_checked(tmp_path: Path, served: Served, open_page: Pages) -> None:
    folder = questions_run(tmp_path, 2)
    opened = open_page()
    url = served(rate_desk(folder), folder)
    opened.page.goto(url)
    opened.page.fill("#name", "Anna & Co")
    # The refusal of a name is an answer of its own kind, which Chromium notes on its console.
    opened.keys("Enter")
    opened.until("A name has 1 to 60 letters")
    assert all("422" in line for line in opened.console) and len(opened.console) == 1
    opened.console.clear()
    opened.page.fill("#name", "Anna")
    opened.keys("Enter")
    where(opened, "Item 1 of 2")
    opened.page.get_by_role("button", name="Change").click()
    opened.page.fill("#name", "Bert")
    opened.keys("Enter")
    where(opened, "Item 1 of 2")
    assert opened.page.locator(".who .name").inner_text() == "Bert"


def test_what_cannot_be_saved_stays_on_the_page(
    tmp_path: Path, served: Served, open_page: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = questions_run(tmp_path, 2)
    opened = open_page()
    opened.start(served(rate_desk(folder), folder), "Anna")

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        opened.keys("5", "4", "3", "2", "1", "Enter")
        opened.until("could not be written to disk")
    assert saved_scores(opened) == [5, 4, 3, 2, 1] and answers(folder) == []
    assert len(opened.console) == 1 and "507" in opened.console.pop()
    opened.keys("Enter")
    where(opened, "Item 2 of 2")
    assert len(answers(folder)) == 1
