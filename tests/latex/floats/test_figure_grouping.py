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


def parts(tmp_path: Path, body: str, **options: object) -> list[tuple[str, str, str, list[str]]]:
    """Panel, label, caption and images of each figure of one float."""
    found = read_text(tmp_path, document(f"\\begin{{figure}}{body}\\end{{figure}}"), **options)
    return [(each.panel, each.label, each.caption, each.image_sources) for each in found]


def test_bare_subcaptions_take_the_images_and_labels_since_the_last_one(tmp_path: Path) -> None:
    body = (
        "\\includegraphics{a}\\subcaption{A}\\label{a}\\includegraphics{b}\\includegraphics{c}\\subcaption{B}\\label{b}"
        "\\includegraphics{d}\\caption{All}\\label{x}"
    )
    assert parts(tmp_path, body, granularity="panel") == [
        ("", "x", "All", ["a", "b", "c", "d"]), ("a", "a", "A", ["a"]), ("b", "b", "B", ["b", "c"]),
    ]  # fmt: skip


def test_a_row_of_images_over_a_row_of_captions(tmp_path: Path) -> None:
    caption = "\\begin{minipage}{1cm}\\caption{%s}\\label{%s}\\end{minipage}"
    row = caption % ("A", "a") + caption % ("B", "b")
    two = "\\includegraphics{p}\\includegraphics{q}" + row
    assert parts(tmp_path, two) == [("", "a", "A", ["p"]), ("", "b", "B", ["q"])]
    shared = "\\includegraphics{p}" + row
    assert parts(tmp_path, shared) == [("", "a", "A", ["p"]), ("", "b", "B", ["p"])]


def test_labels_outside_of_captioned_boxes_go_to_the_figure_before_them(tmp_path: Path) -> None:
    box = "\\begin{minipage}{1cm}\\includegraphics{%s}\\caption{%s}\\end{minipage}"
    body = box % ("a", "A") + "\\label{one}" + box % ("b", "B") + "\\label{two}"
    assert parts(tmp_path, body) == [("", "one", "A", ["a"]), ("", "two", "B", ["b"])]


def test_images_between_captions_go_below_or_above_as_the_first_one_does(tmp_path: Path) -> None:
    first = "\\includegraphics{a}\\caption{A}\\label{a}\\includegraphics{b}\\includegraphics{c}\\caption{B}\\label{b}"
    assert parts(tmp_path, first) == [("", "a", "A", ["a"]), ("", "b", "B", ["b", "c"])]
    after = "\\caption{A}\\label{a}\\includegraphics{a}\\includegraphics{b}\\caption{B}\\label{b}\\includegraphics{c}"
    assert parts(tmp_path, after) == [("", "a", "A", ["a", "b"]), ("", "b", "B", ["c"])]
    last = "\\includegraphics{a}\\caption{A}\\label{a}\\caption{B}\\label{b}\\includegraphics{c}"
    assert parts(tmp_path, last) == [("", "a", "A", ["a"]), ("", "b", "B", ["c"])]


def test_panels_of_several_captions_go_where_images_would(tmp_path: Path) -> None:
    body = (
        "\\subfloat[P]{\\includegraphics{p}}\\caption{A}\\label{a}"
        "\\subfloat[Q]{\\includegraphics{q}}\\caption{B}\\label{b}"
    )
    assert parts(tmp_path, body, granularity="panel") == [
        ("", "a", "A", ["p"]), ("a", "", "P", ["p"]), ("", "b", "B", ["q"]), ("a", "", "Q", ["q"]),
    ]  # fmt: skip


def test_a_table_in_the_same_float_keeps_its_caption_and_label(tmp_path: Path) -> None:
    table = "\\begin{minipage}{1cm}\\captionof{table}{T}\\label{t}\\end{minipage}"
    assert parts(tmp_path, f"{IMAGE}\\caption{{C}}\\label{{x}}{table}") == [("", "x", "C", ["a"])]
    bare = f"{IMAGE}\\caption{{C}}\\label{{x}}\\captionof{{table}}{{T}}\\label{{t}}"
    assert parts(tmp_path, bare) == [("", "x", "C", ["a"])]
    assert parts(tmp_path, "\\captionof{table}{T}\\label{t}") == []


def test_a_caption_without_number_beside_one_that_has_it_is_a_note(tmp_path: Path) -> None:
    assert parts(tmp_path, f"{IMAGE}\\caption{{C}}\\caption*{{Note}}\\label{{x}}") == [("", "x", "C", ["a"])]
    assert parts(tmp_path, f"{IMAGE}\\caption*{{Note}}\\label{{x}}") == [("", "x", "Note", ["a"])]


def test_a_float_with_nothing_in_it_is_no_figure(tmp_path: Path) -> None:
    assert parts(tmp_path, "only words") == []
    assert parts(tmp_path, "\\begin{tikzpicture}\\draw (0,0);\\end{tikzpicture}") == [("", "", "", [])]
    assert parts(tmp_path, "\\label{x}") == [("", "x", "", [])]
    inner = "\\begin{center}\\begin{tikzpicture}\\draw (0,0);\\end{tikzpicture}\\end{center}"
    assert len(parts(tmp_path, inner)) == 1


def test_a_panel_within_a_panel_is_part_of_it(tmp_path: Path) -> None:
    inner = "\\begin{subfigure}{1cm}\\includegraphics{%s}\\label{%s}\\end{subfigure}"
    outer = (
        "\\begin{subfigure}{1cm}" + inner % ("a", "a") + inner % ("b", "b") + "\\caption{P}\\label{p}\\end{subfigure}"
    )
    assert parts(tmp_path, outer + "\\caption{C}\\label{x}", granularity="panel") == [
        ("", "x", "C", ["a", "b"]), ("a", "p", "P", ["a", "b"]),
    ]  # fmt: skip


def test_a_captioned_box_under_an_outer_caption_is_a_panel(tmp_path: Path) -> None:
    box = "\\begin{minipage}{1cm}\\includegraphics{%s}\\caption{%s}\\label{%s}\\end{minipage}"
    body = box % ("a", "A", "a") + box % ("b", "B", "b") + "\\caption{C}\\label{x}"
    assert parts(tmp_path, body, granularity="panel") == [
        ("", "x", "C", ["a", "b"]), ("a", "a", "A", ["a"]), ("b", "b", "B", ["b"]),
    ]  # fmt: skip
