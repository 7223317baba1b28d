"""A PDF from its path to figures with images, and PDFs that cannot be read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from data_juicer_ext.figures import bounded_process
from data_juicer_ext.figures.image_crop import DrawingError
from data_juicer_ext.pdf.paper import PdfError, PdfOptions, find_figures, read_bytes, read_figures
from tests.latex.printed import Printed
from tests.pdf.reading import NO_PAGES, blank, locked, scanned

QUICK = PdfOptions(seconds=60)


def paper() -> Printed:
    """Two figures, the first one cited."""
    printed = Printed().new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, "Figure 1: The speed.")
    printed.new_page(400).drawing((100, 80, 400, 340)).caption(100, 365, "Figure 2: The heat.")
    blank(printed).page.insert_text((70, 150), "2 Results", fontsize=14, fontname="hebo")
    printed.text((70, 170, 530, 230), "In Figure 1 the speed of the reaction is drawn for the vessel of the room.")
    return printed


def write(folder: Path, data: bytes) -> Path:
    path = folder / "paper.pdf"
    path.write_bytes(data)
    return path


def test_figures_with_images_and_citing_paragraphs(tmp_path: Path) -> None:
    data = paper().data()
    found = read_figures(write(tmp_path, data), tmp_path / "images", QUICK)
    assert (found.sha256, found.pages, found.notes) == (hashlib.sha256(data).hexdigest(), 5, [])
    first, second = found.figures
    assert (first.figure_id, first.number, first.page) == ("figure-1", "1", 3)
    assert (first.caption_place, first.image_sources) == ("page 3", ["paper.pdf#page=3"])
    assert (first.context_places, first.section) == (["page 5"], ["2 Results"])
    assert first.context[0].startswith("In Figure 1")
    assert (second.number, second.context) == ("2", [])
    with Image.open(first.images[0]) as image:
        width = (first.bbox[2] - first.bbox[0] + 4) * 300 / 72
        assert abs(image.width - width) <= 3
        assert image.convert("RGB").getcolors(1_000_000) is not None
    again = read_figures(tmp_path / "paper.pdf", tmp_path / "images", QUICK)
    assert [figure.images for figure in again.figures] == [figure.images for figure in found.figures]
    assert len(list((tmp_path / "images").iterdir())) == 2


def test_resolution_and_longest_side(tmp_path: Path) -> None:
    path = write(tmp_path, paper().data())
    for options, side in ((PdfOptions(dpi=72), 304), (PdfOptions(max_side=500), 500)):
        image = read_figures(path, tmp_path / "images", options).figures[0].images[0]
        with Image.open(image) as opened:
            assert abs(max(opened.size) - side) <= 3


def test_the_image_of_a_turned_page_is_upright(tmp_path: Path) -> None:
    printed = Printed().new_page(400).drawing((150, 80, 450, 200)).caption(150, 225, "Figure 1: The speed.")
    printed.page.set_cropbox(pymupdf.Rect(30, 40, 590, 780))
    printed.page.set_rotation(90)
    figure = read_figures(write(tmp_path, printed.data()), tmp_path / "images", QUICK).figures[0]
    assert figure.bbox[3] - figure.bbox[1] > figure.bbox[2] - figure.bbox[0]
    with Image.open(figure.images[0]) as image:
        assert image.width > image.height
        # The drawing alone, with its red circle in the middle, and neither caption nor running text.
        red = [
            x
            for x in range(image.width)
            if image.getpixel((x, image.height // 2))[0] > 200 > image.getpixel((x, image.height // 2))[1]
        ]
        assert abs((red[0] + red[-1]) / 2 - image.width / 2) < 0.05 * image.width


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no PDF at all", "not_a_pdf"), (b"%PDF-1.7\nnothing else", "broken"), (NO_PAGES, "no_pages"),
        (locked(), "encrypted"), (scanned(), "no_text"),
    ],
)  # fmt: skip
def test_pdfs_that_cannot_be_read(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(PdfError) as caught:
        read_figures(write(tmp_path, data), tmp_path / "images", QUICK)
    assert caught.value.reason == reason
    assert "PdfError" not in str(caught.value)


def test_files_that_are_missing_or_too_large(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.pdf", tmp_path, Path("a\0b")):
        with pytest.raises(PdfError) as caught:
            read_bytes(path)
        assert caught.value.reason == "missing_file"
    with pytest.raises(PdfError) as caught:
        read_bytes(write(tmp_path, paper().data()), PdfOptions(max_bytes=1000))
    assert caught.value.reason == "too_large"


def test_a_truncated_file_gives_what_is_left(tmp_path: Path) -> None:
    data = paper().data()
    path = write(tmp_path, data[: len(data) - 600])
    found = read_figures(path, tmp_path / "images", QUICK)
    assert any("damaged" in note for note in found.notes)
    assert "1" in [figure.number for figure in found.figures]


def test_a_pdf_that_opens_without_a_password_is_read() -> None:
    data = paper().document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw="")
    assert len(find_figures(bytes(data), QUICK)[0]) == 2


def test_pages_beyond_the_bound_are_left_out_with_a_note() -> None:
    figures, pages, notes = find_figures(paper().data(), PdfOptions(max_pages=3))
    assert ([figure.number for figure in figures], pages) == (["1"], 5)
    assert "first 3 of 5 pages" in notes[0]


def test_a_document_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_process, "_GRACE", 0.0)
    monkeypatch.setattr("data_juicer_ext.pdf.paper._READ", "tests.pdf.test_paper:hang")
    with pytest.raises(PdfError) as caught:
        find_figures(b"", PdfOptions(seconds=1))
    assert caught.value.reason == "time_limit"
    monkeypatch.undo()
    assert len(find_figures(paper().data(), QUICK)[0]) == 2


def test_a_document_that_ends_the_process_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_juicer_ext.pdf.paper._READ", "tests.pdf.test_paper:crash")
    with pytest.raises(PdfError) as caught:
        find_figures(b"", QUICK)
    assert caught.value.reason == "crashed"
    monkeypatch.undo()
    assert len(find_figures(paper().data(), QUICK)[0]) == 2


@pytest.mark.parametrize("options", [{"dpi": 0}, {"max_side": 1}, {"seconds": 0}, {"max_pages": 0}, {"threads": 0}])
def test_options_out_of_range(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"lies between|positive"):
        PdfOptions(**options)  # type: ignore[arg-type]


def hang(data: bytes, **arguments: object) -> None:
    """What a PDF does that never ends."""
    while True:
        pass


def crash(data: bytes, **arguments: object) -> None:
    """What a PDF does that ends the process."""
    import os

    os._exit(11)


def test_why_a_figure_has_no_image_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise DrawingError("image_unreadable", "it is broken")

    monkeypatch.setattr("data_juicer_ext.pdf.paper.readable_image", broken)
    found = read_figures(write(tmp_path, paper().data()), tmp_path / "images", QUICK)
    assert [figure.images for figure in found.figures] == [[], []]
    assert [note.partition(":")[0] for note in found.notes] == ["figure 1, page 3", "figure 2, page 4"]


def test_citing_paragraphs_are_looked_for_where_that_is_asked_for() -> None:
    data = paper().data()
    usual, with_context = (find_figures(data, QUICK, *asked)[0][0] for asked in ((), (True,)))
    assert not usual.context and with_context.context
