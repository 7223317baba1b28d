"""Measures of the text in a figure, over pieces that are made up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from data_juicer_ext.figures.features.text import caption_overlap, text_features
from data_juicer_ext.figures.ocr import OcrLine, Picture


def picture(*pieces: OcrLine, size: tuple[int, int] = (100, 50)) -> Picture:
    return Picture(Image.new("RGB", size), pieces)


def word(text: str, score: float = 0.9, left: float = 0, width: float = 10) -> OcrLine:
    return OcrLine(text, left, 0, left + width, 10, score)


def test_counts_shares_and_confidence_over_all_images() -> None:
    found = text_features([picture(word("Loss"), word("0.5", 0.7)), picture(word("Epoch", 0.5), size=(10, 10))])
    assert (found.text_box_count, found.ocr_mean_confidence) == (3, 0.7)
    assert found.text_region_share == pytest.approx(300 / 5100, abs=1e-4)
    assert found.readable_text == "Loss\n0.5\nEpoch"


def test_unsure_pieces_lower_the_confidence_and_count_for_nothing_else() -> None:
    found = text_features([picture(word("Loss", 0.49), word("(a)", 0.31))])
    assert (found.ocr_mean_confidence, found.text_region_share) == (0.4, 0.0)
    assert (found.text_box_count, found.readable_text, found.panel_label_count) == (0, "", 0)


def test_no_text_at_all() -> None:
    found = text_features([picture()])
    assert (found.ocr_mean_confidence, found.text_box_count, found.text_region_share) == (None, 0, 0.0)
    assert (found.panel_label_count, found.readable_text) == (0, "")


def test_boxes_count_as_far_as_they_lie_in_the_image() -> None:
    assert text_features([picture(word("x", left=95, width=50))]).text_region_share == 0.01
    covering = [OcrLine("x", 0, 0, 100, 50, 0.9)] * 3
    assert text_features([picture(*covering)]).text_region_share == 1.0


def test_panel_labels_are_letters_that_stand_alone_each_once() -> None:
    labels = ["(a)", "b)", "C", "d.", "(a)", "ab", "(12)", "A"]
    assert text_features([picture(*map(word, labels))]).panel_label_count == 4


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["O", "O", "g"], 0), (["x", "y", "B"], 0), (["A", "O"], 1), (["a", "c"], 1), (["(a)", "(c)", "g"], 2),
        (["(a)", "b", "c", "x"], 3), (["a.", "b:", "O"], 2),
    ],
)  # fmt: skip
def test_markers_units_and_axes_are_no_panel_labels(texts: list[str], count: int) -> None:
    assert text_features([picture(*map(word, texts))]).panel_label_count == count


def test_text_is_bounded() -> None:
    assert len(text_features([picture(*[word("x" * 1000)] * 9)]).readable_text) == 4000


def test_words_of_the_caption() -> None:
    found = caption_overlap("The training loss of the models, by Epoch.", "Training Loss\nepoch")
    assert found.caption_ocr_token_overlap == 0.75  # training, loss, epoch, but not models
    assert caption_overlap("Figure 3 shows the", "x").caption_ocr_token_overlap is None
    assert caption_overlap("", "loss").caption_ocr_token_overlap is None
    assert caption_overlap("Loss", "").caption_ocr_token_overlap == 0.0


@pytest.mark.parametrize(
    ("caption", "text", "share"),
    [
        ("at 0.50 and 1,000 steps", "0.5\n1000", 1.0),
        ("at -3 and 7", "3\n7", 0.5),
        ("a fall of −2.5 %", "-2.5", 1.0),
        ("5 to 95%", "0\n5\n10", 0.5),
        ("no number, GPT4 and x2", "4", None),
    ],
)
def test_numbers_of_the_caption_by_value(caption: str, text: str, share: float | None) -> None:
    assert caption_overlap(caption, text).caption_ocr_numeric_overlap == share


@given(st.text(max_size=300), st.text(max_size=300))
def test_overlaps_are_shares_for_any_text(caption: str, text: str) -> None:
    found = caption_overlap(caption, text)
    for share in (found.caption_ocr_token_overlap, found.caption_ocr_numeric_overlap):
        assert share is None or 0.0 <= share <= 1.0
    assert caption_overlap(caption, caption).caption_ocr_token_overlap in (None, 1.0)
