from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.review.citing_text import cited, places_of

PLACES = [{"paragraph": "One. It is\n so. End.", "place": "a.tex:1", "section": "S"},
          {"paragraph": "Two. It is so, twice. It is so.", "place": "a.tex:9", "section": "T"}]  # fmt: skip


def test_the_sentence_stands_apart_in_its_paragraph() -> None:
    first, other = cited(PLACES, {"sentence": "It is so.", "paragraph": 0})
    assert (first["before"], first["sentence"], first["after"]) == ("One. ", "It is so.", " End.")
    assert (first["place"], first["section"], other["place"], other["sentence"]) == ("a.tex:1", "S", "a.tex:9", "")


def test_the_named_paragraph_comes_first_and_another_one_helps_out() -> None:
    assert cited(PLACES, {"sentence": "It is so.", "paragraph": 1})[0]["before"] == "Two. It is so, twice. "
    assert cited(PLACES, {"sentence": "Two.", "paragraph": 0})[0]["place"] == "a.tex:9"


def test_a_sentence_without_its_paragraph_stands_alone() -> None:
    [alone] = cited([], {"sentence": "It is so.", "place": "a.tex:1", "section": "S"})
    assert (alone["before"], alone["sentence"], alone["place"]) == ("", "It is so.", "a.tex:1")
    assert [part["sentence"] for part in cited(PLACES, {"sentence": "Not there."})] == ["Not there.", "", ""]
    assert [part["before"] for part in cited(PLACES[:1], {})] == ["One. It is so. End."]


def test_long_text_is_cut_around_the_sentence() -> None:
    [part] = cited([{"paragraph": f"{'a' * 500_000} Here. {'b' * 500_000}"}], {"sentence": "Here."})
    assert part["sentence"] == "Here." and part["before"].endswith("a ") and part["after"].startswith(" b")
    assert len(str(part)) < 9_000


@pytest.mark.parametrize("told", [None, "", "{", "5", '{"a": 1}', 5, '[1, "x"]', "[" * 100_000])
def test_rows_without_places(told: Any) -> None:
    assert places_of({"context_places": told}) == []


def test_places() -> None:
    assert places_of({"context_places": json.dumps(PLACES)}) == PLACES
    assert cited([{"paragraph": 5, "place": 7}], {"sentence": 5, "paragraph": "x"})[0]["place"] == "7"
