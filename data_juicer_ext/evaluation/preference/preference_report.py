"""A judge against people's preferences as text, JSON and CSV."""

from collections.abc import Sequence
from pathlib import Path

from data_juicer_ext.evaluation.preference.judge_preference import (
    GENERATED,
    REFERENCE,
    JudgePreference,
    PreferenceEvaluation,
)
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, notes
from data_juicer_ext.evaluation.tables import columns, folder_for, refused_lines, write_csv, write_json, write_measures
from data_juicer_ext.text_table import counted

_COUNTED = {
    "contaminated": "left out: they copy their reference",
    "development": "left out: of the development set",
    "without_rating": "without a rating",
    "not_judged": "rated, not judged",
    "conflict": "left out: raters in conflict",
    "too_few": "left out: fewer than two raters with the same direction",
    "several_runs": "judged in several runs: the mean S_final counts",
    "refused_rows": "rows refused",
}


def as_text(found: PreferenceEvaluation) -> str:
    """The tables for the screen."""
    lines = [line for judge in found.judges for line in _counts(judge)]
    lines += ["", *columns(_overall(found.judges)), "", "95% intervals", *columns(_intervals(found.judges))]
    lines += ["DAR: the share of pairs where judge and people prefer the same diagram, S_final above or below 0.5"]
    for judge in found.judges:
        lines += ["", f"{judge.judge}: mean S_final by what people prefer", *columns(_strata(judge))]
        if groups := _groups(judge):
            lines += ["", f"{judge.judge}: by group", *columns(groups)]
    lines += ["", *_people(found)]
    for judge in found.judges:
        lines += notes({**judge.rows[0], "order flip rate": judge.flip_rate}, judge.judge)
    lines += notes(found.agreement, "raters")
    refused = [*found.refused, *(f"{judge.judge}: {reason}" for judge in found.judges for reason in judge.refused)]
    return "\n".join([*lines, *refused_lines(refused)])


def _counts(judge: JudgePreference) -> list[str]:
    counts = judge.counts
    head = f"{judge.judge}: {counts['compared']} of {counts['judged']} judged pairs compared"
    return [head, *counted(counts, _COUNTED)]


def _overall(judges: Sequence[JudgePreference]) -> list[list[str]]:
    """The layout of the paper's table 4, with the order flip rate."""
    table = [["judge", "n", "DAR", "gen.-pref.", "ref.-pref.", "Kendall tau-b", "Spearman rho", "order flips"]]
    for judge in judges:
        table.append([judge.judge, str(judge.rows[0]["n"]), *(measure.shown() for measure in _measures(judge))])
    return table


def _intervals(judges: Sequence[JudgePreference]) -> list[list[str]]:
    table = [["judge", "DAR", "gen.-pref.", "ref.-pref.", "Kendall tau-b", "Spearman rho", "order flips"]]
    for judge in judges:
        table.append([judge.judge, *(measure.interval() for measure in _measures(judge))])
    return table


def _measures(judge: JudgePreference) -> list[Measure]:
    whole = judge.rows[0]
    by_way = [next(row["dar"] for row in judge.rows if row["value"] == value) for value in (GENERATED, REFERENCE)]
    return [whole["dar"], *by_way, whole["kendall_tau_b"], whole["spearman_rho"], judge.flip_rate]


def _strata(judge: JudgePreference) -> list[list[str]]:
    """The layout of the paper's table 3."""
    table = [["people prefer", "n", "mean S_final", "minus 0.5", "DAR", "ties"]]
    for row in judge.rows:
        if row["by"] == "strength":
            measures = [row["mean_s_final"].shown(4), _signed(row["delta"]), row["dar"].shown(4)]
            table.append([row["value"], str(row["n"]), *measures, str(row["ties"])])
    return table


def _signed(measure: Measure) -> str:
    return "-" if measure.value is None else f"{measure.value:+.4f}"


def _groups(judge: JudgePreference) -> list[list[str]]:
    rows = [row for row in judge.rows if row["by"] not in ("all", "direction", "strength")]
    table = [["group", "n", "mean S_final", "DAR", "Kendall tau-b", "Spearman rho"]]
    for row in rows:
        shown = [row[name].shown() for name in ("mean_s_final", "dar", "kendall_tau_b", "spearman_rho")]
        table.append([f"{row['by']} {row['value']}", str(row["n"]), *shown])
    return table if rows else []


def _people(found: PreferenceEvaluation) -> list[str]:
    told = found.agreement
    left_out = f", without {told['kappa_left_out']} pairs with another number of ratings" * bool(told["kappa_left_out"])
    return [
        f"raters: {told['raters']} over {told['pairs']} pairs",
        f"  Fleiss' kappa of the direction: {told['kappa_direction'].with_interval()}{left_out}",
        f"  Krippendorff's alpha, ordinal: {told['alpha_ordinal'].with_interval()}",
    ]


def write(found: PreferenceEvaluation, folder: Path) -> list[Path]:
    """`preference.json`, `preference.csv` (one row per judge and group), `people.csv` (one per pair); the paths."""
    folder = folder_for(folder)
    rows = [{"judge": judge.judge, **row} for judge in found.judges for row in judge.rows]
    people = [vars(human) for human in found.humans]
    return [
        write_json(folder / "preference.json", found),
        write_measures(folder / "preference.csv", rows, ("judge", "by", "value", "n")),
        write_csv(folder / "people.csv", ("pair", "direction", "strength", "left_out"), people),
    ]
