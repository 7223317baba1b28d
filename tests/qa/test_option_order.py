from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.qa.option_order import is_sorted, original_letters, permutation, shown

COLOURS = ("Red", "Blue", "Green", "Black")


def test_a_draw_has_the_same_order_always() -> None:
    assert permutation(COLOURS, ("row-1", "blind"), 0) == (0, 1, 3, 2)
    assert permutation(COLOURS, ("row-1", "blind"), 0) == permutation(COLOURS, ("row-1", "blind"), 4)
    orders = {permutation(COLOURS, (f"row-{index}",), 0) for index in range(400)}
    assert len(orders) == 24


def test_over_four_draws_each_option_stands_once_in_each_place() -> None:
    orders = [permutation(COLOURS, ("row-1",), draw) for draw in range(4)]
    assert all(sorted(column) == [0, 1, 2, 3] for column in zip(*orders, strict=True))


@pytest.mark.parametrize(
    ("options", "fixed"),
    [
        (("Red", "Blue", "Green", "All of the above"), [3]),
        (("Red", "Blue", "Green", "None of the above."), [3]),
        (("Red", "Blue", "All of the above", "None of the above"), [2, 3]),
        (("Red", "Blue", "Neither", "Both"), [2, 3]),
        (("Red", "Blue", "Both of these", "None of these"), [2, 3]),
        (("Red", "Blue", "Cannot be determined from the figure"), [2]),
        (("Red", "Blue", "Green", "Both A and B"), [0, 1, 2, 3]),
        (("Red", "Blue", "Green", "A and C only"), [0, 1, 2, 3]),
        (("Red", "Blue", "Green", "Neither A nor B"), [0, 1, 2, 3]),
        (("All of the above", "Red", "Blue", "Green"), [0, 1, 2, 3]),
        (("10%", "20%", "25.5%", "100%"), [0, 1, 2, 3]),
        (("4 nm", "3 nm", "2 nm"), [0, 1, 2]),
        (("About 1,000", "About 2,000", "About 30,000"), [0, 1, 2]),
        (("1e-3", "1e-2", "1e-1"), [0, 1, 2]),
        (("$10^{-3}$", "$10^{-2}$"), []),
        (("Low", "Medium", "High"), [0, 1, 2]),
        (("First", "Second", "Third", "Fourth"), [0, 1, 2, 3]),
        (("One", "Two", "Three"), [0, 1, 2]),
        (("0-10", "10-20", "20-30"), [0, 1, 2]),
    ],
)
def test_options_that_mean_something_where_they_stand_stay(options: tuple[str, ...], fixed: list[int]) -> None:
    orders = {permutation(options, (f"row-{index}",), draw) for index in range(40) for draw in range(3)}
    stay = [place for place in range(len(options)) if all(order[place] == place for order in orders)]
    assert stay == fixed


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("10%", "30%", "20%"), False),
        (("10%", "20 K", "30 m"), False),
        (("Low", "High", "Medium"), False),
        (("Model A", "Model B", "Model C"), False),
        (("-5", "0", "5"), True),
        (("5", "0", "-5"), True),
        (("2", "2"), False),
        (("Yes", "No"), False),
        (("left", "middle", "right"), True),
        ((), False),
    ],
)
def test_sorted_options(options: tuple[str, ...], expected: bool) -> None:
    assert is_sorted(options) is expected


@given(st.lists(st.text(max_size=20), max_size=8), st.lists(st.text(max_size=5), max_size=3), st.integers(0, 9))
def test_letters_come_back(options: list[str], seed: list[str], draw: int) -> None:
    order = permutation(options, seed, draw)
    assert sorted(order) == list(range(len(options)))
    for place, option in enumerate(shown(options, order)):
        (letter,) = original_letters((chr(65 + place),), order)
        assert options[ord(letter) - 65] == option
