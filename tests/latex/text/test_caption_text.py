"""Captions as readable text."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.latex.expand.macros import Argument, Macro
from data_juicer_ext.latex.text.caption_text import comparable, plain
from tests.latex.papers import document, figure, read_folder, read_text

MACROS = {"name": Macro("name", (), "\\textsf{Our Net}"), "pair": Macro("pair", (Argument("m"),) * 2, "#1 and #2")}


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        ("Plain words.", "Plain words."),
        ("A\\label{x} b\\footnote{gone {too}}.", "A b."),
        ("\\protect\\textbf{A} {\\em b} \\texttt{c}", "A b c"),
        ("\\textcolor{red}{red} \\color{blue}blue", "red blue"),
        ("$\\alpha_{i}^2 \\le \\frac{1}{2}$", "α_i^2 ≤1/2"),
        ("about 5\\% of it", "about 5%\nof it"),
        ("\\name{} wins", "Our Net wins"),
        ("\\name\\ wins", "Our Net wins"),
        ("\\pair{a}{$b$}", "a and b"),
        ("As Fig.~\\ref{fig:a} and \\cref{fig:b}", "As Fig. 1 and figure 2b"),
        ("Panel \\subref{fig:b}", "Panel (b, fig:b)"),
        ("As \\figurename~\\ref{fig:a} and \\tablename\\ 3", "As Figure 1 and Table 3"),
        ("By \\citet[p.~3]{x}.", "By [cit.]."),
        ("See \\href{http://x.y/a%20}{here}", "See here"),
        ("At \\url{http://x.y/a_b%20c#d~e}.", "At http://x.y/a_b%20c#d~e."),
        ("M\\\"uller ``quoted''---dash", "Müller “quoted”—dash"),
        ("one\n  two\n\nthree", "one two three"),
        ("\\unknown{kept}", "kept"),
        ("x\x00\x07\ud800y", "xy"),
        ("", ""),
    ],
)
def test_plain(tex: str, text: str) -> None:
    assert plain(tex, MACROS, {"fig:a": "1", "fig:b": "2b"}) == text


@pytest.mark.parametrize(
    "tex", ["{" * 3000, "\\frac{" * 500, "$" * 999, "\\begin{a}" * 400, "\\" * 1001, "\\href" * 50]
)
def test_plain_never_fails(tex: str) -> None:
    assert isinstance(plain(tex, {}, {}), str)


def test_very_long_captions_are_cut() -> None:
    assert len(plain("word " * 20_000, {}, {})) <= 20_000


def test_rough_text_has_the_words() -> None:
    assert plain("A \\textbf{b} $c$", {}, {}, rough=True) == "A b c"


def test_broken_nesting_takes_no_exponential_time() -> None:
    tex = "\\footnote[\\sqrt[\\item[\\\\[" * 200
    assert isinstance(plain(tex, {}, {}), str)


def test_recursive_macros_end() -> None:
    loop = {"a": Macro("a", (), "x\\a\\a")}
    assert isinstance(plain("\\a", loop, {}), str)


def test_comparing_sees_words_only() -> None:
    assert comparable("A \\textbf{bold} 5\\% \\label{x} claim.") == comparable("a bold 5% claim")
    assert comparable("50% of it") == "50ofit"


def test_text_macros_can_be_left_alone(tmp_path: Path) -> None:
    latex = document(figure(caption="We call it \\name."), "\\newcommand{\\name}{Net}")
    assert read_text(tmp_path, latex)[0].caption == "We call it Net."
    assert read_text(tmp_path, latex, expand_caption_macros=False)[0].caption == "We call it."


def test_a_caption_read_from_a_file(tmp_path: Path) -> None:
    files = {"main.tex": document(figure(caption="\\protect\\input{cap}")), "cap.tex": "From a file.\n"}
    (found,) = read_folder(tmp_path, files).figures
    assert found.caption == "From a file."
    assert found.caption_tex == "\\protect From a file."


def test_the_tex_of_a_caption_and_its_place(tmp_path: Path) -> None:
    (found,) = read_text(tmp_path, document("\\begin{figure}\n\\caption{%\n  One $x$ \\label{a}}\n\\end{figure}"))
    assert found.caption == "One x"
    assert found.caption_tex == "One $x$ \\label{a}"
    assert found.caption_place == "text:6"
