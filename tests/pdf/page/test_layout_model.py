"""The layout model: what it says of a plain page, and with how many threads it is loaded."""

from __future__ import annotations

import onnxruntime

from data_juicer_ext.pdf.page.layout_model import CAPTION, PICTURE, TEXT, _few_threads, layout
from tests.latex.printed import Printed


def test_text_and_captions_are_told_apart() -> None:
    paper = Printed().new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, "Figure 1: The speed of it.")
    boxes = layout(paper.page)
    kinds = {box.kind for box in boxes}
    assert {TEXT, CAPTION} <= kinds and PICTURE not in kinds  # a drawing without a word is no picture to it
    (caption,) = [box for box in boxes if box.kind == CAPTION]
    assert abs(caption.rect.y1 - 367) < 8


def test_the_number_of_threads_is_bounded_while_the_model_is_loaded_only() -> None:
    usual = onnxruntime.SessionOptions
    with _few_threads(1):
        assert onnxruntime.SessionOptions().intra_op_num_threads == 1
    assert onnxruntime.SessionOptions is usual
