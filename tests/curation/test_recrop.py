"""S3: broken crops cut out of a PDF once more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from data_juicer_ext.curation.anomalies import flag_anomalies
from data_juicer_ext.curation.findings import Item
from data_juicer_ext.curation.recrop import (
    CaptionAnchoredCrop,
    Crop,
    PdfSource,
    page_sizes,
    recrop_broken,
)
from data_juicer_ext.curation.thresholds import Rules
from data_juicer_ext.figures.rasterize import DrawingError
from tests.figures.charts import item, saved, texture

PAGE = {1: (600.0, 800.0)}
WHOLE_PAGE = (0.0, 0.0, 600.0, 800.0)
GOOD = (100.0, 100.0, 300.0, 250.0)
TEXT = "The training error falls with the number of epochs, as is seen in every run that we have made so far. " * 6


@pytest.fixture(scope="module")
def pdf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pages of text; on the first a drawing at (150, 320) to (450, 500) with its caption below."""
    document = pymupdf.open()
    for number in (1, 2):
        page = document.new_page(width=600, height=800)
        page.insert_textbox((72, 72, 528, 300), TEXT * 2, fontsize=10)
        if number == 1:
            page.draw_rect((150, 320, 450, 500), width=1)
            for step in range(1, 10):
                page.draw_line((150, 320 + 18 * step), (450, 500 - 18 * step), width=1)
            page.insert_text((150, 520), "Figure 1: Training error of all runs over the epochs.", fontsize=9)
        page.insert_textbox((72, 545, 528, 760), TEXT * 2, fontsize=10)
    path = tmp_path_factory.mktemp("pdf") / "paper.pdf"
    document.save(path)
    return path


def broken(box: tuple[float, ...] = WHOLE_PAGE, page: int = 1) -> Item:
    one = item("1", page=page, bbox=box)
    one.figure.caption = "Figure 1: Training error of all runs over the epochs."
    flag_anomalies([one], [one], Rules(), PAGE)
    return one


def tried(one: Item, recrop: Any, path: Path = Path("paper.pdf")) -> tuple[str, str]:
    """The stage's mark of a figure: its reason and message."""
    recrop_broken([one], Rules(), PdfSource(path, recrop, PAGE))
    [mark] = [mark for mark in one.marks if mark.stage == "S3"]
    assert mark.reason in one.figure.flags
    return mark.reason, mark.message


def test_a_crop_of_the_whole_page_becomes_that_of_the_drawing(pdf: Path, tmp_path: Path) -> None:
    one = broken()
    assert tried(one, CaptionAnchoredCrop(tmp_path), pdf)[0] == "recropped"
    assert one.figure.bbox == pytest.approx([150, 320, 450, 500], abs=6)
    with Image.open(one.figure.images[0]) as image:
        assert image.size == pytest.approx((300 / 72 * 300, 180 / 72 * 300), rel=0.06)
    assert one.figure.quality["recrop"] == {
        "first_images": ["1.png"], "first_bbox": list(WHOLE_PAGE), "because": ["height_overflow", "width_overflow"]
    }  # fmt: skip


def test_the_resolution_is_the_one_asked_for(pdf: Path, tmp_path: Path) -> None:
    crop = CaptionAnchoredCrop(tmp_path)(pdf, 1, "Figure 1: Training error of all runs", "1", 72)
    assert crop is not None
    with Image.open(crop.image) as image:
        assert image.size == pytest.approx((crop.bbox[2] - crop.bbox[0], crop.bbox[3] - crop.bbox[1]), abs=2)


def test_a_caption_on_another_page_or_none_is_not_the_figures(pdf: Path, tmp_path: Path) -> None:
    crop = CaptionAnchoredCrop(tmp_path)
    assert crop(pdf, 2, "Figure 1: Training error of all runs over the epochs.", "1", 72) is None
    assert crop(pdf, 1, "Figure 7: Something that no page has at all.", "7", 72) is None
    one = broken(page=2)
    recrop_broken([one], Rules(), PdfSource(pdf, crop, {2: (600.0, 800.0)}))
    assert one.figure.images == ["1.png"]


