from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import krippendorff
import pytest

from data_juicer_ext.ratings.rating_file import ratings_path, read_ratings
from data_juicer_ext.review.forms.form import FormError
from data_juicer_ext.review.forms.verisciqa import VeriSciQA
from data_juicer_ext.review.rating_session import RateDesk
from data_juicer_ext.review.review_sample import ReviewItem
from data_juicer_ext.review.review_session import LockedError, UnknownItemError
from tests.report.run_folders import RunFolder
from tests.review.conftest import rate_desk
from tests.review.folders import calibration_file, diagrams_run, figures_run, images_run, questions_run

FIVE = ("factual_correctness", "intent_alignment", "visual_dependency", "self_containment", "overall_quality")


def ids(desk: RateDesk, name: str) -> list[str]:
    return [item["id"] for item in desk.start(name)["items"]]


def fill(desk: RateDesk, token: str, score: int = 3, reason: str = "") -> dict[str, Any]:
    """Answer the stage that an item is at with one score for all."""
    view = desk.item(token)
    values = {ask["key"]: score for ask in view["asks"]}
    return desk.save(token, {"stage": view["stage"], "values": values, "reason": reason, "seconds": 2.5})


def ratings(folder: RunFolder) -> list[Any]:
    return read_ratings(ratings_path(folder.path))


def test_an_answer_is_stored_and_there_again_after_a_restart(tmp_path: Path) -> None:
    folder = questions_run(tmp_path)
    desk = rate_desk(folder)
    tokens = ids(desk, "Anna")
    values = dict(zip(FIVE, (5, 4, 3, 2, 1), strict=True))
    desk.save(tokens[1], {"stage": 0, "values": values, "reason": " fine ", "seconds": 12.34})
    [rating] = ratings(folder)
    assert (rating.ratings, rating.reason, rating.seconds, rating.item) == (values, "fine", 12.3, 1)
    started = rate_desk(folder).start("Anna")
    assert [item["done"] for item in started["items"]] == [False, True, False, False]
    again = rate_desk(folder)
    view = again.item(ids(again, "Anna")[1])
    assert (view["values"], view["reason"], view["done"]) == (values, "fine", True)
    assert rate_desk(folder).start("Bert")["items"][0]["done"] is False


def test_an_answer_can_be_changed_and_the_last_one_counts(tmp_path: Path) -> None:
    folder = questions_run(tmp_path)
    desk = rate_desk(folder)
    token = ids(desk, "Anna")[0]
    fill(desk, token, 2)
    fill(desk, token, 5)
    assert [set(rating.ratings.values()) for rating in ratings(folder)] == [{5}]
    assert len(ratings_path(folder.path).read_text().splitlines()) == 2


def test_two_servers_over_one_folder(tmp_path: Path) -> None:
    folder = questions_run(tmp_path)
    one, other = rate_desk(folder), rate_desk(folder)
    fill(one, ids(one, "Anna")[0], 4)
    assert other.start("Anna")["items"][0]["done"] is True


def test_ids_tell_nothing_and_are_an_annotators_own(tmp_path: Path) -> None:
    desk = rate_desk(questions_run(tmp_path))
    anna, bert = ids(desk, "Anna"), ids(desk, "Bert")
    assert not set(anna) & set(bert) and all(len(token) == 24 and int(token, 16) >= 0 for token in anna)
    other = rate_desk(questions_run(tmp_path / "same"))
    assert not set(ids(other, "Anna")) & set(anna)
    for unknown in ("", "x", "../..", anna[0][:-1]):
        with pytest.raises(UnknownItemError):
            desk.item(unknown)
    for index in (-1, 1, 10**9):
        with pytest.raises(UnknownItemError):
            desk.image(anna[0], index)


def test_the_order_is_the_exports_when_told_so(tmp_path: Path) -> None:
    folder = questions_run(tmp_path, 12)
    desk = rate_desk(folder, given_order=True)
    captions = [desk.item(token)["blocks"][0]["text"] for token in ids(desk, "Anna")]
    assert captions == [f"Caption {n}: bars of five series." for n in range(12)]
    own = rate_desk(folder)
    orders = [[own.item(token)["blocks"][0]["text"] for token in ids(own, name)] for name in ("Anna", "Bert")]
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1]) == sorted(captions)


@pytest.mark.parametrize("answer", [{}, {"stage": 0}, {"stage": 0, "values": {"overall_quality": 3}},
                                    {"stage": 0, "values": []},
                                    {"stage": 0, "values": dict.fromkeys(FIVE, 6)},
                                    {"stage": 0, "values": dict.fromkeys(FIVE, 3), "reason": "x" * 5000}])  # fmt: skip
