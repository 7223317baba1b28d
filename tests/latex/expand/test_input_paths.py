"""Where an input leads: names and folders as LaTeX reads them."""

from __future__ import annotations

import pytest

from data_juicer_ext.latex.expand.flattening import flatten
from data_juicer_ext.latex.expand.input_paths import Inputs
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.source.paper_files import SourceTree
from tests.latex.expand.test_flattening import flat


def inputs(*paths: str, main: str = "main.tex") -> Inputs:
    return Inputs(SourceTree("p", {path: path.encode() for path in (main, *paths)}), main)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a", "a.tex"),
        ("a.tex", "a.tex"),
        ("b.txt", "b.txt"),
        ("c", "c.ltx"),
        ("d", "d.latex"),
        ("e", "e.tex"),  # not the file "e"
        ("sub/f", "sub/f.tex"),
        ("./a", "a.tex"),
        ("g", "deep/down/g.tex"),
        ("g.tex", "deep/down/g.tex"),
        ("gone", None),
        ("", None),
        ("|ls", None),
        ("\\unknown/a", None),
    ],
)
def test_a_name_leads_to_a_file_of_the_paper(name: str, path: str | None) -> None:
    files = ("a.tex", "b.txt", "c.ltx", "d.latex", "e", "e.tex", "sub/f.tex", "deep/down/g.tex")
    assert inputs(*files).find(name) == path


def test_a_name_that_leaves_the_paper_is_refused() -> None:
    with pytest.raises(PermissionError):
        inputs("a.tex").find("../a")


def test_names_are_looked_up_from_the_main_documents_folder_first() -> None:
    paper = inputs("x.tex", "src/x.tex", "src/sec/x.tex", "src/sec/y.tex", main="src/main.tex")
    assert paper.find("x") == "src/x.tex"
    assert paper.find("x", "src/sec") == "src/sec/x.tex"
    paper.stack.append("src/sec/z.tex")
    assert paper.find("y") == "src/sec/y.tex"
    paper.folders.append("")
    assert paper.find("x") == "x.tex"


@pytest.mark.parametrize(
    ("call", "live"),
    [
        ("\\import{sec}{x}", "in sec"),
        ("\\import{sec/}{x.tex}", "in sec"),
        ("\\import*{sec/}{x}", "in sec"),
        ("\\subimport{sec/}{x}", "in sec"),
        ("\\includefrom{sec/}{x}", "in sec"),
        ("\\subincludefrom{sec/}{x}", "in sec"),
        ("\\import{../}{x}", "here"),  # outside the paper: the folder is left out of account
        ("\\input x", "here"),
        ("\\input  x % a comment", "here"),
        ('\\input{"x"}', "here"),
        ("\\input{ x }", "here"),
        ("\\include{x}", "here"),
        ("\\include x", "here"),
        ("\\newcommand{\\n}{x}\\input{\\n}", "here"),
        ("\\newcommand{\\s}{sec}\\import{\\s}{x}", "in sec"),
        ("\\input{\\string x}", "here"),
    ],
)
def test_each_way_to_name_a_file(call: str, live: str) -> None:
    text = flat(f"{call}\n", {"x.tex": "here", "sec/x.tex": "in sec"}).text
    assert text.strip() == live


@pytest.mark.parametrize("call", ["\\import{sec/} x", "\\subfile x", "\\includeonly", "\\input{", "\\input"])
def test_a_call_without_its_names_stays_as_it_is(call: str) -> None:
    assert flat(f"a {call}", {"x.tex": "X"}).text == f"a {call}"


def test_folders_of_imports_end_with_them() -> None:
    files = {"sec/x.tex": "\\subimport{in}{y}\\input{z} ", "sec/in/y.tex": "\\input{z} ", "sec/in/z.tex": "inner",
             "sec/z.tex": "middle", "z.tex": "outer"}  # fmt: skip
    assert flat("\\import{sec}{x}\\input{z}", files).text.split() == ["inner", "middle", "outer"]
    from_main = {**files, "sec/x.tex": "\\import{sec/in}{y}\\input{z}"}
    assert flat("\\import{sec}{x}", from_main).text.split() == ["inner", "middle"]


def test_the_folder_of_an_import_is_known_for_each_place() -> None:
    result = flat("a\\import{sec/}{x}b", {"sec/x.tex": "X\\subimport{in/}{y}Z", "sec/in/y.tex": "Y"})
    folders = [result.folder_at(result.text.index(letter)) for letter in "aXYZb"]
    assert [folder.rstrip("/") for folder in folders] == ["", "sec", "sec/in", "sec", ""]


def test_includeonly_holds_for_include_alone() -> None:
    files = {"a.tex": "A", "b.tex": "B"}
    assert flat("\\includeonly{ a ,c}\\include{a}\\include{b}\\input{b}", files).text == "AB"
    assert flat("\\includeonly{}\\include{a}\\input{b}", files).text == "B"


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("\\documentclass{x}\\begin{document}B\\end{document}", "B\\end{document}"),
        ("\\begin {document}B\\end {document}", "B\\end {document}"),
        ("%\\begin{document}\nA\\end{document}", "%\\begin{document}\nA\\end{document}"),
        ("\\begin{document}never ends", "\\begin{document}never ends"),
        ("no document", "no document"),
    ],
)
def test_of_an_included_document_what_follows_its_preamble_counts(text: str, counted: str) -> None:
    assert text[inputs().body_start(text) :] == counted


def test_packages_are_the_papers_own_and_not_those_that_everybody_knows() -> None:
    paper = inputs("own.sty", "own.cls", "src/near.sty", "graphicx.sty", main="src/main.tex")
    assert paper.find_package("own", ".sty") == "own.sty"
    assert paper.find_package("own", ".cls") == "own.cls"
    assert paper.find_package("near", ".sty") == "src/near.sty"
    for name in ("graphicx", "gone", "", "../../own", "\\own"):
        assert paper.find_package(name, ".sty") is None
    paper.stack.append("own.sty")
    assert paper.find_package("own", ".sty") is None  # a package that loads itself


def test_a_file_is_read_once_and_in_the_encoding_of_the_paper() -> None:
    source = b"\\usepackage[latin1]{inputenc}\\input{x}\\input{x}"
    result = flatten(SourceTree("p", {"main.tex": source, "x.tex": b"\xe9 "}), "main.tex", LatexOptions())
    assert result.text.endswith("é é ") and result.files == ["main.tex", "x.tex"]


@pytest.mark.parametrize("name", ["x", "x.tex", "./x", " x ", '"x"'])
def test_a_file_that_the_paper_wrote_is_found_however_it_is_named(name: str) -> None:
    result = flat(f"\\begin{{filecontents*}}[overwrite]{{./x.tex}}\n\nX\n\\end{{filecontents*}}\\input{{{name}}}")
    assert result.text.strip() == "X" and result.place(result.text.index("X")) == "main.tex:3"


def test_a_file_that_the_paper_wrote_comes_before_one_that_it_brings() -> None:
    source = "\\begin{filecontents}{x.tex}\nnew\n\\end{filecontents}\\input{x}"
    assert flat(source, {"x.tex": "old"}).text == "new\n"
    assert flat("\\input{x}", {"x.tex": "old"}).text == "old"


def test_a_written_file_that_reads_itself_ends_with_a_note() -> None:
    result = flat("\\begin{filecontents}{x}\nX\\input{x}\n\\end{filecontents}\\input{x}", max_source_chars=2000)
    assert len(result.text) < 5000
    assert any("input of 'x' not followed" in note for note in result.notes)
