"""An evaluation of quality scores as text, JSON and CSV."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.evaluation.quality.comparison import QualityEvaluation
from data_juicer_ext.evaluation.tables import columns, folder_for, refused_lines, write_csv, write_json
from data_juicer_ext.judging.evidence_gating import DIMENSIONS
from data_juicer_ext.text_table import counted

_SHOWN = ("n", "mae", "within_1", "srcc", "bias", "mae_C", "mae_CTX", "mae_MR")
_HEADS = ("n", "MAE", "W-1", "SRCC", "bias", "C", "CTX", "MR")
_DISPERSION = ("dimension", "n", "mean_spread", "median_spread", "within_1_pairs")
_ADJUDICATED = 10
_COUNTED = {
    "without_scores": "without an overall on either side",
    "excluded": "with neither caption nor citing text: excluded",
    "predictions_without_gold": "predicted, not in the gold",
    "gold_without_prediction": "in the gold, not predicted",
    "repeated_predictions": "predicted more than once (the last counts)",
    "gold_overall_remade": "whose given gold overall is not the mean of its dimensions (made anew)",
    "refused_rows": "rows refused",
}


def as_text(found: QualityEvaluation) -> str:
    """The tables for the screen."""
    lines = [f"{found.counts['compared']} figures compared, known by {' and '.join(found.key)}"]
    lines += counted(found.counts, _COUNTED)
    lines += counted(found.missing, {name: f"without a score of {name} that the gold has" for name in found.missing})
    table = [["", *_HEADS], *([_label(row), *(_cell(row, name) for name in _SHOWN)] for row in found.rows)]
    lines += ["", *columns(table), ""]
    lines += ["W-1: share at most 1 off. bias: positive is lenient. C, CTX, MR: MAE where the gold has them."]
    if note := found.rows[0]["srcc_note"]:
        lines += [f"no SRCC: {note}"]
    lines += _dispersion_lines(found.dispersion)
    return "\n".join(
        [
            *lines, *_adjudication_lines(found.adjudication), *([""] if found.refused else []),
            *refused_lines(found.refused),
        ]
    )  # fmt: skip


def _label(row: Mapping[str, Any]) -> str:
    return (row["value"] and f"{row['by']} {row['value']}") or "all"


def _cell(row: Mapping[str, Any], name: str) -> str:
    value = row[name]
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    return (
        f"{100 * value:.1f}%" if name.startswith("within_1") else f"{value:+.3f}" if name == "bias" else f"{value:.3f}"
    )


def _dispersion_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not any(row["n"] for row in rows):
        return ["", "no figure has two raters: nothing to say of their dispersion"]
    table = [["raters", "n", "mean spread", "median", "W-1 pairs"]]
    table += [[row["dimension"], *(_cell(row, name) for name in _DISPERSION[1:])] for row in rows]
    return ["", *columns(table)]


def _adjudication_lines(listed: Sequence[Mapping[str, Any]]) -> list[str]:
    if not listed:
        return []
    lines = ["", f"{len(listed)} figures whose raters' overalls are too far apart; to be looked at again:"]
    for entry in listed[:_ADJUDICATED]:
        overalls = ", ".join(
            f"{rater} {overall:.2f}" for rater, overall in entry["overalls"].items() if overall is not None
        )
        lines.append(f"  {entry['gap']:.2f}  {entry['figure']}  ({overalls})")
    return lines + ["  ..."] * (len(listed) > _ADJUDICATED)


def write(found: QualityEvaluation, folder: Path) -> list[Path]:
    """`quality.json` (everything), `quality.csv`, `dispersion.csv` and `adjudication.csv` in `folder`; their paths."""
    folder = folder_for(folder)
    measures = [*_SHOWN[:5], *(f"{kind}_{name}" for name in DIMENSIONS for kind in ("n", "mae"))]
    listed = [{**entry, "overalls": json.dumps(entry["overalls"], ensure_ascii=False), "wide": " ".join(entry["wide"])}
              for entry in found.adjudication]  # fmt: skip
    return [
        write_json(folder / "quality.json", found),
        write_csv(folder / "quality.csv", ["by", "value", *measures, "srcc_note"], found.rows),
        write_csv(folder / "dispersion.csv", _DISPERSION, found.dispersion),
        write_csv(folder / "adjudication.csv", ("figure", "gap", "overalls", "wide"), listed),
    ]
