r"""Macros of a paper: how they are defined, and what a call becomes."""

from __future__ import annotations

import re

import pytest

from data_juicer_ext.latex.expand.macros import (
    Argument,
    Macro,
    Macros,
    argument_texts,
    expand_text,
    filled_length,
    read_definition,
    with_texts,
)
from data_juicer_ext.latex.expand.tex_buffer import Buffer

M = Argument("m")


def defined(text: str) -> Macro | None:
    """The macro of a definition; nothing of it is left over."""
    command = re.match(r"\\([A-Za-z]+)", text)
    assert command is not None
    found = read_definition(command[1], Buffer.of_file(text, 0), command.end())
    assert found is None or found[1] == len(text)
    return found and found[0]


@pytest.mark.parametrize(
    ("text", "arguments", "body"),
    [
        (r"\newcommand{\a}{x}", (), "x"),
        (r"\newcommand*\a[2][d]{#1-#2}", (Argument("o", "d"), M), "#1-#2"),
        (r"\renewcommand{\a} [1] {[#1]}", (M,), "[#1]"),
        (r"\def\a#1{<#1>}", (M,), "<#1>"),
        (r"\def\a#1:#2.{#2}", (Argument("d", until=":"), Argument("d", until=".")), "#2"),
        (r"\def\a(#1)#2{#1}", (Argument("l", until="("), Argument("d", until=")"), M), "#1"),
        (r"\gdef\a{x}", (), "x"),
        (r"\let\a=\b", (), r"\b"),
        (r"\let\a\b", (), r"\b"),
        (r"\let\a=*", (), "*"),
        (r"\NewDocumentCommand{\a}{s m O{d} +m o}{#1}", (Argument("s"), M, Argument("o", "d"), M, Argument("o")), "#1"),
        (r"\newcommand\%{percent}", (), "percent"),
    ],
)
def test_definitions(text: str, arguments: tuple[Argument, ...], body: str) -> None:
    found = defined(text)
    assert found == Macro("%" if "%" in text else "a", arguments, body)


@pytest.mark.parametrize(
    ("text", "arguments", "body", "end"),
    [
        (r"\newenvironment{e}[1]{<#1}{>}", (M,), "<#1", ">"),
        (r"\renewenvironment*{e}{<}{>}", (), "<", ">"),
        (r"\NewDocumentEnvironment{e}{m o}{<#1}{>}", (M, Argument("o")), "<#1", ">"),
        (r"\NewEnviron{e}{<\BODY>}", (), "<", ">"),
    ],
)
def test_environments(text: str, arguments: tuple[Argument, ...], body: str, end: str) -> None:
    assert defined(text) == Macro("e", arguments, body, end, True)


@pytest.mark.parametrize(
    "text",
    [r"\newcommand{a}{x}", r"\newcommand{\a}", r"\def\a", r"\newenvironment{e}{<}", r"\let\a"],
)
def test_what_defines_nothing(text: str) -> None:
    assert defined(text) is None


MACROS = Macros(
    (macro.name, macro)
    for text in (
        r"\newcommand{\a}{x}", r"\newcommand*\b[2][d]{#1-#2}", r"\def\c#1:#2.{#2 of #1}", r"\def\d(#1)#2{#1,#2}",
        r"\let\e=\emph", r"\NewDocumentCommand{\f}{s m O{d}}{#2/#3}", r"\def\g#1\par{<#1>}",
        r"\newcommand{\caption}{NO}", r"\newcommand{\h}[1]{\textbf{#1}}", r"\def\i#1 {<#1>}", r"\def\j#1#2{#2#1}",
        r"\newenvironment{k}{<}{>}",
    )
    if (macro := defined(text)) is not None
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        (r"\a b", "xb"),  # TeX drops the space after a control word
        (r"\a\ b", r"x\ b"),
        (r"\a{} b", "x{} b"),
        ("\\a\n b", "xb"),
        ("\\a\n\n b", "x\n b"),  # but no end of a paragraph
        (r"a\a1-\a", "ax1-x"),
        (r"\b{1}", "d-1"),
        (r"\b[o]{1}", "o-1"),
        (r"\b 12", "d-12"),
        (r"\c a:b. c", "b of a c"),
        (r"\c  p : q. r", " q of p  r"),  # the space after the name goes, those of the arguments stay
        (r"\c a b", r"\c a b"),
        (r"\d(1){2}", "1,2"),
        (r"\d[1]{2}", r"\d[1]{2}"),
        (r"\e{x}", r"\emph{x}"),
        (r"\e x", r"\emph x"),
        (r"\f*{1}[2]", "1/2"),
        (r"\f{1}", "1/d"),
        ("\\g a\n\nb", "<a>b"),
        (r"\g a\par b", "<a> b"),
        (r"\h\a", r"\textbf{x}"),
        (r"\h{\a b}", r"\textbf{xb}"),
        (r"\i a b", "<a>b"),
        (r"\j xy", "yx"),
        (r"\j {x} {y}", "yx"),
        (r"\j }", r"\j }"),
        (r"\b", r"\b"),
        (r"\caption{x} \unknown \k", r"\caption{x} \unknown \k"),  # the extraction knows captions itself
    ],
)
def test_calls(text: str, expanded: str) -> None:
    assert expand_text(text, MACROS) == expanded


def test_what_would_grow_past_a_limit_stays() -> None:
    macros = {"x": Macro("x", (), "y" * 50), "loop": Macro("loop", (), r"\loop\loop")}
    assert expand_text(r"\x\x", macros, limit=100) == "y" * 100
    assert expand_text(r"\x\x", macros, limit=99) == r"\x\x"
    assert expand_text(r"\loop", macros, depth=3) == r"\loop" * 8
    few = Macros(macros)
    few.left = 200
    assert expand_text(r"\x", few) == "y" * 50 and few.left == 50
    assert expand_text(r"\x", few) == r"\x" and few.left < 0
    assert expand_text(r"\x", few) == r"\x"


def test_arguments_as_they_are_written() -> None:
    def of(name: str, text: str) -> list[str]:
        return argument_texts(MACROS[name], Buffer.of_file(text, 0), 0)

    assert of("b", "[o]{1}") == ["o", "1"] and of("b", "{1}") == ["d", "1"]
    assert of("c", " a:  b.") == ["a", "  b"] and of("c", "x") == []
    assert of("f", "*{1}") == ["", "1", "d"]
    assert with_texts("#1#2#3", ["a", "b"]) == "ab"
    assert filled_length("a#1b#1#2", ["xx", (0, 3)]) == len("a__b__") + 3 + 6 and filled_length("abc", ["x"]) == 3
