"""What the rules tell of axes, on layouts given as pieces of text (no OCR)."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.figures.features.figure_features import FeatureError
from data_juicer_ext.figures.ocr import OcrLine, Picture
from data_juicer_ext.offline.figure.text_layout import FigureLayout, Scale
from data_juicer_ext.offline.judging.siqa_facts import CHECKS, AxisName, FigureFacts, gather, known, ticks, title, unit

EVEN, TITLED, UNIT = "rise in even steps", "Is there a title", "name a unit"


def piece(text: str, x: float, y: float, height: float = 20.0) -> OcrLine:
    return OcrLine(text, x - 20, y - height / 2, x + 20, y + height / 2)


def layout(
    pieces: list[OcrLine], columns: list[OcrLine] | None = None, rows: list[OcrLine] | None = None,
    scale: AxisName | None = None, titles: tuple[OcrLine | None, OcrLine | None] = (None, None),
) -> FigureLayout:  # fmt: skip
    even = Scale(1.0, 0.0, 0.0, 1000.0)
    return FigureLayout(Picture(Image.new("RGB", (10, 10)), tuple(pieces)), tuple(columns or []), tuple(rows or []),
                        even if scale == "horizontal" else None, even if scale == "vertical" else None, *titles, (),
                        ())  # fmt: skip


def along(*texts: str, gap: float = 100.0, y: float = 500.0) -> list[OcrLine]:
    return [piece(text, 100 + gap * place, y) for place, text in enumerate(texts)]


def texts(pieces: tuple[OcrLine, ...]) -> list[str]:
    return [piece.text for piece in pieces]


def said(facts: FigureFacts) -> dict[str, bool]:
    """What is decided, by the axis and a few words of the question."""
    found = {}
    for check, holds in known(facts, *{check.dimension for check in CHECKS}):
        [words] = [words for words in (EVEN, TITLED, UNIT) if words in check.question]
        found[f"{'horizontal' if 'horizontal' in check.question else 'vertical'}: {words}"] = holds
    return found


def test_ticks_are_the_numbers_along_an_axis_by_their_value() -> None:
    shown = layout([], along("20", "5", "dose", "10"), [piece("3", 20, 100), piece("1", 20, 300)])
    assert texts(ticks(shown, "horizontal")) == ["5", "10", "20"]
    assert texts(ticks(shown, "vertical")) == ["1", "3"]


def test_uneven_numbers_equally_far_apart_in_the_lowest_line_are_ticks_too() -> None:
    line = along("0", "5", "20", "100")
    assert texts(ticks(layout([*line, piece("77", 200, 300)]), "horizontal")) == ["0", "5", "20", "100"]
    assert ticks(layout(line), "vertical") == ()
    raised = [piece("0", 100, 491), *line[1:]]  # 9 of 20 pixels higher: still the same line
    assert len(ticks(layout(raised), "horizontal")) == 4
    assert ticks(layout([piece("0", 100, 490), *line[1:]]), "horizontal") == ()


@pytest.mark.parametrize(
    "line",
    [
        along("0", "5", "20"),  # three are too few
        along("0", "20", "5", "100"),
        along("0", "5", "5", "100"),
        along("1", "10", "100", "1000"),  # logarithmic
        [piece("0", 100, 500), piece("5", 200, 500), piece("20", 331, 500), piece("99", 431, 500)],
    ],
)
def test_other_numbers_in_the_lowest_line_are_no_ticks(line: list[OcrLine]) -> None:
    assert ticks(layout(line), "horizontal") == ()


def test_gaps_and_factors_may_differ_by_three_tenths() -> None:
    line = [piece("0", 100, 500), piece("5", 200, 500), piece("20", 330, 500), piece("99", 430, 500)]
    assert len(ticks(layout(line), "horizontal")) == 4
    assert ticks(layout(along("10", "20", "50", "100")), "horizontal") == (), "about logarithmic"
    assert len(ticks(layout(along("10", "20", "53", "106")), "horizontal")) == 4


def test_the_title_is_the_layout_s_else_the_only_words_below_the_lowest_line() -> None:
    named = piece("Dose (mg)", 250, 550)
    assert title(layout([], titles=(named, piece("Growth", 10, 300))), "horizontal") == "Dose (mg)"
    assert title(layout([], titles=(named, piece("Growth", 10, 300))), "vertical") == "Growth"
    line = along("0", "5", "20", "100")
    assert title(layout([*line, named]), "horizontal") == "Dose (mg)"
    assert title(layout([*line, named]), "vertical") == ""
    assert title(layout([*line, named, piece("Series", 250, 580)]), "horizontal") == "", "which of the two?"
    assert title(layout([*line, piece("Growth", 250, 100)]), "horizontal") == "", "it stands above"
    level = OcrLine("Dose", 450, line[0].top, 490, line[0].bottom)
    assert title(layout([*line, level]), "horizontal") == "", "it stands beside the numbers"
    assert title(layout([*line, named], columns=along("1", "2")), "horizontal") == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rib spacing (mm)", "mm"), ("Rib spacing [ m/s ] ", "m/s"), ("Rib (mm) spacing", ""), ("Rib spacing", ""),
        (f"Rib ({'m' * 24})", "m" * 24), (f"Rib ({'m' * 25})", ""), ("Rib ()", ""),
    ],
)  # fmt: skip
def test_the_unit_stands_in_brackets_at_the_end(text: str, found: str) -> None:
    assert unit(text) == found


def test_axes_are_checked_on_the_only_image_with_an_even_axis() -> None:
    marks = [piece(str(value), 20, 100 + 100 * value) for value in range(3)]
    shown = layout([], along("1", "2", "9"), marks, "vertical", (piece("Dose (mg)", 0, 0), None))
    assert said(FigureFacts({}, (shown,))) == {
        f"horizontal: {EVEN}": False, f"horizontal: {TITLED}": True, f"horizontal: {UNIT}": True,
        f"vertical: {EVEN}": True, f"vertical: {TITLED}": False,
    }  # fmt: skip
    assert said(FigureFacts({}, (shown, shown))) == said(FigureFacts({}, ())) == {}
    assert said(FigureFacts({}, (layout([], along("1", "2", "9"), marks),))) == {}


def test_steps_are_compared_from_three_numbers_on() -> None:
    shown = layout([], along("1", "2"), scale="horizontal", titles=(piece("Dose", 0, 0), None))
    assert said(FigureFacts({}, (shown,))) == {f"horizontal: {TITLED}": True, f"horizontal: {UNIT}": False}


@pytest.mark.parametrize(
    ("feature", "value", "holds"),
    [
        ("edge_sharpness", 0.04, True), ("edge_sharpness", 0.039, False), ("edge_sharpness", None, None),
        ("ocr_mean_confidence", 0.8, True), ("ocr_mean_confidence", 0.79, False), ("ocr_mean_confidence", None, None),
    ],
)  # fmt: skip
def test_edges_are_sharp_and_text_readable_from_a_limit_on(feature: str, value: float | None, holds: bool) -> None:
    decided = [answer for _, answer in known(FigureFacts({feature: value}, ()), "cognitive_clarity")]
    assert decided == ([] if holds is None else [holds])


def test_an_image_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FeatureError, match=r"gone\.png: No such file"):
        gather([str(tmp_path / "gone.png")])


def test_an_image_that_was_changed_is_measured_again(tmp_path: Path) -> None:
    image = tmp_path / "figure.png"
    Image.new("RGB", (80, 60), "white").save(image)
    before = gather([str(image)])
    assert gather([str(image)]) is before
    Image.new("RGB", (90, 60), "black").save(image)
    assert gather([str(image)]) is not before
