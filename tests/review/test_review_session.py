"""What every review of a run does: who annotates, which items there are, and what an answer must say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ratings.rating_file import Rating
from data_juicer_ext.review import review_session
from data_juicer_ext.review.forms.form import FormError
from data_juicer_ext.review.review_session import Desk, ShownItem, UnknownItemError, reason_of, seconds_of
from tests.locks import waits_for


class OneItem(Desk[str]):
    """A review of one item, "figure", with two images."""

    mode, form_name, title = "one", "one", "One item"

    def _list(self, annotator: str) -> dict[str, Any]:
        return {"items": [self._issue(ShownItem(annotator, "figure", 7), "row1")]}

    def _view(self, shown: ShownItem[str]) -> dict[str, Any]:
        return {"shows": shown.item}

    def _images(self, shown: ShownItem[str]) -> tuple[str, ...]:
        return "a.png", "b.png"

    def _save(self, shown: ShownItem[str], answer: Mapping[str, Any]) -> dict[str, Any]:
        return {"saved": answer["value"], "by": shown.annotator}


def opened(tmp_path: Path) -> tuple[OneItem, str]:
    desk = OneItem(tmp_path)
    return desk, desk.start("Anna")["items"][0]


def rating(annotator: str, score: int, form: str = "one") -> Rating:
    return Rating(annotator, form, "row1", {"quality": score})


CALLS: dict[str, Callable[[OneItem, str], Any]] = {
    "start": lambda desk, token: desk.start("Bert"),
    "item": lambda desk, token: desk.item(token),
    "image": lambda desk, token: desk.image(token, 0),
    "save": lambda desk, token: desk.save(token, {"value": 1}),
    "agreement": lambda desk, token: desk.agreement(),
}


@pytest.mark.parametrize("call", CALLS)
def test_threads_wait_for_one_another(tmp_path: Path, call: str) -> None:
    desk, token = opened(tmp_path)
    assert waits_for(desk._lock, lambda: CALLS[call](desk, token))


def test_an_item_is_shown_where_it_was_issued_and_has_its_images(tmp_path: Path) -> None:
    desk, token = opened(tmp_path)
    assert desk.item(token) == {"id": token, "position": 7, "shows": "figure"}
    assert [desk.image(token, index) for index in (0, 1)] == ["a.png", "b.png"]
    for index in (-1, 2):
        with pytest.raises(UnknownItemError, match="no such image"):
            desk.image(token, index)
    with pytest.raises(UnknownItemError, match="the server was started anew"):
        desk.item("0" * 24)
    assert desk.save(token, {"value": 3}) == {"saved": 3, "by": "Anna"}


def test_ids_differ_by_annotator_round_row_and_server(tmp_path: Path) -> None:
    desk, token = opened(tmp_path)
    assert desk.start("Anna")["items"] == [token]
    issued = {
        desk._issue(ShownItem(name, "figure", 1, turn), row)
        for name, turn, row in [("Anna", 0, "row1"), ("Bert", 0, "row1"), ("Anna", 1, "row1"), ("Anna", 0, "row2")]
    }
    assert len(issued) == 4 and token in issued and {len(each) for each in issued} == {24}
    assert opened(tmp_path / "other")[1] != token


def test_what_the_page_is_told_first(tmp_path: Path) -> None:
    assert OneItem(tmp_path).about() == {"mode": "one", "title": "One item", "annotator": ""}
    assert OneItem(tmp_path, " Anna  Berg ").about()["annotator"] == "Anna Berg"
    with pytest.raises(FormError):
        OneItem(tmp_path, "<b>")


def test_a_name_is_spelt_as_it_is_known(tmp_path: Path) -> None:
    desk, _ = opened(tmp_path)
    desk._ratings.append(rating("Bert", 3))
    assert desk.start("ANNA")["annotator"] == "Anna" and desk.start("bert")["annotator"] == "Bert"
    assert desk.start("Carl")["annotator"] == "Carl"


def test_annotators_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_session, "MOST_ANNOTATORS", 2)
    desk, _ = opened(tmp_path)
    desk.start("Bert")
    with pytest.raises(FormError, match="More than 2 annotators"):
        desk.start("Carl")
    assert desk.start("Anna")["annotator"] == "Anna"


def test_agreement_is_that_of_the_review_s_own_form(tmp_path: Path) -> None:
    desk, _ = opened(tmp_path)
    for name in ("Anna", "Bert"):
        desk._ratings.append(rating(name, 4))
        desk._ratings.append(rating(name, 1, "another"))
    assert [alpha.dimension for alpha in desk.agreement()] == ["quality"]
    assert desk._rating_of("Anna", "row1") is not None
    assert desk._rating_of("Anna", "row2") is None and desk._rating_of("Carl", "row1") is None


@pytest.mark.parametrize(
    ("reason", "needed", "found"),
    [
        (" the axis \n", True, "the axis"), (None, False, ""), (3, False, ""), ("r" * 4000, True, "r" * 4000),
        ("...", False, "..."),
    ],
)  # fmt: skip
def test_a_reason_is_text(reason: object, needed: bool, found: str) -> None:
    assert reason_of({"reason": reason}, needed) == found


@pytest.mark.parametrize("reason", [None, "", " ... ", 3])
def test_a_reason_that_is_needed_says_something(reason: object) -> None:
    with pytest.raises(FormError, match="A reason is needed"):
        reason_of({"reason": reason}, True)


def test_a_reason_has_an_end() -> None:
    with pytest.raises(FormError, match=r"has 4,001 characters; at most 4,000"):
        reason_of({"reason": "r" * 4001}, False)


@pytest.mark.parametrize(
    ("seconds", "found"),
    [(2.345, 2.3), (0, 0.0), (-0.1, 0.0), (86_400, 86_400.0), (86_401, 0.0), ("3", 0.0), (None, 0.0), (True, 0.0)],
)
def test_how_long_an_item_was_looked_at(seconds: object, found: float) -> None:
    assert seconds_of({"seconds": seconds}) == found
    assert seconds_of({}) == 0.0
