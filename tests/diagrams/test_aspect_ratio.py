from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.diagrams.pair_row import STANDARD, misfit, nearest, ratio


@pytest.mark.parametrize(
    ("width", "height", "name"),
    [(1920, 1080, "16:9"), (1000, 660, "3:2"), (500, 500, "1:1"), (3000, 1000, "21:9"), (700, 1000, "2:3"),
     (760, 1000, "3:4"), (1, 5000, "9:16")],
)  # fmt: skip
def test_the_nearest_standard_ratio(width: int, height: int, name: str) -> None:
    assert nearest(width, height) == name


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_no_other_ratio_is_nearer_and_turning_an_image_turns_its_ratio(width: int, height: int) -> None:
    name = nearest(width, height)
    assert all(misfit(name, width, height) <= misfit(other, width, height) for other in STANDARD)
    if name not in ("21:9", "16:9", "9:16"):  # 9:21 is none
        across, down = name.split(":")
        assert misfit(f"{down}:{across}", height, width) == pytest.approx(misfit(name, width, height))


@pytest.mark.parametrize("text", ["16:9", " 16 : 9 ", "16/9", "16x9", "16×9"])
def test_ratios_are_read(text: str) -> None:
    assert ratio(text) == pytest.approx(16 / 9)


@pytest.mark.parametrize("text", ["wide", "16", "16:0", "0:9", "-1:2", "1:2:3"])
def test_what_is_no_ratio_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="aspect_ratio"):
        ratio(text)
