"""Categories of images: lists of a recipe, and names that an answer may shorten."""

from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.annotation.image_categories import (
    IMAGE_CATEGORIES,
    CategoryError,
    classes_of,
    listed,
    parse_category,
)


def test_a_list_of_a_recipe() -> None:
    given = [{"name": "plot", "description": "over axes"}, {"name": "photo"}, {"name": "map", "description": None}]
    assert listed(given) == {"plot": "over axes", "photo": "", "map": ""}


@pytest.mark.parametrize(
    "given",
    ["plot", {"name": "plot"}, ["plot"], [{"description": "x"}], [{"name": 3}], [{"name": "a", "about": "x"}],
     [{"name": "a"}, {"name": "a"}]],
)  # fmt: skip
def test_what_is_no_list_of_categories_is_told(given: Any) -> None:
    with pytest.raises(CategoryError, match="write a list of mappings with `name` and `description`"):
        listed(given)


def test_a_choice_needs_two_categories_of_different_names() -> None:
    with pytest.raises(CategoryError, match="there are 1"):
        classes_of({"plot": ""})
    with pytest.raises(CategoryError, match="categories: "):
        classes_of({"plot": "", "Plot": ""})
    assert classes_of({"plot": "", "photo": ""})


@pytest.mark.parametrize("category", IMAGE_CATEGORIES)
def test_the_shipped_categories_are_read_by_their_names(category: str) -> None:
    classes = classes_of(IMAGE_CATEGORIES)
    for text in (category, category.upper(), f"<category>{category}</category>", f'{{"category": "{category}"}}',
                 f'{{"image_category": "{category}"}}'):  # fmt: skip
        assert parse_category(text, classes).name == category


@pytest.mark.parametrize(
    ("answer", "category"),
    [
        ("molecular structure", "molecular or chemical structure"),
        ("chemical structure", "molecular or chemical structure"),
        ("molecular", "molecular or chemical structure"),
        ("microscopy", "microscopy or other imaging"),
        ("process scheme", "reaction or process scheme"),
    ],
)
def test_a_name_with_or_may_be_shortened(answer: str, category: str) -> None:
    assert parse_category(f"<category>{answer}</category>", classes_of(IMAGE_CATEGORIES)).name == category


def test_a_shortened_name_of_two_categories_means_none() -> None:
    classes = classes_of({"red or blue curve": "", "red or green curve": "", "red": ""})
    assert parse_category("<category>blue curve</category>", classes).name == "red or blue curve"
    assert not parse_category("<category>red curve</category>", classes).name
    assert parse_category("<category>red</category>", classes).name == "red"
