"""Which names an operator and its package may have."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.scaffold.names import OperatorName, operator_name, package_name


def test_what_is_made_of_a_name() -> None:
    found = operator_name("caption_topic_mapper")
    assert (found.kind, found.stem, found.class_name) == ("mapper", "caption_topic", "CaptionTopicMapper")
    assert operator_name("long_2d_filter").class_name == "Long2dFilter"


def test_the_kind_may_be_in_the_name_or_told() -> None:
    assert operator_name("caption_topic", "filter") == OperatorName("caption_topic_filter")
    assert operator_name("caption_topic_filter", "filter") == OperatorName("caption_topic_filter")
    with pytest.raises(ValueError, match="has to end in _mapper or _filter"):
        operator_name("caption_topic")
    with pytest.raises(ValueError, match="is a mapper by its name, and --kind says filter"):
        operator_name("caption_topic_mapper", "filter")


@pytest.mark.parametrize(
    "name", ["Caption_mapper", "caption-topic_mapper", "_mapper", "a__b_mapper", "1a_mapper", "a b_mapper"]
)
def test_a_name_is_lower_case_words(name: str) -> None:
    with pytest.raises(ValueError, match="lower case words joined by _"):
        operator_name(name)


def test_sixty_characters_are_the_most() -> None:
    assert operator_name("a" * 53 + "_mapper").stem == "a" * 53
    with pytest.raises(ValueError, match="is longer than 60 characters"):
        operator_name("a" * 54 + "_mapper")
    with pytest.raises(ValueError, match="is longer"):
        operator_name("a" * 54, "mapper")


@pytest.mark.parametrize("column", ["caption", "text", "row_id"])
def test_a_mapper_makes_a_column_of_its_own(column: str) -> None:
    with pytest.raises(ValueError, match=f"'{column}' would be the column that it makes"):
        operator_name(f"{column}_mapper")
    assert operator_name(f"{column}_filter").stem == column


@pytest.mark.parametrize(
    ("folder", "name"), [("my_operators", "my_operators"), ("My Operators-2", "my_operators_2"), ("-ops-", "ops")]
)
def test_a_package_is_named_for_its_folder(tmp_path: Path, folder: str, name: str) -> None:
    assert package_name(tmp_path / folder) == name


@pytest.mark.parametrize(
    ("folder", "says"),
    [("2ops", "gives no name"), ("class", "gives no name"), ("---", "gives no name"), ("tests", "is there already"),
     ("prompts", "is there already"), ("json", "is there already"), ("data_juicer_ext", "is there already")],
)  # fmt: skip
def test_names_that_no_package_can_have(tmp_path: Path, folder: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        package_name(tmp_path / folder)
