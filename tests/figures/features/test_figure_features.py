"""Features of a figure as a whole; its text is read by the real engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.figures import ocr
from data_juicer_ext.figures.features.figure_features import FeatureError, figure_features
from tests.figures.charts import bars, render, saved, texture
from tests.offline.drawings import bar_chart

NAMES = {
    "laplacian_variance", "edge_sharpness", "pixel_count", "whitespace_share", "edge_density", "colour_histogram",
    "ocr_mean_confidence", "text_box_count", "text_region_share", "panel_label_count", "readable_text",
    "caption_ocr_token_overlap", "caption_ocr_numeric_overlap", "ocr_error",
}  # fmt: skip


def test_known_text_is_read_and_compared_with_the_caption(tmp_path: Path) -> None:
    chart = bar_chart(tmp_path / "chart.png", ["Inn", "Isar", "Lech"], [31.4, 12.5, 63.0], title="Runoff (mm)")
    found = figure_features([chart], "Runoff of Inn, Isar and Lech: 31.4 to 63.0 mm in 2019.")
    assert set(found) == NAMES
    read = found["readable_text"].split("\n")
    assert {"31.4", "12.5", "63.0", "Inn", "Isar", "Lech", "Runoff (mm)"} <= set(read)
    assert found["ocr_mean_confidence"] > 0.9 and found["text_box_count"] == 7
    assert 0.005 < found["text_region_share"] < 0.1 and found["whitespace_share"] > 0.7
    assert found["caption_ocr_token_overlap"] == 1.0
    assert found["caption_ocr_numeric_overlap"] == pytest.approx(2 / 3, abs=1e-4)


def test_blurred_text_is_read_with_less_confidence(tmp_path: Path) -> None:
    from PIL import ImageFilter

    chart = bar_chart(tmp_path / "chart.png", ["Inn", "Isar", "Lech"], [31.4, 12.5, 63.0])
    with Image.open(chart) as image:
        blurred = saved(image.resize((250, 175)).filter(ImageFilter.GaussianBlur(1.5)), tmp_path / "b.png")
    sharp_one, blurred_one = (figure_features([path], "") for path in (chart, blurred))
    assert (blurred_one["ocr_mean_confidence"] or 0.0) < sharp_one["ocr_mean_confidence"] - 0.1


def test_without_ocr_the_text_is_unknown_not_absent(tmp_path: Path) -> None:
    found = figure_features([saved(render(bars([0.5]), 72), tmp_path / "a.png")], "A caption of 5 words.", ocr=False)
    assert set(found) == NAMES
    assert found["text_box_count"] is None and found["caption_ocr_numeric_overlap"] is None
    assert json.loads(json.dumps(found)) == found


def test_an_image_that_does_not_decode_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no image")
    good = saved(texture(1), tmp_path / "good.png")
    for images in ([], [str(tmp_path / "broken.png")], [good, str(tmp_path / "none.png")]):
        with pytest.raises(FeatureError, match=r"no image|broken\.png|none\.png"):
            figure_features(images, "", ocr=False)


def test_too_many_pixels_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(FeatureError, match="pixels allowed"):
        figure_features([saved(texture(1), tmp_path / "a.png")], "", ocr=False, max_pixels=1000)


def test_an_image_that_only_the_engine_refuses_keeps_its_pixel_features(tmp_path: Path) -> None:
    def refuses(path: str) -> ocr.Picture:
        raise ocr.UnreadableImageError("too many pixels for it")

    found = figure_features([saved(texture(1), tmp_path / "a.png")], "", read=refuses)
    assert found["ocr_error"] == "too many pixels for it" and found["pixel_count"] == 57_600
    assert found["text_box_count"] is None
