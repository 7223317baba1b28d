"""Rows with quality scores, however they are written: exports of this package, rater rows, published gold."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.errors import DjExtError, UsageError
from data_juicer_ext.judging.citing_text import SHORTEST_BLOCK
from data_juicer_ext.judging.evidence_gating import CAPTION, CONTEXT, DIMENSIONS, evidence_of
from data_juicer_ext.judging.runner import HIGHEST, LOWEST

_LONG = {"VC": "visual_clarity", "SL": "structure_layout", "C": "caption_consistency",
         "CTX": "context_consistency", "MR": "misleading_risk", "overall": "overall_score"}  # fmt: skip
SCORES = (*DIMENSIONS, "overall")
_SPELLINGS = {name: (name, name.lower(), _LONG[name], f"human_{_LONG[name]}") for name in SCORES}
_RATER = ("rater", "rater_id", "annotator", "source_name")
KEYS = (("row_id",), ("paper_id", "figure_id"), ("paper_id", "number"), ("paper_id", "fig_index"), ("figure_id",))
"""What a figure may be known by, the first that all rows have being taken."""

EvaluationKey = tuple[str, ...]


@dataclass(frozen=True)
class ScoredRow:
    """One row's scores: those of a judge, of one rater, or gold that is already made.

    `scores` are by dimension and "overall", None where there is none. `evidence` says of "caption" and
    "context" whether the figure has it; what the row does not tell is not in it. `about` is the row.
    """

    key: EvaluationKey
    rater: str
    scores: dict[str, float | None]
    evidence: dict[str, bool]
    about: Mapping[str, Any]


class RowError(DjExtError, ValueError):
    """A row that can't be used: which, and why."""


def key_names(
    predictions: Sequence[Mapping[str, Any]], gold: Sequence[Mapping[str, Any]], asked: str = ""
) -> EvaluationKey:
    """The columns that figures are known by in both tables: `asked` (comma-separated), or the first fit of `KEYS`.

    They fit where most rows of either table fill them in and some figure is in both. Raises UsageError for none.
    """
    choices = (tuple(name.strip() for name in asked.split(",")),) if asked else KEYS
    for names in choices:
        known = [[key for row in rows if (key := key_of(row, names))] for rows in (predictions, gold)]
        most = all(2 * len(keys) > len(rows) for keys, rows in zip(known, (predictions, gold), strict=True))
        if most and set(known[0]) & set(known[1]):
            return names
    wanted = "; or ".join(" and ".join(names) for names in choices)
    raise UsageError(f"no figure is in both files by the same name; looked at the columns: {wanted}")


def key_of(row: Mapping[str, Any], names: EvaluationKey) -> EvaluationKey:
    """What a row's figure is known by, () where a column of it is empty."""
    return tuple(str(row[name]) for name in names) if all(_filled(row, name) for name in names) else ()


def _filled(row: Mapping[str, Any], name: str) -> bool:
    return row.get(name) not in (None, "")


def read_scored(row: Mapping[str, Any], names: EvaluationKey) -> list[ScoredRow]:
    """What a row scores: one entry, or one per rater where it holds their `annotations`.

    Scores stand in `quality` (JSON), in `scores`, or in columns of their own, by short or long name. Raises RowError
    for a row that names no figure, a score that is no number from 1 to 10, or a `quality` column that is no JSON.
    """
    key = key_of(row, names)
    if not key:
        raise RowError(f"a row without {' and '.join(names)}: {str(dict(row))[:80]}")
    quality = _object(row.get("quality"), key)
    held = quality.get("scores") or row.get("scores")
    evidence = evidence_told(row, quality)
    if isinstance(row.get("annotations"), list) and row["annotations"]:
        raters = [entry for entry in row["annotations"] if isinstance(entry, Mapping)]
        return [ScoredRow(key, _rater(entry), _scores(entry, entry, key), evidence, row) for entry in raters]
    scores = _scores(held if isinstance(held, Mapping) else row, quality or row, key)
    return [ScoredRow(key, _rater(row), scores, evidence, row)]


def _object(value: Any, key: EvaluationKey) -> Mapping[str, Any]:
    try:
        found = json.loads(value) if isinstance(value, str) and value.strip() else value or {}
    except ValueError as error:
        raise RowError(f"{'/'.join(key)}: the column quality is not JSON") from error
    return found if isinstance(found, Mapping) else {}


def _rater(row: Mapping[str, Any]) -> str:
    return next((str(row[name]) for name in _RATER if _filled(row, name)), "")


def _scores(held: Mapping[str, Any], overall: Mapping[str, Any], key: EvaluationKey) -> dict[str, float | None]:
    places = {**dict.fromkeys(DIMENSIONS, held), "overall": overall}
    found = {}
    for name, place in places.items():
        value = next((place[spelling] for spelling in _SPELLINGS[name] if place.get(spelling) is not None), None)
        found[name] = _number(value.get("score") if isinstance(value, Mapping) else value, name, key)
    return found


def _number(value: Any, name: str, key: EvaluationKey) -> float | None:
    if value is None or value in ("", "-", "--", "null"):
        return None
    try:
        number = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError):
        number = math.nan
    if not LOWEST <= number <= HIGHEST:
        raise RowError(f"{'/'.join(key)}: {name} is {value!r}, not a number from 1 to 10")
    return number


def evidence_told(row: Mapping[str, Any], quality: Mapping[str, Any]) -> dict[str, bool]:
    """What a row tells of its evidence: by its gate, else by its caption and its citing text."""
    gate = quality.get("gate")
    if isinstance(gate, Mapping) and isinstance(gate.get("evidence"), list):
        return {name: name in gate["evidence"] for name in (CAPTION, CONTEXT)}
    told = {}
    if isinstance(row.get("caption"), str):
        told[CAPTION] = CAPTION in evidence_of(row["caption"], ())
    texts = row.get("context_texts", row.get("context"))
    if isinstance(texts, (str, list)):
        texts = [texts] if isinstance(texts, str) else texts
        told[CONTEXT] = any(len(str(text).strip()) >= SHORTEST_BLOCK for text in texts)
    return told


def closed_by(evidence: Mapping[str, bool]) -> frozenset[str]:
    """The dimensions that the gate closes: all of an excluded figure, none where nothing is known."""
    if evidence.get(CAPTION) is False and evidence.get(CONTEXT) is False:
        return frozenset(DIMENSIONS)
    rests = {"C": CAPTION, "CTX": CONTEXT}
    return frozenset(name for name, text in rests.items() if evidence.get(text) is False)


def read_all(rows: Iterable[Mapping[str, Any]], names: EvaluationKey) -> tuple[list[ScoredRow], list[str]]:
    """The scores of all rows, and what was refused, with the reason."""
    found, refused = list[ScoredRow](), list[str]()
    for row in rows:
        try:
            found += read_scored(row, names)
        except RowError as error:
            refused.append(str(error))
    return found, refused
