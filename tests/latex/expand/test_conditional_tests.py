"""Which branch of a conditional lives, and where its condition ends."""

from __future__ import annotations

import pytest

from data_juicer_ext.latex.expand.conditional_tests import Switches
from data_juicer_ext.latex.expand.macros import Macro

MACROS = {
    "one": Macro("one", (), "1"), "uno": Macro("uno", (), "1"), "two": Macro("two", (), " 2 "),
    "text": Macro("text", (), "1cm"), "long": Macro("long", (), "1234567890"),
}  # fmt: skip


def outcome_of(name: str, text: str) -> tuple[bool, str]:
    """The outcome of the conditional, and what stands after its condition."""
    outcome, after = Switches().test(name, "at" + text, 2, MACROS)
    return outcome, ("at" + text)[after:]


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("true", True), ("false", False), ("pdf", True), ("PDFTeX", True), ("pdftex", True), ("xetex", False),
        ("XeTeX", False), ("xetexorluatex", False), ("luatex", False), ("LuaTeX", False), ("mmode", False),
        ("hmode", True), ("vmode", False), ("inner", False), ("tutex", False), ("vtex", False),
    ],
)  # fmt: skip
def test_conditionals_are_what_pdflatex_makes_of_them_in_running_text(name: str, outcome: bool) -> None:
    assert outcome_of(name, " a") == (outcome, " a")


@pytest.mark.parametrize("name", ["unheardof", "voidb", "odd"])
def test_what_cannot_be_known_counts_as_true(name: str) -> None:
    assert outcome_of(name, " a") == (True, " a")


@pytest.mark.parametrize(
    ("text", "outcome", "rest"),
    [
        ("\\one\\uno a", True, "a"),
        ("\\one\\two a", False, "a"),
        ("aab", True, "b"),
        ("a b c", False, "c"),
        ("\\one\\undefined b", False, "b"),
        ("\\undefined\\one b", False, "b"),
        ("\\nope\\undefined b", True, "b"),
        ("\\@undefined\\nope b", True, "b"),
        ("\\nope\\relax b", True, "b"),
        ("\\undefined\\relax b", True, "b"),
        ("\\one 1b", True, "b"),
        ("", True, ""),
    ],
)
@pytest.mark.parametrize("name", ["x", "", "cat"])
def test_two_tokens_are_the_same_if_they_mean_the_same(name: str, text: str, outcome: bool, rest: str) -> None:
    assert outcome_of(name, text) == (outcome, rest)


@pytest.mark.parametrize(
    ("name", "text", "outcome", "rest"),
    [
        ("defined", "\\one a", True, "a"),
        ("defined", "\\nope a", False, "a"),
        ("defined", "{", True, "{"),
        ("csname", " one \\endcsname a", True, "a"),
        ("csname", "nope\\endcsname a", False, "a"),
        ("csname", "never ends", True, "never ends"),
    ],
)
def test_whether_a_macro_is_defined(name: str, text: str, outcome: bool, rest: str) -> None:
    assert outcome_of(name, text) == (outcome, rest)


@pytest.mark.parametrize(
    ("text", "outcome", "rest"),
    [
        ("1<2 a", True, "a"),
        ("2<2 a", False, "a"),
        ("2=2 a", True, "a"),
        ("1=2 a", False, "a"),
        ("2>1 a", True, "a"),
        ("2>2 a", False, "a"),
        (" -3 < -2 a", True, "a"),
        ("\\one<\\two a", True, "a"),
        ("\\two<\\one a", False, "a"),
        ("\\text>5 a", True, "a"),
        ("\\long<5 a", True, "a"),
        ("123456789<5 a", False, "a"),
        ("1234567890<5 a", True, "a"),
        ("\\value{page}<0 a", True, "a"),
        ("\\one is no comparison", True, "\\one is no comparison"),
    ],
)
@pytest.mark.parametrize("name", ["num", "dim"])
def test_numbers_are_compared_where_both_are_known(name: str, text: str, outcome: bool, rest: str) -> None:
    assert outcome_of(name, text) == (outcome, rest)


def test_a_switch_is_false_until_it_is_set() -> None:
    switches = Switches()
    switches.declare("draft")
    assert switches.test("draft", "", 0, {}) == (False, 0)
    assert switches.set_by_command("drafttrue")
    assert switches.test("draft", "", 0, {}) == (True, 0)
    switches.declare("draft")  # a second \newif does not set it back
    assert switches.test("draft", "", 0, {}) == (True, 0)
    assert switches.set_by_command("draftfalse")
    assert switches.test("draft", "", 0, {}) == (False, 0)


@pytest.mark.parametrize("command", ["drafttrue", "draft", "true", "false"])
def test_commands_of_undeclared_switches_set_nothing(command: str) -> None:
    switches = Switches()
    assert not switches.set_by_command(command)
    assert switches.state == {}


def test_let_copies_what_a_conditional_is_now() -> None:
    switches = Switches()
    switches.declare("source", True)
    assert (
        switches.alias("ifa", "\\iftrue") and switches.alias("ifb", "\\iffalse") and switches.alias("ifc", "\\ifsource")
    )
    switches.set_by_command("sourcefalse")
    assert switches.state == {"source": False, "a": True, "b": False, "c": True}


@pytest.mark.parametrize(("name", "target"), [("draft", "\\iftrue"), ("ifa", "\\relax"), ("ifa", "\\ifnever")])
def test_let_of_anything_else_makes_no_switch(name: str, target: str) -> None:
    switches = Switches()
    assert not switches.alias(name, target)
    assert switches.state == {}


@pytest.mark.parametrize("name", ["@twocolumn", "IEEE@twocolumn"])
def test_two_columns_follow_the_class_options(name: str) -> None:
    assert Switches().test(name, "", 0, {}) == (False, 0)
    assert Switches(two_columns=True).test(name, "", 0, {}) == (True, 0)


@pytest.mark.parametrize(
    ("expression", "outcome"),
    [
        ("\\boolean{on}", True),
        ("\\boolean{ on }", True),
        ("\\boolean{off}", False),
        ("\\boolean{unknown}", False),
        ("\\not\\boolean{on}", False),
        ("\\NOT\\boolean{off}", True),
        ("\\not\\not\\boolean{on}", True),
        ("\\notable\\boolean{on}", True),
        ("\\boolean{on}\\and\\boolean{off}", False),
        ("\\boolean{on}\\AND\\boolean{on}", True),
        ("\\boolean{on}\\or\\boolean{off}", True),
        ("\\boolean{off}\\OR\\boolean{off}", False),
        ("\\boolean{off}\\and\\boolean{off}\\or\\boolean{on}", True),
        ("\\equal{ a}{a }", True),
        ("\\equal{a}{b}", False),
        ("\\not\\equal{a}{b}", True),
        ("1 < 2", True),
        ("2<2", False),
        (" 3 = 3 ", True),
        ("-1>0", False),
        ("\\isodd{3}", True),
        ("\\not\\isodd{3}", True),
    ],
)
def test_expressions_of_ifthenelse(expression: str, outcome: bool) -> None:
    assert Switches({"on": True, "off": False}).test_expression(expression) is outcome
