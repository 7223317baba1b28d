from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.operator_words import EARLIER, LAST, NOTED, OperatorWords, note_words, words_in

WORDS = OperatorWords("captions", "", {"too_short": ("C1 says nothing",), "": ("C2", "C3")}, "it is long enough")


def test_words_come_back_from_a_note_in_the_recipes_order() -> None:
    note = json.loads(json.dumps({NOTED: {"second_filter": {}, "first_mapper": WORDS.as_json()}}))
    found = words_in(note)
    assert [(name, words.place) for name, words in found.items()] == [("second_filter", 0), ("first_mapper", 1)]
    assert found["first_mapper"].as_json() == WORDS.as_json() and found["second_filter"].as_json() == {}


def test_a_reason_has_its_own_kinds_else_those_of_all_others() -> None:
    assert WORDS.kinds_of("too_short") == ("C1 says nothing",) and WORDS.kinds_of("other") == ("C2", "C3")
    assert OperatorWords().kinds_of("other") == ()


def test_a_run_of_an_earlier_version_has_the_words_of_the_operators_of_its_time() -> None:
    found = words_in({"recipe": ["r.yaml"]})
    assert found is EARLIER and found["claim_extractor_mapper"].kept_rows == "claims"
    mappers = [words.place for name, words in found.items() if name.endswith("_mapper")]
    filters = [words.place for name, words in found.items() if name.endswith("_filter")]
    assert mappers == list(range(1, 1 + len(mappers))) and filters == [0, LAST, LAST, LAST]
    assert words_in({NOTED: {}}) == {}, "a run of today that notes nothing has no words of another time"


@pytest.mark.parametrize(
    "noted",
    [None, 3, ["x"], {"kept_rows": 3, "error_kinds": ["E1"]}, {"error_kinds": {"r": "E1", "s": [], "t": [None]}}],
)
def test_what_has_another_form_is_left_out(noted: Any) -> None:
    assert words_in({NOTED: {"a_filter": noted}})["a_filter"].as_json() == {}


def test_a_text_of_another_machine_is_short_visible_and_on_one_line() -> None:
    found = words_in({NOTED: {"a_filter": {"kept_rows": "rows\n\x1b[31mred\u202e" + "x" * 999}}})["a_filter"]
    assert found.kept_rows.startswith("rows [31mred") and len(found.kept_rows) <= 200 and found.kept_rows.isprintable()


def test_operators_are_noted_once_and_the_rest_of_the_note_stays(tmp_path: Path) -> None:
    run = run_records.begin(tmp_path, {"recipe": ["r.yaml"]})
    note_words(run, {"a_mapper": WORDS.as_json()})
    note_words(run, {"b_filter": {}, "a_mapper": {}})
    run_records.mark_ended(run)
    about = run_records.about(tmp_path, run.run_id)
    assert list(words_in(about)) == ["a_mapper", "b_filter"] and about["ended"] and about["recipe"] == ["r.yaml"]
    assert words_in(about)["a_mapper"].kept_rows == "captions"
