"""\\foreach: what it stands for, and that no name of a file is made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.latex.expand.foreach_loops import MOST_ITEMS, literal_items
from tests.latex.papers import document, png, read_folder, read_text

CAPTION = "\\caption{Cap}\\label{x}"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a,b, c ", ["a", "b", "c"]),
        ("1,...,4", ["1", "2", "3", "4"]),
        ("4,...,1", ["4", "3", "2", "1"]),
        ("0,3,...,10", ["0", "3", "6", "9"]),
        ("x,1,2,...,4,y", ["x", "1", "2", "3", "4", "y"]),
        ("a,...,d", ["a", "b", "c", "d"]),
        ("{a,b},c", ["a,b", "c"]),
        ("one/1", ["one/1"]),
        ("", [""]),
        ("1,...,100", [str(number) for number in range(1, 101)]),
        ("1,...,101", None),
        ("1,1,...,4", None),
        ("1,...,1000000000", None),
        ("0.1,0.2,...,1", None),
        ("f1,...,f4", None),
        ("1,...", None),
        ("...,3", None),
        ("\\n,b", None),
        ("a,b%c", None),
    ],
)
def test_lists(text: str, items: list[str] | None) -> None:
    assert literal_items(text) == items


@pytest.mark.parametrize(
    ("loop", "sources"),
    [
        ("\\foreach \\n in {1,2}{\\includegraphics{img\\n.png}}", ["img1.png", "img2.png"]),
        ("\\foreach \\n in {1,...,3} {\\includegraphics[width=\\n cm]{\\n/a}}", ["1/a", "2/a", "3/a"]),
        ("\\foreach\\n in{a,b}{\\includegraphics{\\n}\\quad}", ["a", "b"]),
        ("\\foreach \\n in {1,2}{\\foreach \\m in {a,b}{\\includegraphics{\\n\\m}}}", ["1a", "1b", "2a", "2b"]),
        ("\\foreach \\n [count=\\i] in {p,q}{\\includegraphics{\\n}}", ["p", "q"]),
        ("\\begin{tikzpicture}\\foreach \\n in {1,2} \\node at (\\n,0) {\\includegraphics{i\\n}};\\end{tikzpicture}",
         ["i1", "i2"]),
        ("\\newcommand{\\pic}[1]{\\includegraphics{#1}}\\foreach \\n in {1,2}{\\pic{i\\n}}", ["i1", "i2"]),
        ("\\foreach \\n in {1,2}{\\input{part\\n}}", ["from1", "from2"]),
    ],
)  # fmt: skip
def test_literal_lists_are_written_out(tmp_path: Path, loop: str, sources: list[str]) -> None:
    parts = {f"part{number}.tex": f"\\includegraphics{{from{number}}}" for number in (1, 2)}
    files = {"main.tex": document(f"\\begin{{figure}}{loop}{CAPTION}\\end{{figure}}"), **parts}
    (found,) = read_folder(tmp_path, files).figures
    assert found.image_sources == sources


def test_each_turn_has_its_file_caption_and_label(tmp_path: Path) -> None:
    loop = "\\foreach \\n in {a,b}{\n\\subfloat[Panel \\n]{\\includegraphics{\\n}\\label{p\\n}}}"
    files = {"main.tex": document(f"\\begin{{figure}}{loop}{CAPTION}\\end{{figure}}"), "a.png": png(), "b.png": png(9)}
    whole, *panels = read_folder(tmp_path, files, granularity="panel").figures
    assert len(whole.images) == 2
    assert [(p.caption, p.label, p.image_sources) for p in panels] == [
        ("Panel a", "pa", ["a.png"]), ("Panel b", "pb", ["b.png"]),
    ]  # fmt: skip
    assert {p.caption_place for p in panels} == {"main.tex:5"}


@pytest.mark.parametrize(
    "inside",
    [
        "\\foreach \\n in {1,...,500}{\\includegraphics{img\\n.png}}",
        "\\foreach \\n in \\mylist {\\includegraphics{img\\n.png}}",
        "\\foreach \\n/\\m in {1/a,2/b}{\\includegraphics{img\\n\\m.png}}",
        "\\foreach \\n in {0.5,1.0,...,2}{\\includegraphics{img\\n.png}}",
        "\\makeatletter\\@for\\n:=a,b\\do{\\includegraphics{img\\n.png}}",
        "\\loop\\includegraphics{img\\the\\n.png}\\repeat",
        "\\includegraphics{plots/\\undefinedname}",
    ],
)
def test_a_name_that_tex_computes_is_no_name(tmp_path: Path, inside: str) -> None:
    (found,) = read_text(tmp_path, document(f"\\begin{{figure}}{inside}{CAPTION}\\end{{figure}}"))
    assert found.image_sources == found.images == []
    assert "image_name_computed" in found.flags
    assert found.caption == "Cap"


def test_a_folder_that_is_not_known_leaves_the_files_name(tmp_path: Path) -> None:
    latex = document(f"\\begin{{figure}}\\includegraphics{{\\FigDir/plot}}{CAPTION}\\end{{figure}}")
    found = read_folder(tmp_path, {"main.tex": latex, "Figures/plot.png": png()}).figures[0]
    assert found.image_sources == ["Figures/plot.png"]


@pytest.mark.parametrize(
    "definition",
    [
        "\\pgfkeys{/a/.code={\\begin{figure}\\includegraphics{#1.png}\\caption{Cap}\\end{figure}}}",
        "\\somedefiner{\\x}{\\begin{figure}\\includegraphics{a}\\caption{#2}\\label{y}\\end{figure}}",
        "\\somedefiner{\\x}{\\begin{figure}\\includegraphics{a}\\caption{C}\\label{fig:#1}\\end{figure}}",
    ],
)
def test_the_body_of_a_definition_is_no_figure(tmp_path: Path, definition: str) -> None:
    real = f"\\begin{{figure}}\\includegraphics{{a}}{CAPTION}\\end{{figure}}"
    (found,) = read_text(tmp_path, document(definition + real))
    assert (found.label, found.number) == ("x", "1")


def test_environments_that_take_their_body(tmp_path: Path) -> None:
    own = "\\NewEnviron{plot}[1]{\\begin{figure}\\includegraphics{#1}\\caption{\\BODY}\\label{fig:#1}\\end{figure}}"
    (found,) = read_text(tmp_path, document("\\begin{plot}{a}The {whole} caption\\end{plot}", own))
    assert (found.caption, found.label, found.image_sources) == ("The whole caption", "fig:a", ["a"])


def test_the_end_of_an_environment_uses_its_arguments(tmp_path: Path) -> None:
    own = (
        "\\NewDocumentEnvironment{plot}{m O{none}}{\\begin{figure}\\includegraphics{#1}}"
        "{\\caption{Of #2}\\label{fig:#1}\\end{figure}}"
    )
    body = "\\begin{plot}{a}[one]x\\end{plot}\\begin{plot}{b}y\\end{plot}\\end{plot}"
    found = read_text(tmp_path, document(body, own))
    assert [(f.caption, f.label) for f in found] == [("Of one", "fig:a"), ("Of none", "fig:b")]


def test_loops_within_loops_end(tmp_path: Path) -> None:
    names = "abcdefgh"
    opened = "".join(f"\\foreach \\{name} in {{1,...,{MOST_ITEMS}}}{{" for name in names)
    inside = f"{opened}\\includegraphics{{i\\a}}{'}' * len(names)}"
    extraction = read_folder(tmp_path, {"main.tex": document(f"\\begin{{figure}}{inside}{CAPTION}\\end{{figure}}")})
    assert any("foreach not written out" in note for note in extraction.notes)
    torn = document("\\begin{figure}" + "\\foreach \\x in {1,2}{\\includegraphics{\\x}" * 300 + CAPTION)
    assert read_text(tmp_path, torn)
