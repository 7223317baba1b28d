"""What the judges of a figure are given, the same for every protocol: (image, caption, citing text, metadata)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.judging.citing_text import (
    MAX_CONTEXT_TOKENS,
    SNIPPET_CHARACTERS,
    SNIPPETS,
    Snippet,
    context_set,
    snippets,
)
from data_juicer_ext.judging.evidence_gating import CAPTION, CONTEXT, dimensions_on, evidence_of
from data_juicer_ext.rows import Figure, read_caption, visible

MAP_CAPTION_CHARACTERS = 220
_MAP_FIGURES = 60
_CAPTION_CHARACTERS, _FEATURE_CHARACTERS = 4_000, 1_500


@dataclass(frozen=True)
class PayloadLimits:
    """How much of a paper goes into a prompt (SciFigQual, appendix A.4): tokens of the context set, snippets of it."""

    max_context_tokens: int = MAX_CONTEXT_TOKENS
    snippets: int = SNIPPETS
    snippet_characters: int = SNIPPET_CHARACTERS
    map_caption_characters: int = MAP_CAPTION_CHARACTERS


@dataclass(frozen=True)
class Case:
    """One figure as its judges see it. `dimensions` are those that are on, () for a figure that is excluded.

    `caption` is "" and `snippets` is empty where the gate has closed their dimension. `features` holds
    side features by name, as text or numbers; those that compare with the caption only where there is one.
    """

    images: tuple[str, ...] = ()
    caption: str = ""
    snippets: tuple[Snippet, ...] = ()
    number: str = ""
    venue: str = ""
    year: str = ""
    figure_map: tuple[dict[str, str], ...] = ()
    features: dict[str, str | int | float] = field(default_factory=dict)
    evidence: frozenset[str] = frozenset()
    context_size: int = 0

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that the evidence lets be scored."""
        return dimensions_on(self.evidence)


def case_of(row: Mapping[str, Any], limits: PayloadLimits = PayloadLimits()) -> Case:
    """The case of a figure row (see docs/rows.md); `venue`, `year`, `features` and `figure_map` are optional columns.

    Raises UsageError for a column that should hold JSON and does not.
    """
    number, labels = str(row.get("number") or ""), _json(row, "labels", list)
    passages = context_set(_objects(row, "context_places"), number, labels, limits.max_context_tokens)
    caption = " ".join(visible(str(row.get("caption") or "")).split())[:_CAPTION_CHARACTERS]
    evidence = evidence_of(caption, [passage.text for passage in passages])
    others = [entry for entry in _objects(row, "figure_map") if str(entry.get("number")) != number or not number]
    return Case(
        images=_images(row.get("images")),
        caption=caption if CAPTION in evidence else "",
        snippets=tuple(snippets(passages, limits.snippets, limits.snippet_characters)),
        number=number or "without a number",
        venue=str(row.get("venue") or ""),
        year=str(row.get("year") or ""),
        figure_map=tuple(_map_entry(entry, limits.map_caption_characters) for entry in others[:_MAP_FIGURES]),
        features=shown_features(_json(row, "features", dict), CAPTION in evidence),
        evidence=evidence,
        context_size=len(passages) if CONTEXT in evidence else 0,
    )


def _images(value: Any) -> tuple[str, ...]:
    """The image files of a row; on Ray the column holds arrays, which have no truth value."""
    return () if value is None else tuple(str(image) for image in value if image)


def _json(row: Mapping[str, Any], column: str, kind: type[Any]) -> Any:
    """The value of a column that holds JSON text of a list or an object; an empty one where there is none."""
    value = row.get(column)
    try:
        value = json.loads(value) if isinstance(value, str) and value.strip() else value or kind()
    except ValueError as error:
        raise UsageError(f"the column {column} is not JSON: {error}") from error
    if not isinstance(value, kind):
        raise UsageError(f"the column {column} holds no JSON {'array' if kind is list else 'object'}")
    return value


def _objects(row: Mapping[str, Any], column: str) -> list[Mapping[str, Any]]:
    return [entry for entry in _json(row, column, list) if isinstance(entry, Mapping)]


def _map_entry(entry: Mapping[str, Any], characters: int) -> dict[str, str]:
    return {
        "number": str(entry.get("number") or "?"),
        "caption": shortened(str(entry.get("caption") or ""), characters),
    }


def figure_map(figures: Iterable[Figure], characters: int = MAP_CAPTION_CHARACTERS) -> list[dict[str, str]]:
    """The paper-level figure map: number and shortened caption of each figure that has a number, panels left out.

    As JSON text it is the optional column `figure_map` of a figure row.
    """
    whole = (figure for figure in figures if figure.number and not figure.panel)
    return [{"number": figure.number, "caption": shortened(read_caption(figure), characters)} for figure in whole]


def shortened(text: str, characters: int) -> str:
    """`text` on one line, cut at a word to at most `characters`, with "…" where something was cut."""
    line = " ".join(visible(text).split())
    if len(line) <= characters:
        return line
    cut = line[: characters - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip() + "…"


def shown_features(features: Mapping[str, Any], has_caption: bool) -> dict[str, str | int | float]:
    """Side features as a prompt shows them: numbers rounded, lists as text, long text cut.

    Those that compare with a caption (their name says so) are left out where there is none, and all where
    they could not be measured.
    """
    if "error" in features:
        return {}
    names = [name for name in sorted(features) if has_caption or "caption" not in name.lower()]
    return {name: _shown(features[name]) for name in names if features[name] not in (None, "", [], {})}


def _shown(value: Any) -> str | int | float:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, (list, tuple)):
        value = ", ".join(str(_shown(item)) for item in value)
    elif isinstance(value, Mapping):
        value = ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
    return shortened(str(value), _FEATURE_CHARACTERS)
