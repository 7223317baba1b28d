"""Rows as a reader sees them: figure, claim, question and options, and what the models said about them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.report.run_selection import RunSelection
from data_juicer_ext.report.sample_choice import Chosen, FigureKey
from data_juicer_ext.rows import object_in
from data_juicer_ext.runs.ledger import read_lines

_KEPT_TEXT = 600  # characters of a caption that are remembered for a figure
VERDICTS = {"keep": "kept", "drop": "refused", "undecided": "undecided"}


@dataclass(frozen=True)
class SamplePicture:
    """What is known of a figure: its image files, number and caption."""

    images: tuple[str, ...] = ()
    number: str = ""
    caption: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "SamplePicture":
        """From a row or a ledger's detail; what is missing or of another type is left empty."""
        images = row.get("images")
        paths = tuple(str(image) for image in images if image) if isinstance(images, list) else ()
        return cls(paths, str(row.get("number") or ""), str(row.get("caption") or "")[:_KEPT_TEXT])


@dataclass
class SampleRow:
    """One row to show. `said` holds what operators noted about it: the listing, and what in words."""

    row_id: str = ""
    paper_id: str = ""
    figure_id: str = ""
    picture: SamplePicture = SamplePicture()
    verdict: str = ""
    tag: str = ""
    reason: str = ""
    message: str = ""
    claim: str = ""
    sentence: str = ""
    place: str = ""
    question: str = ""
    options: list[str] = field(default_factory=list)
    answer: str = ""
    rationale: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    said: list[tuple[str, str]] = field(default_factory=list)

    def lettered(self) -> list[tuple[str, str, bool]]:
        """The options with their letters, and whether each is the answer."""
        letters = [chr(ord("A") + place) for place in range(len(self.options))]
        return [(letter, text, letter == self.answer) for letter, text in zip(letters, self.options, strict=True)]


_FACTS = ("domain", "figure_type", "diagram_type", "question_type", "quality_overall", "licence", "image_flags")


def figure_of(row: Mapping[str, Any]) -> FigureKey:
    """Which figure a row is about."""
    return str(row.get("paper_id") or ""), str(row.get("figure_id") or "")


def from_row(row: Mapping[str, Any]) -> SampleRow:
    """A sample of a whole row, exported or undecided."""
    provenance = object_in(row.get("provenance"))
    source = object_in(provenance.get("source"))
    steps = provenance.get("steps")
    said = [(str(step.get("tag")), _step(step)) for step in steps if isinstance(step, dict)] if steps else []
    paper, figure = figure_of(row)
    options = row.get("options")
    return SampleRow(
        str(row.get("row_id") or ""), paper, figure, SamplePicture.of(row), claim=str(row.get("claim") or ""),
        sentence=str(source.get("sentence") or ""), place=str(source.get("place") or ""),
        question=str(row.get("question") or ""), answer=str(row.get("answer") or ""),
        options=[str(option) for option in options] if isinstance(options, list) else [],
        rationale=str(row.get("rationale") or ""), said=said,
        facts={name: str(row[name]) for name in _FACTS if row.get(name) not in (None, "", "[]")},
    )  # fmt: skip


def _step(step: Mapping[str, Any]) -> str:
    return f"{VERDICTS['keep']}: {step.get('reason', '')} (by {step.get('model') or 'no model'})"


@dataclass
class FigureDecisions:
    """Lines of the ledger about a few figures: enough to tell what became of the rows made from them."""

    entries: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    pictures: dict[FigureKey, SamplePicture] = field(default_factory=dict)

    def about(self, row_id: str) -> list[dict[str, Any]]:
        """What was decided about a row, in the order of the decisions."""
        found = [entry for (_, _, own), entry in self.entries.items() if own == row_id]
        return sorted(found, key=lambda entry: float(entry.get("time") or 0))

    def made(self, row_id: str) -> dict[str, Any]:
        """The decision that made a question of its claim; {} if it is not there."""
        return next((e for e in self.entries.values() if object_in(e.get("detail")).get("made") == row_id), {})

    def claim(self, row_id: str) -> dict[str, Any]:
        """What the ledger says of a claim: its text and where it comes from; {} if it is not there."""
        lists = (object_in(entry.get("detail")).get("claims") for entry in self.entries.values())
        claims = (claim for claims in lists if isinstance(claims, list) for claim in claims if isinstance(claim, dict))
        return next((claim for claim in claims if claim.get("row_id") == row_id), {})


