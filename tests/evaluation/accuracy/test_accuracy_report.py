"""What is printed and written of accuracies, from figures made by hand."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from data_juicer_ext.evaluation.accuracy import accuracy_report
from data_juicer_ext.evaluation.accuracy.accuracy_report import as_text, group_table, understanding_table, write
from data_juicer_ext.evaluation.accuracy.letter_bias import GOLD, LetterCounts
from data_juicer_ext.evaluation.accuracy.model_accuracy import OVERALL, Accuracy, Cell
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined

NO_COUNTS = dict.fromkeys(accuracy_report._COUNTED, 0)


def cell(by: str, value: str, model: str, right: int = 3, n: int = 4, asked: int = 4, **more: Any) -> Cell:
    measure = Measure(right / n, "", 0.3, 0.95432) if n else undefined("no answers")
    known = {"unclear": 0, "failed": asked - n, "chance": 0.25, **more}
    return Cell(by, value, model, asked, n, right, measure, **known)


def accuracy(*cells: Cell, **more: Any) -> Accuracy:
    whole = [cell(OVERALL, "", "m", 30, 40, 40), cell(OVERALL, "", "k", 0, 0, 40)]
    by = list(dict.fromkeys(one.by for one in cells))
    known: dict[str, Any] = {
        "models": ["m", "k"], "by": by, "counts": {"questions": 40, **NO_COUNTS},
        "cells": [*whole, *cells], "letters": [], "failed": {}, "unclear": [], "subset": {}, "refused": [],
    }  # fmt: skip
    return Accuracy(**{**known, **more})


DOMAINS = [
    cell("domain", "cs.CL", "m", 1, 19, 19), cell("domain", "cs.CL", "k", 2, 19, 19, chance=None),
    cell("domain", "math", "m", 7, 21, 20, unclear=1), cell("domain", "math", "k", 0, 0, 20),
]  # fmt: skip


def test_models_are_told_with_their_intervals() -> None:
    lines = as_text(accuracy()).splitlines()
    assert lines[0] == "40 questions, 2 models"
    assert [line.split() for line in lines[2:5]] == [
        ["model", "answers", "right", "accuracy", "%", "95%", "interval", "unclear", "failed"],
        ["m", "40", "30", "75.00", "30.00", "to", "95.43", "0", "0"],
        ["k", "0", "0", "-", "-", "0", "40"],
    ]
    assert "not all asked" not in "\n".join(lines), "the calls that failed count as asked"
    assert lines[-1].startswith("chi2, p: whether")


def test_groups_are_rows_with_the_overall_last_or_columns() -> None:
    table = group_table(accuracy(*DOMAINS), "domain")
    assert table == [
        ["Domain", "m", "k", "questions", "chance"], ["cs.CL*", "5.26", "10.53", "19", "25.00"],
        ["math", "33.33", "-", "20", "25.00"], [OVERALL, "75.00", "-", "40", "25.00"],
    ]  # fmt: skip
    assert group_table(accuracy(*DOMAINS), "domain", "models") == [list(row) for row in zip(*table, strict=True)]
    text = as_text(accuracy(*DOMAINS))
    assert "Accuracy (%) by domain" in text and "* fewer than 20 questions: to be read with caution" in text
    assert "fewer than" not in as_text(accuracy(*DOMAINS[2:]))
    nobody = accuracy(cell("mine", "x", "m", chance=None), cell("mine", "x", "k"))
    assert group_table(nobody, "mine")[1] == ["x*", "75.00", "75.00", "4", "-"] and "by mine" in as_text(nobody)


def test_long_tables_are_cut_on_the_screen() -> None:
    def told(groups: int) -> str:
        return as_text(accuracy(*(cell("my/ids", f"g{n:02}", m) for n in range(groups) for m in ("m", "k"))))

    assert "... all" not in told(58) and "g57" in told(58)
    assert "... all 59 in by_my_ids.csv" in told(59) and "g58" in told(59)


def test_the_layout_of_the_siqa_table() -> None:
    cells = [cell("dimension", "clarity", "m"), cell("dimension", "clarity", "k", 1, 3, 4, chance=None)]
    cells += [cell("question_type", "what", "m", 0), cell("question_type", "what", "k")]
    found = accuracy(*cells)
    assert understanding_table(found) == [
        ["Model", "clarity", "what", OVERALL], ["m", "0.750", "0.000", "0.750"], ["k", "0.333", "0.750", "-"],
        ["chance", "0.250", "0.250", "0.250"],
    ]  # fmt: skip
    assert "Accuracy by dimension and question type" in as_text(found)
    assert "Accuracy by dimension and" not in as_text(accuracy(*cells[2:]))
    assert understanding_table(accuracy(cell("dimension", "c", "m", chance=None), cell("dimension", "c", "k")))[-1] == [
        "chance", "-", "0.250",
    ]  # fmt: skip


def test_letters_are_shares_of_the_answers_that_name_one() -> None:
    rows = [
        LetterCounts("4 options", GOLD, 10, {"A": 5, "B": 5}),
        LetterCounts("4 options", "m", 10, {"A": 6, "B": 2}, 2, Measure(4.567), 1, Measure(0.03456)),
        LetterCounts("2 options", "m", 3, {"A": 0}, 3, undefined("few"), 1, undefined("few")),
        LetterCounts("2 options", GOLD, 0, {"A": 0}, 0, undefined("few"), 1, undefined("few")),
    ]
    text = as_text(accuracy(letters=rows))
    lines = [line.split() for line in text.splitlines()]
    assert ["4", "options", *GOLD.split(), "10", "50.0%", "50.0%", "0", "-", "-"] in lines
    assert ["4", "options", "m", "10", "75.0%", "25.0%", "2", "4.57", "0.0346"] in lines
    assert ["2", "options", "m", "3", "0.0%", "3", "-", "-"] in lines
    assert "2 options, m: not defined: few" in text and f"2 options, {GOLD}: not" not in text


def test_what_was_left_out_is_told() -> None:
    counts = {"questions": 4, **NO_COUNTS, "repeated_answers": 2, "refused_rows": 1}
    unclear = [{"model": "m", "row_id": f"r{n}", "kind": "several", "answer_text": "A or\nB"} for n in range(11)]
    failed = {"k": {"timeout": 3, "budget": 1}}
    found = accuracy(
        counts=counts, unclear=unclear, failed=failed, refused=["line 3: no answer"], subset={"asked_for": 5}
    )
    text = as_text(found)
    assert "     2  answers of a model to a question that it had answered before (the last counts)" in text
    assert "the subset is the whole set: it has no 5 questions" in text
    assert "k: 4 calls failed and count neither as right nor as wrong (timeout 3, budget 1)" in text
    assert "11 answers name no single option and count as wrong:" in text
    assert "  m  r9  several  A or B\n  ... all in unclear.csv\n\nrefused: line 3: no answer" in text
    assert "r10" not in text and "... all in" not in as_text(replace(found, unclear=unclear[:10]))
    assert "the subset is" not in as_text(replace(found, subset={"asked_for": 4}))
    other = replace(found, cells=[cell(OVERALL, "", "m", 1, 3, 4, failed=0), cell(OVERALL, "", "k")])
    assert "the models were not all asked the same questions" in as_text(other)


def test_without_answers_nothing_is_defined() -> None:
    text = as_text(accuracy(models=[], refused=["line 1: broken"]))
    assert text == "40 questions, 0 models\n\naccuracy not defined: no answers\n\nrefused: line 1: broken"


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_all_is_written(tmp_path: Path) -> None:
    letters = [LetterCounts("4 options", "m", 10, {"A": 6, "B": 2}, 2, Measure(4.5), 1, Measure(0.25))]
    cells = [cell("dimension", "clarity", m) for m in "mk"] + [cell("a/b", "x", m) for m in "mk"]
    subset = {"asked_for": 2, "row_ids": ["r1", "r2"]}
    unclear = [{"model": "m", "row_id": "r", "kind": "none", "answer": "", "answer_text": "?"}]
    paths = write(accuracy(*cells, letters=letters, subset=subset, unclear=unclear), tmp_path / "out")
    assert [path.name for path in paths] == [
        "accuracy.json", "accuracy.csv", "by_dimension.csv", "by_a_b.csv", "siqa_u.csv", "letters.csv", "unclear.csv",
        "subset.csv",
    ]  # fmt: skip
    assert json.loads(paths[0].read_text())["cells"][0]["accuracy"]["value"] == 0.75
    head, first, *others = rows_of(paths[1])
    assert dict(zip(head, first, strict=True))["accuracy_low"] == "0.3" and len(others) == 5
    assert rows_of(paths[3])[1] == ["x*", "75.00", "75.00", "4", "25.00"]
    assert dict(zip(*rows_of(paths[5]), strict=True))["counts"] == "A=6 B=2"
    assert rows_of(paths[6]) == [["model", "row_id", "kind", "answer", "answer_text"], ["m", "r", "none", "", "?"]]
    assert rows_of(paths[7]) == [["row_id"], ["r1"], ["r2"]]
    turned = write(accuracy(*cells), tmp_path / "turned", "models")
    assert rows_of(turned[2])[0] == ["Dimension", "clarity*", OVERALL] and turned[-1].name == "unclear.csv"
    none = write(accuracy(*cells, models=[], cells=[]), tmp_path / "none")
    assert [path.name for path in none] == ["accuracy.json", "accuracy.csv", "letters.csv", "unclear.csv"]
    assert rows_of(none[1])[0][:4] == ["by", "value", "model", "asked"]
