"""How captions begin, and how sentences that look like one do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.pdf.page.caption_cues import figure_cue, other_caption, without_continued


@pytest.mark.parametrize(
    ("text", "number", "marked"),
    [
        ("Figure 3: Speeds", "3", True), ("Fig. 3. Speeds", "3", True), ("FIG. 3 Speeds", "3", False),
        ("Figure 3 | Speeds", "3", True), ("Fig. 2.— Speeds", "2", True), ("F IGURE 12. Speeds", "12", True),
        ("Figure A.1: Speeds", "A.1", True), ("Fig. S3. Speeds", "S3", True), ("Figure 2a. Speeds", "2a", True),
        ("Supplementary Figure 2: Speeds", "S2", True), ("Supplementary Figure S2: Speeds", "S2", True),
        ("Extended Data Fig. 1 | Speeds", "ED1", True), ("Figure 1 Distribution of speeds", "1", False),
        ("Figure 7", "7", False), ("▲ Figure 7: Speeds", "7", True), ("Figure IV. Speeds", "IV", True),
        ("Abb. 3: Speeds", "3", True), ("Figura 2.1: Speeds", "2.1", True),
    ],
)  # fmt: skip
def test_captions(text: str, number: str, marked: bool) -> None:
    cue = figure_cue(text)
    assert cue is not None
    assert (cue.number, cue.marked) == (number, marked)
    assert text[cue.end :].strip(" .:|—") == text.partition("Speeds")[1] or not cue.marked


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3 shows the speeds", "Fig. 3b illustrates them", "Figures 3 and 4 are", "Fig. 2.A shows",
        "Fig. 5d–i) are",
        "Figure skating is fast", "Figure 1: Speeds . . . . . . . . . . 12", "Configure 3: it", "(Figure 3) it",
        "figure", "3: Speeds",
    ],
)  # fmt: skip
def test_sentences_and_lists(text: str) -> None:
    assert figure_cue(text) is None


@pytest.mark.parametrize(
    "text", ["Table 1: Speeds", "TABLE IV", "Algorithm 2. Stop", "Listing 3: Code", "Scheme 1. A way"]
)
def test_captions_of_other_things(text: str) -> None:
    assert other_caption(text)


@pytest.mark.parametrize("text", ["Table 1 shows speeds", "Tables are", "Boxes 3 and 4", "Scheme theory"])
def test_sentences_about_other_things(text: str) -> None:
    assert not other_caption(text)


@pytest.mark.parametrize(
    "text", ["Figure 3 (continued)", "Fig. 3. (Cont.) Speeds", "Figure 3: Continued.", "Fig. 3 cont'd"]
)
def test_what_goes_on(text: str) -> None:
    cue = figure_cue(text)
    assert cue is not None and cue.continued
    assert without_continued(text[cue.end :]) in ("", "Speeds")


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for start in ("", "Figure 1", "Fig. S2."):
        cue = figure_cue(start + text)
        assert cue is None or 0 < cue.end <= len(start + text)