def evidence(scope: RunSelection, wanted: Collection[FigureKey]) -> FigureDecisions:
    """Gather the last decisions about some figures, and what they tell of the figures' images."""
    found = FigureDecisions()
    for run_id in scope.run_ids if wanted else ():
        for entry in read_lines(scope.run_dir / "ledger", run_id):
            if figure_of(entry) not in wanted:
                continue
            key = entry["operator"], entry["tag"], entry["row_id"]
            before = found.entries.get(key)
            if before is None or _when(entry) >= _when(before):
                found.entries[key] = entry
                if (detail := object_in(entry.get("detail"))).get("images"):
                    found.pictures[figure_of(entry)] = SamplePicture.of(detail)
    return found


def _when(entry: Mapping[str, Any]) -> tuple[str, float]:
    return str(entry.get("run_id") or ""), float(entry.get("time") or 0)


def undecided_rows(scope: RunSelection, row_ids: Collection[str]) -> Iterable[dict[str, Any]]:
    """Undecided rows with these ids, whole, from wherever the run keeps them; none where they are gone."""
    folder = scope.run_dir / "undecided"
    places = [scope.run_dir / "undecided.jsonl", *sorted(folder.glob("*.jsonl"))] if row_ids else []
    for place in places:
        try:
            with place.open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    row = object_in(line)
                    if row.get("row_id") in row_ids:
                        yield row
        except OSError:  # gathered into another file, or not there at all
            continue


def said_of(row_id: str, found: FigureDecisions) -> list[tuple[str, str]]:
    """What each listing decided about a row, in words."""
    return [(entry["tag"], _said(entry)) for entry in found.about(row_id)]


def from_ledger(chosen: Chosen, found: FigureDecisions, row: Mapping[str, Any] | None) -> SampleRow:
    """A sample of a row that was refused or is undecided; `row` is the whole row where there is one."""
    made = from_row(row) if row else SampleRow(chosen.row_id)
    made.paper_id, made.figure_id = chosen.figure
    made.verdict, made.tag, made.reason = chosen.decision.verdict, chosen.listing[1], chosen.decision.reason
    entries = found.about(chosen.row_id)
    asked = found.made(chosen.row_id)
    _ask(made, asked or next((e for e in entries if object_in(e.get("detail")).get("question")), {}))
    _claim(made, found.claim(str(asked.get("row_id") or chosen.row_id)))
    made.said = said_of(chosen.row_id, found)
    last = found.entries.get((*chosen.listing, chosen.row_id), {})
    made.message = str(object_in(last.get("detail")).get("message") or "")
    return made


def _ask(made: SampleRow, asked: Mapping[str, Any]) -> None:
    detail = object_in(asked.get("detail"))
    if detail.get("question") and not made.question:
        options = detail.get("options")
        made.question, made.answer = str(detail["question"]), str(detail.get("answer") or "")
        made.options = [str(option) for option in options] if isinstance(options, list) else []


def _claim(made: SampleRow, claim: Mapping[str, Any]) -> None:
    made.claim = made.claim or str(claim.get("claim") or "")
    made.sentence = made.sentence or str(claim.get("sentence") or "")
    made.place = made.place or str(claim.get("place") or "")


def _said(entry: Mapping[str, Any]) -> str:
    detail = object_in(entry.get("detail"))
    letters = detail.get("letters") if isinstance(detail.get("letters"), list) else detail.get("draws")
    chosen = ", ".join(str(letter) for letter in letters) if isinstance(letters, list) else ""
    extra = [f"chose {chosen}"] if chosen else []
    extra += [f"read from “{detail['quote']}”"] if detail.get("quote") else []
    extra += [str(detail["problem"])] if detail.get("problem") else []
    extra += [f"measured {detail['measured']}, threshold {detail.get('threshold')}"] if "measured" in detail else []
    scores = detail.get("scores")
    extra += [", ".join(f"{name} {score}" for name, score in scores.items())] if isinstance(scores, dict) else []
    verdict = VERDICTS.get(str(entry.get("verdict")), "")
    return f"{verdict}: {entry.get('reason')}" + (f" ({'; '.join(extra)})" if extra else "")
