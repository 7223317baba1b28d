"""What of the source is live: comments, branches, verbatim text, inputs and macros."""

from __future__ import annotations

from itertools import pairwise

import pytest

from data_juicer_ext.latex.expand.flat_text import Flat
from data_juicer_ext.latex.expand.flattening import flatten
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.source.paper_files import SourceTree


def flat(main: str, files: dict[str, str] | None = None, **options: int) -> Flat:
    contents = {"main.tex": main, **(files or {})}
    tree = SourceTree("p", {name: text.encode() for name, text in contents.items()})
    return flatten(tree, "main.tex", LatexOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "live"),
    [
        ("a % gone\n  b", "a b"),
        ("100\\% kept % gone\nb", "100\\% kept b"),
        ("}% note\nx", "}x"),
        ("a\\\\% gone\nb", "a\\\\b"),
        ("a %\n\nb", "a \n\nb"),
        ("a\n% a line of its own\nb", "a\nb"),
        ("\\url{http://x/a%20b} c % gone", "\\url{http://x/a%20b} c "),
        ("\\href{http://x/%7Ea}{t} %g", "\\href{http://x/%7Ea}{t} "),
        ("a\n\\begin{comment}\nx\n\\end{comment}\nb", "a\nb"),
        ("\\excludecomment{hide}\\begin{hide}x\\end{hide}b", "\\excludecomment{hide}b"),
        ("a\\begin{comment} never ends", "a\\begin{comment} never ends"),
    ],
)
def test_comments(source: str, live: str) -> None:
    assert flat(source).text == live


@pytest.mark.parametrize(
    ("source", "live"),
    [
        ("\\iffalse a \\else b\\fi c", " b c"),
        ("\\iftrue a\\else b\\fi c", " a c"),
        ("\\iffalse \\iftrue a\\fi b\\fi c", " c"),
        ("\\newif\\ifd \\ifd a\\else b\\fi", "  b"),
        ("\\newif\\ifd\\dtrue\\ifd a\\else b\\fi", " a"),
        ("\\newif\\ifd\\dtrue\\dfalse\\ifd a\\else b\\fi", " b"),
        ("\\let\\ifd\\iffalse \\ifd a\\else b\\fi", "  b"),
        ("\\ifdefined\\nope a\\else b\\fi", " b"),
        ("\\def\\yes{1}\\ifdefined\\yes a\\else b\\fi", "a"),
        ("\\ifx\\nope\\undefined a\\else b\\fi", "a"),
        ("\\ifnum 3>2 a\\else b\\fi", "a"),
        ("\\ifnum 1>2 a\\else b\\fi", " b"),
        ("\\ifpdf a\\else b\\fi", " a"),
        ("\\ifsomeclass a\\else b\\fi", " a"),
        ("\\documentclass[twocolumn]{x}\\if@twocolumn a\\else b\\fi", "\\documentclass[twocolumn]{x} a"),
        ("\\documentclass{x}\\if@twocolumn a\\else b\\fi", "\\documentclass{x} b"),
        ("\\ifthenelse{\\boolean{w}}{a}{b}", "b"),
        ("\\newboolean{w}\\setboolean{w}{true}\\ifthenelse{\\boolean{w}}{a}{b}", "a"),
        ("\\ifthenelse{\\equal{x}{y} \\or \\not \\boolean{w}}{a}{b}", "a"),
        ("\\newtoggle{t}\\toggletrue{t}\\iftoggle{t}{a}{b}", "a"),
        ("\\newbool{t}\\ifbool{t}{a}{b}", "b"),
        ("\\iffalse without end", " without end"),
        ("$a \\iff b$ \\iffalse x\\fi", "$a \\iff b$ "),
        ("\\iffalse % \\fi\n x\\fi y", " y"),
        ("\\newcommand{\\ifslides}[2]{#2}\\ifslides{a}{b}", "b"),
        ("\\def\\hide{\\iffalse}\\iftrue a\\fi", " a"),
        ("\\iffalse {x \\fi y", " y"),
        ("\\ifcase\\x a\\or b\\fi c", "\\x a c"),
    ],
)
def test_conditionals(source: str, live: str) -> None:
    assert flat(source).text == live


@pytest.mark.parametrize(
    "source",
    [
        "\\begin{verbatim}\\ref{a} % kept\n\\end{verbatim}",
        "\\begin{lstlisting}[language=C]\n\\begin{figure}\n\\end{lstlisting}",
        "\\begin{minted}{python}\n%x\n\\end{minted}",
        "\\verb|\\ref{a}%|",
        "\\verb*+\\fi+",
        "\\lstinline|\\ref{a}|",
        "\\lstinline[language=C]{\\ref{a}}",
        "\\mintinline{tex}{\\ref{a}}",
    ],
)
def test_verbatim_text_is_quoted_but_not_searched(source: str) -> None:
    result = flat(f"a {source} b")
    assert result.text == f"a {source} b"
    assert result.mask == f"a {'x' * len(source)} b"