@pytest.mark.parametrize("content", [b"no pdf", b"%PDF-1.4 broken", None])
def test_a_pdf_that_cannot_be_read_fails_the_crop_only(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    if content is not None:
        path.write_bytes(content)
    one = broken()
    reason, message = tried(one, CaptionAnchoredCrop(tmp_path), path)
    assert reason == "recrop_failed" and message and one.figure.images == ["1.png"]
    assert one.figure.bbox == list(WHOLE_PAGE) and one.deleted is None
    assert page_sizes(path, [1]) == {}


def test_an_encrypted_pdf_fails(pdf: Path, tmp_path: Path) -> None:
    with pymupdf.open(pdf) as document:
        document.save(tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="a", owner_pw="b")
    reason, message = tried(broken(), CaptionAnchoredCrop(tmp_path), tmp_path / "locked.pdf")
    assert reason == "recrop_failed" and "password" in message


def test_page_sizes(pdf: Path) -> None:
    assert page_sizes(pdf, [2, 1, 1, 9]) == {1: (600.0, 800.0), 2: (600.0, 800.0)}


class Fixed:
    """A way to crop that gives what it is told, or raises it."""

    def __init__(self, given: Crop | Exception | None) -> None:
        self.given = given
        self.asked: list[tuple[Path, int, str, str, int]] = []

    def __call__(self, pdf: Path, page: int, caption: str, number: str, dpi: int) -> Crop | None:
        self.asked.append((pdf, page, caption, number, dpi))
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


@pytest.fixture
def image(tmp_path: Path) -> Path:
    return Path(saved(texture(1), tmp_path / "new.png"))


def test_it_is_asked_with_page_caption_number_and_resolution(image: Path) -> None:
    recrop = Fixed(Crop(image, GOOD))
    one = broken()
    assert tried(one, recrop) == ("recropped", "height_overflow, width_overflow")
    assert recrop.asked == [(Path("paper.pdf"), 1, one.figure.caption, "1", 300)]
    assert (one.figure.images, one.figure.bbox, one.looks[0].width) == ([str(image)], list(GOOD), 240)


def test_only_broken_crops_are_cut_again() -> None:
    recrop = Fixed(None)
    fine, gap = item("1", page=1, bbox=GOOD), item("5", page=1, bbox=GOOD)
    flag_anomalies([fine, gap], [fine, gap], Rules(), PAGE)
    assert gap.figure.flags == ["index_gap"]
    recrop_broken([fine, gap], Rules(), PdfSource(Path("paper.pdf"), recrop, PAGE))
    assert recrop.asked == []


@pytest.mark.parametrize(
    ("given", "says"),
    [(None, "not found"), (DrawingError("image_unreadable", "odd"), "odd"), (OSError("gone"), "gone"),
     (KeyError("defect"), "KeyError"), (Crop(Path("missing.png"), GOOD), "missing.png")],
)  # fmt: skip
def test_failures_keep_the_first_crop_and_say_why(given: Crop | Exception | None, says: str) -> None:
    one = broken()
    reason, message = tried(one, Fixed(given))
    assert reason == "recrop_failed" and says in message
    assert (one.figure.images, one.figure.bbox) == (["1.png"], list(WHOLE_PAGE)) and "recrop" not in one.figure.quality


def test_a_new_crop_that_is_broken_too_is_not_taken(image: Path, tmp_path: Path) -> None:
    assert tried(broken(), Fixed(Crop(image, (0, 0, 300, 790)))) == (
        "recrop_failed", "the new crop is height_overflow as well"
    )  # fmt: skip
    tiny = Path(saved(texture(1).resize((40, 40)), tmp_path / "tiny.png"))
    assert tried(broken(), Fixed(Crop(tiny, GOOD)))[1] == "the new crop is too_small as well"


def test_the_same_box_again_confirms_the_first(image: Path) -> None:
    one = broken()
    assert tried(one, Fixed(Crop(image, (3, 2, 598, 799))))[0] == "recrop_agrees"
    assert one.figure.images == ["1.png"]
