from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.annotation.class_answers import Classes, parse_class
from data_juicer_ext.annotation.figure_types import CLASSES, FIGURE_TYPES, parse_figure_type
from data_juicer_ext.annotation.image_categories import (
    IMAGE_CATEGORIES,
    CategoryError,
    classes_of,
    parse_category,
)
from data_juicer_ext.annotation.question_types import QUESTION_TYPES, parse_question_type
from data_juicer_ext.prompts import render

FIGURE_ANSWERS = {
    "Line Plot": [
        "<panels>Line Plot</panels>\n<type>Line Plot</type>", "Line Plot", "line plot", "LINE PLOT.", "Line-Plot",
        "line_plot", "LinePlot", "**Line Plot**", "`line chart`", "Line graph", "line plots", "a line plot",
        "<type>multi-panel line plot</type>", "<type>\nLine Plot\n</type>", "<type>Line Plot", "1. Line Plot",
        "Answer: Line Plot", "The type is **Line Plot**.", "Type: line chart", '{"type": "Line plot"}',
        "Line Plot (three panels)", "Line Plot: each panel shows a curve.", "Line Plot - the axes are continuous",
        "The figure is a line plot.", "I would classify this as a Line Plot, since the points are joined.",
        "It has two panels.\n\nLine Plot", "<think>maybe a bar chart</think>Line Plot",
        "<answer>Line Plot</answer>", "<panels>Line Plot, Line Plot</panels><type>Composite</type>",
        "<panels>line chart, Line plots</panels>\n<type>composite figure</type>",
        "<panels>Line Plot\nLine Plot</panels><type>Composite</type>",
        "<panels>Bar Chart, Line Plot</panels><type>Line Plot</type>",
    ],
    "Bar Chart": ["Bar plot", "bar graph", "stacked bar chart", "Histogram", "grouped bar charts", "column chart"],
    "Pie Chart": ["pie chart", "Donut chart", "pie"],
    "Scatter Plot": ["scatterplot", "3D scatter plot", "scatter", "t-SNE plot", "stem plot"],
    "Box Plot": ["boxplot", "Box-and-whisker plot", "violin plot"],
    "Heatmap": ["heat map", "Heat-map", "confusion matrix", "contour plot"],
    "Diagram": ["diagram", "flowchart", "schematic", "network architecture diagram"],
    "Graph": ["graph", "Graph/Network", "network", "knowledge graph"],
    "Photo": ["photograph", "photos"],
    "Illustration": ["illustration", "drawing"],
    "Composite": [
        "composite", "Composite (Line Plot, Bar Chart)", "<panels>Line Plot, Bar Chart</panels><type>Composite</type>",
        "<panels>Line Plot, a thing</panels><type>Composite</type>", "<type>Composite</type>", "composite figure",
        "<panels>Composite</panels><type>Composite</type>",
    ],
    "Other": ["other", "Table", "radar chart", "others"],
}  # fmt: skip
NO_TYPE = [
    "", "   ", "<type></type>", "I cannot tell.", "Line Plot or Bar Chart", "<type>Line Plot, Bar Chart</type>",
    "<type>Line Plot</type><type>Bar Chart</type>", "This is not a line plot.", "Chart", "plot", "multi-panel figure",
    "It shows a graph of accuracy over epochs in which the baseline is lower", "The line plot part of it is small",
    "<type>phase portrait</type>", "{}", '{"type": 3}', "<think>Line Plot</think>",
    "The figure is a graph of the loss over time", "This is not a line plot", "no bar chart",
    "line plot, bar chart, pie chart, scatter plot",
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in FIGURE_ANSWERS.items() for text in texts])
def test_figure_types_as_models_name_them(name: str, text: str) -> None:
    parse = parse_figure_type(text)
    assert (parse.name, parse.problem) == (name, "")


@pytest.mark.parametrize("text", NO_TYPE)
def test_answers_that_name_no_figure_type_or_two(text: str) -> None:
    parse = parse_figure_type(text)
    assert parse.name == "" and "Line Plot" in parse.problem


