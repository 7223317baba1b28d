"""Text that is shown as it is typed, left out, or written to a file."""

from __future__ import annotations

import pytest

from tests.latex.expand.test_flattening import flat


@pytest.mark.parametrize(
    "source",
    [
        "\\lstinline[basicstyle=\\tt]|\\ref{a}|",
        "\\lstinline+\\ref{a}+",
        "\\mintinline{tex}|\\ref{a}|",
        "\\mintinline[x]{tex}{\\ref{a}}",
        "\\verb!\\begin{figure}!",
        "\\begin{Verbatim}\n\\begin{figure}\n\\end{Verbatim}",
        "\\begin{alltt}\\fi\\end{alltt}",
    ],
)
def test_code_is_quoted_but_not_searched(source: str) -> None:
    result = flat(f"a {source} \\ref{{b}}")
    assert result.text == f"a {source} \\ref{{b}}"
    assert result.mask == f"a {'x' * len(source)} \\ref{{b}}"


@pytest.mark.parametrize(
    "source", ["\\verb|a\n\\ref{b}|", "\\lstinline|a " + "b" * 600 + "|", "\\begin{verbatim}\\ref{a}"]
)
def test_code_that_never_ends_is_read_like_any_text(source: str) -> None:
    result = flat(source)
    assert result.text == result.mask == source


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ("\\DefineVerbatimEnvironment{own}{Verbatim}{}", "own"),
        ("\\newtcblisting{own}{}", "own"),
        ("\\newtcblisting[auto counter]{own}{}", "own"),
        ("\\newminted{own}{}", "own"),
        ("\\lstnewenvironment{own*}{}{}", "own*"),
    ],
)
def test_environments_of_code_that_a_paper_declares(declared: str, name: str) -> None:
    code = f"\\begin{{{name}}}\\ref{{a}}%\\end{{{name}}}"
    result = flat(f"{code.replace('%', '')}{declared}\n{code}.")
    assert result.text.endswith(f"{code}.") and result.mask.endswith("x" * len(code) + ".")
    assert "\\ref{a}" in result.mask  # before the declaration it is text


def test_what_is_excluded_is_gone_and_what_is_no_name_changes_nothing() -> None:
    assert flat("\\excludeversion{own}a\\begin{own}\\ref{a}\\end{own}b").text == "\\excludeversion{own}ab"
    assert flat("\\excludecomment{\\x}\\begin{x}a\\end{x}").text == "\\excludecomment{\\x}\\begin{x}a\\end{x}"


def test_the_end_of_the_document_ends_the_paper_but_not_that_of_an_included_one() -> None:
    assert flat("a\\begin{document}b\\end{document}c").text == "a\\begin{document}b"
    inner = "x\\begin{document}B\\end{document}y"
    assert flat("a\\input{s}c\\end{document}d", {"s.tex": inner}).text == "aBc"
    assert flat("a\\input{s}c", {"s.tex": "B\\end{document}y"}).text == "aB"


def test_a_percent_sign_in_an_address_is_no_comment_but_one_before_it_is() -> None:
    assert flat("\\url {a%b}c%d").text == "\\url {a%b}c"
    assert flat("\\nolinkurl{a%b}c").text == "\\nolinkurl{a%b}c"
    assert flat("\\url{a\n%b}c\n}").text == "\\url{a\n}"  # an address has one line
    assert flat("x %\\url{a}\ny").text == "x y"


@pytest.mark.parametrize(
    ("source", "live"),
    [
        ("\\newenvironment{f}[1]{\\begin{figure}#1}{\\caption{#1}\\end{figure}}\\begin{f}{A}x\\end{f}",
         "\\begin{figure}Ax\\caption{A}\\end{figure}"),
        ("\\newenvironment{f}[1]{\\begin{figure}}{\\caption{#1}\\end{figure}}"
         "\\begin{f}{A}\\begin{f}{B}x\\end{f}\\end{f}",
         "\\begin{figure}\\begin{figure}x\\caption{B}\\end{figure}\\caption{A}\\end{figure}"),
        ("\\newenvironment{f}{\\begin{figure}}{\\end{figure}}\\end{f}", "\\end{figure}"),
        ("\\newenvironment{words}{a}{b}\\begin{words}x\\end{words}", "\\begin{words}x\\end{words}"),
        ("\\newcommand{\\f}{\\ref{a}}\\begin{f}x\\end{f}", "\\begin{f}x\\end{f}"),
        ("\\NewEnviron{f}{\\begin{figure}\\BODY\\end{figure}}\\begin{f}x\\end{f}", "\\begin{figure}x\\end{figure}"),
        ("\\NewDocumentEnvironment{f}{o m}{\\begin{figure}\\label{#2}}{\\end{figure}}\\begin{f}[x]{a}y\\end{f}",
         "\\begin{figure}\\label{a}y\\end{figure}"),
        ("\\renewenvironment{figure}{\\begin{center}}{\\end{center}}\\begin{figure}x\\end{figure}",
         "\\begin{figure}x\\end{figure}"),
    ],
)  # fmt: skip
def test_environments_of_the_papers_own(source: str, live: str) -> None:
    assert flat(source).text == live


def test_a_written_file_keeps_its_places_and_is_named_by_macros() -> None:
    source = "\\newcommand{\\n}{x}\n\\begin{filecontents}{\\n.tex}\nA\n\nB\n\\end{filecontents}\n\\input{x}"
    result = flat(source)
    assert result.text.strip() == "A\n\nB"
    assert result.place(result.text.index("B")) == "main.tex:5"
    assert flat("\\begin{filecontents}\nA\n\\end{filecontents}b").text == "b"
