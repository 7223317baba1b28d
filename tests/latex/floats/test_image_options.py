"""Image commands: how many images, which path, which options; and where their file is looked for."""

from __future__ import annotations

import pytest

from data_juicer_ext.latex.expand.macros import Macro
from data_juicer_ext.latex.expand.tex_buffer import Buffer
from data_juicer_ext.latex.floats.image_paths import (
    Found,
    Image,
    find_image,
    image_at,
    is_computed,
    search_folders,
    view_of,
    written_path,
)
from data_juicer_ext.latex.source.paper_files import SourceTree


def images(command: str, after: str) -> list[tuple[str, str]]:
    """Path and options of each image of the command."""
    found = image_at(command, Buffer.of_file(f"\\{command}{after}", 0), len(command) + 1)
    return [(image.path, image.options) for image in found]


@pytest.mark.parametrize(
    ("command", "after", "found"),
    [
        ("includegraphics", "{ a }", [("a", "")]),
        ("includegraphics", "*[width=1]{a}", [("a", "width=1")]),
        ("includegraphics", "[0,0][9,9]{a}", [("a", "9,9")]),
        ("includegraphics", "{}", []),
        ("includegraphics", " a", []),
        ("includegraphics", "{" + "a" * 1000 + "}", [("a" * 1000, "")]),
        ("includegraphics", "{" + "a" * 1001 + "}", []),
        ("plotone", "{a}{b}", [("a", "")]),
        ("plottwo", "{a}{b}{c}", [("a", ""), ("b", "")]),
        ("plottwo", "{a} b", [("a", "")]),
        ("plottwo", "{}{b}", [("b", "")]),
        ("plotfour", "{a}{b}{c}{d}{e}", [("a", ""), ("b", ""), ("c", ""), ("d", "")]),
        ("epsfig", "{width=1,file=a.eps,angle=90}", [("a.eps", "width=1,file=a.eps,angle=90")]),
        ("psfig", "{figure = {a b.ps}}", [("{a b.ps}", "figure = {a b.ps}")]),
        ("epsfig", "{width=1}", []),
        ("figcaption", "[a.png]{Cap}", [("a.png", "")]),
    ],
)
def test_the_images_of_a_command(command: str, after: str, found: list[tuple[str, str]]) -> None:
    assert images(command, after) == found


def test_where_an_image_command_ends() -> None:
    [image] = image_at("includegraphics", Buffer.of_file("\\includegraphics[x]{a} b", 0), 16)
    assert (image.at, image.end) == (16, 22)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("a-b/c_d.png", "a-b/c_d.png"), ("{{a.b}.png}", "a.b.png"), ('"a b".png', "a b.png"), ("a\\_b", "a_b"),
        ("\\dir/a", "figs/a"), ("\\jobname-1", "main-1"), ("\\detokenize{a}", "a"), ("a\\ b", "a b"),
        ("\\string a", "a"), (" a \n b ", "a b"), ("\\relaxed", "\\relaxed"),
    ],
)  # fmt: skip
def test_paths_without_macros_and_braces(written: str, path: str) -> None:
    assert written_path(Image(written, "", 0, 0), {"dir": Macro("dir", (), "figs")}, "main") == path


def test_names_that_are_computed() -> None:
    assert is_computed("a/\\x.png") and is_computed("a/#1.png")
    assert not is_computed("\\x/a.png") and not is_computed("a.png")


@pytest.mark.parametrize(
    ("source", "folders"),
    [
        ("\\graphicspath{{a/}{ b/ }}", ["a/", "b/"]),
        ("\\graphicspath{{a/}}\\graphicspath{{c/}}", ["c/"]),
        ("\\graphicspath{a/}", ["a/"]),
        ("\\graphicspath{{\\dir/}}", ["figs/"]),
        ("\\svgpath{{s/}}\\graphicspath{{a/}}", ["a/", "s/"]),
        ("\\graphicspath a", []),
        ("\\graphicspath{}", []),
        ("\\graphicspath{" + "{a}" * 60 + "}", ["a"] * 50),
    ],
)
def test_folders_that_a_paper_names(source: str, folders: list[str]) -> None:
    assert search_folders(source, Buffer.of_file(source, 0), {"dir": Macro("dir", (), "figs")}) == folders


def tree(*paths: str) -> SourceTree:
    return SourceTree("p", dict.fromkeys(paths, b"x"))


@pytest.mark.parametrize(
    ("files", "path", "found"),
    [
        (("a.png", "a.pdf"), "a", Found("a.pdf", drawn_from="a.pdf")),
        (("a.png", "a.jpg"), "a", Found("a.png", drawn_from="a.png")),
        (("a.eps", "a.png"), "a", Found("a.png", drawn_from="a.png")),
        (("figs/a.png",), "a", Found("figs/a.png", drawn_from="figs/a.png")),
        (("other/a.png",), "a", Found("other/a.png", drawn_from="other/a.png")),
        (("other/a.png", "more/a.png"), "a", Found("a", "image_missing")),
        (("a.pdf",), "a.eps", Found("a.pdf", drawn_from="a.pdf")),
        (("a-eps-converted-to.pdf",), "a.eps", Found("a.eps", drawn_from="a-eps-converted-to.pdf")),
        (("a-eps-converted-to.pdf",), "a", Found("a", drawn_from="a-eps-converted-to.pdf")),
        (("a.eps", "a-eps-converted-to.pdf"), "a.eps", Found("a.eps", drawn_from="a-eps-converted-to.pdf")),
        (("a.eps", "a.pdf"), "a.eps", Found("a.eps", drawn_from="a.pdf")),
        (("a.ps", "a.png"), "a.ps", Found("a.ps", drawn_from="a.png")),
        (("a.eps",), "a.eps", Found("a.eps", drawn_from="a.eps")),
        (("a.pdf_tex", "a.pdf"), "a.pdf_tex", Found("a.pdf_tex", drawn_from="a.pdf")),
        (("a.png",), "../../a", Found("../../a", "image_path_refused")),
        (("a.png",), "", Found("", "image_missing")),
        (("a.png",), "b", Found("b", "image_missing")),
        (("a.1.png",), "a.1", Found("a.1.png", drawn_from="a.1.png")),
    ],
)
def test_the_file_that_is_meant(files: tuple[str, ...], path: str, found: Found) -> None:
    assert find_image(tree("main.tex", *files), path, [""], ["figs/"]) == found


def test_folders_outside_the_paper_are_left_out() -> None:
    assert find_image(tree("a.png"), "a", ["../up"], ["/etc", "~"]) == Found("a.png", drawn_from="a.png")


@pytest.mark.parametrize(
    ("options", "view"),
    [
        ("width=1,page=3", {"page": "3"}),
        ("trim = {1 2 3 4}, clip", {"trim": "1 2 3 4", "clip": "true"}),
        ("trim=1 2 3 4,clip=false", {"trim": "1 2 3 4", "clip": "false"}),
        ("viewport=0 0 1 1,angle=90,bb=0 0 2 2", {"viewport": "0 0 1 1", "angle": "90", "bb": "0 0 2 2"}),
        ("width=1", {}),
        (" " * 1000 + "page=3", {}),
    ],
)
def test_options_that_change_what_is_seen(options: str, view: dict[str, str]) -> None:
    assert view_of(options) == view
