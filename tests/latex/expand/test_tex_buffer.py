r"""What a stretch of TeX can be asked: braces, brackets, conditionals, and where its characters come from."""

from __future__ import annotations

import pytest

from data_juicer_ext.latex.expand.tex_buffer import Buffer, Conditional, Piece, is_conditional, match_tokens

FAR = "x" * 4000  # further than what is looked ahead


def inside(text: str, ask: str = "group") -> str | None:
    """The inside of the group or bracket at the start of a text."""
    found = getattr(Buffer.of_file(text, 0), ask)(0)
    return None if found is None else text[found[0] : found[1]]


@pytest.mark.parametrize("far", ["", FAR])
@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("{a}b", "a"),
        (" \n{a{b}c}", "a{b}c"),
        ("% no\n{a}", "a"),
        (r"{a\}b}", r"a\}b"),
        ("{a% }\nb}", "a% }\nb"),
        (r"{\url{x%y}}", r"\url{x%y}"),
        (r"{\verb|}|a}", r"\verb|}|a"),
        (r"{a\begin{verbatim}}\end{verbatim}}", r"a\begin{verbatim}}\end{verbatim}"),
        ("{a", None),
        ("a{b}", None),
        ("", None),
    ],
)
def test_a_group_ends_at_its_own_brace(text: str, group: str | None, far: str) -> None:
    if far and group is not None:
        text, group = text.replace("a", f"a{far}", 1), group.replace("a", f"a{far}", 1)
    assert inside(text) == group


@pytest.mark.parametrize(
    ("text", "bracket"),
    [("[a]b", "a"), (" [a{]}b]", "a{]}b"), (r"[a\]b]", r"a\]b"), ("[a[b]c]", "a[b"), ("[a", None), ("{[a]}", None)],
)
def test_a_bracket_ends_at_the_first_one_outside_braces(text: str, bracket: str | None) -> None:
    assert inside(text, "bracket") == bracket
    buffer = Buffer.of_file(text, 0)
    assert buffer.closing(0) >= -1  # the whole text has been looked through now, with the same outcome
    _ = buffer._tables
    found = buffer.bracket(0)
    assert (found and text[found[0] : found[1]]) == bracket


def test_a_bracket_that_is_too_long_is_none() -> None:
    assert inside(f"[{'x' * 4998}]", "bracket") is not None and inside(f"[{'x' * 5000}]", "bracket") is None


@pytest.mark.parametrize(
    ("text", "other", "end"),
    [
        (r"\iftrue a\fi", -1, r"\fi"),
        (r"\iftrue a\else b\fi", r"\else", r"\fi"),
        (r"\iftrue\iffalse\else\fi a\else b\fi", r"\else b", r"\fi"),
        (r"\ifcase1 a\or b\or c\fi", r"\or b", r"\fi"),
        (r"\ifdraft a\else b\fi", r"\else", r"\fi"),
    ],
)
@pytest.mark.parametrize("far", ["", FAR])
def test_a_conditional_has_its_own_parts(text: str, other: str | int, end: str, far: str) -> None:
    text = text.replace(" a", f" a{far}", 1)
    found = Buffer.of_file(text, 0, declared={"ifdraft"}).conditional(0)
    assert found == Conditional(text.rindex(other) if isinstance(other, str) else other, text.rindex(end))


@pytest.mark.parametrize("text", [r"\iftrue a", r"\ifthenelse{a}{b}{c}\fi", r"\iftrue \verb|\fi|"])
def test_what_never_ends_is_no_conditional(text: str) -> None:
    assert Buffer.of_file(text, 0).conditional(0) is None


def test_a_conditional_of_the_papers_own_is_known_once_it_is_declared() -> None:
    text = r"\newif\ifdraft \let\ifold\iffalse \ifdraft{a}\fi"
    tables = match_tokens(text)
    assert list(tables.conditionals) == [text.rindex(r"\ifdraft")]


@pytest.mark.parametrize(
    ("name", "behind", "declared", "opens"),
    [
        ("iftrue", "{", (), True),
        ("ifdraft", "{", ("ifdraft",), True),
        ("ifdraft", " ", (), True),
        ("ifdraft", "{", (), False),
        ("ifthenelse", " ", (), False),
        ("my@ifnextchar", " ", (), False),
    ],
)
def test_which_commands_open_one(name: str, behind: str, declared: tuple[str, ...], opens: bool) -> None:
    assert is_conditional(name, f"\\{name}{behind}", len(name) + 1, set(declared)) == opens


def test_space_and_comments_are_skipped() -> None:
    buffer = Buffer.of_file("a % no {\n\t b%c", 0)
    assert [buffer.skip_space(place) for place in (0, 1, 2, 11, 12)] == [0, 11, 11, 11, 12]
    assert [buffer.percent(place) for place in (0, 2, 3, 12, 13)] == [2, 2, 12, 12, 14]


def test_what_is_not_there_is_looked_for_once() -> None:
    buffer = Buffer.of_file("abcabc", 0)
    assert (buffer.find_end("c", 0), buffer.find_end("c", 3), buffer.find_end("d", 0)) == (2, 5, -1)
    assert buffer.find_end("a", 0) == 0
    assert buffer.missing_ends == {"d"} and buffer.find_end("d", 0) == -1


def test_characters_know_where_they_come_from() -> None:
    pieces = [Piece(0, 1, 100, True), Piece(3, 2, 50, False), Piece(6, 1, 103, True)]
    buffer = Buffer("abcXYZdef", pieces)
    assert [buffer.origin(place) for place in (0, 2, 3, 5, 6, 8)] == [
        (1, 100), (1, 102), (2, 50), (2, 50), (1, 103), (1, 105)
    ]  # fmt: skip
    assert buffer.origins(2, 7) == [(2, 3, pieces[0]), (3, 6, pieces[1]), (6, 7, pieces[2])]
    assert buffer.origins(4, 4) == [] and buffer.origins(7, 9) == [(7, 9, pieces[2])]
    one = Buffer.of_file("abc", 4, offset=10)
    assert one.origin(2) == (4, 12) and one.origins(1, 3) == [(1, 3, one.pieces[0])] and one.origins(2, 2) == []
    assert Buffer("", []).origin(0) == (0, 0)
