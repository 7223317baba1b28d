from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from data_juicer_ext.annotation.image_fingerprint import Glance, glance_at, glance_at_all
from data_juicer_ext.annotation.image_overlap import ImageIndex, overlaps
from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.figures.same_picture import same_picture
from tests.annotation.pictures import chart, rendered_anew
from tests.figures.charts import saved, texture

ALIKE = range(8)


def seen(path: str) -> Glance:
    return glance_at(path)


def test_renderings_of_one_chart_are_found_and_other_data_is_not(tmp_path: Path) -> None:
    charts = {seed: seen(chart(tmp_path, seed)) for seed in ALIKE}
    pictures = ImageIndex()
    for seed, image in charts.items():
        assert pictures.match(image) is None, "charts of one template with other data are other pictures"
        pictures.add(image, f"row {seed}")
    for seed in ALIKE:
        match = pictures.match(seen(rendered_anew(tmp_path, seed)))
        assert match is not None and (match.kind, match.owner) == ("near_duplicate", f"row {seed}")


def test_the_same_bytes_are_found_without_a_look(tmp_path: Path) -> None:
    first = chart(tmp_path, 1)
    copy = shutil.copy(first, tmp_path / "copy.png")
    pictures = ImageIndex()
    pictures.add(seen(first), "one")
    match = pictures.match(seen(str(copy)))
    assert match is not None and (match.kind, match.distance, match.other_path) == ("same_bytes", 0, first)


def test_without_confirmation_the_hash_alone_decides(tmp_path: Path) -> None:
    grey, red = (
        saved(texture(3).convert("L").convert("RGB"), tmp_path / "g.png"),
        saved(texture(3), tmp_path / "r.png"),
    )
    for confirm, found in ((False, True), (True, same_picture(grey, red))):
        pictures = ImageIndex(8, confirm)
        pictures.add(seen(grey), "grey")
        assert (pictures.match(seen(red)) is not None) == found


def test_the_grid_lets_pass_whatever_the_pixels_call_the_same(tmp_path: Path) -> None:
    for seed in ALIKE:
        one, other = chart(tmp_path, seed, 150), rendered_anew(tmp_path, seed)
        assert same_picture(one, other) and seen(one).may_show_the_same(seen(other))


def test_two_sets_are_held_against_each_other(tmp_path: Path) -> None:
    first = {f"a{seed}": [seen(chart(tmp_path, seed))] for seed in (1, 2, 3)}
    second = {"b1": [seen(rendered_anew(tmp_path, 2)), seen(chart(tmp_path, 9))], "b2": [seen(chart(tmp_path, 11))]}
    assert [(owner, match.owner) for owner, match in overlaps(first, second)] == [("a2", "b1")]
    assert [(owner, match.owner) for owner, match in overlaps(second, first)] == [("b1", "a2")]
    assert overlaps(first, {"b2": second["b2"]}) == []


def test_files_that_do_not_decode_are_told_and_cost_no_other(tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no image")
    good = chart(tmp_path, 1)
    found = glance_at_all([good, str(tmp_path / "broken.png"), good, str(tmp_path / "gone.png")], 2)
    assert [isinstance(one, ImageError) for one in found.values()] == [False, True, True]
    with pytest.raises(ImageError, match="gone"):
        glance_at(str(tmp_path / "gone.png"))
