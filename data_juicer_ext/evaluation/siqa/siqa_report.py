"""The evaluation of SIQA scores as text, JSON and CSV."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.evaluation.siqa.comparison import COEFFICIENTS, COLUMNS, SiqaEvaluation
from data_juicer_ext.evaluation.statistics.value_with_interval import notes
from data_juicer_ext.evaluation.tables import columns, folder_for, printable, refused_lines, write_json, write_measures

_HEADS = {"perception": "Perception", "knowledge": "Knowledge", "siqa_s": "SIQA-S", "mean_rating": "mean rating"}


def as_text(found: SiqaEvaluation) -> str:
    """The tables for the screen."""
    lines = [f"{len(found.mos.scores)} images with a MOS, known by {found.key}"]
    lines += _raters(found)
    heads = [f"{kind.upper()} {_HEADS[name]}" for name in COLUMNS for kind in COEFFICIENTS]
    table = [["model", "images", *heads]]
    for row in found.rows:
        cells = [row[f"{kind}_{name}"].shown() for name in COLUMNS for kind in COEFFICIENTS]
        table.append([row["model"], str(row["images"]), *cells])
    lines += ["", *columns(table), "", "95% intervals", *columns(_intervals(found.rows))]
    lines += ["SIQA-S: the mean of Perception's and Knowledge's coefficients. mean rating: of both scores' mean."]
    for row in found.rows:
        lines += [*_missing(row), *notes(row, row["model"])]
    return "\n".join([*lines, *([""] if found.refused else []), *refused_lines(found.refused)])


def _intervals(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    table = [["model", *(f"{kind.upper()} {_HEADS[name]}" for name in COLUMNS[:3] for kind in COEFFICIENTS)]]
    for row in rows:
        ends = [row[f"{kind}_{name}"].interval() for name in COLUMNS[:3] for kind in COEFFICIENTS]
        table.append([row["model"], *ends])
    return table


def _raters(found: SiqaEvaluation) -> list[str]:
    mos = found.mos
    if not mos.raters:
        return ["the MOS is given, not made of ratings"] if mos.scores else []
    lines = [f"{len(mos.raters) - len(mos.left_out)} of {len(mos.raters)} raters count"]
    lines += [f"  left out, {entry.stage}: {printable(entry.rater)} ({entry.reason})" for entry in mos.left_out]
    return lines + [f"  {note}" for note in mos.notes]


def _missing(row: Mapping[str, Any]) -> list[str]:
    told = {"without_mos": "scored, without a MOS", "without_score": "with a MOS, not scored",
            "repeated": "scored more than once (the last counts)"}  # fmt: skip
    return [f"{row['model']}: {row[name]} images {words}" for name, words in told.items() if row[name]]


def write(found: SiqaEvaluation, folder: Path) -> list[Path]:
    """`siqa.json` (all), `siqa.csv`, and of MOS made of ratings `mos.csv` and `raters.csv`; the paths."""
    folder = folder_for(folder)
    paths = [
        write_json(folder / "siqa.json", found),
        write_measures(folder / "siqa.csv", found.rows, ("model", "images")),
    ]
    if found.mos.raters:
        paths += [
            write_measures(folder / "mos.csv", found.mos.images, ("image",)),
            write_measures(folder / "raters.csv", found.mos.raters, ("rater",)),
        ]
    return paths
