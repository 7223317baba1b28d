"""Figure numbers as they print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.latex.papers import document, figure, read_text

AFRESH = "\\appendix\\renewcommand{\\thefigure}{A\\arabic{figure}}\\setcounter{figure}{0}"
A, B, C = figure("a"), figure("b"), figure("c")


@pytest.mark.parametrize(
    ("body", "document_class", "numbers"),
    [
        (A + B + C, "article", ["1", "2", "3"]),
        ("\\section{X}" + A + "\\appendix\\section{Y}" + B, "article", ["1", "2"]),
        ("\\numberwithin{figure}{section}\\section{X}" + A + B + "\\section{Y}" + C, "article", ["1.1", "1.2", "2.1"]),
        ("\\counterwithin{figure}{section}\\section{X}" + A + "\\appendix\\section{Y}" + B, "article", ["1.1", "A.1"]),
        ("\\chapter{X}" + A + B + "\\chapter{Y}" + C, "book", ["1.1", "1.2", "2.1"]),
        ("\\chapter{X}" + A + "\\appendix\\chapter{Y}" + B, "report", ["1.1", "A.1"]),
        (A + AFRESH + B, "article", ["1", "A1"]),
        ("\\renewcommand\\thefigure{\\thesection.\\arabic{figure}}\\section{X}" + A, "article", ["1.1"]),
        ("\\def\\thefigure{S\\@arabic\\c@figure}" + A + B, "article", ["S1", "S2"]),
        ("\\renewcommand{\\thefigure}{\\Roman{figure}}" + A + B + C, "article", ["I", "II", "III"]),
        ("\\section{X}" + A + "\\appendix\\section{Y}" + B, "elsarticle", ["1", "A.2"]),
        ("\\addtocounter{figure}{4}" + A, "article", ["5"]),
        ("\\stepcounter{figure}" + A, "article", ["2"]),
        ("\\addtocounter{figure}{-1}" + A, "article", ["0"]),
        ("\\setcounter{figure}{7}" + A + "\\setcounter{table}{1}" + B, "article", ["8", "9"]),
        (A + "\\chapter{X}" + B, "book", ["1", "1.1"]),
        ("\\chapter*{X}" + A, "book", ["1"]),
        ("\\chapter{X}" + A, "article", ["1.1"]),
        ("\\part{X}\\chapter{Y}" + A + "\\part{Z}" + B, "book", ["1.1", "1.2"]),
        ("\\counterwithout{figure}{chapter}\\chapter{X}" + A + "\\chapter{Y}" + B, "book", ["1", "2"]),
        ("\\counterwithin*{figure}{section}\\section{X}" + A + "\\section{Y}" + B, "article", ["1", "1"]),
        ("\\makeatletter\\@addtoreset{figure}{section}\\section{X}" + A + "\\section{Y}" + B, "article", ["1", "1"]),
        ("\\section{X}" + A + "\\section{Y}" + B, "article", ["1", "2"]),
        ("\\renewcommand{\\thefigure}{\\alph{figure}}" + A + B, "article", ["a", "b"]),
        ("\\renewcommand{\\thefigure}{\\Alph{figure}}\\setcounter{figure}{25}" + A + B, "article", ["Z", "27"]),
        ("\\renewcommand{\\thefigure}{\\roman{figure}}\\setcounter{figure}{1993}" + A, "article", ["mcmxciv"]),
        ("\\renewcommand{\\thefigure}{\\roman{figure}}\\addtocounter{figure}{-1}" + A, "article", ["0"]),
        ("\\renewcommand{\\thefigure}{Fig. \\arabic{figure}}" + A, "article", ["1"]),
        ("\\renewcommand{\\thefigure}{\\thefigure}" + A, "article", [""]),
        ("\\begin{appendices}\\section{X}\\counterwithin{figure}{section}" + A, "article", ["A.1"]),
        (
            "\\counterwithin{figure}{subsection}\\section{X}\\subsection{Y}" + A + "\\section{Z}\\subsection{U}" + B,
            "article",
            ["1.1", "1.1"],
        ),
        ("\\section*{X}\\numberwithin{figure}{section}\\section{Y}" + A, "article", ["1.1"]),
    ],
)
def test_numbers(tmp_path: Path, body: str, document_class: str, numbers: list[str]) -> None:
    latex = document(body, document_class=document_class)
    assert [found.number for found in read_text(tmp_path, latex)] == numbers


def test_continued_floats_may_have_letters(tmp_path: Path) -> None:
    part = "\\begin{figure}\\ContinuedFloat\\includegraphics{x}\\caption{C}\\end{figure}"
    latex = document(
        A + "\\addtocounter{figure}{1}" + part * 2 + B, "\\renewcommand\\theContinuedFloat{\\alph{ContinuedFloat}}"
    )
    assert [found.number for found in read_text(tmp_path, latex)] == ["1", "2a", "2b", "3"]


def test_captions_without_number(tmp_path: Path) -> None:
    latex = document("\\begin{figure}\\includegraphics{x}\\caption*{C}\\end{figure}" + A)
    assert [found.number for found in read_text(tmp_path, latex)] == ["", "1"]


@pytest.mark.parametrize(
    ("macro", "call", "numbers"),
    [
        ("\\newcommand{\\supp}{\\setcounter{figure}{0}\\renewcommand{\\thefigure}{S\\arabic{figure}}}", "\\supp ",
         ["1", "S1"]),
        ("\\def\\further{\\appendix\\counterwithin{figure}{section}}", "\\further\\section{X}", ["1", "A.1"]),
        ("\\newenvironment{si}{\\setcounter{figure}{6}}{}", "\\begin{si}", ["1", "7"]),
    ],
)  # fmt: skip
def test_counting_that_a_macro_changes(tmp_path: Path, macro: str, call: str, numbers: list[str]) -> None:
    assert [found.number for found in read_text(tmp_path, document(A + call + B, macro))] == numbers


def test_panels_have_letters(tmp_path: Path) -> None:
    panels = "".join("\\subfloat[P]{\\includegraphics{p}}" for _ in range(28))
    latex = document(AFRESH + f"\\begin{{figure}}{panels}\\caption{{C}}\\label{{x}}\\end{{figure}}")
    found = read_text(tmp_path, latex, granularity="panel")
    assert [found[index].number for index in (0, 1, 2, 26, 27, 28)] == ["A1", "A1a", "A1b", "A1z", "A1aa", "A1ab"]


def test_a_number_that_the_paper_gives_itself(tmp_path: Path) -> None:
    given = figure("b", "\\includegraphics{b}\\figurenum{7b}")
    assert [found.number for found in read_text(tmp_path, document(A + given + C))] == ["1", "7b", "2"]
    before = document("\\figurenum{9}" + A)
    assert [found.number for found in read_text(tmp_path, before)] == ["1"]
