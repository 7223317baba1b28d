"""Criteria aligned with people's preferences: what they prefer on a development set, as scoring instructions.

People compare generated diagrams with their references criterion by criterion; a model puts into words what the
preferred ones have in common, and its statements are appended to the criteria. The papers of the development set
are named in the file, so that none of them is judged with it. Source: SciDiagBench, section 3.3.
"""

import asyncio
import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from data_juicer_ext.diagrams.anonymous_pair import generated_first
from data_juicer_ext.diagrams.criteria import CriteriaSet, Criterion
from data_juicer_ext.diagrams.criteria_drafting import AskDraft, DraftingCall
from data_juicer_ext.diagrams.development_set import RatedPair
from data_juicer_ext.diagrams.diagram_types import TYPES
from data_juicer_ext.errors import UsageError
from data_juicer_ext.judging.protocols import NoReport
from data_juicer_ext.rows import visible

TEMPLATES = {"scidiag/preferences": ("type", "criteria", "pairs")}
"""The template that alignment renders, with what it is given."""

MAX_PAIRS = 6  # of one type that are shown: two images each
_STATEMENTS, _STATEMENT_CHARACTERS, _CAPTION_CHARACTERS = 3, 500, 600
# Words that would tell a judge to look for where a diagram comes from.
_ORIGIN = re.compile(
    r"\b(?:reference|original|ground[- ]truth|generated|synthetic|human|AI|model)[- ](?:made |drawn )?"
    r"(?:diagram|image|drawing|figure|version|one)s?\b|\b(?:human|AI)-(?:made|drawn|generated)\b",
    re.I,
)


@dataclass
class Alignment:
    """Statements by criterion id; `failures` says which types' calls failed, `shown` counts pairs by type."""

    statements: dict[str, list[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    shown: dict[str, int] = field(default_factory=dict)


def _impartial(text: str) -> str:
    if match := _ORIGIN.search(text):
        raise UsageError(f"an instruction must not speak of where a diagram comes from ({match.group()!r})")
    return text


Statement = Annotated[
    str,
    BeforeValidator(lambda value: " ".join(value.split()) if isinstance(value, str) else value),
    Field(min_length=1, max_length=_STATEMENT_CHARACTERS),
    AfterValidator(_impartial),
]
Statements = Annotated[
    list[Statement],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else [] if value is None else value),
    Field(max_length=_STATEMENTS),
]


class PreferenceStatements(BaseModel):
    """Instructions by criterion id, as a model writes them."""

    statements: dict[str, Statements]


async def align(
    pairs: Sequence[RatedPair], criteria: CriteriaSet, ask: AskDraft, max_pairs: int = MAX_PAIRS
) -> Alignment:
    """Preference statements for all criteria on which people prefer one diagram in some pair; one call per type."""
    made = Alignment()
    codes = [code for code in criteria.types if any(pair.code == code for pair in pairs)]
    await asyncio.gather(*(_align_type(code, pairs, criteria, ask, max_pairs, made) for code in codes))
    return made


async def _align_type(
    code: str, pairs: Sequence[RatedPair], criteria: CriteriaSet, ask: AskDraft, max_pairs: int, made: Alignment
) -> None:
    asked = question(code, pairs, criteria.of(code).criteria, max_pairs)
    if asked is None:
        return
    made.shown[code] = len(asked.images) // 2
    answer = await ask(asked)
    if not isinstance(answer, PreferenceStatements):
        made.failures.append(f"{asked.name}: {answer.message if isinstance(answer, NoReport) else answer}")
        return
    wanted = {criterion["id"] for criterion in asked.fields["criteria"]}
    made.statements |= {name: texts for name, texts in answer.statements.items() if name in wanted and texts}


def question(
    code: str, pairs: Sequence[RatedPair], criteria: Sequence[Criterion], max_pairs: int = MAX_PAIRS
) -> DraftingCall | None:
    """The question about a type; None where nobody prefers anything. The pairs with most preferences are shown."""
    rated = [pair for pair in pairs if pair.code == code and any(pair.preferences.values())]
    chosen = sorted(rated, key=lambda pair: (-sum(map(bool, pair.preferences.values())), pair.row_id))[:max_pairs]
    wanted = [c for c in criteria if any(pair.preferences.get(c.id) for pair in chosen)]
    if not wanted:
        return None
    order = {c.id: place for place, c in enumerate(wanted)}
    fields: dict[str, Any] = {
        "type": vars(TYPES[code]),
        "criteria": [{"id": c.id, "text": c.text, "part": c.part} for c in wanted],
        "pairs": [_shown(pair, order) for pair in chosen],
    }
    images = tuple(image for pair in chosen for image in _in_order(pair))
    return DraftingCall(f"{code}/preferences", "scidiag/preferences", fields, PreferenceStatements, images)


def _in_order(pair: RatedPair) -> tuple[str, str]:
    """The images of a pair in the order in which they are shown, which hangs on its id alone."""
    return pair.images if generated_first(pair.row_id) else (pair.images[1], pair.images[0])


def _shown(pair: RatedPair, order: Mapping[str, int]) -> dict[str, Any]:
    """A pair as the model is told of it: preferences are for the first or the second diagram."""
    sign = 1 if generated_first(pair.row_id) else -1
    values = [(name, sign * value) for name, value in pair.preferences.items() if name in order]
    preferences = [
        {"id": name, "value": value, "words": _words(value)}
        for name, value in sorted(values, key=lambda item: order[item[0]])
    ]
    caption = visible(pair.caption)[:_CAPTION_CHARACTERS]
    return {"caption": caption, "preferences": preferences, "reasons": list(pair.reasons)}


def _words(value: float) -> str:
    if value == 0:
        return "no difference"
    return f"the {'first' if value > 0 else 'second'} is {'better' if abs(value) >= 1.5 else 'slightly better'}"


def aligned_document(
    document: Mapping[str, Any],
    statements: Mapping[str, Sequence[str]],
    pairs: Sequence[RatedPair],
    about: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A criteria file's content with statements appended to their criteria, each once, and the papers of `pairs`.

    It waits for a review again; `about` says what it was aligned by.
    """
    made: dict[str, Any] = copy.deepcopy(dict(document))
    for entry in made["types"].values():
        for holder in entry["dimensions"].values():
            listed = holder if isinstance(holder, list) else [c for criteria in holder.values() for c in criteria]
            for criterion in listed:
                before = list(criterion.get("instructions") or [])
                criterion["instructions"] = list(dict.fromkeys([*before, *statements.get(criterion["id"], ())]))
    development = dict(made.get("development") or {})
    for key, values in (("papers", {p.paper_id for p in pairs} - {""}), ("rows", {p.row_id for p in pairs})):
        development[key] = sorted({*map(str, development.get(key) or ()), *values})
    made["development"] = development
    made["about"] = {**(made.get("about") or {}), "aligned": dict(about or {}), "reviewed": False}
    return {key: made[key] for key in ("about", "development", "types")}
