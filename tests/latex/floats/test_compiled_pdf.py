"""Images taken from the compiled PDF that a paper ships."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from data_juicer_ext.latex.floats import compiled_pdf
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.paper import LatexExtraction, figures_from_text, read_figures
from data_juicer_ext.pdf import paper as pdf_paper
from tests.latex.archives import zip_of
from tests.latex.papers import document, figure, pdf, png, read_folder
from tests.latex.printed import Printed, near

DRAWN = (
    "\\begin{figure}\\begin{tikzpicture}\\draw (0,0) -- (1,1);\\end{tikzpicture}"
    "\\caption{Rates of the reaction at all temperatures.}\\label{fig:r}\\end{figure}\n"
)
LATEX = document(DRAWN + figure("w", "\\includegraphics{gone}", "Losses at the walls of the vessel.") + "\\ref{fig:r}")


@lru_cache(maxsize=1)
def printed_paper() -> bytes:
    """What LATEX looks like in print: its two figures on page 3."""
    printed = Printed().new_page(620).drawing((150, 80, 420, 250)).drawing((200, 320, 400, 480))
    printed.caption(150, 270, "Figure 1: Rates of the reaction at all temperatures.")
    return printed.caption(150, 500, "Figure 2: Losses at the walls of the vessel.").data()


def read(tmp_path: Path, files: dict[str, str | bytes], **options: object) -> LatexExtraction:
    return read_folder(tmp_path, {"main.tex": LATEX, **files}, dpi=72, **options)


def test_drawn_and_missing_figures_come_from_the_pdf_beside_the_main_document(tmp_path: Path) -> None:
    extraction = read(tmp_path, {"main.pdf": printed_paper()})
    drawn, gone = extraction.figures
    assert drawn.flags == ["image_from_pdf"]
    assert gone.flags == ["image_from_pdf", "never_cited"]
    assert (drawn.page, gone.page) == (3, 3)
    assert near(drawn.bbox, (150, 80, 420, 250))
    assert (drawn.image_sources, gone.image_sources) == ([], ["gone"])
    with Image.open(drawn.images[0]) as image:
        assert abs(image.width - 270) < 12
        assert abs(image.height - 170) < 12
        assert len(image.getcolors(100_000)) > 2
    assert "image_from_pdf: figure 1: main.pdf, page 3" in extraction.notes


def test_papers_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    path.write_bytes(zip_of({"p/main.tex": LATEX.encode(), "p/main.pdf": printed_paper()}))
    assert all(len(found.images) == 1 for found in read_figures(path, tmp_path / "i").figures)


def test_it_can_be_turned_off(tmp_path: Path) -> None:
    drawn, gone = read(tmp_path, {"main.pdf": printed_paper()}, images_from_pdf=False).figures
    assert drawn.flags == ["no_image_file"]
    assert gone.flags == ["image_missing", "never_cited"]
    assert drawn.images == gone.images == drawn.bbox == []


def test_figures_with_a_file_keep_it(tmp_path: Path) -> None:
    _, found = read(tmp_path, {"main.pdf": printed_paper(), "gone.png": png()}).figures
    assert Path(found.images[0]).read_bytes() == png()
    assert found.flags == ["never_cited"]


def test_the_pdf_can_be_named(tmp_path: Path) -> None:
    files = {"print/v2.pdf": printed_paper(), "other.pdf": pdf(pages=3)}
    assert read(tmp_path / "1", files, compiled_pdf="print/v2.pdf").figures[0].flags == ["image_from_pdf"]
    refused = read(tmp_path / "2", files, compiled_pdf="nope.pdf")
    assert refused.figures[0].flags == ["no_image_file"]
    assert "compiled_pdf: the paper has no file 'nope.pdf'" in refused.notes


def test_the_only_pdf_of_several_pages_is_it(tmp_path: Path) -> None:
    files = {"arxiv.pdf": printed_paper(), "spare.pdf": pdf()}
    assert read(tmp_path / "1", files).figures[0].flags == ["image_from_pdf"]
    several = read(tmp_path / "2", files | {"reply.pdf": pdf(pages=2)})
    assert several.figures[0].flags == ["no_image_file"]
    assert any("no compiled PDF chosen among arxiv.pdf, reply.pdf" in note for note in several.notes)


def test_a_pdf_that_the_paper_shows_is_a_figure(tmp_path: Path) -> None:
    shown = figure("b", "\\includegraphics[page=2]{deep/book.pdf}", "Another one.")
    latex = LATEX.replace("\\end{document}", shown + "\\includepdf[pages=-]{supp}\\end{document}")
    files: dict[str, str | bytes] = {"main.tex": latex, "deep/book.pdf": printed_paper(), "supp.pdf": printed_paper()}
    assert read_folder(tmp_path, files).figures[0].flags == ["no_image_file"]


@pytest.mark.parametrize("data", [b"%PDF-1.4 broken", b"", pdf(pages=2)])
def test_a_pdf_that_does_not_help_is_told(tmp_path: Path, data: bytes) -> None:
    extraction = read(tmp_path, {"main.pdf": data})
    drawn, gone = extraction.figures
    assert drawn.flags == ["no_image_file", "pdf_not_matched"]
    assert gone.flags == ["image_missing", "never_cited", "pdf_not_matched"]
    assert sum(note.startswith("pdf_not_matched: figure") for note in extraction.notes) == 2


def test_one_figure_that_is_not_found_costs_only_itself(tmp_path: Path) -> None:
    files = {
        "main.tex": LATEX.replace("Losses at the walls of the vessel", "Prices of houses in seven towns"),
        "main.pdf": printed_paper(),
    }
    drawn, gone = read_folder(tmp_path, files).figures
    assert drawn.flags == ["image_from_pdf"]
    assert gone.flags == ["image_missing", "never_cited", "pdf_not_matched"]


def test_a_search_that_hangs_costs_the_images_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_paper, "_LOCATE", "tests.figures.bounded_jobs:hang")
    monkeypatch.setattr(compiled_pdf, "_LOCATE_SECONDS", 0.3)
    extraction = read(tmp_path, {"main.pdf": printed_paper()})
    assert [found.flags[-1] for found in extraction.figures] == ["pdf_not_matched"] * 2
    assert any(r"took over 0.3 s" in note for note in extraction.notes)


def test_given_images_come_first(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "main.tex").write_text(LATEX)
    (folder / "main.pdf").write_bytes(printed_paper())
    captions = ["Rates of the reaction at all temperatures.", "Losses at the walls of the vessel."]
    found = read_figures(folder, tmp_path / "i", LatexOptions(), captions, [png(), ""]).figures
    assert [figure.flags[0] for figure in found] == ["image_given", "image_from_pdf"]


def test_panels_get_none(tmp_path: Path) -> None:
    body = DRAWN.replace("\\begin{tikzpicture}", "\\subfloat[P]{\\begin{tikzpicture}").replace(
        "\\end{tikzpicture}", "\\end{tikzpicture}}"
    )
    files: dict[str, str | bytes] = {"main.tex": document(body), "main.pdf": printed_paper()}
    whole, panel = read_folder(tmp_path, files, granularity="panel").figures
    assert "image_from_pdf" in whole.flags
    assert (panel.images, "no_image_file" in panel.flags) == ([], True)


def test_text_without_files_has_no_pdf(tmp_path: Path) -> None:
    assert figures_from_text(LATEX, tmp_path).figures[0].flags == ["no_image_file"]


@settings(max_examples=25, deadline=None)
@given(st.integers(0), st.binary(min_size=1, max_size=40))
def test_a_damaged_pdf_costs_the_images_only(tmp_path_factory: pytest.TempPathFactory, at: int, put: bytes) -> None:
    data = printed_paper()
    at %= len(data)
    folder = tmp_path_factory.getbasetemp() / "damaged_pdf"
    for found in read(folder, {"main.pdf": data[:at] + put + data[at + len(put) :]}).figures:
        assert ("image_from_pdf" in found.flags) == bool(found.images)
        assert ("pdf_not_matched" in found.flags) == (not found.images)
