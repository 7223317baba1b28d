"""Figures named in running text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.pdf.text.references import FigureNumbers

NUMBERS = FigureNumbers(["1", "2", "3", "4", "5", "6", "A.1", "A.2", "S1", "S2", "ED1"])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("as Figure 3 shows", "3"), ("(see Fig. 3a)", "3"), ("Fig. 3(b) and", "3"), ("FIG. 3", "3"), ("in Fig.3", "3"),
        ("Figs. 2 and 3", "2 3"), ("Figures 2-4 are", "2 3 4"), ("Figures 2–4", "2 3 4"), ("Figs. 2 to 4", "2 3 4"),
        ("Figs. 1, 3–5 and A.2", "1 3 4 5 A.2"), ("Figures 1, 2, and 6.", "1 2 6"), ("Fig. A1 shows", "A.1"),
        ("Supplementary Fig. S2", "S2"), ("Supplementary Figs. 1 and 2", "S1 S2"), ("Extended Data Fig. 1", "ED1"),
        ("Figs. 2a,b and 3c", "2 3"), ("Figures 2(a)–(c)", "2"), ("Fig. 2 and Fig. 3", "2 3"), ("Figs. 1 & 2", "1 2"),
        ("Figure 2. Then", "2"), ("Figure 1 and 2 others", "1 2"), ("F IGURE 4", "4"), ("figure 5 gives", "5"),
        ("Figure 9", ""), ("Table 3", ""), ("configure 3", ""), ("their Fig. 3", ""), ("Fig. 3 of Smith et al.", ""),
        ("Fig. 2 in Ref. 7", ""), ("Fig. 2 of [7]", ""), ("(Smith 2010; Fig. 2)", ""), ("[7, Fig. 2]", ""),
        ("Smith (2010), Figure 2", ""), ("Figure 1.9", ""), ("as in [7], Fig. 2 shows", "2"),
        ("In 2010, Fig. 2 was", "2"),
    ],
)  # fmt: skip
def test_forms(text: str, numbers: str) -> None:
    assert NUMBERS.named_in(f"It is {text} for us.") == numbers.split()


def test_numbers_with_a_chapter_in_front_are_no_range() -> None:
    numbers = FigureNumbers(["2-1", "2-4", "3.1", "2", "3", "4"])
    assert numbers.named_in("Figure 2-4 and Fig. 3.1 and Figs. 2-3") == ["2-4", "3.1", "2", "3"]


def test_panels_that_are_figures_of_their_own() -> None:
    numbers = FigureNumbers(["7a", "7b", "8"])
    assert numbers.named_in("Figure 7a shows") == ["7a"]
    assert numbers.named_in("Figures 7 and 8 show") == ["7a", "7b", "8"]
    assert numbers.named_in("Figure 8b shows") == ["8"]


def test_each_once_in_the_order_of_the_text() -> None:
    assert NUMBERS.named_in("Fig. 3 is Fig. 1, and Fig. 3 again.") == ["3", "1"]


@given(
    st.text(max_size=200),
    st.lists(st.sampled_from(["Fig. ", "Figs. 1-", " and ", "2", "S1", "(a)", ", ", "–"]), max_size=30),
)
def test_any_text_names_known_figures_only(text: str, parts: list[str]) -> None:
    named = NUMBERS.named_in(text + "".join(parts) + text)
    assert set(named) <= {"1", "2", "3", "4", "5", "6", "A.1", "A.2", "S1", "S2", "ED1"}
    assert len(named) == len(set(named))