def test_own_verbatim_environments() -> None:
    result = flat("\\lstnewenvironment{code2}{}{}\\begin{code2}\\ref{a}\\end{code2}")
    assert "\\ref" not in result.mask


@pytest.mark.parametrize(
    ("source", "live"),
    [
        ("\\newcommand{\\fref}[1]{Fig.~\\ref{fig:#1}}See \\fref{a}.", "See Fig.~\\ref{fig:a}."),
        ("\\newcommand\\fref[2][fig]{\\ref{#1:#2}}\\fref{a}\\fref[f]{b}", "\\ref{fig:a}\\ref{f:b}"),
        ("\\DeclareRobustCommand*{\\f}[1]{\\ref{#1}}\\f{a}", "\\ref{a}"),
        ("\\def\\f#1{\\ref{#1}}\\f{a}\\f b", "\\ref{a}\\ref{b}"),
        ("\\def\\f[#1]#2{\\label{#1#2}}\\f[x]{y}", "\\label{xy}"),
        ("\\let\\r=\\ref \\r{a}", " \\ref{a}"),
        ("\\NewDocumentCommand{\\f}{s o m}{\\ref{#3}}\\f*[x]{a}", "\\ref{a}"),
        ("\\newcommand{\\a}[1]{\\b{#1}}\\newcommand{\\b}[1]{\\ref{#1}}\\a{x}", "\\ref{x}"),
        ("\\newcommand{\\hide}[1]{}a\\hide{\\ref{x}}b", "ab"),
        ("\\newcommand{\\new}[2]{#2}\\new{old}{now}", "now"),
        ("\\newcommand{\\red}[1]{{\\color{red}#1}}\\red{text \\ref{x}}", "\\red{text \\ref{x}}"),
        ("\\newcommand{\\name}{words}\\name", "\\name"),
        ("\\newcommand{\\eqn}[1]{Eq.~\\eqref{#1}}\\eqn{a}", "\\eqn{a}"),
        ("\\newcommand{\\bfig}{\\begin{figure}Text}\\bfig", "\\begin{figure}Text"),
        ("\\newcommand{\\head}[1]{\\section{#1}}\\head{A}", "\\section{A}"),
        ("\\newcommand{\\f}{\\begin{figure}\\includegraphics{#1.png}\\end{figure}}x", "x"),
        ("\\newenvironment{fg}{\\begin{figure}}{\\end{figure}}\\begin{fg}x\\end{fg}", "\\begin{figure}x\\end{figure}"),
        ("\\newcommand{\\ref}[1]{broken}\\ref{a}", "\\ref{a}"),
        ("\\providecommand{\\f}{\\ref{a}}\\providecommand{\\f}{\\ref{b}}\\f", "\\ref{a}"),
        ("\\renewcommand{\\f}{\\ref{a}}\\f\\renewcommand{\\f}{\\ref{b}}\\f", "\\ref{a}\\ref{b}"),
        ("\\newcommand{\\f}[1]{\\ref{#1}}\\f", "\\f"),
        ("\\def\\f#1{{\\label{#1}{deep {er}}}}\\f{a}", "{\\label{a}{deep {er}}}"),
    ],
)
def test_macros(source: str, live: str) -> None:
    assert flat(source).text == live


def test_recursive_and_exploding_macros_end() -> None:
    assert len(flat("\\newcommand{\\a}{\\ref{x}\\a}\\a").text) < 10_000
    names = "abcdefghijklmnopqrstuvwxyz"
    steps = "".join(f"\\newcommand{{\\z{b}}}{{\\z{a}\\z{a}}}" for a, b in pairwise(names))
    result = flat("\\newcommand{\\za}{\\ref{x}}" + steps + "\\zz")
    assert len(result.text) < 1_000_000
    assert any("not written out" in note for note in result.notes)


def test_inputs_of_all_kinds() -> None:
    files = {"a.tex": "A\n", "sub/b.tex": "B", "c d.tex": "C", "e.tex": "E", "plot.tikz": "P"}
    source = '\\input{a}\\include{sub/b}\\input{"c d"}\\input e \\input{plot.tikz}'
    assert flat(source, files).text == "A\nBCE P"


def test_import_reads_from_its_folder() -> None:
    result = flat("\\import{sec/}{x}.", {"sec/x.tex": "X \\input{y}", "sec/y.tex": "Y", "y.tex": "no"})
    assert result.text == "X Y."


def test_a_macro_in_the_path() -> None:
    assert flat("\\newcommand{\\dir}{sec}\\input{\\dir/x}", {"sec/x.tex": "X"}).text == "X"
    assert flat("\\input{\\jobname-part}", {"main-part.tex": "X"}).text == "X"


def test_includeonly_endinput_and_the_end() -> None:
    files = {"a.tex": "A\\endinput no", "b.tex": "B"}
    assert flat("\\includeonly{a}\\include{a}\\include{b}.\\end{document}no", files).text == "A."


def test_a_name_is_found_in_another_folder_if_only_one_has_it() -> None:
    assert flat("\\input{x}", {"misc/x.tex": "X"}).text == "X"
    assert flat("\\input{x}", {"misc/x.tex": "X", "old/x.tex": "Y"}).text == ""


