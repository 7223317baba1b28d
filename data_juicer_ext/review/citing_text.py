"""The citing text of a row, with the sentence that its claim was made from."""

from collections.abc import Mapping, Sequence
from typing import Any

from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.rows import value_in, visible

_LIMIT = 4000  # characters before the sentence, of it, and after it
_MOST = 40  # paragraphs


def places_of(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The citing paragraphs of a row with their places; [] where the column holds none."""
    found = value_in(row.get("context_places"))
    return [place for place in found if isinstance(place, Mapping)] if isinstance(found, list) else []


def cited(places: Sequence[Mapping[str, Any]], source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The paragraphs for the page, the one of the claim first, with its sentence apart.

    `source` has the sentence, and the paragraph's index. Where the paragraph is not known, the sentence stands alone.
    """
    sentence = _line(source.get("sentence"))
    lines = [_line(place.get("paragraph")) for place in places[:_MOST]]
    own = _own(lines, sentence, source.get("paragraph"))
    if own is None:
        alone = [_paragraph(source, ("", sentence, ""))] if sentence else []
        return [*alone, *(_paragraph(place, (text, "", "")) for place, text in zip(places, lines, strict=False))]
    rest = [(place, text) for index, (place, text) in enumerate(zip(places, lines, strict=False)) if index != own]
    parts = _parts(lines[own], sentence)
    return [_paragraph(places[own], parts), *(_paragraph(place, (text, "", "")) for place, text in rest)]


def _own(lines: Sequence[str], sentence: str, index: Any) -> int | None:
    """Which paragraph holds the sentence: the one that is named, if it does, else the first that does."""
    if not sentence:
        return None
    named = [index] if type(index) is int and 0 <= index < len(lines) else []
    return next((place for place in [*named, *range(len(lines))] if sentence in lines[place]), None)


def _parts(text: str, sentence: str) -> tuple[str, str, str]:
    start = text.index(sentence)
    return text[:start], sentence, text[start + len(sentence) :]


def _paragraph(place: Mapping[str, Any], parts: tuple[str, str, str]) -> dict[str, Any]:
    before, sentence, after = parts
    if len(before) > _LIMIT:
        before = f"… {before[-_LIMIT:]}"
    return {"place": shown_text(place.get("place") or "", 200), "section": shown_text(place.get("section") or "", 200),
            "before": shown_text(before, _LIMIT + 2), "sentence": shown_text(sentence, _LIMIT),
            "after": shown_text(after, _LIMIT)}  # fmt: skip


def _line(text: Any) -> str:
    return " ".join(visible(text).split()) if isinstance(text, str) else ""
