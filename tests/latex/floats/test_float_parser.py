"""Which figures a text holds, and what belongs to each."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.rows import Figure
from tests.latex.papers import document, figure, read_folder, read_text

IMAGE = "\\includegraphics{a}"


def only(tmp_path: Path, body: str, **options: object) -> Figure:
    (found,) = read_text(tmp_path, document(body), **options)
    return found


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (f"\\begin{{{name}}}{argument}", f"\\end{{{name}}}")
        for name, argument in (
            ("figure", "[htbp]"), ("figure*", ""), ("wrapfigure", "{r}{5cm}"), ("SCfigure", "[2]"), ("SCfigure*", ""),
            ("sidewaysfigure", ""), ("sidewaysfigure*", ""), ("teaserfigure", ""), ("marginfigure", ""),
            ("floatingfigure", "{3cm}"), ("wrapfloat", "{figure}{r}{5cm}"),
        )
    ],
)  # fmt: skip
def test_figure_environments(tmp_path: Path, begin: str, end: str) -> None:
    found = only(tmp_path, f"{begin}{IMAGE}\\caption{{Cap}}\\label{{x}}{end}")
    assert (found.label, found.caption, found.image_sources, found.number) == ("x", "Cap", ["a"], "1")


@pytest.mark.parametrize("name", ["table", "table*", "algorithm", "wraptable", "listing", "sidewaystable"])
def test_other_floats_are_no_figures(tmp_path: Path, name: str) -> None:
    assert read_text(tmp_path, document(f"\\begin{{{name}}}{IMAGE}\\caption{{C}}\\label{{t}}\\end{{{name}}}")) == []


@pytest.mark.parametrize(
    "body",
    [
        f"\\begin{{strip}}{IMAGE}\\captionof{{figure}}{{Cap}}\\label{{x}}\\end{{strip}}",
        f"\\begin{{minipage}}{{1cm}}{IMAGE}\\captionof{{figure}}[s]{{Cap}}\\label{{x}}\\end{{minipage}}",
        f"\\begin{{center}}\n{IMAGE}\n\\captionof{{figure}}{{Cap}}\\label{{x}}\n\\end{{center}}",
        f"Text.\n\n{IMAGE}\n\\captionof{{figure}}{{Cap}}\n\\label{{x}}\n\nText.",
        f"\\begin{{center}}{IMAGE}\\end{{center}}\n\\captionof{{figure}}{{Cap}}\\label{{x}}",
        f"\\begin{{center}}\\captionsetup{{type=figure}}{IMAGE}\\caption{{Cap}}\\label{{x}}\\end{{center}}",
        f"\\begin{{table}}\\begin{{minipage}}{{1cm}}{IMAGE}\\captionof{{figure}}{{Cap}}\\label{{x}}\\end{{minipage}}\\end{{table}}",
        f"\\teaser{{{IMAGE}\\caption{{Cap}}\\label{{x}}}}",
        f"\\begin{{figure}}{IMAGE}\\figcaption{{Cap}}\\label{{x}}\\end{{figure}}",
    ],
)
def test_figures_outside_figure_environments(tmp_path: Path, body: str) -> None:
    found = only(tmp_path, body)
    assert (found.label, found.caption, found.image_sources) == ("x", "Cap", ["a"])


def test_a_caption_of_a_table_makes_no_figure(tmp_path: Path) -> None:
    body = f"\\begin{{minipage}}{{1cm}}{IMAGE}\\captionof{{table}}{{T}}\\label{{t}}\\end{{minipage}}"
    assert read_text(tmp_path, document(body)) == []
    side = (
        f"\\begin{{figure}}\\begin{{minipage}}{{1cm}}{IMAGE}\\caption{{Cap}}\\label{{x}}\\end{{minipage}}"
        "\\begin{minipage}{1cm}\\captionof{table}{T}\\label{t}\\end{minipage}\\end{figure}"
    )
    found = only(tmp_path, side)
    assert (found.labels, found.caption) == (["x"], "Cap")


@pytest.mark.parametrize(
    "panels",
    [
        "\\begin{subfigure}[b]{0.4\\textwidth}\\includegraphics{a}\\caption{One}\\label{a}\\end{subfigure}\n"
        "\\begin{subfigure}{1cm}\\includegraphics{b}\\caption{Two}\\label{b}\\end{subfigure}",
        "\\begin{subcaptionblock}{1cm}\\includegraphics{a}\\caption{One}\\label{a}\\end{subcaptionblock}\n"
        "\\begin{subcaptionblock}{1cm}\\includegraphics{b}\\caption{Two}\\label{b}\\end{subcaptionblock}",
        "\\subfigure[One]{\\includegraphics{a}\\label{a}}\\subfigure[Two\\label{b}]{\\includegraphics{b}}",
        "\\subfloat[One]{\\includegraphics{a}\\label{a}}\n\n\\subfloat[Two\\label{b}]{\\includegraphics{b}}",
        "\\subfloat[l][One]{\\includegraphics{a}\\label{a}}\\subfloat[l][Two]{\\label{b}\\includegraphics{b}}",
        "\\subcaptionbox{One\\label{a}}{\\includegraphics{a}}\\subcaptionbox[l]{Two\\label{b}}[1cm]{\\includegraphics{b}}",
        "\\sidesubfloat[One]{\\includegraphics{a}\\label{a}}\\sidesubfloat[Two]{\\includegraphics{b}\\label{b}}",
        "\\begin{minipage}{1cm}\\includegraphics{a}\\subcaption{One}\\label{a}\\end{minipage}\n"
        "\\begin{minipage}{1cm}\\includegraphics{b}\\subcaption{Two}\\label{b}\\end{minipage}",
        "\\begin{minipage}{1cm}\\includegraphics{a}\\caption{One}\\label{a}\\end{minipage}\n"
        "\\begin{minipage}{1cm}\\includegraphics{b}\\caption{Two}\\label{b}\\end{minipage}",
        "\\includegraphics{a}\\subcaption{One\\label{a}}\\includegraphics{b}\\subcaption{Two\\label{b}}",
        "\\begin{center}\\begin{tabular}{cc}\\subfloat[One]{\\includegraphics{a}\\label{a}}&"
        "\\subfloat[Two]{\\includegraphics{b}\\label{b}}\\end{tabular}\\end{center}",
    ],
)
def test_panels(tmp_path: Path, panels: str) -> None:
    body = f"\\begin{{figure}}\n{panels}\n\\caption{{All}}\\label{{x}}\n\\end{{figure}}\nPanel \\ref{{b}} is cited."
    whole = only(tmp_path, body)
    assert (whole.label, whole.caption, whole.image_sources) == ("x", "All", ["a", "b"])
    assert sorted(whole.labels) == ["a", "b", "x"]
    assert whole.context == ["Panel \\ref{b} is cited."]
    top, first, second = read_text(tmp_path, document(body), granularity="panel")
    assert top == whole
    assert [(p.panel, p.parent_label, p.label, p.caption, p.image_sources) for p in (first, second)] == [
        ("a", "x", "a", "One", ["a"]), ("b", "x", "b", "Two", ["b"]),
    ]  # fmt: skip
    assert [p.number for p in (first, second)] == ["1a", "1b"]
    assert second.context == whole.context
    assert "context_of_figure" in first.flags
    assert "context_of_figure" not in second.flags


@pytest.mark.parametrize(
    "inside",
    [
        "\\label{x}\\includegraphics{a}\\caption{Cap}",
        "\\caption{Cap\\label{x}}\\includegraphics{a}",
        "\\caption{Cap}\\label{x}\\includegraphics{a}",
        "\\caption[short]{Cap}\\label{x}\\includegraphics{a}",
        "\\includegraphics{a}\\caption[]{Cap}% note\n\\label{x}",
        "\\includegraphics{a}\\caption{Cap}% note\n\\label{x}\n%\\includegraphics{old}",
        "\\centering\\includegraphics[width=1cm]{a}\\caption*{Cap}\\label{x}",
        "\\centerline{\\includegraphics{a}}\\caption{\\protect Cap}\\label{x}",
        "\\begin{overpic}[width=1cm]{a}\\put(1,1){x}\\end{overpic}\\caption{Cap}\\label{x}",
        "\\epsfig{file=a,width=3cm}\\caption{Cap}\\label{x}",
        "\\epsfxsize=3cm\\epsfbox{a}\\caption{Cap}\\label{x}",
        "\\psfig{figure=a,width=3cm}\\caption{Cap}\\label{x}",
        "\\plotone{a}\\caption{Cap}\\label{x}",
        "\\includesvg[width=1cm]{a}\\caption{Cap}\\label{x}",
        "\\begin{tikzpicture}\\node{\\includegraphics{a}};\\end{tikzpicture}\\caption{Cap}\\label{x}",
    ],
)
def test_order_and_commands(tmp_path: Path, inside: str) -> None:
    found = only(tmp_path, f"\\begin{{figure}}{inside}\\end{{figure}}")
    assert (found.label, found.caption, found.image_sources) == ("x", "Cap", ["a"])


@pytest.mark.parametrize("drawing", ["tikzpicture", "picture", "pspicture", "axis"])
def test_a_drawing_is_a_figure_without_image_file(tmp_path: Path, drawing: str) -> None:
    found = only(
        tmp_path, f"\\begin{{figure}}\\begin{{{drawing}}}x\\end{{{drawing}}}\\caption{{C}}\\label{{x}}\\end{{figure}}"
    )
    assert found.images == found.image_sources == []
    assert "no_image_file" in found.flags


def test_a_figure_whose_image_was_stripped(tmp_path: Path) -> None:
    assert only(tmp_path, "\\begin{figure}\\caption{C}\\label{x}\\end{figure}").flags == [
        "never_cited",
        "no_image_file",
    ]


def test_empty_caption_and_no_caption(tmp_path: Path) -> None:
    found = read_text(tmp_path, document(figure("a", caption="") + f"\\begin{{figure}}{IMAGE}\\end{{figure}}"))
    assert [f.caption for f in found] == ["", ""]
    assert all("no_caption" in f.flags for f in found)
    assert [f.number for f in found] == ["1", ""]


def test_an_empty_figure_is_none(tmp_path: Path) -> None:
    assert read_text(tmp_path, document("\\begin{figure}\\end{figure}")) == []


@pytest.mark.parametrize(
    "dead",
    [
        "%" + figure("b").replace("\n", "\n%"),
        f"\\begin{{comment}}{figure('b')}\\end{{comment}}",
        f"\\iffalse{figure('b')}\\fi",
        f"\\begin{{verbatim}}{figure('b')}\\end{{verbatim}}",
        f"\\begin{{lstlisting}}\n{figure('b')}\\end{{lstlisting}}",
        "\\verb|\\begin{figure}\\caption{x}\\end{figure}|",
        "\\newcommand{\\insertfigure}[1]{\\begin{figure}\\includegraphics{#1.png}\\caption{c}\\end{figure}}",
        f"\\newcommand{{\\remove}}[1]{{}}\\remove{{{figure('b')}}}",
    ],
)
def test_dead_figures(tmp_path: Path, dead: str) -> None:
    assert only(tmp_path, f"{figure('a')}\n{dead}\n").label == "fig:a"


def test_figures_made_by_macros(tmp_path: Path) -> None:
    inside = "\\includegraphics[#1]{#2.pdf}\\caption{#3}\\label{fig:#2}"
    macro = f"\\newcommand{{\\fg}}[3][width=1cm]{{\\begin{{figure}}{inside}\\end{{figure}}}}"
    found = read_text(tmp_path, document("\\fg{a}{Cap {a}}\n\\fg[x]{b}{Cap b}", macro))
    assert [(f.label, f.caption, f.image_sources) for f in found] == [
        ("fig:a", "Cap a", ["a.pdf"]), ("fig:b", "Cap b", ["b.pdf"]),
    ]  # fmt: skip
    assert found[1].caption_place.endswith(":5")


def test_figures_after_the_appendix_and_bibliography_stay(tmp_path: Path) -> None:
    body = (
        figure("a")
        + "\\bibliography{x}\\appendix\n"
        + figure("b")
        + "\\begin{thebibliography}{9}\\bibitem{x}\\end{thebibliography}"
        + figure("c")
    )
    assert [f.label for f in read_text(tmp_path, document(body))] == ["fig:a", "fig:b", "fig:c"]


def test_unclosed_environments_and_braces(tmp_path: Path) -> None:
    body = "\\begin{figure}\\includegraphics{a}\\caption{One}\\label{a}\n\nWords.\n\n" + figure("b")
    found = read_text(tmp_path, document(body))
    assert [f.label for f in found] == ["a", "fig:b"]
    assert "unclosed_environment" in found[0].flags
    torn = only(tmp_path, "\\begin{figure}\\includegraphics{a}\\caption{Never closed\n\\end{figure}\n\nWords.")
    assert torn.caption.startswith("Never closed")


def test_a_caption_command_of_a_class_that_is_missing(tmp_path: Path) -> None:
    found = only(
        tmp_path, f"\\begin{{figure}}{IMAGE}\\srccaption{{file.py}}{{The real caption.\\label{{x}}}}\\end{{figure}}"
    )
    assert (found.caption, found.label) == ("The real caption.", "x")
    both = f"\\begin{{figure}}{IMAGE}\\caption{{Cap}}\\captionnote{{A note that is long enough}}\\end{{figure}}"
    assert only(tmp_path, both).caption == "Cap"


def test_continued_floats(tmp_path: Path) -> None:
    body = figure("a") + "\\begin{figure}\\ContinuedFloat\\includegraphics{b}\\caption{Two}\\end{figure}" + figure("c")
    found = read_text(tmp_path, document(body))
    assert [f.number for f in found] == ["1", "1", "2"]
    assert "continued" in found[1].flags
    assert len({f.figure_id for f in found}) == 3


def test_a_type_that_is_set_by_hand(tmp_path: Path) -> None:
    body = f"\\makeatletter\\def\\@captype{{figure}}\\makeatother\n{IMAGE}\n\\caption{{Cap}}\\label{{x}}"
    found = only(tmp_path, body)
    assert (found.caption, found.label, found.image_sources) == ("Cap", "x", ["a"])


@pytest.mark.parametrize("title", ["\\twocolumn[{%\n\\maketitle\n", "\\twocolumn[{\\begin{@twocolumnfalse}\n"])
def test_a_teaser_over_both_columns(tmp_path: Path, title: str) -> None:
    teaser = f"\\begin{{center}}\n{IMAGE}\n\\captionof{{figure}}{{Cap}}\n\\label{{x}}\n\\end{{center}}%\n}}]\n"
    found = only(tmp_path, f"{title}{teaser}Text \\ref{{x}}.\n")
    assert (found.caption, found.label, found.image_sources) == ("Cap", "x", ["a"])
    assert found.context == ["Text \\ref{x}."]


def test_the_first_of_a_series_counts(tmp_path: Path) -> None:
    series = "\\begin{figure}\\ContinuedFloat*\\includegraphics{a}\\caption{C}\\label{x}\\end{figure}"
    found = only(tmp_path, series)
    assert (found.number, "continued" in found.flags) == ("1", False)


@pytest.mark.parametrize(
    "command", ["\\tikz \\draw (0,0)--(1,1);", "\\input{plot.pgf}", "\\resizebox{1cm}{!}{\\input{plot}}"]
)
def test_drawings_from_commands_and_files(tmp_path: Path, command: str) -> None:
    files = {
        "main.tex": document(f"\\begin{{figure}}{command}\\caption{{C}}\\label{{x}}\\end{{figure}}"),
        "plot.pgf": "\\begin{pgfpicture}x\\end{pgfpicture}", "plot.tex": "\\begin{tikzpicture}x\\end{tikzpicture}",
    }  # fmt: skip
    (found,) = read_folder(tmp_path, files).figures
    assert found.flags == ["never_cited", "no_image_file"]
