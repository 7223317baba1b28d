"""Answers to the stages of a row, in a file that others write to as well."""

from __future__ import annotations

from pathlib import Path

from data_juicer_ext.ratings.stages import StageAnswer, StagesFile

KEY = ("ann", "verisciqa", "r1")


def test_what_was_said_comes_back_in_order_whoever_wrote_it(tmp_path: Path) -> None:
    mine, others = StagesFile(tmp_path / "stages.jsonl"), StagesFile(tmp_path / "stages.jsonl")
    assert mine.of(KEY) == {}
    first, second = StageAnswer({"clarity": 3}, "so", 1.5), StageAnswer({"clarity": 4}, "", 0.0)
    mine.append(KEY, "image", first)
    others.append(KEY, "image", second)
    others.append(KEY, "text", first)
    others.append(("bob", *KEY[1:]), "text", second)
    assert mine.of(KEY) == others.of(KEY) == {"image": [first, second], "text": [first]}
    assert mine.of(("bob", *KEY[1:])) == {"text": [second]} and mine.of(("ann", "siqa", "r1")) == {}


def test_a_file_that_was_replaced_is_read_anew_and_odd_lines_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "stages.jsonl"
    file = StagesFile(path)
    file.append(KEY, "image", StageAnswer({"clarity": 3}, "so", 1.5))
    assert len(file.of(KEY)["image"]) == 1
    names = '"annotator": "ann", "form": "verisciqa", "row_id": "r1"'
    other = tmp_path / "other"
    other.write_text(
        f'{{{names}, "stage": "text", "values": [1]}}\n'
        f'{{{names}, "stage": "text", "values": {{"a": 1, "b": "2", "c": true, "d": 2.5}}, "seconds": "x"}}\n'
    )
    other.replace(path)
    assert file.of(KEY) == {"text": [StageAnswer({"a": 1}, "", 0.0)]}
