from __future__ import annotations

import json
from pathlib import Path

import pytest

from data_juicer_ext.evaluation.siqa.gold import consensus_of, key_of, mos_of_ratings, mos_of_rows
from data_juicer_ext.evaluation.siqa.mos import Screening, make_mos
from data_juicer_ext.evaluation.siqa.votes import ImageVote
from data_juicer_ext.ratings.rating_file import Rating
from data_juicer_ext.review.calibration import Calibration

OFF = Screening(gate=None, method="off")


def vote(rater: str, image: str, perception: float, knowledge: float, calibration: bool = False) -> ImageVote:
    return ImageVote(rater, image, {"perception": perception, "knowledge": knowledge}, calibration)


def test_the_mos_is_the_mean_of_the_raters_with_its_spread_number_and_level() -> None:
    found = make_mos([vote("a", "f1", 5, 2), vote("b", "f1", 4, 3), vote("a", "f2", 1, 1)], OFF)
    assert found.scores == {"f1": {"perception": 4.5, "knowledge": 2.5}, "f2": {"perception": 1, "knowledge": 1}}
    assert found.images[0] == {
        "image": "f1", "mos_perception": 4.5, "sd_perception": pytest.approx(0.5**0.5), "n_perception": 2,
        "mos_knowledge": 2.5, "sd_knowledge": pytest.approx(0.5**0.5), "n_knowledge": 2,
        "level_perception": 5, "level_knowledge": 2,
    }  # fmt: skip
    assert found.images[1]["sd_perception"] is None and found.images[1]["level_perception"] == 1


def test_reference_images_and_raters_left_out_do_not_count() -> None:
    good = [vote(r, f"c{n}", n, n, True) for r in "abc" for n in range(1, 6)]
    bad = [vote("bad", f"c{n}", 6 - n, 6 - n, True) for n in range(1, 6)]
    rated = [vote(r, "f1", s, s) for r, s in zip(["a", "b", "c", "bad"], [2, 2, 2, 5], strict=True)]
    found = make_mos([*good, *bad, *rated], Screening())
    assert found.scores == {"f1": {"perception": 2, "knowledge": 2}}
    assert [(entry.rater, entry.stage) for entry in found.left_out] == [("bad", "calibration")]
    [row] = [row for row in found.raters if row["rater"] == "bad"]
    assert (row["images"], row["calibration_images"], row["left_out"]) == (1, 5, "calibration")
    assert "the consensus of the calibration is the mean of the other raters: no --consensus was given" in found.notes
    assert make_mos([*good, *bad, *rated], OFF).scores["f1"]["perception"] == 2.75


def test_what_was_not_done_is_said() -> None:
    assert make_mos([vote("a", "f1", 3, 3)], Screening()).notes == [
        "no calibration was rated: no rater was tested",
        "no outliers sought: 1 raters, and it takes 3 to tell who is one",
    ]
    tested = [vote("a", "c1", 3, 3, True), vote("a", "f1", 3, 3)]
    assert "too few raters to make one of" in make_mos(tested, Screening()).notes[0]
    off = make_mos([vote("a", "f1", 60, 20)], OFF)
    assert off.notes == ["no levels: a MOS is off the scale from 1 to 5; give --scale"]
    hundred = make_mos([vote("a", "f1", 60, 19)], Screening(None, "off", scale=(0, 100)))
    assert (hundred.images[0]["level_perception"], hundred.images[0]["level_knowledge"]) == (4, 1)


def test_no_votes_make_no_mos() -> None:
    found = make_mos([], Screening())
    assert found.scores == {} and found.raters == [] and found.images == []


def test_gold_of_ratings_of_raters_rows_and_of_a_mos_file_is_the_same() -> None:
    given = [("a", 5, 2), ("b", 4, 3)]
    ratings = [Rating(r, "siqa", "f1", {"perception": p, "knowledge": k}) for r, p, k in given]
    rows = [{"row_id": "f1", "rater": r, "perception": p, "knowledge": k} for r, p, k in given]
    made = [{"row_id": "f1", "mos_perception": 4.5, "mos_knowledge": 2.5}, {"row_id": "f2"}]
    from_ratings, _ = mos_of_ratings(ratings, OFF, None)
    from_rows, _ = mos_of_rows(rows, "row_id", OFF, None)
    from_mos, refused = mos_of_rows(made, "row_id", OFF, None)
    assert from_ratings.scores == from_rows.scores == from_mos.scores
    assert from_mos.raters == [] and refused == ["gold: f2: has neither perception nor knowledge"]


def test_what_images_are_known_by() -> None:
    scored = [{"row_id": "r1", "figure_id": "a.png", "images": ["x/a.png"]}]
    assert key_of(scored, [{"row_id": "r1"}]) == "row_id"
    assert key_of(scored, [{"row_id": "other", "figure_id": "a.png"}]) == "figure_id"
    assert key_of(scored, [{"image": "set/a.png"}]) == "image"
    with pytest.raises(ValueError, match="in both files by the same name; looked at: row_id, figure_id, image"):
        key_of(scored, [{"image": "b.png"}])
    with pytest.raises(ValueError, match="looked at: figure_id"):
        key_of(scored, [{"row_id": "r1"}], "figure_id")
    two = [{"row_id": "x", "image": "u/a.png"}, {"row_id": "y", "image": "v/a.png"}]
    with pytest.raises(ValueError, match=r"u/a\.png and v/a\.png are both called a\.png; name a column by --key"):
        key_of(scored, two)
    assert key_of([], scored) == "row_id" and key_of(scored, [], "image") == "image"


def test_reference_images_are_known_as_the_review_page_knows_them(tmp_path: Path) -> None:
    lines = [{"image": f"ref/{n}.png", "perception": n, "knowledge": 6 - n} for n in range(1, 6)]
    file = tmp_path / "calibration.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    shown = {item.row_id for item in Calibration(file, tmp_path / "results.jsonl").items}
    found, refused = consensus_of([*lines, {"row_id": "own", "perception": 1}, {"perception": 1}], "row_id")
    assert set(found) == shown | {"own"} and refused[0].startswith("gold: a row without row_id")
    assert consensus_of([{"images": ["ref/1.png"], "knowledge": 5}], "row_id")[0].keys() <= shown
    one, same, other = ({"images": ["a.png"]}, {"image": "a.png"}, {"images": ["b.png"]})
    known = [set(consensus_of([{**row, "knowledge": 5}], "row_id")[0]) for row in (one, same, other)]
    assert known[0] == known[1] != known[2] and all(known)