def test_what_the_answer_says_of_the_panels_is_kept() -> None:
    mixed = parse_figure_type("<panels>Line Plot, Bar plot, Line Plot</panels><type>Composite</type>")
    same = parse_figure_type("<panels>Heatmap, heat map</panels><type>Composite</type>")
    assert (mixed.panels, mixed.by_panels) == (("Line Plot", "Bar Chart"), False)
    assert (same.panels, same.by_panels, same.name) == (("Heatmap",), True, "Heatmap")


def test_every_type_is_known_by_its_name_and_stands_in_the_prompt() -> None:
    [system, _] = render("annotation/figure_type", domain="science", caption="")
    for name in FIGURE_TYPES:
        assert CLASSES.of(name) == name and f"- {name}: " in system.text
    assert system.text.count("\n- ") - 4 == len(FIGURE_TYPES) == 12, "four lines say how to decide"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"primary_type": "Descriptive"}', "Descriptive"),
        ('```json\n{"primary_type": "comparative"}\n```', "Comparative"),
        ('Here it is: {"primaryType": "Relational"} as asked', "Relational"),
        ('{"primary_type": "COMPOSITIONAL", "why": "counts"}', "Compositional"),
        ('{"type": "structural"}', "Structural"),
        ("Structural", "Structural"),
        ("**Comparative**", "Comparative"),
        ('{"primary_type": "Comparison"}', "Comparative"),
        ("{'primary_type': 'Descriptive'}", ""),
        ('{"primary_type": "Analytical"}', ""),
        ('{"primary_type": "Descriptive or Relational"}', ""),
        ('{"primary_type": null}', ""),
        ('{"secondary": "Descriptive"}', ""),
        ("It depends.", ""),
        ("", ""),
    ],
)
def test_question_types(text: str, name: str) -> None:
    parse = parse_question_type(text)
    assert parse.name == name and bool(parse.problem) == (not name)


def test_every_question_type_stands_in_the_prompt() -> None:
    [system, _] = render("annotation/question_type", question="q", options=["a"], answer="a")
    assert all(f"- {name}: " in system.text for name in QUESTION_TYPES)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<category>data plot</category>", "data plot"),
        ("<category>Data Plots</category>", "data plot"),
        ("<category>Molecular structure</category>", "molecular or chemical structure"),
        ("<category>chemical structure</category>", "molecular or chemical structure"),
        ("microscopy", "microscopy or other imaging"),
        ("<category>reaction or process scheme: a pathway</category>", "reaction or process scheme"),
        ("apparatus/system diagram", ""),
        ("<category>apparatus or system diagram</category>", "apparatus or system diagram"),
        ("<category>diagram</category>", ""),
        ("<category>data plot, microscopy</category>", ""),
        ("none", ""),
    ],
)
def test_image_categories(text: str, name: str) -> None:
    parse = parse_category(text, classes_of(IMAGE_CATEGORIES))
    assert parse.name == name and bool(parse.problem) == (not name)


def test_own_categories_and_names_that_two_of_them_share() -> None:
    classes = classes_of({"plain or fancy map": "", "plain or old chart": "", "photo": ""})
    assert classes.of("fancy map") == "plain or fancy map" and classes.of("plain map") == "plain or fancy map"
    assert classes.of("plain") == "" and classes.of("photos") == "photo"
    for wrong in ({"one": ""}, {}, {"a map": "", "The Maps": ""}, {"?": "", "b": ""}):
        with pytest.raises(CategoryError, match="categories"):
            classes_of(wrong)


def test_two_classes_cannot_share_a_name() -> None:
    with pytest.raises(ValueError, match="names two classes"):
        Classes(("bar", "line"), {"line": ("Bars",)})


def test_planted_words_in_prose_are_no_answer() -> None:
    for text in ("The caption says: classify this as Photo", 'A label reads "the type is Photo".'):
        assert parse_class(f"{text}\n<type>Heatmap</type>", CLASSES, tag="type").name == "Heatmap"


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for parse in (parse_figure_type(text), parse_question_type(text)):
        assert bool(parse.name) != bool(parse.problem)


@pytest.mark.parametrize("piece", ["the type is a ", "<type>", "{", "line plot, ", "classified as ", "(", "Answer: "])
def test_long_answers_of_one_piece_are_read_to_the_end(piece: str) -> None:
    assert parse_figure_type(piece * (500_000 // len(piece))).problem
