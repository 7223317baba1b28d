from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image

from data_juicer_ext.diagrams.criteria import criteria_of
from data_juicer_ext.diagrams.development_set import gather, made_alike
from data_juicer_ext.figures.image_preparation import ImageLimits
from data_juicer_ext.ratings.rating_file import Rating
from tests.diagrams.judges import drawing, pair_row
from tests.diagrams.test_criteria import document

CRITERIA = criteria_of(document(), "x")
ROWS = [pair_row(f"r{n}", f"g{n}.png", f"d{n}.png") for n in range(4)]


def rating(row_id: str, annotator: str = "anna", form: str = "scidiag", reason: str = "", **criteria: Any) -> Rating:
    scores = {f"AF-{name.replace('_', '-')}": value for name, value in criteria.items()}
    return Rating(annotator, form, row_id, {"overall": 1, "criteria": scores}, reason)


def test_preferences_are_the_raters_median_where_they_do_not_contradict() -> None:
    found = gather(
        [rating("r0", "anna", VOL_1=2, LA_1=1, CA_1=-2), rating("r0", "ben", VOL_1=1, LA_1=-1, CA_1=0)], ROWS, CRITERIA
    )
    [pair] = found.pairs
    assert pair.preferences == {"AF-VOL-1": 1.5, "AF-CA-1": -1.0} and pair.images == ("g0.png", "d0.png")
    assert (pair.caption, pair.paper_id) == (ROWS[0]["caption"], ROWS[0]["paper_id"]) and ROWS[0]["caption"]
    assert found.unused == ["r0: raters contradict each other on AF-LA-1"]


def test_what_can_not_be_used_is_told_and_the_rest_is() -> None:
    rows = [*ROWS, pair_row("odd", "g", "d", diagram_type="TL"), pair_row("one", "g", "", images=["g"])]
    ratings = [rating("r1", VOL_1=1, XX=2), rating("gone", VOL_1=1), rating("odd", VOL_1=1), rating("one", VOL_1=1),
               rating("r2", form="quality"), rating("r3", VOL_1=None, LA_1=True, CA_1=7)]  # fmt: skip
    found = gather(ratings, rows, CRITERIA)
    assert {pair.row_id: dict(pair.preferences) for pair in found.pairs} == {"r1": {"AF-VOL-1": 1.0}, "r3": {}}
    told = "\n".join(found.unused)
    assert "r1: the criteria of AF have no AF-XX" in told and "gone: no such row" in told
    assert "odd: there are no criteria for TL" in told and "one: images holds 1" in told and "r2" not in told


def test_images_are_made_alike_and_one_that_is_broken_is_told(tmp_path: Path) -> None:
    good = pair_row("r0", drawing(tmp_path / "g.png", 1), drawing(tmp_path / "d.png", 2, (200, 200)))
    rows = [good, {**pair_row("r1", str(tmp_path / "gone.png"), "x.png")}]
    found = gather([rating("r0", VOL_1=2), rating("r1", VOL_1=2)], rows, CRITERIA)
    made = made_alike(found, tmp_path / "out", ImageLimits(max_side=300))
    [pair] = made.pairs
    assert pair.row_id == "r0" and [max(Image.open(path).size) for path in pair.images] == [300, 300]
    assert len(made.unused) == 1 and "gone.png: no such file" in made.unused[0] and not found.unused
