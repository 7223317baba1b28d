"""The stability of judges as text, JSON and CSV."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from data_juicer_ext.evaluation.stability.judge_stability import JudgeStability
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, notes
from data_juicer_ext.evaluation.tables import columns, folder_for, refused_lines, write_json, write_measures
from data_juicer_ext.text_table import counted

_TABLE = {
    "icc": ("ICC", 4), "between": ("between var.", 4), "within": ("within var.", 5),
    "direction_flip": ("direction flip", 4), "criterion_flip": ("criterion flip", 4),
    "criterion_dispersion": ("dispersion", 4),
}  # fmt: skip
_COUNTED = {
    "contaminated": "left out: they copy their reference",
    "development": "left out: of the development set",
    "one_run": "left out: judged in one run only",
    "repeated": "rows of a pair and run that stood before (the last counts)",
    "refused_rows": "rows refused",
}


def as_text(found: Sequence[JudgeStability]) -> str:
    """The tables for the screen; the first has the layout of the paper's table 5."""
    lines = [line for judge in found for line in _counts(judge)]
    table = [["judge", "n", *(head for head, _ in _TABLE.values())]]
    table += [_row(judge.judge, judge.rows[0]) for judge in found]
    lines += ["", *columns(table)]
    lines += ["flips: the share of instances, and of their criteria, whose runs do not all point one way"]
    pairwise = [["judge", "direction", "criterion", "SD of the runs' means"]]
    for judge in found:
        whole = judge.rows[0]
        shown = [whole[name].shown(4) for name in ("direction_flip_pairs", "criterion_flip_pairs", "run_sd")]
        pairwise.append([judge.judge, *shown])
    lines += ["", "share of pairs of runs that differ", *columns(pairwise)]
    for judge in found:
        if len(judge.rows) > 1:
            groups = [["group", "n", *(head for head, _ in _TABLE.values())]]
            groups += [_row(f"{row['by']} {row['value']}", row) for row in judge.rows[1:]]
            lines += ["", f"{judge.judge}: by group", *columns(groups)]
    for judge in found:
        lines += notes(judge.rows[0], judge.judge)
        lines += refused_lines([f"{judge.judge}: {reason}" for reason in judge.refused])
    return "\n".join(lines)


def _counts(judge: JudgeStability) -> list[str]:
    counts = judge.counts
    runs = sorted({counts["fewest_runs"], counts["most_runs"]})
    told = " to ".join(map(str, runs)) + " runs each" if counts["compared"] else "none with two runs"
    head = f"{judge.judge}: {counts['compared']} of {counts['judged']} judged pairs compared, {told}"
    return [head, *counted(counts, _COUNTED)]


def _row(label: str, row: dict[str, object]) -> list[str]:
    return [label, str(row["n"]), *(_shown(row[name], digits) for name, (_, digits) in _TABLE.items())]


def _shown(measure: object, digits: int) -> str:
    return measure.shown(digits) if isinstance(measure, Measure) else str(measure)


def write(found: Sequence[JudgeStability], folder: Path) -> list[Path]:
    """`stability.json` (all) and `stability.csv` (one row per judge and group) in `folder`; their paths."""
    folder = folder_for(folder)
    rows = [{"judge": judge.judge, **row} for judge in found for row in judge.rows]
    return [
        write_json(folder / "stability.json", {"judges": [asdict(judge) for judge in found]}),
        write_measures(folder / "stability.csv", rows, ("judge", "by", "value", "n")),
    ]
