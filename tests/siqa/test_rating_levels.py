"""Levels of opinion scores at every boundary, and levels as models write them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.siqa.rating_levels import LEVELS, exact, level_in, level_name, level_of

SCALES = [(0, 1), (0.0, 1.0), (1, 5), (0, 100), (1, 10), (-1, 1), (0.1, 0.9), (2, 3), (Decimal("0.7"), Decimal("1.1"))]


@pytest.mark.parametrize(("low", "high"), SCALES)
def test_every_boundary_belongs_to_the_level_above_it(low: float, high: float) -> None:
    tiny = Fraction(1, 10**12)
    lowest, width = exact(low), exact(high) - exact(low)
    for i in range(1, 6):
        start, end = lowest + Fraction(i - 1, 5) * width, lowest + Fraction(i, 5) * width
        assert level_of(start, low, high) == i
        assert level_of(end - tiny, low, high) == i
        assert level_of(end, low, high) == min(5, i + 1)
    assert level_of(high, low, high) == 5 and level_name(level_of(high, low, high)) == "Excellent"


@pytest.mark.parametrize(
    ("score", "low", "high", "level"),
    [
        (0.2, 0, 1, 2), (0.4, 0, 1, 3), (0.6, 0, 1, 4), (0.8, 0, 1, 5), (1.0, 0, 1, 5), (0.0, 0, 1, 1),
        (0.19999999999999998, 0, 1, 1), (0.5999999999999999, 0, 1, 3), (0.7999999999999999, 0, 1, 4),
        (1.8, 1, 5, 2), (2.6, 1, 5, 3), (3.4, 1, 5, 4), (4.2, 1, 5, 5), (5, 1, 5, 5), (1.79, 1, 5, 1), (4.19, 1, 5, 4),
        (0.26, 0.1, 0.9, 2), (0.42, 0.1, 0.9, 3), (0.58, 0.1, 0.9, 4), (0.74, 0.1, 0.9, 5), (0.9, 0.1, 0.9, 5),
        ("0.6", "0", "1", 4), (11 / 3, 1, 5, 4), (Fraction(3, 5), 0, 1, 4), (Decimal("0.6"), 0, 1, 4),
        (60, 0, 100, 4), (59.99999999, 0, 100, 3),
    ],
)  # fmt: skip
def test_numbers_count_as_they_are_written(score: float, low: float, high: float, level: int) -> None:
    assert level_of(score, low, high) == level


def test_binary_arithmetic_would_get_some_of_these_wrong() -> None:
    """The reason for fractions: the formula in floating point puts a boundary on the wrong side."""
    naive = sum(0.1 + i / 5 * (0.9 - 0.1) <= 0.42 for i in range(5))
    assert naive == 2 and level_of(0.42, 0.1, 0.9) == 3


@given(st.integers(-1000, 1000), st.integers(1, 1000), st.integers(0, 1000))
def test_the_formula_holds_everywhere(low: int, width: int, part: int) -> None:
    high, score = low + width, Fraction(low) + Fraction(part, 1000) * width
    i = level_of(score, low, high)
    assert low + Fraction(i - 1, 5) * width <= score
    assert score < low + Fraction(i, 5) * width or (i == 5 and score == high)


@pytest.mark.parametrize(
    ("score", "low", "high", "says"),
    [
        (0.5, 1, 1, "no extent"), (0.5, 1, 0, "no extent"), (1.1, 0, 1, "not on the scale"),
        (-0.1, 0, 1, "not on the scale"), (float("nan"), 0, 1, "no finite number"), (0.5, 0, float("inf"), "no finite"),
        ("good", 0, 1, "no finite number"), (None, 0, 1, "no finite number"), (True, 0, 1, "no number"),
    ],
)  # fmt: skip
def test_what_is_no_score_on_a_scale_is_an_error(score: object, low: float, high: float, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        level_of(score, low, high)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", LEVELS)
@pytest.mark.parametrize(
    "form",
    ["{}", " {}\n", "**{}**", '"{}"', "{}.", "Quality: {}", "The overall quality is {}.", "Perception: **{}**",
     "I would rate this image as {}.", "{}. The labels are small.", "{}: all axes are labelled.",
     "{} - nothing is off.",
     "{}\n\nThe axes have titles and units.", "Let us see.\nRating: {}", "<think>Bad? No, Fair.</think>{}",
     '{{"rating": "{}"}}', "Level 3: {}", "{} because the text can be read."],
)  # fmt: skip
def test_clear_levels_are_read(name: str, form: str) -> None:
    for spelled in (name, name.lower(), name.upper()):
        assert level_in(form.format(spelled)) == LEVELS.index(name) + 1


@pytest.mark.parametrize(
    "text",
    ["", "4", "ok", "Not good", "not Good.", "Fair to Good", "Good/Excellent", "between fair and good", "Fair enough",
     "Goodness", "I cannot rate this image.", "It is a good idea to look closely.", "Good\nExcellent",
     "hardly excellent", "Good. Not excellent.", "<think>Good", "The image is no good"],
)  # fmt: skip
def test_anything_else_is_no_level(text: str) -> None:
    assert level_in(text) is None


@given(st.text(max_size=400))
def test_no_text_raises(text: str) -> None:
    assert level_in(text) in (None, 1, 2, 3, 4, 5)
