"""Figures that the text names by number, without \\ref."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.latex.papers import document, figure, read_text

PANELS = (
    "\\begin{figure}\\subfloat[A]{\\includegraphics{p}}\\subfloat[B]{\\includegraphics{q}}"
    "\\subfloat[C]{\\includegraphics{r}}\\caption{C}\\label{fig:e}\\end{figure}\n"
)
APPENDIX = "\\appendix\\renewcommand{\\thefigure}{A.\\arabic{figure}}\\setcounter{figure}{0}\n"
SUPPLEMENT = "\\renewcommand{\\thefigure}{S\\arabic{figure}}\\setcounter{figure}{0}\n"
FIGURES = "".join(map(figure, "abcd")) + PANELS + APPENDIX + figure("y") + figure("z") + SUPPLEMENT + figure("s")


def cited(tmp_path: Path, text: str, body: str = FIGURES, **options: object) -> list[str]:
    """The numbers of the figures and panels that a text of one paragraph cites."""
    options = {"plain_numbers": True, "granularity": "panel", **options}
    found = read_text(tmp_path, document(f"{body}\n\nWe see {text} here.\n"), **options)
    return [each.number for each in found if each.context and "context_of_figure" not in each.flags]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Figure 3", ["3"]), ("Fig. 3", ["3"]), ("Fig.~3", ["3"]), ("fig 3", ["3"]), ("FIG. 3", ["3"]),
        ("Figure\n3", ["3"]), ("Fig.\\ 3", ["3"]), ("Fig.\\,3", ["3"]), ("Fig.3", ["3"]), ("(Figure 3)", ["3"]),
        ("\\textbf{Figure 3}", ["3"]), ("\\figurename~3", ["3"]), ("\\figurename{} 3", ["3"]), ("Figure 3.", ["3"]),
        ("Figure 3's line", ["3"]),
        ("Fig. 5b", ["5", "5b"]), ("Fig. 5(b)", ["5", "5b"]), ("Fig.~5B", ["5", "5b"]), ("Figure 5 (a)", ["5", "5a"]),
        ("Figure 5a--c", ["5", "5a", "5b", "5c"]), ("Fig. 5(a)-(b)", ["5", "5a", "5b"]),
        ("Fig. 5a,b", ["5", "5a", "5b"]), ("Fig. 5(a) and (c)", ["5", "5a", "5c"]), ("Figure 3b", ["3"]),
        ("Figures 2 and 4", ["2", "4"]), ("Figs. 2--4", ["2", "3", "4"]), ("Figs.~2-4", ["2", "3", "4"]),
        ("Figures 2 to 4", ["2", "3", "4"]), ("Figs. 1, 2, and 4", ["1", "2", "4"]), ("Figs. 2\\&4", ["2", "4"]),
        ("Figures 1--2 and 4", ["1", "2", "4"]), ("Figs. 3 and 5b", ["3", "5", "5b"]), ("Fig. 2--3", ["2", "3"]),
        ("Figure 2 of [7], and Figure 3", ["3"]),
        ("Figure A.1", ["A.1"]), ("Figs. A.1 and A.2", ["A.1", "A.2"]), ("Figure S1", ["S1"]),
        ("Supplementary Figure 1", ["S1"]), ("Supplementary Fig. S1", ["S1"]),
    ],
)  # fmt: skip
def test_mentions(tmp_path: Path, text: str, numbers: list[str]) -> None:
    assert cited(tmp_path, text) == numbers


@pytest.mark.parametrize(
    "text",
    [
        "Section 3", "Equation (3)", "Eq. 3 and Table 2", "Sections 2 and 3", "Configure 3", "a figure of 3",
        "Figure 33",
        "Figure 3.5", "Figure (3)", "Fig.\n\n3", "Figure 3rd", "\\Figure 3", "Figure three", "Figure B.1",
        "\\cite[Fig.~3]{x}", "\\citep[see][Figs. 2 and 3]{x}", "Fig. 3 of \\cite{x}",
        "Figure 3 in Smith et al. \\cite{x}",
        "Fig. 3 of Ref. \\cite{x}", "\\citet{x}, Fig. 3,", "their Fig. 3", "Supplementary Figure 3",
        "Fig. 3 of the supplementary material", "\\verb|Figure 3|", "\\addtocounter{figure}{0}", "figure}{3}",
    ],
)  # fmt: skip
def test_what_is_no_mention(tmp_path: Path, text: str) -> None:
    assert cited(tmp_path, text) == []


def test_section_and_equation_numbers_are_not_taken_for_more_figures(tmp_path: Path) -> None:
    assert cited(tmp_path, "Figure 3 and Section 4") == ["3"]
    assert cited(tmp_path, "Figures 1, 2 and (4)") == ["1", "2"]
    assert cited(tmp_path, "Figure 3 and 4 others") == ["3"]


def test_off_unless_asked_for(tmp_path: Path) -> None:
    assert cited(tmp_path, "Figure 3", plain_numbers=False) == []


def test_numbers_are_those_that_latex_prints(tmp_path: Path) -> None:
    body = "\\numberwithin{figure}{section}\\section{One}" + figure("a") + "\\section{Two}" + figure("b") + figure("c")
    assert cited(tmp_path, "Figures 1.1 and 2.2", body) == ["1.1", "2.2"]
    assert cited(tmp_path, "Figure 2", body) == []
    roman = "\\renewcommand{\\thefigure}{\\Roman{figure}}" + figure("a") + figure("b")
    assert cited(tmp_path, "Figure II", roman) == ["II"]
    dashed = "\\renewcommand{\\thefigure}{\\thesection-\\arabic{figure}}\\section{S}" + figure("a") + figure("b")
    assert cited(tmp_path, "Figure 1-2", dashed) == ["1-2"]


def test_a_number_of_several_figures_means_none(tmp_path: Path) -> None:
    twice = figure("a") + "\\setcounter{figure}{0}" + figure("b")
    assert cited(tmp_path, "Figure 1", twice) == []
    part = "\\begin{figure}\\ContinuedFloat\\includegraphics{b}\\caption{Two}\\label{c}\\end{figure}"
    assert cited(tmp_path, "Figure 1", figure("a") + part) == ["1", "1"]


def test_made_and_typed_references_stand_in_the_order_of_the_text(tmp_path: Path) -> None:
    text = "One \\ref{fig:a}.\n\nTwo, Figure 1.\n\nThree \\ref{fig:a} and Fig. 1."
    (found,) = read_text(tmp_path, document(f"{figure('a')}\n{text}\n"), plain_numbers=True)
    assert found.context == ["One \\ref{fig:a}.", "Two, Figure 1.", "Three \\ref{fig:a} and Fig. 1."]


@pytest.mark.parametrize(
    "piece", ["Fig. ", "Figs. 1, ", "Fig. 1" + " " * 40, "Figures 1--", "\\cite[Fig. 1", "Fig. 1(a"]
)
def test_endless_lists_end(tmp_path: Path, piece: str) -> None:
    assert read_text(tmp_path, document(figure("a") + piece * 2000), plain_numbers=True)
