from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.diagrams.diagram_types import TYPES
from data_juicer_ext.diagrams.dimension_weights import averaged, checked, own_weights, rounded, type_weights
from data_juicer_ext.diagrams.dimensions import DIMENSIONS

# The paper's table 6: Structure, Content, Aesthetics.
TABLE = {
    "TL": (0.45, 0.40, 0.15), "LD": (0.46, 0.39, 0.15), "PE": (0.45, 0.40, 0.15), "AF": (0.50, 0.35, 0.15),
    "CSA": (0.50, 0.35, 0.15), "CF": (0.52, 0.33, 0.15), "TR": (0.50, 0.35, 0.15), "GA": (0.41, 0.40, 0.19),
    "ESD": (0.46, 0.38, 0.16), "IC": (0.35, 0.50, 0.15), "MD": (0.45, 0.40, 0.15),
}  # fmt: skip


def test_the_shipped_weights_are_the_papers_and_sum_to_one() -> None:
    assert set(TABLE) == set(TYPES)
    for code, expected in TABLE.items():
        weights = type_weights(code)
        assert tuple(weights[name] for name in DIMENSIONS) == pytest.approx(expected)
        assert math.fsum(weights.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("given", "told"),
    [({"Structure": 0.5, "Content": 0.5}, "each of Structure, Content, Aesthetics"), ([], "each of"),
     ({"Structure": 0.5, "Content": 0.3, "Aesthetics": 0.1}, "sum to 0.9"),
     ({"Structure": 1.2, "Content": -0.3, "Aesthetics": 0.1}, "from 0 to 1"),
     ({"Structure": 0.6, "Content": 0.6, "Aesthetics": -0.2}, "Aesthetics is -0.2, not a number from 0 to 1"),
     ({"Structure": True, "Content": 0, "Aesthetics": 0}, "from 0 to 1")],
)  # fmt: skip
def test_weights_that_can_not_be_used_are_told(given: Any, told: str) -> None:
    with pytest.raises(ValueError, match=f"here.*{told}"):
        checked(given, "here")


def test_own_weights_may_be_of_some_types_and_of_no_other() -> None:
    assert own_weights(None) == {}
    assert own_weights({"AF": {"Structure": 0.2, "Content": 0.3, "Aesthetics": 0.5}})["AF"]["Aesthetics"] == 0.5
    with pytest.raises(ValueError, match="XX is no diagram type"):
        own_weights({"XX": {}})


def test_draws_are_brought_to_one_before_they_are_averaged() -> None:
    draws = [{"Structure": 0.5, "Content": 0.4, "Aesthetics": 0.1}, {"Structure": 8, "Content": 8, "Aesthetics": 4}]
    assert averaged(draws) == {"Structure": 0.45, "Content": 0.4, "Aesthetics": 0.15}
    with pytest.raises(ValueError, match="no draw"):
        averaged([])
    with pytest.raises(ValueError, match="nothing but 0"):
        averaged([dict.fromkeys(DIMENSIONS, 0)])


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=20))
def test_rounded_shares_sum_to_one(values: list[float]) -> None:
    made = rounded({str(place): value / math.fsum(values) for place, value in enumerate(values)})
    assert math.fsum(made.values()) == pytest.approx(1, abs=1e-9)
    assert all(round(value, 4) == value for value in made.values())
