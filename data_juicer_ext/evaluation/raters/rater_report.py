"""The raters' agreement as text, JSON and CSV."""

from pathlib import Path

from data_juicer_ext.evaluation.raters.rater_agreement import Agreement
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure
from data_juicer_ext.evaluation.tables import columns, folder_for, write_json, write_measures

_STATISTICS = {"alpha_ordinal": "alpha, ordinal", "alpha_nominal": "alpha, nominal", "fleiss_kappa": "Fleiss' kappa"}


def as_text(found: Agreement) -> str:
    """A table a form, in the layout of VeriSciQA's table 2: mean rating (by source) and agreement."""
    if not found.rows:
        return "agreement not defined: no ratings"
    lines = list[str]()
    for form, counts in found.forms.items():
        head = f"form {form}: {counts['items']} items, {counts['raters']} raters, {counts['ratings']} ratings"
        left_out = f" ({counts['calibration']} of a calibration left out)" * bool(counts["calibration"])
        lines += ["", head + left_out, *columns(_table(found, form)), *_notes(found, form)]
    return "\n".join(lines[1:])


def _table(found: Agreement, form: str) -> list[list[str]]:
    table = [["Dimension", "items", "mean", *found.sources, *_STATISTICS.values()]]
    for row in found.rows:
        if row["form"] == form:
            means = [row["mean"].shown(2), *(row[f"mean_{source}"].shown(2) for source in found.sources)]
            table.append([row["dimension"], str(row["items"]), *means, *(row[n].with_interval() for n in _STATISTICS)])
    return table


def _notes(found: Agreement, form: str) -> list[str]:
    lines = list[str]()
    for row in found.rows:
        if row["form"] == form:
            said = [(head, row[name]) for name, head in _STATISTICS.items()]
            lines += [f"{row['dimension']}: {head} {m.note}" for head, m in said if isinstance(m, Measure) and m.note]
            if row["kappa_left_out"] and not row["fleiss_kappa"].note:
                lines.append(f"{row['dimension']}: kappa is without {row['kappa_left_out']} items that have another "
                             "number of ratings")  # fmt: skip
    return lines


def write(found: Agreement, folder: Path) -> list[Path]:
    """`agreement.json` (all) and `agreement.csv` (one row per form and dimension) in `folder`; their paths."""
    folder = folder_for(folder)
    return [
        write_json(folder / "agreement.json", found),
        write_measures(folder / "agreement.csv", found.rows, ("form", "dimension", "items")),
    ]
