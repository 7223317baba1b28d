from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.diagrams.criteria import criteria_of, load_criteria
from data_juicer_ext.diagrams.scoring import OrderScores, Sides, direction, judged, relative
from tests.diagrams.test_criteria import document

AF = criteria_of(document(weights={"Structure": 0.5, "Content": 0.35, "Aesthetics": 0.15}), "x").of("AF")
GENERATED = {"AF-VOL-1": 8.0, "AF-VOL-2": 4.0, "AF-LA-1": 6.0, "AF-VER-1": 10.0, "AF-CA-1": 2.0, "AF-AES-1": 9.0}
REFERENCE = {"AF-VOL-1": 6.0, "AF-VOL-2": 8.0, "AF-LA-1": 9.0, "AF-VER-1": 7.0, "AF-CA-1": 8.0, "AF-AES-1": 5.0}


def order(generated: dict[str, float], reference: dict[str, float], first: bool = True) -> OrderScores:
    return OrderScores(first, {name: Sides(generated[name], reference[name]) for name in generated})


def test_the_formula_by_hand() -> None:
    """Structure 0.125*8 + 0.375*4 + 0.5*6 = 5.5, Content 0.25*10 + 0.75*2 = 4, Aesthetics 9."""
    made = judged(AF, [order(GENERATED, REFERENCE)])
    assert made.overall.total.generated == pytest.approx(0.5 * 5.5 + 0.35 * 4 + 0.15 * 9)  # 5.5
    assert made.overall.total.reference == pytest.approx(0.5 * 8.25 + 0.35 * 7.75 + 0.15 * 5)  # 7.5875
    assert made.overall.final == round(5.5 / (5.5 + 7.5875), 6)
    assert made.dimensions["Structure"].total == Sides(pytest.approx(5.5), pytest.approx(8.25))
    assert made.dimensions["VOL"].total == Sides(pytest.approx((8 + 3 * 4) / 4), pytest.approx((6 + 3 * 8) / 4))
    assert made.dimensions["CA"].final == 0.2 and made.dimensions["Aesthetics"].final == round(9 / 14, 6)
    assert made.flipped is None and made.orders == (made.overall,)


def test_full_marks_are_ten_and_equal_ones_are_parity() -> None:
    for criteria in load_criteria().types.values():
        best = dict.fromkeys(criteria.ids, 10.0)
        made = judged(criteria, [order(best, best)])
        assert made.overall.total.generated == pytest.approx(10) and made.overall.final == 0.5


@pytest.mark.parametrize(
    ("generated", "reference", "final"), [(0, 0, None), (3, 0, 1.0), (0, 3, 0.0), (5, 5, 0.5), (1, 2, 0.333333)]
)
def test_the_ratio(generated: float, reference: float, final: float | None) -> None:
    assert relative(Sides(generated, reference)) == final


@given(st.floats(0, 10), st.floats(0, 10))
def test_swapping_the_sides_gives_one_minus_it(generated: float, reference: float) -> None:
    final, swapped = relative(Sides(generated, reference)), relative(Sides(reference, generated))
    if final is None or swapped is None:
        assert final is swapped
    else:
        assert swapped == round(1 - final, 6) and final == round(1 - swapped, 6)


def test_both_zero_has_no_ratio() -> None:
    nothing = dict.fromkeys(AF.ids, 0.0)
    assert judged(AF, [order(nothing, nothing)]).overall.final is None


def test_two_orders_are_averaged_and_a_change_of_direction_is_a_flip() -> None:
    made = judged(AF, [order(GENERATED, REFERENCE), order(REFERENCE, GENERATED, False)])
    assert made.overall.final == 0.5 and made.flipped is True
    assert made.scores["AF-CA-1"] == Sides(5.0, 5.0)
    assert [direction(scored.final or 0) for scored in made.orders] == ["reference", "generated"]
    assert judged(AF, [order(GENERATED, REFERENCE)] * 2).flipped is False


def test_a_tie_in_one_order_alone_is_a_flip() -> None:
    assert judged(AF, [order(GENERATED, GENERATED), order(GENERATED, REFERENCE)]).flipped is True


def test_a_missing_score_or_no_order_is_an_error() -> None:
    with pytest.raises(ValueError, match="AF-VOL-1"):
        judged(AF, [OrderScores(True, {})])
    with pytest.raises(ValueError, match="one order"):
        judged(AF, [])
