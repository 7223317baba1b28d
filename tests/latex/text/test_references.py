"""Citing paragraphs: which references count, and where a paragraph begins and ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.latex.papers import document, figure, read_folder, read_text


def context(tmp_path: Path, text: str, preamble: str = "", **options: object) -> list[str]:
    return read_text(tmp_path, document(f"{figure('a')}\n{text}\n", preamble), **options)[0].context


@pytest.mark.parametrize(
    "reference",
    [
        "Figure~\\ref{fig:a}", "\\cref{fig:a}", "\\Cref{fig:a}", "\\autoref{fig:a}", "\\vref{fig:a}", "\\fref{fig:a}",
        "\\ref*{fig:a}", "\\autoref*{fig:a}", "\\hyperref[fig:a]{the figure}", "\\hyperref[fig:a]{Fig.~\\ref*{fig:a}}",
        "\\cref{tab:x,fig:a}", "\\cref{fig:a, tab:y}", "\\ref{ fig:a }", "\\ref {fig:a}", "\\subref{fig:a}",
        "\\nameref{fig:a}", "\\labelcref{fig:a}", "\\crefrange{fig:a}{fig:z}", "\\Crefrange*{fig:z}{fig:a}",
        "\\vrefrange{fig:a}{fig:z}", "\\zcref[S]{fig:a}", "\\Vref{fig:a}", "\\cref*{fig:a}",
        "\\footnote{See \\ref{fig:a}.}",
        "\\Figref{fig:a}", "\\figref{a}",
    ],
)  # fmt: skip
def test_reference_commands(tmp_path: Path, reference: str) -> None:
    text = f"Before {reference} after."
    assert context(tmp_path, text) == [text]


@pytest.mark.parametrize(
    "text",
    ["\\pageref{fig:a}", "\\eqref{fig:a}", "\\href{fig:a}{x}", "\\ref{fig:b}", "\\cite{fig:a}",
     "\\refstepcounter{fig:a}",
     "%\\ref{fig:a}", "\\verb|\\ref{fig:a}|", "\\begin{verbatim}\\ref{fig:a}\\end{verbatim}", "Figure 1", "\\ref{}"],
)  # fmt: skip
def test_what_is_no_reference(tmp_path: Path, text: str) -> None:
    assert context(tmp_path, f"Words {text}\nmore.") == []


def test_the_papers_own_wrappers(tmp_path: Path) -> None:
    macros = "\\newcommand{\\Fg}[1]{Figure~\\rf{#1}}\n\\newcommand{\\rf}[1]{\\ref{fig:#1}}"
    assert context(tmp_path, "\\Fg{a} shows it.", macros) == ["Figure~\\ref{fig:a} shows it."]


def test_own_commands_can_be_named(tmp_path: Path) -> None:
    assert context(tmp_path, "See \\zeige{fig:a}.", citation_commands=("zeige",)) == ["See \\zeige{fig:a}."]
    assert context(tmp_path, "See \\ref{fig:a}.", citation_commands=("zeige",)) == []


def test_a_range_names_what_lies_between(tmp_path: Path) -> None:
    body = "".join(figure(name) for name in "abcd") + "\nSee \\crefrange{fig:a}{fig:c}.\n"
    found = read_text(tmp_path, document(body))
    assert [len(f.context) for f in found] == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("One \\ref{fig:a}.\n\nTwo.\n\nThree \\ref{fig:a}.", ["One \\ref{fig:a}.", "Three \\ref{fig:a}."]),
        ("No.\n  \t\nYes \\ref{fig:a}.\n\t\nNo.", ["Yes \\ref{fig:a}."]),
        ("No.\\par Yes \\ref{fig:a}.\\par No.", ["Yes \\ref{fig:a}."]),
        ("\\section{H}\\label{s}\nYes \\ref{fig:a}.\n\\subsection*{No}\nNo.", ["Yes \\ref{fig:a}."]),
        ("\\paragraph{Run-in.} Yes \\ref{fig:a}.", ["Yes \\ref{fig:a}."]),
        ("\\noindent\nYes \\ref{fig:a}.", ["Yes \\ref{fig:a}."]),
        ("\\begin{itemize}\n\\item Yes \\ref{fig:a}.\n\\item More.\n\\end{itemize}",
         ["Yes \\ref{fig:a}.\n\\item More.\n\\end{itemize}"]),
        ("A \\ref{fig:a}\n\\begin{equation}\nx\n\\end{equation}\nand so.",
         ["A \\ref{fig:a}\n\\begin{equation}\nx\n\\end{equation}\nand so."]),
        ("A\n\\begin{table}\nT\n\n\\caption{\\ref{fig:a}}\n\\end{table}\nsees \\ref{fig:a}.",
         ["A\nsees \\ref{fig:a}."]),
        ("A % note \\ref{fig:a}\nsees% glued\n\\ref{fig:a}.", ["A sees\\ref{fig:a}."]),
        ("%Old\nNew \\ref{fig:a}.", ["New \\ref{fig:a}."]),
        ("Twice \\ref{fig:a} and \\ref{fig:a}.", ["Twice \\ref{fig:a} and \\ref{fig:a}."]),
        ("A \\verb|x|\n\\begin{verbatim}\n\n\\end{verbatim}\n\\ref{fig:a}.",
         ["A \\verb|x|\n\\begin{verbatim}\n\n\\end{verbatim}\n\\ref{fig:a}."]),
        ("\\begin{abstract}\nA \\ref{fig:a}.\n\\end{abstract}\nB.", ["A \\ref{fig:a}."]),
    ],
)  # fmt: skip
def test_paragraphs(tmp_path: Path, text: str, paragraphs: list[str]) -> None:
    assert context(tmp_path, text) == paragraphs


def test_the_papers_own_separator(tmp_path: Path) -> None:
    assert context(tmp_path, "No. // Yes \\ref{fig:a}. // No.", paragraph_separator="//") == ["Yes \\ref{fig:a}."]


def test_windows_line_ends(tmp_path: Path) -> None:
    latex = document(f"{figure('a')}\nNo.\n\nYes \\ref{{fig:a}}.\n\nNo.").replace("\n", "\r\n")
    found = read_folder(tmp_path, {"p.tex": latex.encode()}).figures[0]
    assert found.context == ["Yes \\ref{fig:a}."]
    assert found.context_places == ["p.tex:12"]


def test_sections_and_places(tmp_path: Path) -> None:
    files = {
        "main.tex": document("\\input{intro}\n\\section[s]{The \\emph{Method}}\n\nYes \\ref{fig:a}."),
        "intro.tex": f"Top \\ref{{fig:a}}.\n\n\\section{{Intro}}\n{figure('a')}\nIn {{\\bf it}} \\ref{{fig:a}}.\n",
    }
    found = read_folder(tmp_path, files).figures[0]
    assert found.section == ["", "Intro", "The Method"]
    assert found.context_places == ["intro.tex:1", "intro.tex:10", "main.tex:7"]


def test_of_an_endless_paragraph_what_stands_around_the_reference(tmp_path: Path) -> None:
    text = "start " + "word " * 10_000 + "see \\ref{fig:a} here" + " word" * 10_000
    (found,) = read_text(tmp_path, document(f"{figure('a')}\n{text}\n"))
    assert "see \\ref{fig:a} here" in found.context[0]
    assert len(found.context[0]) < 12_000
    assert found.flags == ["context_cut", "image_missing"]


def test_references_in_captions_are_no_paragraphs(tmp_path: Path) -> None:
    assert context(tmp_path, figure("b", caption="As \\ref{fig:a}.")) == []


def test_of_equal_labels_the_last_counts(tmp_path: Path) -> None:
    latex = document(figure("a", caption="One") + figure("a", caption="Two") + "\nSee \\ref{fig:a}.")
    assert [len(found.context) for found in read_text(tmp_path, latex)] == [0, 1]
    taken = document(figure("a") + "\\begin{table}\\caption{T}\\label{fig:a}\\end{table}\nSee \\ref{fig:a}.")
    assert read_text(tmp_path, taken)[0].context == []


def test_text_between_floats_keeps_its_order(tmp_path: Path) -> None:
    text = f"One\n{figure('b')}two \\ref{{fig:a}}\n{figure('c')}three."
    assert context(tmp_path, text) == ["One\ntwo \\ref{fig:a}\nthree."]
