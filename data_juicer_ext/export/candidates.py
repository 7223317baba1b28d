"""Which rows of a run may be exported: of one kind, decided, whole, and accepted or of a licence where asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_juicer_ext.export.order import KINDS, PAIRS, RATED, SCORED, Order
from data_juicer_ext.ingest.licences import read_licence
from data_juicer_ext.report.kinds import kind_of
from data_juicer_ext.review.ratings import ratings_path, read_ratings

Row = dict[str, Any]
_AS_PAIRS = ("answers", PAIRS)


@dataclass
class Candidates:
    """Rows that may be exported, in the order of their ids, and why others may not, with counts."""

    kind: str
    rows: list[Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def exported_kind(row: Mapping[str, Any]) -> str:
    """What a row is exported as: one of the kinds in `KINDS`, or what it is called where it can't be."""
    found = kind_of(row)
    return PAIRS if found in _AS_PAIRS else found


def candidates(rows: Iterable[Row], order: Order, undecided: Collection[str], accepted: Collection[str]) -> Candidates:
    """The rows that may be exported; `undecided` and `accepted` are row ids.

    Raises ValueError where the first row is of a kind that can't be exported.
    """
    found = Candidates(order.kind)
    for row in rows:
        found.kind = found.kind or _known(exported_kind(row))
        why = _why_not(row, found.kind, order, undecided, accepted)
        if why:
            found.left_out[why] += 1
        else:
            found.rows.append(row)
    found.rows.sort(key=lambda row: str(row["row_id"]))
    return found


def accepted_rows(run_dir: Path) -> set[str]:
    """The rows that more annotators accepted than rejected in the audit; a tie is no majority."""
    votes: Counter[str] = Counter()
    for rating in read_ratings(ratings_path(run_dir)):
        if rating.form == "audit" and rating.accepted is not None:
            votes[rating.row_id] += 1 if rating.accepted else -1
    return {row_id for row_id, balance in votes.items() if balance > 0}


def _known(kind: str) -> str:
    if kind not in KINDS.values():
        raise ValueError(
            f"the rows of this export are {kind}; what can be exported: verified pairs and SIQA-U questions (columns "
            "question, options), rated images (rating, rating_mean), scored figures (quality, quality_overall). "
            f"--kind {'|'.join(KINDS)} says what they are"
        )
    return kind


def _why_not(row: Row, kind: str, order: Order, undecided: Collection[str], accepted: Collection[str]) -> str:
    """The first reason against a row, "" if there is none."""
    row_id = str(row.get("row_id") or "")
    if not row_id:
        return "no_row_id"
    if row_id in undecided or row.get("undecided"):
        return "undecided"
    if not _whole(row, kind):
        return "not_whole"
    if order.accepted and row_id not in accepted:
        return "not_accepted"
    if order.licences and read_licence(row.get("licence")).name not in order.licences:
        return "licence"
    return ""


def _whole(row: Row, kind: str) -> bool:
    """Whether a row has what its kind consists of, so that it can be exported."""
    if kind == PAIRS:
        options, answer = row.get("options"), row.get("answer")
        letters = [chr(ord("A") + place) for place in range(len(options))] if isinstance(options, list) else []
        return bool(str(row.get("question") or "").strip()) and len(letters) > 1 and answer in letters
    if kind == RATED:
        return all(_on_scale(row.get(f"rating_{aspect}")) for aspect in ("perception", "knowledge"))
    return kind == SCORED and bool(quality_of(row).get("scores"))


def _on_scale(score: Any) -> bool:
    return isinstance(score, (int, float)) and not isinstance(score, bool) and 1 <= score <= 5


def quality_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the `quality` column of a scored figure says; {} where it says nothing that can be read."""
    given = row.get("quality")
    try:
        said = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
