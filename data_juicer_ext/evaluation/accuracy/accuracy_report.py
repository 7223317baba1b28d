"""Accuracy as text, in the layout of the papers' tables, and as JSON and CSV."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from data_juicer_ext.evaluation.accuracy.letter_bias import GOLD, LetterCounts
from data_juicer_ext.evaluation.accuracy.model_accuracy import OVERALL, Accuracy, Cell
from data_juicer_ext.evaluation.tables import (
    columns,
    folder_for,
    printable,
    refused_lines,
    write_csv,
    write_json,
    write_measures,
    write_table,
)
from data_juicer_ext.text_table import counted

Side = Literal["categories", "models"]
FEW = 20  # below, the VeriSciQA paper warns of a group's accuracy
_LISTED = 10
_ROWS = 60  # of a table on the screen
_NAMES = {"domain": "Domain", "figure_type": "Figure type", "question_type": "Question type", "dimension": "Dimension"}
_COUNTED = {
    "left_out_by_subset": "questions outside the subset",
    "repeated_answers": "answers of a model to a question that it had answered before (the last counts)",
    "answer_correct_disagrees": "rows whose answer_correct is another than their letters say (the letters count)",
    "refused_rows": "rows refused",
}

Table = list[list[str]]


def as_text(found: Accuracy, rows: Side = "categories") -> str:
    """All tables for the screen; `rows` says what stands in the rows of the tables by group."""
    questions = found.counts["questions"]
    lines = [f"{questions} questions, {len(found.models)} models"]
    lines += counted(found.counts, _COUNTED)
    if found.subset and questions < found.subset["asked_for"]:
        lines.append(f"  the subset is the whole set: it has no {found.subset['asked_for']} questions")
    if not found.models:
        return "\n".join([*lines, "", "accuracy not defined: no answers", *_refused(found.refused)])
    lines += ["", *columns(_models(found)), *_failures(found)]
    for by in found.by:
        table = columns(group_table(found, by, rows))
        more = [f"... all {len(table) - 2} in by_{_safe(by)}.csv"] * (len(table) > _ROWS)
        lines += ["", f"Accuracy (%) by {_NAMES.get(by, by).lower()}", *table[:_ROWS], *more]
    if any(cell.asked < FEW for cell in found.cells if cell.by in found.by):
        lines.append(f"* fewer than {FEW} questions: to be read with caution")
    if "dimension" in found.by:
        lines += ["", "Accuracy by dimension and question type", *columns(understanding_table(found))]
    lines += ["", "Letters", *columns(_letters(found.letters)), *_letter_notes(found.letters)]
    return "\n".join([*lines, *_unclear(found), *_refused(found.refused)])


def _models(found: Accuracy) -> Table:
    table = [["model", "answers", "right", "accuracy %", "95% interval", "unclear", "failed"]]
    for model in found.models:
        cell = found.cell(OVERALL, "", model)
        low, high = cell.accuracy.low, cell.accuracy.high
        interval = "-" if low is None or high is None else f"{100 * low:.2f} to {100 * high:.2f}"
        table.append([model, str(cell.n), str(cell.right), _percent(cell), interval, str(cell.unclear),
                      str(cell.failed)])  # fmt: skip
    return table


def _failures(found: Accuracy) -> list[str]:
    """What failed, and that the models are compared on different questions, if they are."""
    lines = []
    for model, reasons in found.failed.items():
        told = ", ".join(f"{why} {number}" for why, number in reasons.items())
        lines.append(f"{model}: {sum(reasons.values())} calls failed and count neither as right nor as wrong ({told})")
    cells = [found.cell(OVERALL, "", model) for model in found.models]
    if any(cell.n + cell.failed < cell.asked for cell in cells):
        lines.append("the models were not all asked the same questions: their accuracies are not of one set")
    return lines


def _percent(cell: Cell) -> str:
    return "-" if cell.accuracy.value is None else f"{100 * cell.accuracy.value:.2f}"


def group_table(found: Accuracy, by: str, rows: Side = "categories") -> Table:
    """The table of a column, with the overall accuracy last, the number of questions and what chance gives.

    `rows="categories"` is the layout of VeriSciQA's tables 8 to 10: one row per group, one column per model.
    """
    groups = [(by, value, f"{value}{'*' * _few(found, by, value)}") for value in found.values(by)]
    groups.append((OVERALL, "", OVERALL))
    table = [[_NAMES.get(by, by), *found.models, "questions", "chance"]]
    for column, value, label in groups:
        cells = [found.cell(column, value, model) for model in found.models]
        table.append([label, *map(_percent, cells), str(cells[0].asked), _chance(cells[0])])
    return table if rows == "categories" else [list(line) for line in zip(*table, strict=True)]


def _few(found: Accuracy, by: str, value: str) -> bool:
    return found.cell(by, value, found.models[0]).asked < FEW


def _chance(cell: Cell) -> str:
    return "-" if cell.chance is None else f"{100 * cell.chance:.2f}"


def understanding_table(found: Accuracy) -> Table:
    """The layout of SIQA's table 2: one row per model, dimensions and then question types as columns; shares."""
    columns_of: list[str] = [by for by in ("dimension", "question_type") if by in found.by]
    heads = [(by, value) for by in columns_of for value in found.values(by)]
    heads.append((OVERALL, ""))
    table = [["Model", *(value or by for by, value in heads)]]
    for model in found.models:
        table.append([model, *(found.cell(*head, model).accuracy.shown() for head in heads)])
    chances = [found.cell(*head, found.models[0]).chance for head in heads]
    return [*table, ["chance", *("-" if chance is None else f"{chance:.3f}" for chance in chances)]]


