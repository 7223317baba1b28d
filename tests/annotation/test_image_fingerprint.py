"""Images seen once: digest, hashes and grids."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from data_juicer_ext.annotation import image_fingerprint
from data_juicer_ext.annotation.image_fingerprint import Glance, glance_at, glance_at_all
from data_juicer_ext.figures import same_picture
from data_juicer_ext.figures.image_preparation import ImageError, UnreachableImageError
from tests.annotation.pictures import chart, rendered_anew


def test_it_sees_as_coarsely_as_pictures_are_compared() -> None:
    assert same_picture._COARSE.side == image_fingerprint._SEEN_AS and image_fingerprint._INK == same_picture._INK


def test_an_image_is_seen_with_and_without_its_margin(tmp_path: Path) -> None:
    one, other = glance_at(chart(tmp_path, 1)), glance_at(rendered_anew(tmp_path, 1))
    assert one.sha256 == hashlib.sha256(Path(one.path).read_bytes()).hexdigest() != other.sha256
    assert (one.hashes[1] ^ other.hashes[1]).bit_count() <= 8, "without margins they are alike"
    assert [grid.shape for grid in one.grids] == [(32, 32)] * 2 and one.slender >= 1.0
    assert one.may_show_the_same(other) and other.may_show_the_same(one)
    assert not one.may_show_the_same(glance_at(chart(tmp_path, 3)))


@pytest.mark.parametrize(
    ("slender", "apart", "may"), [(1.0, 31, True), (1.0, 32, False), (2.0, 63, True), (2.0, 64, False)]
)
def test_an_edge_may_lie_a_pixel_off(slender: float, apart: int, may: bool) -> None:
    grid = image_fingerprint.np.zeros((32, 32), dtype=image_fingerprint.np.int16)
    moved, far = grid.copy(), grid + 255
    moved[3, 4] = apart
    one, other = Glance("", "", (0, 0), (grid, grid), slender), Glance("", "", (0, 0), (far, moved), 1.0)
    assert one.may_show_the_same(other) == other.may_show_the_same(one) == may


def test_many_are_seen_at_once_and_what_does_not_decode_is_told(tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no image")
    paths = [chart(tmp_path, 1), str(tmp_path / "broken.png"), chart(tmp_path, 2), chart(tmp_path, 1)]
    found = glance_at_all(paths, 2)
    assert list(found) == [paths[0], paths[1], paths[2]]
    assert isinstance(found[paths[1]], ImageError) and isinstance(found[paths[2]], Glance)


def test_a_storage_that_fails_says_nothing_of_an_image(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(path: str) -> Glance:
        raise UnreachableImageError("s3 is away")

    monkeypatch.setattr(image_fingerprint, "glance_at", away)
    with pytest.raises(UnreachableImageError):
        glance_at_all(["s3://b/a.png"], 1)
