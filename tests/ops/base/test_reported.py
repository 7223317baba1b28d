from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from data_juicer_ext.ops.base.reported import Reported, words_of
from data_juicer_ext.ops.recipe.operator_reference import own_classes
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.operator_words import EARLIER, words_in
from data_juicer_ext.testing import run_operator


def test_shipped_operators_say_what_was_said_of_them_by_name() -> None:
    said = {name: words.as_json() for name, words in EARLIER.items()}
    assert {name: cls.words().as_json() for name, cls in own_classes().items() if cls.words().as_json()} == said


def test_kinds_may_stand_alone_or_by_reason_and_one_needs_no_tuple() -> None:
    class Alone(Reported):
        error_kinds = ("A", "B")

    class ByReason(Reported):
        error_kinds: ClassVar = {"short": "A", "": ("B", "C"), "none": ()}

    assert Alone.words().error_kinds == {"": ("A", "B")}
    assert ByReason.words().error_kinds == {"short": ("A",), "": ("B", "C")}
    assert Reported.words().as_json() == {}


def test_operators_are_told_in_the_recipes_order_and_those_of_others_by_name_alone() -> None:
    process = [{"vision_vote_filter": {"tag": "a"}}, {"clean_email_mapper": None}, {"claim_extractor_mapper": {}},
               {"vision_vote_filter": {"tag": "b"}}, {"nobody_knows_mapper": {}}]  # fmt: skip
    found = words_of(process)
    assert list(found) == ["vision_vote_filter", "clean_email_mapper", "claim_extractor_mapper", "nobody_knows_mapper"]
    assert found["claim_extractor_mapper"]["kept_rows"] == "claims" and found["clean_email_mapper"] == {}


def test_the_note_of_a_run_carries_the_words(tmp_path: Path) -> None:
    run_operator("figure_quality_filter", [{"row_id": "r", "quality": ""}], tmp_path)
    [run_id] = run_records.run_ids(tmp_path)
    assert list(words_in(run_records.about(tmp_path, run_id))) == ["figure_quality_filter"]
