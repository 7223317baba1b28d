"""Which macros are worth writing out, through all that calls them."""

from __future__ import annotations

import pytest

from data_juicer_ext.latex.expand.macros import Argument, Macro
from data_juicer_ext.latex.expand.relevant_macros import Worth, carries, commands_in, drops_argument


def macro(name: str, body: str, arguments: int = 0) -> Macro:
    return Macro(name, (Argument("m"),) * arguments, body)


@pytest.mark.parametrize(
    "body", ["\\label{a}", "see \\ref{a}", "\\myref{a}", "\\begin{figure*}", "\\input{a}", "\\caption{a}"]
)
def test_what_holds_a_figure_or_a_reference_is_worth_it(body: str) -> None:
    assert carries(body)
    assert Worth([macro("a", body)]).holds("a")


@pytest.mark.parametrize("body", ["text", "\\emph{a}", "\\href{a}{b}", "\\eqref{a}", "\\labels{a}", "\\begin{center}"])
def test_text_is_not(body: str) -> None:
    assert not carries(body)
    assert not Worth([macro("a", body)]).holds("a")


def test_a_macro_that_drops_an_argument_is_worth_it() -> None:
    worth = Worth([macro("hide", "", 1), macro("show", "#1", 1), Macro("e", (Argument("m"),), "", environment=True)])
    assert [worth.holds(name) for name in ("hide", "show", "e", "unknown")] == [True, False, False, False]
    assert drops_argument(macro("second", "#2", 2))


def test_callers_are_worth_it_whatever_was_defined_first() -> None:
    worth = Worth([macro("top", "\\middle"), macro("middle", "\\low")])
    assert not worth.holds("top")
    worth.define(macro("low", "\\ref{a}"))
    assert worth.holds("top")
    assert worth.holds("middle")
    worth.define(macro("late", "\\top"))
    assert worth.holds("late")


def test_a_macro_redefined_as_text_is_not_worth_it() -> None:
    worth = Worth([macro("a", "\\ref{b}")])
    assert worth.holds("a")
    worth.define(macro("a", "text"))
    assert not worth.holds("a")


def test_macros_that_call_each_other() -> None:
    worth = Worth([macro("a", "\\b"), macro("b", "\\a")])
    assert not worth.holds("a")
    worth.define(macro("b", "\\a\\label{x}"))
    assert worth.holds("a")
    assert worth.holds("b")


def test_commands_in_a_body() -> None:
    assert commands_in("\\a b\\c@d{\\%}") == ["a", "c@d", "%"]
