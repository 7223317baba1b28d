from __future__ import annotations

import pytest

from data_juicer_ext.export.card.front_matter import features
from data_juicer_ext.export.rows.columns import MIXED, TEXT, TEXTS, WHOLE

COLUMNS = {"row_id": TEXT, "options": TEXTS, "year": WHOLE, "provenance": TEXT, "images": TEXT}


def test_columns_of_plain_rows_are_told_with_nested_ones_as_json() -> None:
    assert features("jsonl", COLUMNS, several_images=False) == [
        {"name": "row_id", "dtype": "string"},
        {"name": "options", "list": "string"},
        {"name": "year", "dtype": "int64"},
        {"name": "provenance", "dtype": MIXED},
        {"name": "images", "list": "string"},
    ]


@pytest.mark.parametrize("form", ["hf", "parquet", "ms-swift"])
def test_what_files_tell_themselves_is_not_told_again(form: str) -> None:
    assert features(form, COLUMNS, several_images=True) == []


def test_content_of_a_chat_and_images_of_several_are_json() -> None:
    (messages,) = features("openai", COLUMNS, several_images=False)
    assert messages["list"] == [{"name": "role", "dtype": "string"}, {"name": "content", "dtype": MIXED}]
    assert features("llava", COLUMNS, several_images=False) == []
    assert features("llava", COLUMNS, several_images=True)[1] == {"name": "image", "dtype": MIXED}
