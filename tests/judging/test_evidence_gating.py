from __future__ import annotations

import pytest

from data_juicer_ext.judging.evidence_gating import available_dimensions, dimensions_on, evidence_of, gated_mean

TABLE = [
    ({"caption", "context"}, ("VC", "SL", "C", "CTX", "MR")),
    ({"caption"}, ("VC", "SL", "C", "MR")),
    ({"context"}, ("VC", "SL", "CTX", "MR")),
    (set(), ()),
]


@pytest.mark.parametrize(("evidence", "on"), TABLE)
def test_the_gating_table(evidence: set[str], on: tuple[str, ...]) -> None:
    assert dimensions_on(evidence) == on
    assert available_dimensions(evidence) == on
    if on:
        assert available_dimensions(set(on)) == on


@pytest.mark.parametrize(
    ("given", "on"),
    [
        ({"c", "T"}, ("VC", "SL", "C", "CTX", "MR")),
        ({"c"}, ("VC", "SL", "C", "MR")),
        ({"image", "citing"}, ("VC", "SL", "CTX", "MR")),
        ({"image"}, ()),
        ({"C"}, ("VC", "SL", "C", "MR")),
        ({"CTX", "C"}, ("VC", "SL", "C", "CTX", "MR")),
        ({"VC", "SL"}, ("VC", "SL")),
    ],
)
def test_other_ways_to_say_what_is_available(given: set[str], on: tuple[str, ...]) -> None:
    assert available_dimensions(given) == on


@pytest.mark.parametrize("given", [{"captions"}, {"caption", "CTX"}, {"vc"}])
def test_what_is_neither_evidence_nor_dimensions_is_an_error(given: set[str]) -> None:
    with pytest.raises(ValueError, match="available"):
        available_dimensions(given)


@pytest.mark.parametrize("caption", ["", "  \n", "Figure 3", "Fig. 12:", "FIG 3a.", "Figure A.1.", "Fig. S2 |"])
def test_a_caption_without_words_is_none(caption: str) -> None:
    assert evidence_of(caption, []) == frozenset()


@pytest.mark.parametrize("caption", ["Overview", "Figure 3: Loss", "3D view", "Figures of merit", "(a) Left"])
def test_a_caption_with_words_is_evidence(caption: str) -> None:
    assert evidence_of(caption, []) == {"caption"}


def test_blank_paragraphs_are_no_context() -> None:
    assert evidence_of("", [" ", ""]) == frozenset()
    assert evidence_of("Overview", [" ", "As Figure 3 shows"]) == {"caption", "context"}


def test_the_mean_leaves_nulls_out() -> None:
    assert gated_mean({"VC": 8, "SL": 9, "C": None, "CTX": None, "MR": 4, "overall": 1}) == 7
    assert gated_mean({"VC": None}) is None
    assert gated_mean({}) is None
