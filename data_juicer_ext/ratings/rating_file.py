"""People's answers about the rows of a run: `<run_dir>/review/ratings.jsonl`, a line an answer.

The last line of an annotator, form and row counts; lines that cannot be read (a killed server cuts one off) do not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from data_juicer_ext.ratings.line_file import LineFile, append_line, number_in

FORMS = ("verisciqa", "quality", "siqa", "scidiag", "audit")
RatingKey = tuple[str, str, str]  # annotator, form, row_id


@dataclass(frozen=True)
class Rating:
    """One answer of one annotator about one row.

    `time` is ISO 8601 in UTC, `item` the 0-based position at which the row was shown, `seconds` how long it was.
    `ratings` are by the form's dimensions (see docs/review.md); null where evidence is missing. `accepted` is set in
    form `audit` alone. `calibration` marks reference images of form `siqa`, and `round` the calibration's round from
    1. `shown_first` is "generated" or "reference" in form `scidiag`, else "".
    """

    annotator: str
    form: str
    row_id: str
    ratings: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    accepted: bool | None = None
    item: int = 0
    seconds: float = 0.0
    time: str = ""
    calibration: bool = False
    round: int = 0
    shown_first: str = ""

    @property
    def key(self) -> RatingKey:
        """What a later answer replaces."""
        return self.annotator, self.form, self.row_id


def ratings_path(run_dir: Path) -> Path:
    """Where the answers about a run are kept."""
    return run_dir / "review" / "ratings.jsonl"


def read_ratings(path: Path) -> list[Rating]:
    """The answers that count, in the order in which they were given; [] where there is no file.

    Answers about reference images of a calibration are among them.
    """
    latest: dict[RatingKey, Rating] = {}
    _take(latest, LineFile(path).fresh()[1])
    return list(latest.values())


def append(path: Path, rating: Rating) -> None:
    """Write an answer down, on disk when this returns. Raises OSError if it can't be, and then leaves nothing of it."""
    append_line(path, _line(rating))


class RatingsFile:
    """The answers that count, kept up with a file that others may write to as well. Not for several threads at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = LineFile(path)
        self._latest: dict[RatingKey, Rating] = {}

    def latest(self) -> Mapping[RatingKey, Rating]:
        """The answers that count now, by annotator, form and row."""
        anew, lines = self._lines.fresh()
        if anew:
            self._latest.clear()
        _take(self._latest, lines)
        return self._latest

    def append(self, rating: Rating) -> None:
        """Write an answer down (see `append`)."""
        append(self.path, rating)


def now() -> str:
    """The time of an answer."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _take(latest: dict[RatingKey, Rating], lines: list[dict[str, Any]]) -> None:
    for line in lines:
        rating = _rating(line)
        if rating is not None:
            latest.pop(rating.key, None)  # the order is that of the lines that count
            latest[rating.key] = rating


def _line(rating: Rating) -> dict[str, Any]:
    line = {"time": rating.time or now(), "annotator": rating.annotator, "form": rating.form, "row_id": rating.row_id,
            "item": rating.item, "seconds": rating.seconds, "ratings": rating.ratings,
            "reason": rating.reason}  # fmt: skip
    if rating.accepted is not None:
        line["accepted"] = rating.accepted
    if rating.calibration:
        line |= {"calibration": True, "round": rating.round}
    if rating.shown_first:
        line["shown_first"] = rating.shown_first
    return line


def _rating(line: Mapping[str, Any]) -> Rating | None:
    """A line as an answer; None where what names it is missing, so that it could count for anything."""
    named = [line.get(name) for name in ("annotator", "form", "row_id")]
    ratings, accepted = line.get("ratings"), line.get("accepted")
    if not all(isinstance(name, str) and name for name in named) or not isinstance(ratings, dict):
        return None
    annotator, form, row_id = map(str, named)
    return Rating(
        annotator, form, row_id, ratings, str(line.get("reason") or ""),
        accepted=accepted if isinstance(accepted, bool) else None,
        item=int(number_in(line, "item") or 0), seconds=number_in(line, "seconds") or 0.0,
        time=str(line.get("time") or ""), calibration=line.get("calibration") is True,
        round=int(number_in(line, "round") or 0), shown_first=str(line.get("shown_first") or ""),
    )  # fmt: skip
