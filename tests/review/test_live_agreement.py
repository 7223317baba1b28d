from __future__ import annotations

import random
from typing import Any

import krippendorff
import pytest

from data_juicer_ext.ratings.rating_file import Rating
from data_juicer_ext.review.live_agreement import alphas, as_text, spread


def rated(form: str, table: dict[str, list[Any]], dimension: str = "overall") -> list[Rating]:
    """Ratings by annotator and item; None where one has not rated an item."""
    return [
        Rating(annotator, form, f"r{item}", {dimension: score})
        for annotator, scores in table.items()
        for item, score in enumerate(scores)
        if score is not None
    ]


def test_alpha_is_that_of_the_package() -> None:
    chance = random.Random(3)
    table = {name: [chance.choice((1, 2, 3, 4, 5, None)) for _ in range(30)] for name in ("A", "B", "C")}
    [found] = alphas(rated("verisciqa", table, "overall_quality"))
    expected = krippendorff.alpha(
        reliability_data=[[float("nan") if score is None else score for score in scores] for scores in table.values()],
        level_of_measurement="ordinal",
    )
    assert found.alpha == pytest.approx(expected, abs=1e-12)
    assert found.items == sum(sum(scores[i] is not None for scores in table.values()) > 1 for i in range(30))
    assert (found.annotators, found.ratings) == (3, sum(score is not None for s in table.values() for score in s))


def test_accepting_is_nominal() -> None:
    verdicts = {"A": [True, False, True, True], "B": [True, False, False, True]}
    ratings = [Rating(a, "audit", f"r{i}", {}, "", v) for a, vs in verdicts.items() for i, v in enumerate(vs)]
    [found] = alphas(ratings)
    assert found.dimension == "accepted"
    assert found.alpha == krippendorff.alpha(
        reliability_data=[[1, 0, 1, 1], [1, 0, 0, 1]], level_of_measurement="nominal"
    )


@pytest.mark.parametrize(
    ("table", "note"),
    [
        ({"A": [1, 2, 3]}, "not defined: fewer than two annotators"),
        ({"A": [1, None], "B": [None, 2]}, "not defined: no item has two ratings"),
        ({"A": [3, 3, 5], "B": [3, 3, None]}, "not defined: all ratings are equal"),
        ({"A": [1, 2], "B": [1, None]}, "not defined: only one item"),
    ],
)
def test_no_number_has_a_reason(table: dict[str, list[Any]], note: str) -> None:
    [found] = alphas(rated("siqa", table, "perception"))
    assert found.alpha is None and found.note.startswith(note)


def test_what_does_not_enter() -> None:
    calibration = Rating("A", "siqa", "c", {"perception": 1}, calibration=True)
    gated = Rating("A", "quality", "q", {"VC": 8, "CTX": None, "MR": True, "overall": "9"})
    assert [(one.form, one.dimension) for one in alphas([calibration, gated])] == [("quality", "VC")]


def test_the_order_is_that_of_the_forms() -> None:
    ratings = [Rating("A", "scidiag", "d", {"overall": 1, "criteria": {"Z-1": 2, "VOL": 1}}),
               Rating("A", "quality", "q", {"overall": 1, "MR": 2, "VC": 3}),
               Rating("A", "audit", "q", {}, "", True)]  # fmt: skip
    assert [(one.form, one.dimension) for one in alphas(ratings)] == [
        ("quality", "VC"), ("quality", "MR"), ("quality", "overall"),
        ("scidiag", "VOL"), ("scidiag", "Z-1"), ("scidiag", "overall"), ("audit", "accepted"),
    ]  # fmt: skip


def test_spread() -> None:
    assert spread(rated("verisciqa", {"A": [1], "B": [4]})) == 0.75
    assert spread([Rating("A", "audit", "r", {}, "", True), Rating("B", "audit", "r", {}, "", False)]) == 1.0
    assert spread([]) == spread(rated("verisciqa", {"A": [5]})) == 0.0


def test_the_table() -> None:
    text = as_text(
        alphas([*rated("siqa", {"A": [1, 2, 5], "B": [1, 2, 5]}), Rating("A", "siqa", "r", {"x\x1b[2J": 1})])
    )
    rows = [line.split("  ") for line in text.splitlines()]
    assert [cell.strip() for cell in rows[1] if cell.strip()] == ["siqa", "overall", "1.000", "2", "3", "6"]
    assert "fewer than two annotators" in text and "\x1b" not in text
    assert as_text([]) == "Nobody has rated anything yet."
