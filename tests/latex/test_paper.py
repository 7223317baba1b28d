"""The way in: whole papers, options, and that nothing ever falls over."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.paper import figures_from_text, read_figures
from data_juicer_ext.rows import dump_figures, load_figures
from tests.latex.papers import document, figure, png, read_folder, write

FRAGMENTS = [
    "\\begin{figure}", "\\end{figure}", "\\begin{figure*}", "\\caption{", "\\caption[", "\\label{fig:a}",
    "}", "{", "[", "]", "\\includegraphics[page=2]{a}", "\\includegraphics{", "\\subfigure[",
    "\\subfloat[][]{", "\\subcaptionbox{", "\\fi", "\\begin{subfigure}{1cm}", "\\end{subfigure}",
    "\\begin{minipage}{1cm}", "\\end{minipage}", "\\captionof{figure}{", "\\ref{fig:a}", "\\cref{fig:a,b}",
    "\\hyperref[fig:a]{", "\\crefrange{fig:a}{b}", "\n\n", "%", "\n", "\\", "\\%", " ", "\\iffalse",
    "\\iftrue", "\\else", "\\newif\\ifx", "\\newcommand{\\m}[2][o]{", "\\m", "\\m{a}", "#1", "#2",
    "\\def\\n#1.", "\\n", "\\n x.", "\\let\\r\\ref", "\\r{fig:a}", "\\begin{verbatim}", "\\end{verbatim}",
    "\\verb|", "|", "\\input{a}", "\\input ", "\\begin{comment}", "\\end{comment}",
    "\\begin{filecontents}{a}", "\\end{filecontents}", "\\section{", "é", "\\begin{document}",
    "\\end{document}", "\\appendix", "\\ContinuedFloat", "\\graphicspath{{", "$", "\\item", "\\par",
    "\\newenvironment{e}{", "\\begin{e}", "\\end{e}", "\\ifthenelse{\\boolean{x}}{", "\\begin{tikzpicture}",
    "\\subcaption{", "\\setcounter{figure}{3}", "\\renewcommand{\\thefigure}{", "\\teaser{", "\\url{",
    "\x00", "\ud800", "\r", "abc", "~", "\\foreach \\x in {1,...,3}{", "\\includegraphics{\\x}", ";", "Fig. 1a",
    "Figs. 1--", "\\NewEnviron{e}[1]{", "\\BODY", "\\InputIfFileExists{a}{", "\\ContinuedFloat*", "\\twocolumn[{",
]  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60))
def test_any_jumble_of_latex_gives_valid_json(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    folder = tmp_path_factory.getbasetemp() / "jumble"
    latex = "\\documentclass{article}" + "".join(parts)
    for granularity in ("figure", "panel"):
        extraction = figures_from_text(latex, folder, LatexOptions(granularity=granularity, plain_numbers=True))
        text = dump_figures(extraction.figures)
        assert load_figures(text) == extraction.figures
        assert len({found.figure_id for found in extraction.figures}) == len(extraction.figures)
        for found in extraction.figures:
            assert len(found.context) == len(found.context_places) == len(found.section)
            assert found.flags == sorted(set(found.flags))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_as_a_paper(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.bin"
    path.write_bytes(data)
    try:
        json.loads(dump_figures(read_figures(path, path.parent / "images").figures))
    except PaperError as error:
        assert "bytes.bin" in str(error)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 40), st.text(string.printable, max_size=8))
def test_a_mutilated_paper(tmp_path_factory: pytest.TempPathFactory, at: int, cut: int, put: str) -> None:
    latex = document(
        "\\section{One}\nSee \\ref{fig:a} and \\figs{b}.\n\n" + figure("a") + figure("b", caption="Two $x_1$ \\emph{c}")
        + "\\begin{figure}\\subfloat[A\\label{p}]{\\includegraphics{a}}\\caption{C}\\end{figure}\n\nPanel \\ref{p}.",
        "\\newcommand{\\figs}[1]{Fig.~\\ref{fig:#1}}\n\\newif\\ifdraft\n\\graphicspath{{f/}}",
    )  # fmt: skip
    at %= len(latex)
    latex = latex[:at] + put + latex[at + cut :]
    folder = tmp_path_factory.getbasetemp() / "mutilated"
    json.loads(dump_figures(figures_from_text(latex, folder).figures))


def test_a_paper_without_figures(tmp_path: Path) -> None:
    extraction = read_folder(tmp_path, {"main.tex": document("Words only.")})
    assert extraction.figures == []
    assert extraction.main_file == "main.tex"


def test_text_that_is_empty(tmp_path: Path) -> None:
    with pytest.raises(PaperError, match="empty"):
        figures_from_text(" \n", tmp_path)


def test_the_main_file_can_be_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"main.tex": document(figure("a")), "other.tex": document(figure("b"))}
    extraction = read_folder(tmp_path, files, main_file="other.tex")
    assert extraction.figures[0].label == "fig:b"
    assert extraction.main_reason == "named by main_file"
    with pytest.raises(PaperError, match=r"nope\.tex"):
        read_folder(tmp_path, files, main_file="nope.tex")


def test_ids_are_readable_unique_and_the_same_again(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "main.tex": document(figure("a b/c") + figure("a b/c") + "\\begin{figure}\\includegraphics{x}\\end{figure}")
    }
    first = [found.figure_id for found in read_folder(tmp_path, files).figures]
    assert first == ["1:fig:a-b-c", "2:fig:a-b-c", "n3"]
    assert [found.figure_id for found in read_folder(tmp_path, files).figures] == first


@pytest.mark.parametrize(
    "data", [document(figure(caption="Größe é")).encode("latin-1"), document(figure(caption="Größe é")).encode()]
)
def test_other_encodings(tmp_path: Path, data: bytes) -> None:
    assert read_folder(tmp_path, {"main.tex": data}).figures[0].caption == "Größe é"


def test_control_characters_are_scrubbed(tmp_path: Path) -> None:
    latex = document(figure("a\x07", caption="A\x01B\ud800C") + "\nSee\x02 \\ref{fig:a\x07}.")
    (found,) = figures_from_text(latex, tmp_path).figures
    assert (found.caption, found.label, found.context) == ("AB?C", "fig:a", ["See \\ref{fig:a}."])


def test_panels_of_two_figures_stay_with_their_own(tmp_path: Path) -> None:
    part = "\\begin{figure}\\subfloat[P]{\\includegraphics{%s}\\label{sub}}\\caption{C%s}\\label{%s}\\end{figure}"
    latex = document(part % ("a", "a", "A") + part % ("b", "b", "B") + "\nSee \\ref{sub}.")
    found = figures_from_text(latex, tmp_path, LatexOptions(granularity="panel")).figures
    assert [(f.label, f.parent_label, len(f.context)) for f in found] == [
        ("A", "", 0), ("sub", "A", 0), ("B", "", 1), ("sub", "B", 1),
    ]  # fmt: skip


def test_notes_tell_what_is_missing(tmp_path: Path) -> None:
    extraction = read_folder(tmp_path, {"main.tex": document("\\input{gone}" + figure())})
    assert extraction.notes == ["input not found: 'gone' (main.tex:4)", "image_missing: 'a' (main.tex:5)"]


@pytest.mark.parametrize(
    "wrong",
    [{"granularity": "page"}, {"caption_matching_threshold": 2}, {"dpi": 0}, {"max_side": 1}, {"max_members": 0},
     {"paragraph_separator": "("}],
)  # fmt: skip
def test_options_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LatexOptions(**wrong)  # type: ignore[arg-type]


def test_a_folder_in_which_images_cannot_be_written(tmp_path: Path) -> None:
    folder = write(tmp_path / "p", {"main.tex": document(figure()), "a.png": png()})
    (tmp_path / "file").write_text("in the way")
    found = read_figures(folder, tmp_path / "file").figures[0]
    assert found.images == []
    assert found.flags == ["image_unreadable", "never_cited"]