def test_answers_that_do_not_fit_leave_nothing(tmp_path: Path, answer: dict[str, Any]) -> None:
    folder = questions_run(tmp_path)
    desk = rate_desk(folder)
    with pytest.raises(FormError):
        desk.save(ids(desk, "Anna")[0], answer)
    assert ratings(folder) == []


def test_alphas_equal_the_packages_on_the_file(tmp_path: Path) -> None:
    folder = questions_run(tmp_path, 6)
    desk = rate_desk(folder, given_order=True)
    table = {"Anna": [1, 2, 3, 4, 5, 5], "Bert": [1, 2, 4, 4, 5, 3]}
    for name, scores in table.items():
        for token, score in zip(ids(desk, name), scores, strict=True):
            fill(desk, token, score)
    expected = krippendorff.alpha(reliability_data=list(table.values()), level_of_measurement="ordinal")
    assert [(one.dimension, one.alpha, one.items) for one in desk.agreement()] == [
        (name, pytest.approx(expected, abs=1e-12), 6) for name in FIVE
    ]


def test_one_shared_item_gives_no_alpha_that_would_tell_its_votes(tmp_path: Path) -> None:
    desk = rate_desk(questions_run(tmp_path), given_order=True)
    for name, score in (("Anna", 1), ("Bert", 5)):
        fill(desk, ids(desk, name)[0], score)
    assert all(one.alpha is None and "only one item" in one.note for one in desk.agreement())


def test_quality_is_revealed_stage_by_stage(tmp_path: Path) -> None:
    folder = figures_run(tmp_path, 1)
    desk = rate_desk(folder)
    [token] = ids(desk, "Anna")
    first = desk.item(token)
    assert (
        [ask["key"] for ask in first["asks"]] == ["VC", "SL"] and first["blocks"] == [] and first["next"] == "caption"
    )
    assert "Captionword" not in str(first) and "citedword" not in str(first)
    with pytest.raises(FormError, match="reason is needed"):
        fill(desk, token, 7)
    assert fill(desk, token, 7, "sharp text") == {"saved": True, "finished": False}
    second = desk.item(token)
    assert "Captionword" in str(second) and "citedword" not in str(second) and ratings(folder) == []
    assert [(ask["key"], ask["value"]) for ask in second["locked"]] == [("VC", 7), ("SL", 7)]
    with pytest.raises(LockedError):
        desk.save(token, {"stage": 0, "values": {"VC": 9, "SL": 9}, "reason": "second thoughts"})
    with pytest.raises(LockedError):
        desk.save(token, {"stage": 2, "values": {"CTX": 9, "MR": 9, "overall": 9}, "reason": "ahead"})
    fill(desk, token, 6, "names the bars")
    assert "citedword" in str(desk.item(token))
    fill(desk, token, 8, "it says so")
    [rating] = ratings(folder)
    assert rating.ratings == {"VC": 7, "SL": 7, "C": 6, "CTX": 8, "MR": 8, "overall": 8}
    assert rating.reason == "image: sharp text\ncaption: names the bars\nciting text: it says so"
    assert rating.seconds == 7.5


def test_stages_outlive_a_restart_and_stay_locked_when_all_is_done(tmp_path: Path) -> None:
    folder = figures_run(tmp_path, 1)
    desk = rate_desk(folder)
    fill(desk, ids(desk, "Anna")[0], 7, "sharp")
    again = rate_desk(folder)
    [token] = ids(again, "Anna")
    assert again.item(token)["stage_name"] == "caption" and rate_desk(folder).start("Anna")["items"][0]["done"] is False
    assert again.item(ids(again, "Bert")[0])["stage_name"] == "image"
    fill(again, token, 6, "names")
    fill(again, token, 8, "says so")
    done = again.item(token)
    assert (done["stage"], done["done"], done["values"]) == (2, True, {"CTX": 8, "MR": 8, "overall": 8})
    assert done["reason"] == "says so"
    again.save(token, {"stage": 2, "values": {"CTX": 2, "MR": 2, "overall": 3}, "reason": "read it again"})
    [rating] = ratings(folder)
    assert rating.ratings == {"VC": 7, "SL": 7, "C": 6, "CTX": 2, "MR": 2, "overall": 3}
    assert rating.reason.startswith("image: sharp\n") and rating.reason.endswith("read it again")


