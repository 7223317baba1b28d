"""Inputs that depend on what is there, packages of the paper's own, and image paths with macros."""

from __future__ import annotations

import pytest

from tests.latex.expand.test_flattening import flat


def test_a_file_that_may_be_there_is_named_by_macros_or_written_by_the_paper() -> None:
    call = "\\newcommand{\\n}{x}\\InputIfFileExists{\\n}{yes}{no}."
    assert flat(call, {"x.tex": "X "}).text == "X yes."
    written = "\\begin{filecontents}{x}\nX\n\\end{filecontents}"
    assert flat(written + call).text == "X\nyes."


@pytest.mark.parametrize("call", ["\\InputIfFileExists{x}{yes} no", "\\InputIfFileExists x", "\\InputIfFileExists{x}"])
def test_without_both_branches_it_is_no_such_input(call: str) -> None:
    assert "X" not in flat(call, {"x.tex": "X"}).text


def test_the_rest_of_a_file_after_endinput_is_left_out_but_the_paper_goes_on() -> None:
    assert flat("\\input{x} c", {"x.tex": "a\\endinput b"}).text == "a c"
    assert flat("\\input{x}\\input{x}", {"x.tex": "a\\endinput b"}).text == "aa"


def test_what_a_package_says_is_not_part_of_the_text() -> None:
    files = {"own.sty": "not shown \\newcommand{\\f}{\\ref{a}}", "more.sty": "\\newcommand{\\g}{\\ref{b}}"}
    assert flat("\\usepackage{own, more}\\f\\g.", files).text == "\\usepackage{own, more}\\ref{a}\\ref{b}."
    assert flat("\\RequirePackage[x]{own}\\f", files).text == "\\RequirePackage[x]{own}\\ref{a}"
    assert flat("\\usepackage own\\f", files).text == "\\usepackage own\\f"


def test_a_class_is_no_package() -> None:
    files = {"own.cls": "\\newcommand{\\f}{\\ref{a}}", "own.sty": "\\newcommand{\\f}{\\ref{b}}"}
    assert flat("\\documentclass{own}\\f", files).text == "\\documentclass{own}\\ref{a}"
    assert flat("\\usepackage{own}\\f", files).text == "\\usepackage{own}\\ref{b}"


def test_text_after_a_package_within_a_package_is_still_not_shown() -> None:
    files = {"own.sty": "\\RequirePackage{more} not shown", "more.sty": "nor this"}
    assert flat("\\usepackage{own}.", files).text == "\\usepackage{own}."


def test_only_the_class_options_decide_on_two_columns() -> None:
    test = "\\if@twocolumn two\\else one\\fi"
    assert flat("\\documentclass{x}\\usepackage[twocolumn]{y}" + test).text.endswith("one")
    assert flat("\\documentclass[twocolumn,10pt]{x}\\usepackage[onecolumn]{y}" + test).text.endswith("two")


@pytest.mark.parametrize(
    ("command", "live"),
    [
        ("\\includegraphics{\\d/a}", "\\includegraphics{x/a}"),
        ("\\includegraphics*[width=1][2,3]{\\d/a}", "\\includegraphics*[width=1][2,3]{x/a}"),
        ("\\includegraphics{a}", "\\includegraphics{a}"),
        ("\\includegraphics[\\d]{a}", "\\includegraphics[\\d]{a}"),
        ("\\includegraphics{\\d/a", "\\includegraphics{\\d/a"),
    ],
)
def test_macros_in_the_path_of_an_image_are_written_out(command: str, live: str) -> None:
    result = flat("\\newcommand{\\d}{x}\n\n" + command)
    assert result.text.strip() == live
    assert result.place(result.text.index("a")) == "main.tex:3"


def test_notes_say_which_input_was_not_found_and_where() -> None:
    result = flat("a\n\\input{x}", {"x.tex": "\n\n\\input{gone}\\input{../out}"})
    assert result.notes == [
        "input not found: 'gone' (x.tex:3)", "input refused: '../out' leaves the paper's folder"
    ]  # fmt: skip
