from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.export.options import DEFAULT_SPLITS, FORMATS, IMAGES, ExportOptions, read_splits


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


@pytest.mark.parametrize(
    "asked", [{"near_questions": 0.0}, {"near_questions": 1.0}, {"max_per_figure": 0}, {"max_per_figure": 1}]
)
def test_the_ends_of_what_is_allowed_are_allowed(asked: dict[str, Any]) -> None:
    assert vars(ExportOptions("hf", **asked)).items() >= asked.items()


@pytest.mark.parametrize("asked", [{"near_questions": -0.1}, {"images": "elsewhere"}])
def test_what_is_just_beyond_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"choose one of embed|0 \(do not look\) to 1"):
        ExportOptions("hf", **asked)


def test_an_order_without_more_asks_for_three_splits_and_all_rows() -> None:
    order = ExportOptions("hf")
    assert order.split_names == ["train", "validation", "test"] and read_splits(DEFAULT_SPLITS) == order.splits
    assert (order.seed, order.near_questions, order.max_per_figure, order.licences) == (0, 0.9, 0, ())
    assert not any((order.accepted, order.shuffle_options, order.caption, order.rationale))


def test_shares_may_be_off_by_what_rounding_takes() -> None:
    assert len(read_splits("a=0.3333333,b=0.3333333,c=0.3333334")) == 3
    with pytest.raises(ValueError, match=r"the shares sum to 0\.9999, not to 1"):
        read_splits("a=0.5,b=0.4999")
    with pytest.raises(ValueError, match="the name all means all splits"):
        read_splits("all=1")
    with pytest.raises(ValueError, match="shares above 0, such as train"):
        read_splits(f"{'a' * 41}=1")
    assert read_splits(f"{'a' * 40}=1") == (("a" * 40, 1.0),)
