"""Which of the whole rows may go out: decided, accepted where that is asked, of a chosen licence."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from data_juicer_ext.errors import UsageError
from data_juicer_ext.export.rows.first_pass import RowEntry
from data_juicer_ext.export.rows.left_out import LeftOut
from data_juicer_ext.ingest.licences import NONE, read_licence
from data_juicer_ext.report.ledger_decisions import Counted
from data_juicer_ext.rows import scrub

UNKNOWN = "not known"


def undecided_rows(counted: Counted) -> set[str]:
    """The ids of the rows that a listing has left undecided, by its last decision."""
    decided = (rows.items() for rows in counted.decided.values())
    return {scrub(row_id) for rows in decided for row_id, made in rows if made.verdict == "undecided"}


def audit_verdicts(run_dir: Path) -> dict[str, int]:
    """By row, how many more annotators accepted it in the audit than rejected it; 0 is a tie."""
    from data_juicer_ext.ratings.rating_file import ratings_path, read_ratings

    votes: Counter[str] = Counter()
    for rating in read_ratings(ratings_path(run_dir)):
        if rating.form == "audit" and rating.accepted is not None:
            votes[scrub(rating.row_id)] += 1 if rating.accepted else -1
    return dict(votes)


def select(
    entries: Mapping[str, RowEntry],
    undecided: Collection[str],
    votes: Mapping[str, int] | None,
    licences: Collection[str],
    left_out: LeftOut,
) -> list[RowEntry]:
    """The rows that may go out, in the order of their ids; `votes` are of the audit, None to do without.

    Raises UsageError where rows are there, but none of the licences asked for.
    """
    found = []
    for row_id, entry in sorted(entries.items()):
        if row_id in undecided:
            left_out.add("undecided", row_id)
        elif votes is not None and votes.get(row_id, 0) <= 0:
            left_out.add("not_accepted", row_id, _vote_in_words(votes.get(row_id)))
        elif licences and not _is_chosen(entry.licence, licences):
            left_out.add("licence", row_id, licence_text(entry.licence))
        else:
            found.append(entry)
    if licences and not found and "licence" in left_out.counts():
        there = Counter(licence_text(entry.licence) for entry in entries.values())
        told = ", ".join(f"{name} ({count:,} rows)" for name, count in sorted(there.items()))
        raise UsageError(f"--licences {','.join(licences)}: no row has one of these; the rows' licences: {told}")
    return found


def licence_text(stated: object) -> str:
    """A row's licence in one form ("cc-by-4.0"), `UNKNOWN` for none."""
    licence = read_licence(stated)
    return UNKNOWN if licence.name == NONE else licence.text


def read_patterns(text: str) -> tuple[str, ...]:
    """The licences that a list such as "cc-by-4.0,cc0*" names. Raises UsageError for an empty list."""
    words = tuple(word for part in text.split(",") if (word := part.strip().casefold()))
    if not words:
        raise UsageError("--licences is empty; name some, such as cc-by-4.0,cc0*, or leave it out")
    return words


def _is_chosen(stated: str, patterns: Iterable[str]) -> bool:
    """Whether a licence is named, with its version, without it, or by a pattern; "none" is for rows without one."""
    licence = read_licence(stated)
    names = {licence.name, licence.text.casefold()} - {""}
    if NONE in names:  # "*" is for any licence, and no licence is none
        return NONE in patterns
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _vote_in_words(balance: int | None) -> str:
    return "nobody has looked at it" if balance is None else "a tie" if balance == 0 else "rejected"
