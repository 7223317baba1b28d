"""Which file an image means, and what becomes of it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.latex.floats import figure_images
from data_juicer_ext.latex.floats.image_paths import view_of
from tests.latex.papers import document, pdf, png, pretending, read_folder, read_text


def extract(tmp_path: Path, command: str, files: dict[str, bytes], preamble: str = "", main: str = "main.tex"):
    body = f"\\begin{{figure}}{command}\\caption{{C}}\\label{{x}}\\end{{figure}}"
    contents: dict[str, str | bytes] = {main: document(body, preamble), **files}
    extraction = read_folder(tmp_path, contents)
    return extraction.figures[0], extraction.notes


@pytest.mark.parametrize(
    ("command", "name", "preamble"),
    [
        ("\\includegraphics{a}", "a.png", ""),
        ("\\includegraphics{a.png}", "a.png", ""),
        ("\\includegraphics*[1,1][2,2]{a}", "a.png", ""),
        ("\\includegraphics{ ./f/a.png }", "f/a.png", ""),
        ("\\includegraphics{{a.b}.png}", "a.b.png", ""),
        ("\\includegraphics{{{a.b}}}", "a.b.png", ""),
        ("\\includegraphics{a.b}", "a.b.png", ""),
        ('\\includegraphics{"a b"}', "a b.png", ""),
        ('\\includegraphics{"a b".png}', "a b.png", ""),
        ("\\includegraphics{A}", "a.PNG", ""),
        ("\\includegraphics{Fig/A.png}", "fig/a.png", ""),
        ("\\includegraphics{a\\_b}", "a_b.png", ""),
        ("\\includegraphics{\\figs/a}", "f/a.png", "\\newcommand{\\figs}{f}"),
        ("\\includegraphics{\\jobname-a}", "main-a.png", ""),
        ("\\includegraphics{a}", "f/a.png", "\\graphicspath{{f/}}"),
        ("\\includegraphics{a}", "g/a.png", "\\graphicspath{ {./f/} {./g/} }"),
        ("\\includegraphics{a}", "f/a.png", "\\graphicspath{f/}"),
        ("\\includegraphics{a}", "f/a.png", "\\newcommand{\\d}{f}\\graphicspath{{\\d/}}"),
        ("\\includegraphics{a.eps}", "a.png", ""),
        ("\\includegraphics{plots/a}", "elsewhere/a.png", ""),
        ("\\includegraphics{\\detokenize{a_b}.png}", "a_b.png", ""),
    ],
)
def test_paths(tmp_path: Path, command: str, name: str, preamble: str) -> None:
    found, _ = extract(tmp_path, command, {name: png()}, preamble)
    assert found.image_sources == [name]
    assert len(found.images) == 1
    assert found.flags == ["never_cited"]


def test_extensions_in_latex_order_of_preference(tmp_path: Path) -> None:
    found, _ = extract(tmp_path, "\\includegraphics{a}", {"a.png": png(), "a.pdf": pdf(), "a.jpg": b""})
    assert found.image_sources == ["a.pdf"]


def test_folders_of_the_main_file_its_inputs_and_the_paper(tmp_path: Path) -> None:
    figure = "\\begin{figure}\\includegraphics{%s}\\caption{C}\\end{figure}"
    files: dict[str, str | bytes] = {
        "doc/main.tex": document(
            figure % "a" + figure % "../up/b" + "\\input{sec/s}\\import{imp/}{i}" + figure % "top/d"
        ),
        "doc/sec/s.tex": figure % "c", "doc/imp/i.tex": figure % "e",
        "doc/a.png": png(), "up/b.png": png(), "doc/sec/c.png": png(), "top/d.png": png(), "doc/imp/e.png": png(),
        "doc/e.png": png(),
    }  # fmt: skip
    found = read_folder(tmp_path, files).figures
    assert [f.image_sources[0] for f in found] == [
        "doc/a.png",
        "up/b.png",
        "doc/sec/c.png",
        "doc/imp/e.png",
        "top/d.png",
    ]


@pytest.mark.parametrize(
    ("command", "flag"),
    [
        ("\\includegraphics{gone}", "image_missing"),
        ("\\includegraphics{../../secret}", "image_path_refused"),
        ("\\includegraphics{/etc/passwd}", "image_path_refused"),
        ("\\includegraphics{~/x}", "image_path_refused"),
        ("\\includegraphics{broken}", "image_unreadable"),
        ("\\includegraphics{broken.pdf}", "image_unreadable"),
        ("\\includegraphics{cut}", "image_unreadable"),
        ("\\includegraphics{huge}", "image_too_large"),
    ],
)
def test_an_image_that_cannot_be_had_is_flagged_and_noted(tmp_path: Path, command: str, flag: str) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    files = {"broken.png": b"no image", "broken.pdf": b"%PDF-1.4 no", "cut.png": png(400, 400, mode="RGB")[:150],
             "huge.png": pretending(60_000, 60_000)}  # fmt: skip
    command = command.replace("broken}", "broken.png}")
    found, notes = extract(tmp_path, command, files)
    assert found.images == []
    assert flag in found.flags
    assert any(flag in note for note in notes)
    assert len(found.image_sources) == 1


def test_a_good_image_stays_beside_a_bad_one(tmp_path: Path) -> None:
    found, _ = extract(tmp_path, "\\includegraphics{a}\\includegraphics{gone}", {"a.png": png()})
    assert found.image_sources == ["a.png", "gone"]
    assert len(found.images) == 1
    assert "image_missing" in found.flags


def test_pdf_pages_are_told_apart(tmp_path: Path) -> None:
    command = "\\includegraphics[page=1]{a}\\includegraphics[width=1cm,page=2]{a}"
    found, _ = extract(tmp_path, command, {"a.pdf": pdf(pages=2)})
    assert found.image_sources == ["a.pdf"]
    assert len(set(found.images)) == 2


def test_a_converted_eps_is_drawn_and_the_eps_named(tmp_path: Path) -> None:
    found, _ = extract(tmp_path, "\\includegraphics{a}", {"a.eps": b"%!PS", "a-eps-converted-to.pdf": pdf()})
    assert found.image_sources == ["a.eps"]
    assert len(found.images) == 1
    alone, _ = extract(tmp_path / "2", "\\includegraphics{a.eps}", {"a-eps-converted-to.pdf": pdf()})
    assert alone.image_sources == ["a.eps"]
    assert len(alone.images) == 1


def test_an_inkscape_drawing(tmp_path: Path) -> None:
    found, _ = extract(tmp_path, "\\def\\svgwidth{1cm}\\input{a.pdf_tex}", {
        "a.pdf_tex": b"\\begin{picture}(1,1)\\put(0,0){\\includegraphics[page=1]{a.pdf}}\\end{picture}", "a.pdf": pdf(),
    })  # fmt: skip
    assert found.image_sources == ["a.pdf"]
    assert found.images


def test_without_files_every_image_is_missing(tmp_path: Path) -> None:
    (found,) = read_text(tmp_path, document("\\begin{figure}\\includegraphics{a.png}\\caption{C}\\end{figure}"))
    assert found.image_sources == ["a.png"]
    assert "image_missing" in found.flags
    assert not (tmp_path / "images").exists()


def test_two_papers_with_one_image_write_one_file(tmp_path: Path) -> None:
    first, _ = extract(tmp_path, "\\includegraphics{a}", {"a.pdf": pdf()})
    stamp = Path(first.images[0]).stat().st_mtime_ns
    second, _ = extract(tmp_path, "\\includegraphics{b}", {"b.pdf": Path(tmp_path, "paper/a.pdf").read_bytes()})
    assert second.images == first.images
    assert Path(second.images[0]).stat().st_mtime_ns == stamp
    with Image.open(first.images[0]) as image:
        assert image.size == (400, 200)


def test_view_options() -> None:
    options = "width=\\textwidth, page=3,trim={0 1cm 0 0},clip,angle=-90"
    assert view_of(options) == {"page": "3", "trim": "0 1cm 0 0", "clip": "true", "angle": "-90"}
    assert view_of("trim=1 2 3 4, clip=true") == {"trim": "1 2 3 4", "clip": "true"}
    assert view_of("width=3cm") == {}


def test_a_picture_drawn_in_a_file_of_its_own(tmp_path: Path) -> None:
    drawing = b"\\documentclass{standalone}\\begin{document}\\tikz\\draw (0,0);\\end{document}"
    found, _ = extract(tmp_path / "1", "\\includestandalone{plot}", {"plot.tex": drawing})
    assert (found.image_sources, found.flags) == (["plot"], ["never_cited", "no_image_file"])
    built, _ = extract(
        tmp_path / "2", "\\includestandalone[mode=image]{plot}", {"plot.tex": drawing, "plot.pdf": pdf()}
    )
    assert (built.image_sources, built.flags) == (["plot.pdf"], ["never_cited"])


@pytest.mark.parametrize(
    ("command", "size"),
    [
        ("\\includegraphics[viewport=0 0 36 18,clip]{a}", (36, 18)),
        ("\\includegraphics[trim=0 0 2cm 0,clip=true,width=\\textwidth]{a}", (87, 72)),
        ("\\adjincludegraphics[trim={72pt 0 0 0},clip]{a}", (72, 72)),
        ("\\includegraphics[angle=90]{a}", (72, 144)),
        ("\\epsfig{file=a,angle=-90,width=3cm}", (72, 144)),
        ("\\begin{overpic}[trim=72 0 0 0,clip,grid]{a}\\put(1,1){A}\\end{overpic}", (72, 72)),
    ],
)
def test_what_options_show_of_an_image(tmp_path: Path, command: str, size: tuple[int, int]) -> None:
    body = f"\\begin{{figure}}{command}\\caption{{C}}\\label{{x}}\\end{{figure}}"
    (found,) = read_folder(tmp_path, {"main.tex": document(body), "a.pdf": pdf(144, 72)}, dpi=72).figures
    with Image.open(found.images[0]) as image:
        assert image.size == size


def test_drawings_in_svg(tmp_path: Path) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="72" height="36"><rect width="72" height="36"/></svg>'
    for number, command in enumerate(("\\includesvg[width=1cm]{a}", "\\includegraphics{a.svg}", "\\includesvg{a.svg}")):
        found, _ = extract(tmp_path / str(number), command, {"v/a.svg": svg}, "\\svgpath{{v/}}\\graphicspath{{v/}}")
        assert (found.image_sources, len(found.images)) == (["v/a.svg"], 1)


def test_a_full_disk_is_not_the_images_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(figure_images, "readable_image", full)
    with pytest.raises(OSError, match="No space left"):
        extract(tmp_path, "\\includegraphics{a}", {"a.png": png()})