def test_gated_dimensions_are_null_in_the_file(tmp_path: Path) -> None:
    folder = figures_run(tmp_path, 3)
    desk = rate_desk(folder, given_order=True)
    for token in ids(desk, "Anna"):
        while not fill(desk, token, 5, "seen").get("finished"):
            pass
    assert [[name for name, score in r.ratings.items() if score is None] for r in ratings(folder)] == [
        [],
        ["CTX"],
        ["C"],
    ]


def test_diagrams_change_sides_and_the_sign_does_not(tmp_path: Path) -> None:
    folder = diagrams_run(tmp_path, 30)
    desk = rate_desk(folder, given_order=True)
    for token in ids(desk, "Anna"):
        left = Path(desk.image(token, 0)).name
        score = -2 if "-gen-" in left else 2  # the generated one is the better one, wherever it stands
        assert fill(desk, token, score)["finished"]
        assert set(desk.item(token)["values"].values()) == {score}
    found = ratings(folder)
    assert all(set(r.ratings["criteria"].values()) | {r.ratings["overall"]} == {2} for r in found)
    assert {rating.shown_first for rating in found} == {"generated", "reference"}
    for rating, token in zip(found, ids(desk, "Anna"), strict=True):
        assert ("-gen-" in desk.image(token, 0)) == (rating.shown_first == "generated")


LEVELS = [1, 2, 3, 4, 5, 3]


def answer_calibration(desk: RateDesk, name: str, right: bool) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for token in ids(desk, name):
        index = int(Path(desk.image(token, 0)).stem.rpartition("-")[2])
        perception = LEVELS[index]
        values = {"perception": perception, "knowledge": 6 - perception if right else perception}
        said = desk.save(token, {"stage": 0, "values": values})
    return dict(said["calibration"])


def test_calibration_comes_first_and_can_be_repeated(tmp_path: Path) -> None:
    folder = images_run(tmp_path)
    desk = rate_desk(folder, calibration=calibration_file(folder, LEVELS))
    assert desk.start("Anna")["calibration"] == {"passed": False, "round": 1, "above": 0.8, "images": 6, "last": None}
    failed = answer_calibration(desk, "Anna", right=False)
    assert failed["last"]["srcc"] == {"perception": pytest.approx(1), "knowledge": pytest.approx(-1)}
    assert (failed["passed"], failed["round"]) == (False, 2)
    assert not any(item["done"] for item in desk.start("Anna")["items"])
    passed = answer_calibration(desk, "Anna", right=True)
    assert passed["passed"] and passed["last"]["passed"]
    assert len(ids(desk, "Anna")) == 3 and len(ids(desk, "Bert")) == 6
    fill(desk, ids(desk, "Anna")[0], 4)
    marked = [(rating.calibration, rating.round) for rating in ratings(folder)]
    assert marked == [(True, 2)] * 6 + [(False, 0)]
    assert [one.ratings for one in desk.agreement()] == [1, 1]
    lines = (folder.path / "review" / "calibration.jsonl").read_text().splitlines()
    assert [json.loads(line)["passed"] for line in lines] == [False, True]


def test_a_round_goes_on_after_a_restart_and_is_closed_when_it_is_full(tmp_path: Path) -> None:
    folder = images_run(tmp_path)
    file = calibration_file(folder, LEVELS)
    desk = rate_desk(folder, calibration=file)
    fill(desk, ids(desk, "Anna")[0], 3)
    assert [item["done"] for item in rate_desk(folder, calibration=file).start("Anna")["items"]] == [True] + [False] * 5
    answer_calibration(desk, "Anna", right=True)
    (folder.path / "review" / "calibration.jsonl").unlink()  # as if the server had died before it wrote the result
    assert rate_desk(folder, calibration=file).start("Anna")["calibration"]["passed"] is True


def test_other_peoples_spelling_of_a_name_goes_on(tmp_path: Path) -> None:
    desk = rate_desk(questions_run(tmp_path), preset="Zoë")
    assert desk.about()["annotator"] == "Zoë"
    assert desk.start("anna")["annotator"] == "anna" and desk.start(" ANNA ")["annotator"] == "anna"


def test_the_order_is_that_of_seed_0_where_none_is_named(tmp_path: Path) -> None:
    items = [ReviewItem(f"qa-{number}", {}) for number in range(9)]
    usual, zero, one = (
        [shown.item.row_id for shown in RateDesk(tmp_path, VeriSciQA(), items, *seed)._list_of("Anna")]
        for seed in ((), (0,), (1,))
    )
    assert usual == zero != one
