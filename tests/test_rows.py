from __future__ import annotations

import json
import math
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext import rows
from data_juicer_ext.rows import (
    CLAIM_ROW,
    FIGURE_ROW,
    QA_ROW,
    Figure,
    add_provenance,
    claim_row,
    content_id,
    dump_figures,
    figure_row,
    load_figures,
    qa_row,
    read_caption,
    scrub,
    to_json,
)

PAPER = {"paper_id": "p1", "domain": "cs.CL"}
FIGURE = Figure(
    figure_id="f1",
    number="3",
    label="fig:a",
    labels=["fig:a", "fig:a:left"],
    caption="Rates.",
    images=["/run/images/a.png"],
    image_sources=["img/a.pdf"],
    context=["See Fig. 3.", "Again."],
    context_places=["main.tex:4", "main.tex:9"],
    section=["Results", "Discussion"],
    flags=["image_from_pdf"],
)


@pytest.mark.parametrize(
    ("text", "clean"),
    [("a\r\nb\rc", "a\nb\nc"), ("a\x00\x07\x7f\x9fb", "ab"), ("x\ud800y", "xy"), ("tab\tkept é 漢 \U0001f600", None)],
)
def test_scrub(text: str, clean: str | None) -> None:
    assert scrub(text) == (text if clean is None else clean)


@given(st.text(alphabet=st.characters(categories=["L", "Cc", "Cs", "Zs"])))
def test_scrubbed_text_is_encodable_and_stays_as_it_is(text: str) -> None:
    clean = scrub(text)
    assert scrub(clean) == clean == clean.encode().decode()
    assert not any(unicodedata.category(mark) == "Cc" for mark in clean if mark not in "\n\t")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


def strings(value: Any) -> list[str]:
    """Every string in a JSON value, keys included."""
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in strings(item))]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


@given(JSON)
def test_json_columns_are_strict_json_of_scrubbed_strings(value: Any) -> None:
    back = json.loads(to_json(value), parse_constant=pytest.fail)
    assert all(scrub(text) == text for text in strings(back))


def test_json_keeps_what_is_sound() -> None:
    assert to_json({"b": [1, 2.5, "é"], "a": None}) == '{"b": [1, 2.5, "é"], "a": null}'
    assert to_json({"x": math.nan, "y": "a\x01b"}) == '{"x": null, "y": "ab"}'


def test_ids_depend_on_kind_and_every_part() -> None:
    assert content_id("qa", "a", "b") == content_id("qa", "a", "b")
    ids = {content_id(*parts) for parts in (("qa", "a", "b"), ("qa", "ab"), ("claim", "a", "b"), ("qa", "b", "a"))}
    assert len(ids) == 4
    assert content_id("qa", "a").startswith("qa-") and len(content_id("qa", "a")) == 23


def test_figures_come_back_as_they_were() -> None:
    assert load_figures(dump_figures([FIGURE, Figure()])) == [FIGURE, Figure()]
    assert load_figures("") == load_figures("[]") == []
    assert load_figures('[{"figure_id": "x", "of_a_later_version": 1}]') == [Figure(figure_id="x")]


@pytest.mark.parametrize("text", ["{}", "[1]", "null", "[", "3"])
def test_a_broken_figures_column_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        load_figures(text)


def test_rows_have_their_columns_and_nothing_is_null() -> None:
    figure = figure_row(PAPER, FIGURE)
    claim = claim_row(figure, "The figure shows a peak.", {"sentence": "See Fig. 3.", "place": "main.tex:4"})
    qa = qa_row(claim, "Where is the peak?", ["left", "right"], "A")
    for row, columns in ((figure, FIGURE_ROW), (claim, CLAIM_ROW), (qa, QA_ROW)):
        assert tuple(row) == columns or set(row) == set(columns)
        assert all(isinstance(value, (str, list)) for value in row.values())
    assert figure["context"] == "See Fig. 3.\n\nAgain."
    assert json.loads(figure["labels"]) == ["fig:a", "fig:a:left"]
    assert json.loads(figure["context_places"])[1] == {
        "place": "main.tex:9", "section": "Discussion", "paragraph": "Again."
    }  # fmt: skip
    provenance = json.loads(qa["provenance"])
    assert provenance["source"]["place"] == "main.tex:4"
    assert provenance["claim_row_id"] == claim["row_id"] and provenance["figure_row_id"] == figure["row_id"]


def test_a_paragraph_without_a_place_is_not_lost() -> None:
    figure = Figure(context=["One.", "Two."], context_places=["main.tex:4"])
    assert [entry["paragraph"] for entry in json.loads(figure_row({}, figure)["context_places"])] == ["One.", "Two."]


def test_row_ids_tell_rows_apart_and_know_them_again() -> None:
    claim = claim_row(figure_row(PAPER, FIGURE), "The figure shows a peak.", {})
    rows = [
        qa_row(claim, question, options, answer)
        for question in ("Where?", "When?")
        for options in (["left", "right"], ["right", "left"])
        for answer in "AB"
    ]
    assert len({row["row_id"] for row in rows}) == 8
    assert qa_row(claim, "Where?\x00", ["left", "right"], "A")["row_id"] == rows[0]["row_id"]


def test_provenance_is_added_to() -> None:
    assert json.loads(add_provenance('{"a": 1}', b=2, a=3)) == {"a": 3, "b": 2}
    assert json.loads(add_provenance("", b=2)) == {"b": 2}


def test_a_readers_caption_has_no_labels() -> None:
    caption = "Left (a, fig:left)  and\nright (b, fig:right), at (x, y)."
    figure = Figure(caption=caption, labels=["fig:left", "fig:right"])
    assert read_caption(figure) == "Left (a) and right (b), at (x, y)."
    assert figure_row({"paper_id": "p"}, figure)["caption"] == read_caption(figure)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["\\ref", "\\u00", "a\r\nb", "\x00"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(_JSON)
def test_the_short_way_to_json_gives_what_the_long_one_gives(value: Any) -> None:
    assert to_json(value) == json.dumps(rows._clean(value), ensure_ascii=False, allow_nan=False)


def test_a_figure_of_which_nothing_is_known() -> None:
    empty = rows.Figure()
    assert (empty.page, empty.bbox, empty.images, empty.labels, empty.flags) == (0, [], [], [], [])


@pytest.mark.parametrize("text", ["{not JSON", "[1", "[" * 100_000])
def test_text_that_is_no_json_holds_nothing(text: str) -> None:
    assert rows.value_in(text) is None and rows.object_in(text) == {}
