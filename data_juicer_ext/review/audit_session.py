"""Auditing: everything that is known of a row, and whether a person accepts it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.ratings.rating_file import Rating, now
from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.report.samples import VERDICTS
from data_juicer_ext.review.audit_rows import Audit, Audited
from data_juicer_ext.review.citing_text import cited
from data_juicer_ext.review.forms.form import TEXT_LIMIT, FormError
from data_juicer_ext.review.ledger_trails import divided, step
from data_juicer_ext.review.live_agreement import spread
from data_juicer_ext.review.review_session import Desk, ShownItem, reason_of, seconds_of


class AuditDesk(Desk[Audited]):
    """Accepting and rejecting the rows of an audit.

    A reason is needed to reject, and to accept what the run has not kept. What others have decided about a row is
    shown once the annotator has. `by_disagreement`: rows whose draws, or raters, are most divided come first; the page
    can change that.
    """

    mode, form_name, title = "audit", "audit", "Audit"

    def __init__(self, run_dir: Path, audit: Audit, by_disagreement: bool = False, preset: str = "") -> None:
        super().__init__(run_dir, preset)
        self._audit, self._by_disagreement = audit, by_disagreement
        self._names = "/".join(run_dir.resolve().parts[-2:])
        self._by_id: dict[str, list[Rating]] = {}

    def about(self) -> dict[str, Any]:
        """What the page is told before anybody has given a name."""
        return {**super().about(), "run": shown_text(self._names, 200), "by_disagreement": self._by_disagreement}

    def _list(self, annotator: str) -> dict[str, Any]:
        raters = self._by_row()
        shown = [ShownItem(annotator, row, position) for position, row in enumerate(self._audit.rows)]
        items = [
            {"id": self._issue(one, f"{one.item.group}\x1f{one.item.row_id}"), "group": one.item.group,
             "done": self._rating_of(annotator, one.item.row_id) is not None,
             "disagreement": round(self._disagreement(one.item, raters.get(one.item.row_id, [])), 4)}
            for one in shown
        ]  # fmt: skip
        groups = [
            {
                "key": key, "title": shown_text(group.tag or group.title, 80), "verdict": VERDICTS[group.verdict],
                "total": group.total,
            }
            for key, group in self._audit.groups.items()
        ]  # fmt: skip
        return {"items": items, "groups": groups}

    def _view(self, shown: ShownItem[Audited]) -> dict[str, Any]:
        row, sample = shown.item, shown.item.sample
        rating = self._rating_of(shown.annotator, row.row_id)
        trail, raters = self._audit.trails.trail(row.row_id), self._by_row().get(row.row_id, [])
        return {
            "images": len(sample.picture.images), "verdict": VERDICTS.get(sample.verdict, ""),
            "facts": [(name, shown_text(text, 200)) for name, text in _facts(row)],
            **{name: shown_text(getattr(sample, name), TEXT_LIMIT)
               for name in ("tag", "reason", "message", "claim", "question", "answer", "rationale")},
            "caption": shown_text(sample.picture.caption, TEXT_LIMIT),
            "options": [{"letter": letter, "text": shown_text(text, TEXT_LIMIT), "answer": answer}
                        for letter, text, answer in sample.lettered()],
            "paragraphs": cited(row.places, row.source), "trail": [step(entry, sample.answer) for entry in trail],
            "disagreement": round(self._disagreement(row, raters), 4),
            "raters": [_told(other) for other in raters if other is not rating and (rating or other.form != "audit")],
            "done": rating is not None, "accepted": rating.accepted if rating else None,
            "given_reason": rating.reason if rating else "",
        }  # fmt: skip

    def _images(self, shown: ShownItem[Audited]) -> tuple[str, ...]:
        return shown.item.sample.picture.images

    def _save(self, shown: ShownItem[Audited], answer: Mapping[str, Any]) -> dict[str, Any]:
        accepted = answer.get("accepted")
        if not isinstance(accepted, bool):
            raise FormError("Accept or reject the row.")
        kept = shown.item.sample.verdict == "keep"
        reason = reason_of(answer, needed=not (accepted and kept))
        self._ratings.append(
            Rating(
                shown.annotator, self.form_name, shown.item.row_id, {}, reason, accepted, shown.position,
                seconds_of(answer), now(),
            )
        )  # fmt: skip
        return {"saved": True, "finished": True}

    def _by_row(self) -> dict[str, list[Rating]]:
        found: dict[str, list[Rating]] = {}
        for rating in self._ratings.latest().values():
            found.setdefault(rating.row_id, []).append(rating)
        return found

    def _disagreement(self, row: Audited, raters: Sequence[Rating]) -> float:
        """How divided the draws of the models or the people are about a row, from 0 to 1."""
        return max(divided(self._audit.trails.trail(row.row_id)), min(1.0, spread(raters)))


def _facts(row: Audited) -> list[tuple[str, str]]:
    """Where a row is from, and what is known of it beside its texts; what is empty is left out."""
    sample, source = row.sample, row.source
    found = [("row", row.row_id), ("paper", sample.paper_id), ("figure", sample.figure_id),
             ("number", sample.picture.number), ("place", str(source.get("place") or sample.place)),
             ("section", str(source.get("section") or "")), *sample.facts.items()]  # fmt: skip
    return [(name.replace("_", " "), text) for name, text in found if text]


def _told(rating: Rating) -> dict[str, Any]:
    said = "" if rating.accepted is None else ("accepted" if rating.accepted else "rejected")
    scores = ", ".join(f"{name} {score}" for name, score in rating.ratings.items())
    return {"annotator": shown_text(rating.annotator, 80), "form": rating.form, "said": shown_text(said or scores, 600),
            "reason": shown_text(rating.reason, 1000)}  # fmt: skip
