from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.judging.judge_inputs import PayloadLimits, case_of, figure_map, shortened, shown_features
from data_juicer_ext.rows import Figure, figure_row


def row(**changes: Any) -> dict[str, Any]:
    figure = Figure(
        figure_id="f", number="3", label="fig:a", labels=["fig:a"], caption="Accuracy of A and B.", images=["a.png"],
        context=[r"As Fig.~\ref{fig:a} shows, A outperforms B.", "ok"], context_places=["m:1", "m:2"],
        section=["Results", "End"],
    )  # fmt: skip
    return {**figure_row({"paper_id": "p"}, figure), **changes}


def test_a_case_holds_what_the_row_tells() -> None:
    case = case_of(row(venue="ACL", year=2020))
    assert (case.caption, case.number, case.venue, case.year) == ("Accuracy of A and B.", "3", "ACL", "2020")
    assert [snippet.text for snippet in case.snippets] == ["As Fig. 3 shows, A outperforms B."]
    assert case.images == ("a.png",) and case.dimensions == ("VC", "SL", "C", "CTX", "MR")
    assert case.context_size == 1


def test_missing_texts_gate_their_dimensions() -> None:
    assert case_of(row(caption="Figure 3.")).dimensions == ("VC", "SL", "CTX", "MR")
    assert case_of(row(caption="Figure 3.")).caption == ""
    assert case_of(row(context_places="[]")).dimensions == ("VC", "SL", "C", "MR")
    assert case_of(row(caption="", context_places="[]")).dimensions == ()


def test_the_map_shows_the_other_figures_shortened() -> None:
    entries = [{"number": "1", "caption": "word " * 100}, {"number": "3", "caption": "itself"}]
    [entry] = case_of(row(figure_map=json.dumps(entries))).figure_map
    assert entry["number"] == "1" and len(entry["caption"]) <= 220 and entry["caption"].endswith("word…")
    assert (
        len(
            case_of(row(figure_map=json.dumps(entries)), PayloadLimits(map_caption_characters=30)).figure_map[0][
                "caption"
            ]
        )
        <= 30
    )


def test_the_map_of_a_paper_leaves_panels_and_unnumbered_figures_out() -> None:
    figures = [
        Figure(number="1", caption="Overview.", labels=["fig:o"]),
        Figure(number="2", panel="a", parent_label="fig:p", caption="Left."),
        Figure(caption="A logo."),
        Figure(number="2", caption="x" * 300),
    ]
    made = figure_map(figures)
    assert [entry["number"] for entry in made] == ["1", "2"] and len(made[1]["caption"]) == 220


@pytest.mark.parametrize(
    ("text", "expected"), [("a  b\nc", "a b c"), ("one two three", "one two…"), ("x" * 30, "x" * 9 + "…")]
)
def test_shortened_cuts_at_words(text: str, expected: str) -> None:
    assert shortened(text, 10) == expected


def test_features_are_shown_rounded_and_those_of_a_caption_only_with_one() -> None:
    features = {"laplacian_variance": 123.456789, "text_box_count": 4, "caption_ocr_token_overlap": 0.5,
                "edge_sharpness": None, "readable_text": "a\nb", "colour_histogram": {"red": [0.25, 0.75]}}  # fmt: skip
    shown = {
        "colour_histogram": "red 0.25, 0.75",
        "laplacian_variance": 123.5,
        "readable_text": "a b",
        "text_box_count": 4,
    }
    assert shown_features(features, has_caption=False) == shown
    assert shown_features(features, has_caption=True) == {**shown, "caption_ocr_token_overlap": 0.5}
    assert case_of(row(features=json.dumps(features))).features["text_box_count"] == 4


@pytest.mark.parametrize(
    ("column", "value"), [("features", "{"), ("features", "[]x"), ("figure_map", "{}"), ("labels", '"a"')]
)
def test_a_column_that_is_not_what_it_should_be_is_named(column: str, value: str) -> None:
    with pytest.raises(ValueError, match=column):
        case_of(row(**{column: value}))


def test_a_caption_without_words_has_no_features_of_its_own() -> None:
    features = json.dumps({"text_box_count": 4, "caption_ocr_token_overlap": 0.5})
    assert set(case_of(row(features=features)).features) == {"text_box_count", "caption_ocr_token_overlap"}
    assert set(case_of(row(features=features, caption="Figure 3.")).features) == {"text_box_count"}


def test_columns_that_are_not_there_are_empty() -> None:
    assert case_of({}).dimensions == ()
    case = case_of(row(labels="", features=None, figure_map="", venue=None))
    assert (case.features, case.figure_map, case.venue, case.year) == ({}, (), "", "")
    assert case_of(row(images=None)).images == () and case_of(row(images=["a", "", None])).images == ("a",)


def test_a_figure_without_a_number_is_none_of_the_maps() -> None:
    entries = json.dumps([{"number": "", "caption": "a"}, {"caption": None}, "no entry"])
    case = case_of(row(number="", figure_map=entries))
    assert case.number == "without a number"
    assert case.figure_map == ({"number": "?", "caption": "a"}, {"number": "?", "caption": ""})


def test_the_context_that_the_gate_has_closed_has_no_size() -> None:
    assert case_of(row(context_places="[]")).context_size == 0
    limits = PayloadLimits(max_context_tokens=2)
    assert case_of(row(), limits).context_size == 0 and case_of(row(), limits).snippets == ()


def test_limits_hold_for_snippets_and_map() -> None:
    limits = PayloadLimits(snippets=1, snippet_characters=12)
    [snippet] = case_of(row(), limits).snippets
    assert len(snippet.text) <= 12
    many = json.dumps([{"number": f"S{n}", "caption": "x"} for n in range(80)])
    assert len(case_of(row(figure_map=many)).figure_map) == 60
    assert len(case_of(row(caption="word " * 2000)).caption) == 4000


def test_features_are_shown_as_text_a_judge_can_read() -> None:
    features = {"grey": True, "blurred": False, "boxes": [1, 2.34567], "none": [], "long": "word " * 1000}
    shown = shown_features(features, has_caption=True)
    assert (shown["grey"], shown["blurred"], shown["boxes"]) == ("yes", "no", "1, 2.346")
    assert "none" not in shown and len(str(shown["long"])) <= 1500
    assert shown_features({**features, "error": "no image"}, has_caption=True) == {}


def test_a_word_that_just_fits_is_not_cut() -> None:
    assert shortened("123 567 90", 10) == "123 567 90"
    assert shortened("123 567 901", 10) == "123 567…"
