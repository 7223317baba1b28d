"""What a class or package does for an option is done where the option is given, once."""

from __future__ import annotations

import pytest

from data_juicer_ext.latex.expand.class_options import option_names
from tests.latex.expand.test_flattening import flat

OWN = "\\newif\\ifwide\\newif\\ifold%s\\DeclareOption{wide}{\\widetrue}\\DeclareOption{old}{\\oldtrue}%s"
SHOWN = "\\ifwide w\\fi\\ifold o\\fi."


def shown(head: str, before: str = "", after: str = "\\ProcessOptions", file: str = "own.cls") -> str:
    """What is live of `SHOWN` in a paper that begins with `head` and brings a class or package of its own."""
    text = flat(head + SHOWN, {file: OWN % (before, after)}).text
    return text.removeprefix(head).strip()


@pytest.mark.parametrize(
    ("head", "live"),
    [
        ("\\documentclass{own}", "."),
        ("\\documentclass[wide]{own}", "w."),
        ("\\documentclass[ old , wide=1]{own}", "wo."),
        ("\\documentclass[other]{own}", "."),
    ],
)
def test_options_that_are_given_to_a_class(head: str, live: str) -> None:
    assert shown(head).replace(" ", "") == live


def test_an_option_does_nothing_before_options_are_processed() -> None:
    assert shown("\\documentclass[wide]{own}", after="") == "."


def test_options_of_the_class_reach_each_package_but_not_the_other_way_round() -> None:
    assert shown("\\documentclass[wide]{article}\\usepackage{own}", file="own.sty") == "w."
    assert shown("\\documentclass{article}\\usepackage[old]{own}", file="own.sty") == "o."
    assert shown("\\documentclass{own}\\usepackage[wide]{other}") == "."


def test_options_that_a_class_executes_count_as_given() -> None:
    assert shown("\\documentclass{own}", after="\\ExecuteOptions{old}") == "o."
    assert shown("\\documentclass{own}", after="\\ExecuteOptions{ old ,wide}").replace(" ", "") == "wo."
    assert shown("\\documentclass{own}", after="\\ExecuteOptions{unknown}\\ProcessOptions") == "."


def test_an_option_is_done_once() -> None:
    twice = "\\ProcessOptions\\oldfalse\\ProcessOptions"
    assert shown("\\documentclass[old]{own}", after=twice) == "."
    again = "\\DeclareOption{old}{\\ExecuteOptions{old}\\widetrue}\\ProcessOptions"
    assert shown("\\documentclass[old]{own}", after=again) == "w."


def test_what_is_done_for_unknown_options_is_left_out() -> None:
    assert shown("\\documentclass[other]{own}", before="\\DeclareOption*{\\widetrue}") == "."
    assert shown("\\documentclass[other]{own}", before="\\DeclareOption *{\\widetrue}") == "."


def test_options_are_processed_in_the_order_of_their_declaration() -> None:
    both = "\\DeclareOption{a}{\\widefalse}\\DeclareOption{b}{\\widetrue}\\ProcessOptions"
    assert shown("\\documentclass[b,a]{own}", after=both) == "w."


def test_names_in_a_list_of_options() -> None:
    assert option_names(" a, b = 2 ,c") == ["a", "b", "c"]


@pytest.mark.parametrize(("before", "live"), [(199, "w."), (200, ".")])
def test_two_hundred_options_are_enough(before: int, live: str) -> None:
    others = "".join(f"\\DeclareOption{{o{number}}}{{}}" for number in range(before))
    assert shown("\\documentclass[wide]{own}", others) == live
