"""What an operator says of itself to whoever reads its run: the name of its rows, its error kinds, the card's words.

The note of a run (`runs/<run_id>.json`) carries these words in the recipe's order, under `operators`. So a report that
is made later and elsewhere has those of any operator, whoever wrote it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from data_juicer_ext.qa.verdicts import INCORRECTLY_GROUNDED, NON_VISUAL, OUTSIDE_KNOWLEDGE
from data_juicer_ext.rows import visible
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.run_records import Run

NOTED = "operators"
LAST = 1_000_000  # the place of an operator whose place in the recipe is not known
_LONGEST = 200  # characters of a text
_MOST_REASONS = 200


@dataclass(frozen=True)
class OperatorWords:
    """The words of one operator; each may be empty.

    `kept_rows` names what its kept rows are ("claims"). `table_1_line` is the line of VeriSciQA's table 1 that counts
    what is left after it. `error_kinds` has, by the reason of a refusal, the kinds of error that it may stand for; the
    reason "" stands for all others. `kept_if` says what a filter checks, after "A row was kept if". `place` orders
    operators as the recipe does.
    """

    kept_rows: str = ""
    table_1_line: str = ""
    error_kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kept_if: str = ""
    place: int = LAST

    def kinds_of(self, reason: str) -> tuple[str, ...]:
        """The error kinds that a refusal for `reason` stands for, one of them each time; () if none."""
        return self.error_kinds.get(reason, self.error_kinds.get("", ()))

    def as_json(self) -> dict[str, Any]:
        """The words as the note of a run has them, without those that are empty."""
        return {name: value for name, value in asdict(self).items() if value and name != "place"}


def note_words(run: Run, words: Mapping[str, Any]) -> None:
    """Have the note of a run carry the words of operators by name, as JSON; those it has stay. Raises OSError."""
    noted = run_records.about(run.run_dir, run.run_id).get(NOTED, {})
    if new := {name: said for name, said in words.items() if name not in noted}:
        run_records.note(run, **{NOTED: {**noted, **new}})


def words_in(about: Mapping[str, Any]) -> Mapping[str, OperatorWords]:
    """The words of a run's operators by name, from its note; for a run of an earlier version those it knew by name."""
    noted = about.get(NOTED)
    if not isinstance(noted, Mapping):
        return EARLIER
    return {str(name): _read(words, place) for place, (name, words) in enumerate(noted.items())}


def _read(noted: Any, place: int) -> OperatorWords:
    """Words out of a note, which another machine may have written: what is of another form is left out."""
    words = noted if isinstance(noted, Mapping) else {}
    kinds = words.get("error_kinds")
    found = dict(_kinds(kinds)) if isinstance(kinds, Mapping) else {}
    kept_rows, line, kept_if = (_text(words.get(name)) for name in ("kept_rows", "table_1_line", "kept_if"))
    return OperatorWords(kept_rows, line, found, kept_if, place)


def _kinds(noted: Mapping[Any, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for reason, kinds in list(noted.items())[:_MOST_REASONS]:
        if isinstance(kinds, list) and (named := tuple(filter(None, map(_text, kinds)))):
            yield str(reason), named


def _text(value: Any) -> str:
    return " ".join(visible(value[:_LONGEST]).split()) if isinstance(value, str) else ""


def _unit(place: int, kept_rows: str, table_1_line: str = "") -> OperatorWords:
    return OperatorWords(kept_rows, table_1_line, place=place)


# For the notes of runs that carry no words yet: the steps that make rows come in this order, filters follow.
EARLIER: Mapping[str, OperatorWords] = {
    "paper_corpus_filter": _unit(0, "papers accepted"),
    "latex_figure_context_mapper": _unit(1, "papers read", "Papers"),
    "pdf_figure_context_mapper": _unit(2, "papers read", "Papers"),
    "figure_curation_mapper": _unit(3, "figures curated"),
    "figure_rows_mapper": _unit(4, "figures"),
    "image_rows_mapper": _unit(5, "figures"),
    "figure_features_mapper": _unit(6, "figures measured"),
    "figure_quality_mapper": _unit(7, "figures scored"),
    "claim_extractor_mapper": _unit(8, "claims", "Atomic claims extracted"),
    "mcq_generator_mapper": _unit(9, "questions", "QA pairs generated"),
    "source_consistency_filter": OperatorWords(
        "", "After text-based filtering", {"": (INCORRECTLY_GROUNDED,)},
        "what the paper says of the figure confirms the answer",
    ),
    "visual_dependence_filter": OperatorWords(
        "", "After text-based filtering", {"": (NON_VISUAL,)}, "models without the figure did not find the answer"
    ),
    "vision_vote_filter": OperatorWords(
        "", "After vision-based filtering", {"": (INCORRECTLY_GROUNDED, OUTSIDE_KNOWLEDGE)},
        "a vote of a vision model with the figure found it",
    ),
}  # fmt: skip
