"""What becomes of a row in an operator of this package."""

from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.models.types import Failure, Verdict
from data_juicer_ext.rows import scrub


@dataclass
class Outcome:
    """What became of one row: its verdict, what was made from it, and columns to set in it.

    `message` is for the user (why a row is undecided); `detail` goes to the ledger.
    """

    verdict: Verdict
    reason: str
    made: list[dict[str, Any]] = field(default_factory=list)
    columns: dict[str, Any] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)
    message: str = ""


def undecided(failure: Failure) -> Outcome:
    """The outcome of a row whose needed call failed."""
    return Outcome("undecided", f"call_failed:{failure.kind}", message=failure.message)


def defect(error: Exception) -> Outcome:
    """The outcome of a row at which the operator itself failed: a defect, or a malformed row."""
    kind = type(error).__name__
    return Outcome("undecided", f"error:{kind}", message=scrub(f"{kind}: {error}")[:300])
