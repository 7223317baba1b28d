from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.judging.runner import apply_runner, caps_of, fuse_misleading_risk, severity_of

# The fused score before any cap: a row a lower end of the band, a column an upper end, both 1 to 10.
# Written out from the table of severities, halves to the even neighbour.
FUSED = {
    "none": """
         1  2  2  2  3  4  4  4  5  6
         .  2  2  3  4  4  4  5  6  6
         .  .  3  4  4  4  5  6  6  6
         .  .  .  4  4  5  6  6  6  7
         .  .  .  .  5  6  6  6  7  8
         .  .  .  .  .  6  6  7  8  8
         .  .  .  .  .  .  7  8  8  8
         .  .  .  .  .  .  .  8  8  9
         .  .  .  .  .  .  .  .  9 10
         .  .  .  .  .  .  .  .  . 10
    """,
    "minor": """
         1  1  1  2  2  2  3  4  4  4
         .  2  2  2  2  3  4  4  4  5
         .  .  3  3  3  4  4  4  5  6
         .  .  .  4  4  4  4  5  6  6
         .  .  .  .  5  5  5  6  6  6
         .  .  .  .  .  6  6  6  6  7
         .  .  .  .  .  .  7  7  7  8
         .  .  .  .  .  .  .  8  8  8
         .  .  .  .  .  .  .  .  9  9
         .  .  .  .  .  .  .  .  . 10
    """,
    "moderate": """
         1  2  2  2  3  6  6  6  6  6
         .  2  2  3  4  6  6  6  6  6
         .  .  3  4  4  6  6  6  6  6
         .  .  .  4  4  6  6  6  6  6
         .  .  .  .  5  6  6  6  6  6
         .  .  .  .  .  6  6  6  6  6
         .  .  .  .  .  .  6  6  6  6
         .  .  .  .  .  .  .  6  6  6
         .  .  .  .  .  .  .  .  6  6
         .  .  .  .  .  .  .  .  .  6
    """,
    "severe": """
         1  2  2  4  4  4  4  4  4  4
         .  2  2  4  4  4  4  4  4  4
         .  .  3  4  4  4  4  4  4  4
         .  .  .  4  4  4  4  4  4  4
         .  .  .  .  4  4  4  4  4  4
         .  .  .  .  .  4  4  4  4  4
         .  .  .  .  .  .  4  4  4  4
         .  .  .  .  .  .  .  4  4  4
         .  .  .  .  .  .  .  .  4  4
         .  .  .  .  .  .  .  .  .  4
    """,
    "contradiction": """
         2  2  2  2  2  2  2  2  2  2
         .  2  2  2  2  2  2  2  2  2
         .  .  2  2  2  2  2  2  2  2
         .  .  .  2  2  2  2  2  2  2
         .  .  .  .  2  2  2  2  2  2
         .  .  .  .  .  2  2  2  2  2
         .  .  .  .  .  .  2  2  2  2
         .  .  .  .  .  .  .  2  2  2
         .  .  .  .  .  .  .  .  2  2
         .  .  .  .  .  .  .  .  .  2
    """,
}
CAPS = (None, *range(1, 11))


@pytest.mark.parametrize("severity", FUSED)
def test_every_band_and_cap_gives_what_the_table_says(severity: str) -> None:
    rows = [line.split() for line in FUSED[severity].strip().splitlines()]
    seen = 0
    for low in range(1, 11):
        for high in range(low, 11):
            expected = int(rows[low - 1][high - 1])
            for cap in CAPS:
                fused = fuse_misleading_risk(low, high, severity, cap)
                assert fused == (expected if cap is None else min(expected, cap)), (low, high, cap)
                assert type(fused) is int
                seen += 1
    assert seen == 55 * 11


@pytest.mark.parametrize("band", [(0, 5), (5, 4), (1, 11), (-1, -1)])
def test_a_band_outside_the_scale_is_an_error(band: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="risk band"):
        fuse_misleading_risk(*band, "none")


def test_an_unknown_severity_or_cap_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"'mild' is not one of none, minor"):
        fuse_misleading_risk(3, 5, "mild")
    for cap in (0, 11, True, 6.5):
        with pytest.raises(ValueError, match="cap"):
            fuse_misleading_risk(3, 5, "none", cap)  # type: ignore[arg-type]


BOTH = {"caption", "context"}
VISION: dict[str, Any] = {"VC": 9, "SL": 8, "risk_band": [7, 9]}
SCORES: dict[str, Any] = {"C": 8, "CTX": 9, "MR": 1}
LANGUAGE: dict[str, Any] = {"severity": "none"}


def test_the_scores_of_a_figure_with_all_evidence() -> None:
    assert apply_runner(SCORES, VISION, LANGUAGE, BOTH) == {"VC": 9, "SL": 8, "C": 8, "CTX": 9, "MR": 8, "overall": 8.4}


def test_clarity_and_layout_are_the_vision_stages_whatever_others_say() -> None:
    final = apply_runner({**SCORES, "VC": 2, "SL": 1}, VISION, {**LANGUAGE, "VC": 3}, BOTH)
    assert (final["VC"], final["SL"]) == (9, 8)


