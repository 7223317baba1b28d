"""The live branch is read, the other one passed over, with switches as they stand at that place."""

from __future__ import annotations

import pytest

from tests.latex.expand.test_flattening import flat


@pytest.mark.parametrize(
    ("source", "live"),
    [
        ("\\ifstrequal{ a}{a }{yes}{no}.", "yes."),
        ("\\ifstrequal{a}{b}{yes}{no}.", "no."),
        ("\\ifstrempty{ }{yes}{no}.", "yes."),
        ("\\ifstrempty{a}{yes}{no}.", "no."),
        ("\\ifblank{}{yes}{no}.", "yes."),
        ("\\ifblank{a}{yes}{no}.", "no."),
        ("\\ifnotblank{a}{yes}{no}.", "yes."),
        ("\\ifnotblank{ }{yes}{no}.", "no."),
        ("\\def\\known{1}\\@ifundefined{known}{yes}{no}.", "no."),
        ("\\@ifundefined{unknown}{yes}{no}.", "yes."),
        ("\\IfFileExists{gone}{yes}{no}.", "no."),
        ("\\IfFileExists{../gone}{yes}{no}.", "no."),
        ("\\IfFileExists{ main }{yes}{no}.", "yes."),
        ("\\newcommand{\\w}{\\boolean{on}}\\newboolean{on}\\setboolean{on}{true}\\ifthenelse{\\w}{yes}{no}.", "yes."),
        ("\\iftoggle{unknown}{yes}{no}.", "no."),
        ("\\ifbool{ b }{yes}{no}.", "no."),
        ("\\newbool{b}\\booltrue{b}\\ifbool{ b }{yes}{no}.", "yes."),
        ("\\newbool{b}\\booltrue{b}\\boolfalse{b}\\ifbool{b}{yes}{no}.", "no."),
        ("\\newtoggle{t}\\settoggle{t}{ true }\\iftoggle{t}{yes}{no}.", "yes."),
        ("\\newtoggle{t}\\toggletrue{t}\\settoggle{t}{false}\\iftoggle{t}{yes}{no}.", "no."),
        ("\\newtoggle{t}\\toggletrue{t}\\togglefalse{t}\\iftoggle{t}{yes}{no}.", "no."),
        ("\\newtoggle{t}\\toggletrue{t}\\newtoggle{t}\\iftoggle{t}{yes}{no}.", "yes."),
    ],
)
def test_tests_with_braced_branches(source: str, live: str) -> None:
    assert flat(source).text == live


@pytest.mark.parametrize(
    "source",
    ["\\ifdefstring{\\x}{a}{yes}{no}.", "\\ifblank{a}{yes} no.", "\\ifboolexpr{x}{yes}{no}.", "\\newtoggle t."],
)
def test_a_test_that_is_not_known_or_not_whole_stays_as_it_is(source: str) -> None:
    assert flat(source).text == source


@pytest.mark.parametrize(
    ("source", "live"),
    [
        ("\\iftrue a\\or b\\else c\\fi d", " a d"),
        ("\\iftrue a\\fi\\iffalse b\\fi c", " a c"),
        ("\\newif\\ifd\\iftrue\\dtrue\\fi\\ifd a\\else b\\fi", " a"),
        ("\\newif\\ifd\\iffalse\\dtrue\\fi\\ifd a\\else b\\fi", " b"),
        ("\\newif\\ifd\\ifstrempty{}{\\dtrue}{}\\ifd a\\else b\\fi", " a"),
        ("\\newif\\ifd\\ifd\\iftrue a\\else b\\fi\\else c\\fi d", " c d"),
    ],
)
def test_switches_are_set_by_what_lives_alone(source: str, live: str) -> None:
    assert flat(source).text == live


def test_the_branch_of_an_unknown_switch_that_selects_chapters_is_passed_over() -> None:
    assert flat("\\ifchapteralone \\includeonly{a}\\else b\\fi c").text == " b c"
    assert flat("\\ifchapteralone a\\else \\includeonly{b}\\fi c").text == " a c"
    assert flat("\\newif\\ifd\\dtrue\\ifd\\includeonly{a}x\\fi\\include{b}c", {"b.tex": "b"}).text == "xc"
    far = "a" * 600
    assert flat(f"\\ifchapteralone {far}\\includeonly{{a}}\\fi").text.startswith(" " + far)


def test_tests_within_tests_end_where_they_are_too_deep() -> None:
    source = "\\ifstrempty{}{" * 200 + "x" + "}{no}" * 200
    assert "no" not in flat(source + ".").text
    assert flat("\\ifstrempty{}{\\ifstrempty{}{x}{no}}{no}").text == "x"


@pytest.mark.parametrize(("depth", "live"), [(40, "x"), (41, "")])
def test_forty_tests_within_one_another_are_read(depth: int, live: str) -> None:
    assert flat("\\ifstrempty{}{" * depth + "x" + "}{no}" * depth).text == live
