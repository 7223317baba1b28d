from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ratings.rating_file import Rating, append, ratings_path, read_ratings
from data_juicer_ext.review.audit_session import AuditDesk
from data_juicer_ext.review.forms.form import FormError
from tests.report.run_folders import RunFolder
from tests.review.conftest import audit_desk
from tests.review.folders import SECRETS, questions_run


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return questions_run(tmp_path)


def tokens(desk: AuditDesk, group: str, name: str = "Anna") -> list[str]:
    return [item["id"] for item in desk.start(name)["items"] if item["group"].startswith(group)]


def test_all_of_a_row_is_shown(folder: RunFolder) -> None:
    desk = audit_desk(folder)
    view = desk.item(tokens(desk, "keep")[1])
    assert view["claim"] == f"The figure shows {SECRETS['claim']} 1." and view["answer"] == "B" and view["images"] == 1
    first, other = view["paragraphs"]
    assert (
        first["before"] == "Before it. " and first["after"] == " After it." and first["sentence"].startswith("Series 1")
    )
    assert other["sentence"] == "" and "earlier paragraph" in other["before"]
    votes = next(step for step in view["trail"] if step["tag"] == "vision_vote")
    assert [(draw["letter"], draw["right"]) for draw in votes["draws"]] == [("B", True), ("X", False), ("B", True)]
    assert (votes["verdict"], votes["reason"], votes["model"]) == ("kept", "agrees", SECRETS["model"])
    assert ("row", f"{SECRETS['row_id']}-1") in view["facts"] and ("section", "Results") in view["facts"]


def test_an_undecided_row_says_why(folder: RunFolder) -> None:
    desk = audit_desk(folder)
    view = desk.item(tokens(desk, "undecided")[0])
    assert (view["verdict"], view["reason"], view["message"]) == (
        "undecided",
        "call_failed:timeout",
        "the call timed out",
    )


def test_disagreement_is_that_of_the_most_divided_vote_or_the_raters(folder: RunFolder) -> None:
    desk = audit_desk(folder)
    by_group: dict[str, list[float]] = {}
    for item in desk.start("Anna")["items"]:
        by_group.setdefault(item["group"], []).append(item["disagreement"])
    assert by_group["keep"] == [0.0, pytest.approx(2 / 3, abs=1e-3), 0.0, 0.0]
    for name, score in (("X", 1), ("Y", 4)):
        append(
            ratings_path(folder.path), Rating(name, "verisciqa", f"{SECRETS['row_id']}-3", {"overall_quality": score})
        )
    assert [i["disagreement"] for i in desk.start("Anna")["items"] if i["group"] == "keep"] == [0, 0.6667, 0, 0.75]


@pytest.mark.parametrize(
    ("group", "answer", "said"),
    [
        ("keep", {}, "Accept or reject"),
        ("keep", {"accepted": "yes"}, "Accept or reject"),
        ("keep", {"accepted": False}, "reason is needed"),
        ("keep", {"accepted": False, "reason": " ... "}, "reason is needed"),
        ("drop", {"accepted": True}, "reason is needed"),
        ("undecided", {"accepted": True, "reason": ""}, "reason is needed"),
    ],
)
def test_verdicts_that_need_more(folder: RunFolder, group: str, answer: dict[str, Any], said: str) -> None:
    desk = audit_desk(folder)
    with pytest.raises(FormError, match=said):
        desk.save(tokens(desk, group)[0], answer)
    assert read_ratings(ratings_path(folder.path)) == []


def test_verdicts_are_stored_and_shown_again(folder: RunFolder) -> None:
    desk = audit_desk(folder)
    desk.save(tokens(desk, "keep")[0], {"accepted": True, "seconds": 4})
    desk.save(tokens(desk, "drop")[0], {"accepted": True, "reason": "the axis says so"})
    found = read_ratings(ratings_path(folder.path))
    assert [(r.form, r.ratings, r.accepted, r.reason, r.item) for r in found] == [
        ("audit", {}, True, "", 0), ("audit", {}, True, "the axis says so", 4),
    ]  # fmt: skip
    again = audit_desk(folder)
    assert sum(item["done"] for item in again.start("Anna")["items"]) == 2
    view = again.item(tokens(again, "drop")[0])
    assert (view["accepted"], view["given_reason"], view["done"]) == (True, "the axis says so", True)


def test_other_auditors_are_shown_once_one_has_decided(folder: RunFolder) -> None:
    desk = audit_desk(folder)
    append(
        ratings_path(folder.path), Rating("Zoe", "verisciqa", f"{SECRETS['row_id']}-0", {"overall_quality": 2}, "vague")
    )
    desk.save(tokens(desk, "keep", "Bert")[0], {"accepted": False, "reason": "wrong"})
    token = tokens(desk, "keep")[0]
    assert [(one["annotator"], one["said"]) for one in desk.item(token)["raters"]] == [("Zoe", "overall_quality 2")]
    desk.save(token, {"accepted": True})
    assert [one["said"] for one in desk.item(token)["raters"]] == ["overall_quality 2", "rejected"]


def test_the_page_knows_the_order_that_is_wanted(folder: RunFolder) -> None:
    assert audit_desk(folder, by_disagreement=True).about()["by_disagreement"] is True
    assert audit_desk(folder).about()["run"].endswith("/run")
