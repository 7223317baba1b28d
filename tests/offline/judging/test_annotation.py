from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from data_juicer_ext.annotation.figure_types import parse_figure_type
from data_juicer_ext.annotation.image_categories import IMAGE_CATEGORIES, classes_of, parse_category
from data_juicer_ext.annotation.question_types import parse_question_type
from data_juicer_ext.models.types import Answer, Failure, Message, Request
from data_juicer_ext.offline import OfflineModel
from data_juicer_ext.qa.letter_answers import parse_letter
from tests.offline.drawings import bar_chart

CATEGORIES = [{"name": name, "description": about} for name, about in IMAGE_CATEGORIES.items()]


def ask(task: str, images: tuple[str, ...] = (), **fields: Any) -> str | Failure:
    asked = Request((Message("user", "text", images),), f"annotation/{task}", fields)
    answer = asyncio.run(OfflineModel().ask(asked))
    return answer.text if isinstance(answer, Answer) else answer


def text_of(answer: str | Failure) -> str:
    assert isinstance(answer, str)
    return answer


@pytest.fixture
def plain(tmp_path: Path) -> str:
    path = tmp_path / "plain.png"
    Image.new("RGB", (300, 200), "white").save(path)
    return str(path)


@pytest.mark.parametrize(
    ("caption", "name"),
    [
        ("Histograms of the ages.", "Bar Chart"),
        ("Confusion matrix of the classifier.", "Heatmap"),
        ("Overview of the proposed pipeline.", "Diagram"),
        ("Scatter of mass against radius.", "Scatter Plot"),
        ("Loss curves over epochs.", "Line Plot"),
        ("Photographs of the samples.", "Photo"),
        ("(a) Loss curves over time. (b) Histogram of the errors.", "Composite"),
        ("Loss curves; a histogram would hide the tail.", "Line Plot"),
        ("Results.", "Other"),
    ],
)
def test_figure_types_by_the_words_of_the_caption(caption: str, name: str, plain: str) -> None:
    answer = text_of(ask("figure_type", (plain,), caption=caption, domain="science"))
    assert parse_figure_type(answer).name == name


def test_figure_types_by_what_the_image_looks_like(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (20, 30, 3), dtype=np.uint8)
    Image.fromarray(noise).resize((600, 400)).save(tmp_path / "photo.png")
    boxes = Image.new("RGB", (600, 200), "white")
    draw = ImageDraw.Draw(boxes)
    for place, word in enumerate(("Encoder", "Decoder", "Output")):
        draw.text((40 + 200 * place, 80), word, fill="black", font_size=36)
    boxes.save(tmp_path / "boxes.png")
    chart = bar_chart(tmp_path / "chart.png", ["Inn", "Isar", "Lech", "Ilz"], [31.4, 12.5, 20.1, 9.0])
    found = [
        parse_figure_type(text_of(ask("figure_type", (image,), caption="Results.", domain="science"))).name
        for image in (str(tmp_path / "photo.png"), str(tmp_path / "boxes.png"), chart)
    ]
    assert found == ["Photo", "Diagram", "Line Plot"]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the accuracy at epoch 10?", "Descriptive"),
        ("Which method has the highest accuracy?", "Comparative"),
        ("How does the loss change with the step size?", "Relational"),
        ("How many curves are shown?", "Compositional"),
        ("What is the difference between A and B?", "Compositional"),
        ("How many stages does the pipeline have?", "Structural"),
        ("What component follows the encoder?", "Structural"),
    ],
)
def test_question_types_by_the_words_of_the_question(question: str, name: str) -> None:
    answer = text_of(ask("question_type", question=question, options=["1", "2"], answer="1"))
    assert parse_question_type(answer).name == name


@pytest.mark.parametrize(
    ("caption", "name"),
    [
        ("Reaction scheme of the synthesis.", "reaction or process scheme"),
        ("Molecular structure of the ligand.", "molecular or chemical structure"),
        ("Measured values over time.", "data plot"),
        ("Overview of the set-up.", "apparatus or system diagram"),
        ("Photographs of the cells.", "microscopy or other imaging"),
    ],
)
def test_image_categories(caption: str, name: str, plain: str) -> None:
    answer = text_of(ask("image_category", (plain,), caption=caption, categories=CATEGORIES))
    assert parse_category(answer, classes_of(IMAGE_CATEGORIES)).name == name


def test_answers_are_read_off_the_figure_or_the_caption(tmp_path: Path) -> None:
    chart = bar_chart(tmp_path / "chart.png", ["Inn", "Isar"], [31.4, 12.5])
    asked: dict[str, Any] = {
        "question": "What is the runoff for Isar?",
        "options": ["31.4", "12.5", "40"],
        "caption": "Runoff.",
    }
    assert parse_letter(text_of(ask("label_vote", (chart,), **asked)), ["31.4", "12.5", "40"]).letters == ("B",)
    assert ask("answer", (chart,), **asked, with_image=True) == "B"
    assert ask("answer", **asked, with_image=False) == "None"
    axis: dict[str, Any] = {**asked, "question": "What does the vertical axis show?", "options": ["days", "runoff"]}
    assert ask("answer", (chart,), **axis, with_image=True) == "B"
    told = {**asked, "caption": "The runoff for Isar is 40."}
    assert ask("answer", **told, with_image=False) == "C"


def test_what_it_cannot_see_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no image")
    for images in ((), (str(tmp_path / "broken.png"),)):
        for task, fields in (
            ("figure_type", {"caption": "", "domain": ""}),
            ("answer", {"question": "q?", "options": ["1", "2"], "caption": "", "with_image": True}),
        ):
            failed = ask(task, images, **fields)
            assert isinstance(failed, Failure) and failed.kind == "bad_image"
    missing = ask("question_type")
    assert isinstance(missing, Failure) and missing.kind == "bad_request"