def test_what_only_subfiles_show_is_left_out() -> None:
    assert flat("a\\onlyinsubfile{\\ref{x}}b\\ifSubfilesClassLoaded{c}{d}").text == "abd"


def test_a_subfile_gives_its_body_only() -> None:
    inner = "\\documentclass[main]{subfiles}\nno\\begin{document}B\\end{document}no"
    assert flat("a\\subfile{s}c", {"s.tex": inner}).text == "aBc"
    assert flat("a\\input{s}c", {"s.tex": "x{}" + inner.replace("\n", "")}).text == "aBc"
    assert flat("a\\input{s}c", {"s.tex": "x\\begin{document}y"}).text == "ax\\begin{document}yc"


def test_cycles_missing_and_refused_inputs_are_noted() -> None:
    result = flat("x\n\\input{main}\\input{gone}\\input{../../etc/passwd}\\input{|ls}")
    assert result.text == "x\n"
    assert [note.split(":")[0] for note in result.notes] == [
        "input of main.tex not followed", "input not found", "input refused", "input not found",
    ]  # fmt: skip
    assert "main.tex:2" in result.notes[1]


def test_files_that_the_paper_writes_itself() -> None:
    result = flat("\\begin{filecontents}{x.tex}\nX\n\\end{filecontents}\n\\input{x}")
    assert result.text == "X\n"
    assert result.place(0) == "main.tex:2"
    assert flat("\\begin{verbatimwrite}{\\eq/x.tex}\nX\n\\end{verbatimwrite}\n\\input \\eq/x.tex\n").text == "X\n"


def test_macros_of_the_papers_own_package_but_not_of_known_ones() -> None:
    own = "\\newcommand{\\figref}[1]{\\ref{fig:#1}}\\def\\inner@x#1{\\ref{#1}}\\RequirePackage{caption}"
    files = {"mine.sty": own, "caption.sty": "\\def\\label#1{}\\newcommand{\\x}{\\ref{no}}"}
    assert flat("\\usepackage{mine,caption}\\figref{a}\\x", files).text == "\\usepackage{mine,caption}\\ref{fig:a}\\x"


def test_a_dropped_line_makes_no_paragraph() -> None:
    files = {"x.tex": "X.\n"}
    assert (
        flat("a\n\\newcommand{\\f}{\\ref{x}}\nb\n\\input{x}\nc\n\\iffalse\nd\n\\fi\ne", files).text == "a\nb\nX.\nc\ne"
    )
    assert flat("a\n\\newcommand{\\f}{\\ref{x}}\n\nb").text == "a\n\nb"


def test_every_character_knows_its_place() -> None:
    result = flat("one\n\\input{x} two\n\\newcommand{\\f}[1]{\\ref{#1}}\n\nsee\n\\f{\nk}", {"x.tex": "\nex"})
    for word, place in (("one", "main.tex:1"), ("ex", "x.tex:2"), ("two", "main.tex:2"), ("see", "main.tex:5"),
                        ("\\ref", "main.tex:6"), ("k}", "main.tex:7")):  # fmt: skip
        assert result.place(result.text.index(word)) == place


def test_the_size_is_bounded() -> None:
    result = flat("\\input{x}" * 100, {"x.tex": "y" * 1000}, max_source_chars=5000)
    assert len(result.text) < 7000
    assert any("max_source_chars" in note for note in result.notes)


@pytest.mark.parametrize("command", ["\\includegraphics{\\d/a}", "\\includegraphics[width=1]{\\d/a}"])
def test_macros_in_image_paths_mean_what_they_mean_there(command: str) -> None:
    result = flat(f"\\newcommand{{\\d}}{{x}}{command}\\renewcommand{{\\d}}{{y}}{command}")
    assert "x/a" in result.text
    assert "y/a" in result.text


def test_starred_imports_and_imports_within_imports() -> None:
    files = {"sec/x.tex": "X \\subimport*{deep/}{y}", "sec/deep/y.tex": "Y"}
    assert flat("\\import*{sec/}{x}.", files).text == "X Y."


def test_an_input_that_may_not_be_there() -> None:
    call = "\\InputIfFileExists{%s}{yes}{no}."
    assert flat(call % "x", {"x.tex": "X "}).text == "X yes."
    assert flat(call % "y").text == "no."
    assert flat(call % "../../x").text == "no."
    assert flat("\\IfFileExists{x.tex}{yes}{no}", {"x.tex": ""}).text == "yes"


def test_versions_that_are_left_out() -> None:
    source = "\\excludeversion{long}\\includeversion{short}\\begin{long}a\\end{long}\\begin{short}b\\end{short}"
    assert flat(source).text.endswith("\\begin{short}b\\end{short}")
    assert "a\\end{long}" not in flat(source).text


def test_calls_one_after_the_other_are_all_written_out() -> None:
    live = flat("\\newcommand{\\gain}{g\\includegraphics{a}}" + "\\gain." * 60).text
    assert live.count("g\\includegraphics{a}.") == 60
