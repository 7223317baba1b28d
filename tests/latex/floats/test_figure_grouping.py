"""What belongs together in a float: captions, images and panels, one figure or several."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.rows import Figure
from tests.latex.papers import document, read_text

IMAGE = "\\includegraphics{a}"


def only(tmp_path: Path, body: str, **options: object) -> Figure:
    (found,) = read_text(tmp_path, document(body), **options)
    return found


def test_two_captioned_minipages_are_two_figures(tmp_path: Path) -> None:
    part = "\\begin{{minipage}}{{1cm}}\\includegraphics{{{0}}}\\caption{{Cap {0}}}\\label{{{0}}}\\end{{minipage}}"
    found = read_text(
        tmp_path, document(f"\\begin{{figure}}{part.format('a')}\\hfill {part.format('b')}\\end{{figure}}")
    )
    assert [(f.label, f.caption, f.image_sources, f.number) for f in found] == [
        ("a", "Cap a", ["a"], "1"), ("b", "Cap b", ["b"], "2"),
    ]  # fmt: skip


def test_two_minipages_under_one_outer_caption_keep_it(tmp_path: Path) -> None:
    part = "\\begin{minipage}{1cm}\\includegraphics{%s}\\end{minipage}"
    found = only(tmp_path, f"\\begin{{figure}}{part % 'a'}{part % 'b'}\\caption{{Cap}}\\label{{x}}\\end{{figure}}")
    assert (found.caption, found.image_sources) == ("Cap", ["a", "b"])


def test_a_caption_beside_its_image(tmp_path: Path) -> None:
    found = only(
        tmp_path,
        f"\\begin{{figure}}\\begin{{minipage}}{{1cm}}{IMAGE}\\end{{minipage}}"
        "\\begin{minipage}{1cm}\\caption{Cap}\\label{x}\\end{minipage}\\end{figure}",
    )
    assert (found.caption, found.image_sources, found.label) == ("Cap", ["a"], "x")


@pytest.mark.parametrize(
    "body",
    [
        "\\includegraphics{a}\\caption{Cap a}\\label{a}\\includegraphics{b}\\caption{Cap b}\\label{b}",
        "\\caption{Cap a}\\label{a}\\includegraphics{a}\\caption{Cap b}\\label{b}\\includegraphics{b}",
    ],
)
def test_two_captions_in_one_float(tmp_path: Path, body: str) -> None:
    found = read_text(tmp_path, document(f"\\begin{{figure}}{body}\\end{{figure}}"))
    assert [(f.label, f.caption, f.image_sources) for f in found] == [
        ("a", "Cap a", ["a"]), ("b", "Cap b", ["b"]),
    ]  # fmt: skip


def test_several_images_without_markup_are_one_figure(tmp_path: Path) -> None:
    found = only(
        tmp_path, "\\begin{figure}\\includegraphics{a}\\\\\\includegraphics{b}\\plottwo{c}{d}\\caption{C}\\end{figure}"
    )
    assert found.image_sources == ["a", "b", "c", "d"]
    assert "no_label" in found.flags


def test_an_empty_caption_beside_a_real_one_is_no_figure(tmp_path: Path) -> None:
    found = only(tmp_path, f"\\begin{{figure}}{IMAGE}\\caption{{ }}\\caption{{Cap}}\\label{{x}}\\end{{figure}}")
    assert (found.caption, found.image_sources, found.label) == ("Cap", ["a"], "x")


def test_an_empty_panel_is_only_space(tmp_path: Path) -> None:
    panel = "\\begin{subfigure}{1cm}%s\\end{subfigure}"
    body = panel % "\\includegraphics{a}\\caption{A}" + panel % "~" + panel % "\\includegraphics{b}\\caption{B}"
    found = read_text(tmp_path, document(f"\\begin{{figure}}{body}\\caption{{C}}\\end{{figure}}"), granularity="panel")
    assert [(f.panel, f.caption) for f in found] == [("", "C"), ("a", "A"), ("b", "B")]


def test_rows_of_panels(tmp_path: Path) -> None:
    rows = (
        "\\begin{figure}\\ffigbox[]{\\begin{subfloatrow}\\subfloat[P]{\\includegraphics{a}}\\subfloat[Q]{\\includegraphics{b}}"
        "\\end{subfloatrow}}{\\caption{All}\\label{x}}\\end{figure}"
    )
    found = read_text(tmp_path, document(rows), granularity="panel")
    assert [(f.panel, f.caption, f.image_sources) for f in found] == [
        ("", "All", ["a", "b"]), ("a", "P", ["a"]), ("b", "Q", ["b"]),
    ]  # fmt: skip
    row = (
        "\\begin{figure}\\begin{floatrow}\\ffigbox{\\includegraphics{a}}{\\caption{A}\\label{a}}"
        "\\ffigbox{\\includegraphics{b}}{\\caption{B}\\label{b}}\\end{floatrow}\\end{figure}"
    )
    assert [(f.label, f.caption, f.image_sources) for f in read_text(tmp_path, document(row))] == [
        ("a", "A", ["a"]), ("b", "B", ["b"]),
    ]  # fmt: skip
