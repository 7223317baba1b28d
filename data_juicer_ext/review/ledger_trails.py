"""What the ledger tells of a row: each step that decided about it, from its figure on, and how divided draws are."""

from collections.abc import Iterable, Mapping
from typing import Any

from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.report.samples import VERDICTS, FigureDecisions
from data_juicer_ext.runs.ledger import LedgerLine

_LIMIT = 400  # characters of one thing that a step notes
_MOST_DRAWS = 50


class Trails(FigureDecisions):
    """The evidence about a few figures, by row: looking one up does not go through all of it."""

    def __init__(self, found: FigureDecisions) -> None:
        super().__init__(found.entries, found.pictures)
        self._about: dict[str, list[dict[str, Any]]] = {}
        self._makers: dict[str, dict[str, Any]] = {}
        self._claims: dict[str, dict[str, Any]] = {}
        self._claimed_by: dict[str, str] = {}
        for entry in sorted(found.entries.values(), key=lambda entry: float(entry.get("time") or 0)):
            self._add(entry)

    def _add(self, entry: dict[str, Any]) -> None:
        row_id, detail = str(entry["row_id"]), _detail(entry)
        self._about.setdefault(row_id, []).append(entry)
        if isinstance(detail.get("made"), str):
            self._makers[detail["made"]] = entry
        claims = detail.get("claims")
        for claim in claims if isinstance(claims, list) else ():
            if isinstance(claim, dict):
                self._claims[str(claim.get("row_id"))] = claim
                self._claimed_by[str(claim.get("row_id"))] = row_id

    def about(self, row_id: str) -> list[dict[str, Any]]:
        """What was decided about a row, in the order of the decisions."""
        return self._about.get(row_id, [])

    def made(self, row_id: str) -> dict[str, Any]:
        """The decision that made a question of its claim; {} if it is not there."""
        return self._makers.get(row_id, {})

    def claim(self, row_id: str) -> dict[str, Any]:
        """What the ledger says of a claim; {} if it is not there."""
        return self._claims.get(row_id, {})

    def source(self, row_id: str) -> dict[str, Any]:
        """Where the claim of a row (a claim or a question) is from: sentence, paragraph, place; {} if unknown."""
        return self.claim(str(self.made(row_id).get("row_id") or row_id))

    def trail(self, row_id: str) -> list[dict[str, Any]]:
        """What was decided about a row and, before that, about the claim and the figure that it was made from."""
        claim = str(self.made(row_id).get("row_id") or "")
        figure = self._claimed_by.get(claim or row_id, "")
        return [entry for known in (figure, claim, row_id) if known for entry in self.about(known)]


def step(entry: LedgerLine, answer: str) -> dict[str, Any]:
    """A decision for the page. `draws` has the letter of each draw, and whether it is the answer's."""
    detail = _detail(entry)
    letters = detail.get("letters") if isinstance(detail.get("letters"), list) else detail.get("draws")
    draws = [shown_text(letter, 40) for letter in letters[:_MOST_DRAWS]] if isinstance(letters, list) else []
    spending = entry.get("spending")
    return {
        "tag": shown_text(entry.get("tag") or "", 80), "verdict": VERDICTS.get(str(entry.get("verdict")), "no verdict"),
        "reason": shown_text(entry.get("reason") or "", 200), "model": shown_text(entry.get("model") or "", 80),
        "draws": [{"letter": letter, "right": letter == answer} for letter in draws],
        "notes": [shown_text(note, _LIMIT) for note in _notes(detail)],
        "calls": int(spending.get("calls") or 0) if isinstance(spending, dict) else 0,
    }  # fmt: skip


def _notes(detail: Mapping[str, Any]) -> list[str]:
    notes = [f"read from “{detail['quote']}”"] if detail.get("quote") else []
    notes += [str(detail[name]) for name in ("problem", "message") if detail.get(name)]
    notes += [f"measured {detail['measured']}, threshold {detail.get('threshold')}"] if "measured" in detail else []
    scores = detail.get("scores")
    notes += [", ".join(f"{name} {score}" for name, score in scores.items())] if isinstance(scores, dict) else []
    return notes


def divided(entries: Iterable[LedgerLine]) -> float:
    """How divided the draws of the steps are, at worst: 0 where each step's agree, 1 where one's are even."""
    return max((_split(*counts) for entry in entries if (counts := _counts(_detail(entry)))), default=0.0)


def _counts(detail: Mapping[str, Any]) -> tuple[int, int] | None:
    if "agree" in detail and "against" in detail:
        return int(detail["agree"]), int(detail["against"])
    if "hits" in detail and isinstance(detail.get("draws"), list):
        return int(detail["hits"]), len(detail["draws"]) - int(detail["hits"])
    return None


def _split(one: int, other: int) -> float:
    return 2 * min(one, other) / (one + other) if one + other else 0.0


def _detail(entry: LedgerLine) -> dict[str, Any]:
    detail = entry.get("detail")
    return detail if isinstance(detail, dict) else {}
