from __future__ import annotations

import warnings
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.evaluation.statistics import alpha_and_kappa
from data_juicer_ext.evaluation.statistics.alpha_and_kappa import Level, counts_of, fleiss_kappa, krippendorff_alpha
from data_juicer_ext.evaluation.statistics.bootstrap import Resampling

Units = dict[str, dict[str, float]]

# K. Krippendorff, Computing Krippendorff's alpha-reliability, 2011, section D: four observers, twelve units.
OBSERVERS = {
    "A": "123321412...",
    "B": "1233224125.3",
    "C": ".3332342251.",
    "D": "12332441251.",
}
# J. L. Fleiss, Measuring nominal scale agreement among many raters, 1971, table 1: 30 patients, six psychiatrists;
# depression, personality disorder, schizophrenia, neurosis, other.
FLEISS_1971 = """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
                 00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""
WIKIPEDIA = """0,0,0,0,14 0,2,6,4,2 0,0,3,5,6 0,3,9,2,0 2,2,8,1,1 7,7,0,0,0 3,2,6,3,0 2,5,3,2,2 6,5,2,1,0 0,2,2,3,7"""


def of_observers() -> Units:
    return {
        f"u{place:02}": {name: float(line[place]) for name, line in OBSERVERS.items() if line[place] != "."}
        for place in range(12)
    }


def of_counts(rows: list[list[int]]) -> Units:
    """Units whose raters gave each value as often as a row of counts says."""
    found: Units = {}
    for number, row in enumerate(rows):
        given = [float(value) for value, count in enumerate(row) for _ in range(count)]
        found[f"u{number:03}"] = {f"r{rater}": value for rater, value in enumerate(given)}
    return found


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_reliability_table(level: Level, alpha: float) -> None:
    assert krippendorff_alpha(counts_of(of_observers()), level).value == pytest.approx(alpha, abs=0.0005)


def test_fleiss_1971_and_the_table_of_the_encyclopedia() -> None:
    psychiatrists = of_counts([[int(digit) for digit in row] for row in FLEISS_1971.split()])
    assert len(psychiatrists) == 30 and all(len(ratings) == 6 for ratings in psychiatrists.values())
    kappa, left_out = fleiss_kappa(counts_of(psychiatrists))
    assert kappa.value == pytest.approx(0.430, abs=0.0005) and left_out == 0
    other = of_counts([[int(number) for number in row.split(",")] for row in WIKIPEDIA.split()])
    assert fleiss_kappa(counts_of(other))[0].value == pytest.approx(0.210, abs=0.0005)


def brute_nominal_alpha(units: Units) -> float:
    """Alpha by its definition, from all ordered pairs of values of one unit."""
    pairs = [
        (first, second, len(ratings) - 1)
        for ratings in units.values()
        for first, second in permutations(ratings.values(), 2)
    ]
    number = sum(len(ratings) for ratings in units.values() if len(ratings) > 1)
    values = [value for ratings in units.values() if len(ratings) > 1 for value in ratings.values()]
    observed = sum((first != second) / weight for first, second, weight in pairs) / number
    expected = sum(a != b for a, b in permutations(values, 2)) / (number * (number - 1))
    return 1 - observed / expected


VALUES = st.integers(1, 4).map(float)
UNITS = st.lists(st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4), min_size=2, max_size=16).map(
    lambda units: {f"u{place:02}": ratings for place, ratings in enumerate(units)}
)


def defined(units: Units) -> bool:
    several = [ratings for ratings in units.values() if len(ratings) > 1]
    return len(several) > 1 and len({value for ratings in several for value in ratings.values()}) > 1


@given(UNITS.filter(defined))
def test_alpha_is_the_definition(units: Units) -> None:
    assert krippendorff_alpha(counts_of(units), "nominal").value == pytest.approx(brute_nominal_alpha(units), abs=1e-9)


@given(UNITS.filter(defined), st.sampled_from(["nominal", "ordinal"]))
def test_alpha_knows_neither_the_names_of_raters_nor_the_size_of_ordered_values(units: Units, level: Level) -> None:
    value = krippendorff_alpha(counts_of(units), level).value
    renamed = {f"x{name}": {f"r{rater}": v for rater, v in ratings.items()} for name, ratings in units.items()}
    stretched = {name: {rater: v**3 for rater, v in ratings.items()} for name, ratings in units.items()}
    alone = {**units, "zz": {"a": 2.0}}
    for other in (renamed, stretched, dict(reversed(units.items())), alone):
        assert krippendorff_alpha(counts_of(other), level).value == pytest.approx(value, abs=1e-9)


@given(UNITS)
def test_no_ratings_break_it(units: Units) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alpha = krippendorff_alpha(counts_of(units), "ordinal", Resampling(3))
        kappa, left_out = fleiss_kappa(counts_of(units), Resampling(3))
    assert (alpha.value is None) == alpha.note.startswith("not defined: ") == (not defined(units))
    assert (kappa.value is None) == kappa.note.startswith("not defined: ")
    assert 0 <= left_out <= len(units)


def test_full_agreement_is_one_and_chance_about_nought() -> None:
    same = {f"u{n}": {"a": float(n % 3), "b": float(n % 3)} for n in range(9)}
    assert krippendorff_alpha(counts_of(same), "ordinal").value == 1
    assert fleiss_kappa(counts_of(same))[0].value == 1


@pytest.mark.parametrize(
    ("units", "why"),
    [
        ({}, "no item has two ratings"),
        ({"u": {"a": 1.0}, "v": {"a": 2.0}}, "no item has two ratings"),
        ({"u": {"a": 1.0, "b": 2.0}, "v": {"a": 2.0}}, "only one item has two ratings"),
        ({"u": {"a": 3.0, "b": 3.0}, "v": {"a": 3.0, "b": 3.0}}, "all ratings are equal"),
        ({"u": {"a": 3.0, "b": 3.0}, "v": {"a": 3.0, "b": 3.0}, "w": {"a": 4.0}}, "all ratings are equal"),
    ],
)
def test_odd_data_gives_a_stated_result(units: Units, why: str) -> None:
    assert krippendorff_alpha(counts_of(units), "nominal", Resampling(5)).note == f"not defined: {why}"
    assert fleiss_kappa(counts_of(units), Resampling(5))[0].note == f"not defined: {why}"


def test_kappa_takes_the_units_with_the_commonest_number_of_ratings() -> None:
    rows = [[3, 0], [2, 1], [0, 3], [1, 1], [4, 0]]
    kappa, left_out = fleiss_kappa(counts_of(of_counts(rows)))
    assert left_out == 2 and kappa.value == fleiss_kappa(counts_of(of_counts(rows[:3])))[0].value


def test_the_interval_draws_instances_not_their_parts() -> None:
    units = {
        f"row{n}|{part}": {"a": float(n % 2), "b": float((n + (n % 5 == 0)) % 2)} for n in range(20) for part in "xyzw"
    }
    by_part = krippendorff_alpha(counts_of(units), "nominal", Resampling(200))
    by_row = krippendorff_alpha(counts_of(units, lambda name: name.partition("|")[0]), "nominal", Resampling(200))
    assert by_part.value == by_row.value
    widths = [found.high - found.low for found in (by_part, by_row)]  # type: ignore[operator]
    assert widths[1] > 1.5 * widths[0], "four equal parts say no more than one"


def test_what_to_install_is_said_where_statsmodels_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(alpha_and_kappa.importlib, "import_module", missing)
    units = {"u": {"a": 1.0, "b": 2.0}, "v": {"a": 2.0, "b": 2.0}}
    kappa, left_out = fleiss_kappa(counts_of(units))
    assert kappa.value is None and "pip install 'data-juicer-ext[eval]'" in kappa.note and left_out == 0
    assert krippendorff_alpha(counts_of(units), "nominal").value is not None, "the rest is there"
