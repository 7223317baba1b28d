from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.export.options import FORMATS, IMAGES, ExportOptions, read_splits


def test_splits_are_read_in_their_order() -> None:
    assert read_splits(" train = 0.7 ,test=0.3") == (("train", 0.7), ("test", 0.3))
    assert read_splits("train=1") == (("train", 1.0),)


@pytest.mark.parametrize(
    "text", ["", "train", "train=0.5", "train=0.8,train=0.2", "train=x", "a-b=1", "train=1.2,test=-0.2", "train=nan",
             "all=1", "../x=1", "train=0.9,test=0.2"]
)  # fmt: skip
def test_other_splits_are_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match="--splits"):
        read_splits(text)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"format": "csv"}, "--format csv"),
        ({"format": "openai", "images": "copy"}, "means nothing to the API"),
        ({"format": "llava", "images": "embed"}, "LLaVA reads image files"),
        ({"format": "hf", "images": "copy"}, "needs the bytes"),
        ({"format": "hf", "near_questions": 1.5}, "--near-questions 1.5"),
        ({"format": "hf", "max_per_figure": -1}, "--max-per-figure -1"),
    ],
)
def test_what_no_export_can_be_is_refused(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ExportOptions(**asked)


def test_every_format_has_a_usual_way_for_images() -> None:
    assert set(IMAGES) == set(FORMATS)
    assert {name: ExportOptions(name).embeds for name in FORMATS} == {
        "hf": True, "parquet": True, "openai": True, "ms-swift": False, "llava": False, "jsonl": False,
    }  # fmt: skip
    assert ExportOptions("ms-swift", images="embed").embeds and not ExportOptions("parquet", images="copy").embeds