def test_what_fusion_proposes_for_misleading_risk_is_not_read() -> None:
    for proposed in (1, 10, "nonsense", None):
        assert apply_runner({**SCORES, "MR": proposed}, VISION, LANGUAGE, BOTH)["MR"] == 8
    assert apply_runner({"C": 8, "CTX": 9}, VISION, LANGUAGE, BOTH)["MR"] == 8


@pytest.mark.parametrize(
    ("caps", "expected"),
    [
        ({"caps": {"C": 6, "CTX": 5, "MR": 4}}, (6, 5, 4)),
        ({"cap_C": 6, "cap_CTX": 5, "cap_MR": 4}, (6, 5, 4)),
        ({"caps": {"C": 10, "CTX": None}}, (8, 9, 8)),
        ({"caps": None}, (8, 9, 8)),
        ({"caps": {"C": 1}}, (1, 9, 8)),
    ],
)
def test_caps_bound_from_above_and_never_raise(caps: dict[str, Any], expected: tuple[int, int, int]) -> None:
    final = apply_runner(SCORES, VISION, {**LANGUAGE, **caps}, BOTH)
    assert (final["C"], final["CTX"], final["MR"]) == expected


@pytest.mark.parametrize(
    ("available", "gated", "overall"),
    [
        (BOTH, set(), (9 + 8 + 8 + 9 + 8) / 5),
        ({"caption"}, {"CTX"}, (9 + 8 + 8 + 8) / 4),
        ({"context"}, {"C"}, (9 + 8 + 9 + 8) / 4),
        ({"VC", "SL", "C", "CTX", "MR"}, set(), (9 + 8 + 8 + 9 + 8) / 5),
        ({"VC", "SL", "C", "MR"}, {"CTX"}, (9 + 8 + 8 + 8) / 4),
        (set(), {"VC", "SL", "C", "CTX", "MR"}, None),
    ],
)
def test_gated_dimensions_are_null_and_not_in_the_mean(
    available: set[str], gated: set[str], overall: float | None
) -> None:
    final = apply_runner(SCORES, VISION, LANGUAGE, available)
    assert {name for name in ("VC", "SL", "C", "CTX", "MR") if final[name] is None} == gated
    assert final["overall"] == (None if overall is None else pytest.approx(overall))


def test_a_cap_on_a_gated_dimension_does_not_open_it() -> None:
    final = apply_runner(SCORES, VISION, {**LANGUAGE, "caps": {"CTX": 6}}, {"caption"})
    assert final["CTX"] is None


def test_a_contradiction_brings_context_and_risk_down_to_two() -> None:
    for scores, language in (({"severity": "contradiction"}, LANGUAGE), ({}, {"severity": "contradiction"})):
        final = apply_runner({**SCORES, **scores}, VISION, language, BOTH)
        assert final == {"VC": 9, "SL": 8, "C": 8, "CTX": 2, "MR": 2, "overall": 5.8}
    final = apply_runner({**SCORES, "CTX": 1, "severity": "contradiction"}, VISION, LANGUAGE, BOTH)
    assert final["CTX"] == 1
    assert apply_runner({**SCORES, "severity": "contradiction"}, VISION, LANGUAGE, {"caption"})["CTX"] is None


def test_the_worse_severity_of_the_two_stages_counts() -> None:
    assert severity_of({"severity": "none"}, {"severity": "severe"}) == "severe"
    assert severity_of({"severity": "moderate"}, {"severity": "minor"}) == "moderate"
    assert severity_of({}, {}) == "none"
    with pytest.raises(ValueError, match="'bad'"):
        severity_of({"severity": "bad"}, {})


@pytest.mark.parametrize(
    "band", [{"risk_band": [7, 9]}, {"risk_band": {"low": 7, "high": 9}}, {"band": (7, 9)}, {"low": 7, "high": 9}]
)
def test_the_band_may_be_written_in_each_of_its_forms(band: dict[str, Any]) -> None:
    assert apply_runner(SCORES, {"VC": 9, "SL": 8, **band}, LANGUAGE, BOTH)["MR"] == 8


def test_scores_may_stand_in_objects_with_their_reasons() -> None:
    scored = {name: {"score": value, "reason": "x"} for name, value in {**SCORES, "VC": 9, "SL": 8}.items()}
    assert apply_runner(scored, {**scored, "risk_band": [7, 9]}, LANGUAGE, BOTH)["overall"] == 8.4


@pytest.mark.parametrize("wrong", [None, 0, 11, 7.5, True, "8"])
def test_a_score_that_is_on_but_missing_or_off_the_scale_is_an_error(wrong: Any) -> None:
    with pytest.raises(ValueError, match="scores: C"):
        apply_runner({**SCORES, "C": wrong}, VISION, LANGUAGE, BOTH)
    with pytest.raises(ValueError, match="vision: VC"):
        apply_runner(SCORES, {**VISION, "VC": wrong}, LANGUAGE, BOTH)
    assert apply_runner({**SCORES, "C": wrong}, VISION, LANGUAGE, {"context"})["C"] is None


def test_caps_are_told_for_each_of_the_three() -> None:
    assert caps_of({"caps": {"C": 6}, "cap_MR": 3}) == {"C": 6, "CTX": None, "MR": 3}
