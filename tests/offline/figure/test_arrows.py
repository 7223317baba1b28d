"""Arrows between blocks, by the dark pixels of a strip."""

from __future__ import annotations

import numpy as np
import pytest

from data_juicer_ext.offline.figure.arrows import _longest


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (["..###...", "........"], (0, 2, 5)),
        (["..#.....", ".####.##"], (1, 1, 5)),
        (["..##..##"], (0, 2, 4)),  # what touches the right end is a block's frame
        (["####.##."], (0, 5, 7)),
        (["...#####"], (0, 0, 0)),
        (["........"], (0, 0, 0)),
    ],
)
def test_the_longest_line_is_one_that_touches_no_end(rows: list[str], found: tuple[int, int, int]) -> None:
    assert _longest(np.array([[pixel == "#" for pixel in row] for row in rows])) == found
