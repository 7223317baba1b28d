"""S4: quality metadata, with readers of text that are made up."""

from __future__ import annotations

import pytest
from PIL import Image

from data_juicer_ext.curation.findings import Item
from data_juicer_ext.curation.soft_marks import mark_quality
from data_juicer_ext.figures.ocr import OcrLine, OcrMissingError, Picture, UnreadableImageError
from tests.figures.charts import item

PAGE = {1: (600.0, 800.0), 2: (600.0, 800.0)}


def reads(path: str) -> Picture:
    """200 x 100 pixels, a quarter of them under text."""
    pieces = (OcrLine("loss", 0, 0, 50, 50, 0.9), OcrLine("epoch", 100, 50, 150, 100, 0.5))
    return Picture(Image.new("RGB", (200, 100)), pieces)


def test_density_boxes_and_confidence() -> None:
    one = item("1")
    mark_quality([one], {}, reads)
    assert one.figure.quality == {"cross_page": [], "text_density": 0.25, "text_boxes": 2, "ocr_confidence": 0.7}
    assert one.marks == [] and one.deleted is None


def test_a_figure_without_text_has_no_confidence() -> None:
    one = item("1")
    mark_quality([one], {}, lambda path: Picture(Image.new("RGB", (20, 10)), ()))
    assert one.figure.quality == {"cross_page": [], "text_density": 0.0, "text_boxes": 0, "ocr_confidence": None}


def test_without_ocr_nothing_is_read() -> None:
    one = item("1")
    mark_quality([one], {}, None)
    assert one.figure.quality == {"cross_page": []}


@pytest.mark.parametrize("error", [UnreadableImageError("odd"), OcrMissingError("pip install"), RuntimeError("odd")])
def test_an_image_that_cannot_be_read_costs_its_own_marks_only(error: Exception) -> None:
    def fails_once(path: str) -> Picture:
        if path == "1.png":
            raise error
        return reads(path)

    first, second = item("1"), item("2")
    mark_quality([first, second], {}, fails_once)
    assert str(error) in first.figure.quality["ocr_error"] and "text_boxes" not in first.figure.quality
    assert second.figure.quality["text_boxes"] == 2


def hints(*items: Item) -> list[list[str]]:
    mark_quality(items, PAGE, None)
    return [one.figure.quality["cross_page"] for one in items]


def captioned(caption: str) -> Item:
    one = item("1")
    one.figure.caption = caption
    return one


@pytest.mark.parametrize(
    ("caption", "found"),
    [("Results (continued).", True), ("Figure 3 (cont.): Results", True), ("(Cont'd) Results", True),
     ("Results over continuous time.", False), ("Contours of pressure.", False), ("", False)],
)  # fmt: skip
def test_captions_that_go_on(caption: str, found: bool) -> None:
    assert hints(captioned(caption)) == [["continued_caption"] if found else []]


def test_what_the_reader_of_the_paper_said_and_numbers_on_two_pages() -> None:
    assert hints(item("1", flags=["continued"])) == [["reader_flag"]]
    assert hints(item("1", flags=["caption_on_other_page", "no_label"])) == [["reader_flag"]]
    assert hints(item("1", flags=["no_label"])) == [[]]
    box = (100, 100, 200, 200)
    first, second = item("1", page=1, bbox=box), item("1", page=2, bbox=box)
    assert hints(first, second, item("2", page=2, bbox=box)) == [["same_number_elsewhere"]] * 2 + [[]]
    assert first.figure.flags == ["cross_page"]
    assert hints(item("1", page=1, bbox=box), item("1", page=1, bbox=box)) == [[], []]


@pytest.mark.parametrize(("box", "found"), [((9, 24, 50, 776), False), ((9, 23, 50, 700), True),
                                            ((9, 100, 50, 777), True)])  # fmt: skip
def test_boxes_at_the_edge_of_the_page(box: tuple[float, ...], found: bool) -> None:
    assert hints(item("1", page=1, bbox=box)) == [["at_page_edge"] if found else []]