def _letters(rows: Sequence[LetterCounts]) -> Table:
    names = sorted({letter for row in rows for letter in row.counts})
    table = [["questions", "answers of", "n", *names, "unclear", "chi2", "p"]]
    for row in rows:
        given = max(1, row.n - row.unclear)
        shares = [f"{100 * row.counts[letter] / given:.1f}%" if letter in row.counts else "" for letter in names]
        table.append(
            [row.kind, row.model, str(row.n), *shares, str(row.unclear), row.statistic.shown(2), row.p.shown(4)]
        )
    return table


def _letter_notes(rows: Sequence[LetterCounts]) -> list[str]:
    lines = ["chi2, p: whether a model's letters come in other shares than the right ones (Stuart and Maxwell)"]
    return lines + [f"{row.kind}, {row.model}: {row.p.note}" for row in rows if row.p.note and row.model != GOLD]


def _unclear(found: Accuracy) -> list[str]:
    if not found.unclear:
        return []
    lines = ["", f"{len(found.unclear)} answers name no single option and count as wrong:"]
    for entry in found.unclear[:_LISTED]:
        lines.append(f"  {entry['model']}  {entry['row_id']}  {entry['kind']}  {printable(entry['answer_text'])}")
    return lines + [f"  ... all in {UNCLEAR}"] * (len(found.unclear) > _LISTED)


def _refused(refused: Sequence[str]) -> list[str]:
    return ["", *refused_lines(refused)] if refused else []


UNCLEAR = "unclear.csv"
_CELL = ("by", "value", "model", "asked", "n", "right", "accuracy", "unclear", "failed", "chance")


def write(found: Accuracy, folder: Path, rows: Side = "categories") -> list[Path]:
    """Write everything into `folder`; the paths.

    `accuracy.json` (all), `accuracy.csv` (one row per model and group), `by_<column>.csv` (the printed tables),
    `letters.csv`, `unclear.csv`, and, where there is one, `subset.csv` (the row ids).
    """
    folder = folder_for(folder)
    tables = {f"by_{by}": group_table(found, by, rows) for by in found.by if found.models}
    if "dimension" in found.by and found.models:
        tables["siqa_u"] = understanding_table(found)
    letters = [{**vars(row), "counts": " ".join(f"{a}={n}" for a, n in row.counts.items())} for row in found.letters]
    paths = [
        write_json(folder / "accuracy.json", found),
        write_measures(folder / "accuracy.csv", [vars(cell) for cell in found.cells], _CELL),
        *(write_table(folder / f"{_safe(name)}.csv", table) for name, table in tables.items()),
        write_measures(folder / "letters.csv", letters, ("kind", "model", "n", "counts", "unclear")),
        write_csv(folder / UNCLEAR, ("model", "row_id", "kind", "answer", "answer_text"), found.unclear),
    ]
    if found.subset:
        chosen = [{"row_id": row_id} for row_id in found.subset["row_ids"]]
        paths.append(write_csv(folder / "subset.csv", ("row_id",), chosen))
    return paths


def _safe(name: str) -> str:
    return "".join(character if character.isalnum() or character in "_-" else "_" for character in name)
