"""What the rows of an export are, known by their columns, and a kept row of each kind in a few lines of text."""

from collections.abc import Callable, Iterable
from typing import Any

from data_juicer_ext.judging.evidence_gating import DIMENSIONS
from data_juicer_ext.rows import FIGURE_ROW, Row, object_in, visible

_CHARACTERS = 100  # of a caption or a column
_MOST_COLUMNS = 6
_EVERYWHERE = (*FIGURE_ROW, "text")

# By the columns that make a row one of its kind, the latest step first.
_COLUMNS = {
    "judged diagrams": ("judgement", "s_final"),
    "answers": ("model_answer", "answer_kind"),
    "pairs": ("question", "options"),
    "scored figures": ("quality", "quality_overall"),
    "rated images": ("rating", "rating_mean"),
    "claims": ("claim",),
    "papers": ("figures",),
    "figures": ("figure_id", "images"),
}


def kind_of(row: Row) -> str:
    """What a row is, in the plural: "pairs", "scored figures", "rated images", ...; "rows" where nothing fits."""
    return next((kind for kind, columns in _COLUMNS.items() if all(name in row for name in columns)), "rows")


def kind_in(rows: Iterable[Row]) -> str:
    """What the rows are, by the first of them."""
    return next((kind_of(row) for row in rows), "rows")


def in_words(row: Row) -> list[str]:
    """A kept row in a few lines: what it says, then its paper, figure and image."""
    kind = kind_of(row)
    lines = _WORDS[kind](row) if kind in _WORDS else [f"{kind}: {row.get('row_id', '')}"]
    origin, images = ", ".join(_origin(row)), ", ".join(row.get("images") or [])
    return [*lines, *([f"   {origin}"] if origin else []), *([f"   image {images}"] if images else [])]


def _origin(row: Row) -> list[str]:
    place = object_in(row.get("provenance")).get("source", {}).get("place", "")
    parts = {"paper": row.get("paper_id"), "figure": row.get("number"), "claim from": place}
    return [f"{name} {value}" for name, value in parts.items() if value]


def _pair(row: Row) -> list[str]:
    options = enumerate(row.get("options") or [])
    lettered = [(chr(ord("A") + place), text) for place, text in options]
    shown = [f"   {'*' if letter == row.get('answer') else ' '} {letter}. {text}" for letter, text in lettered]
    return [f"Q: {row.get('question', '')}", *shown]


def _answer(row: Row) -> list[str]:
    verdict = "right" if row["answer_correct"] else "wrong"
    return [*_pair(row), f"   answered {row['model_answer'] or row['answer_kind']}: {verdict}"]


def _scored(row: Row) -> list[str]:
    scores = object_in(row["quality"]).get("scores", {})
    each = ", ".join(f"{name} {scores[name] if scores.get(name) is not None else '-'}" for name in DIMENSIONS)
    return [f"overall {row['quality_overall']:g} ({each})", *_caption(row)]


def _rated(row: Row) -> list[str]:
    by = row.get("rating_method", "")
    return [
        f"perception {row['rating_perception']:.2f}, knowledge {row['rating_knowledge']:.2f} (by {by})",
        *_caption(row),
    ]


def _judged(row: Row) -> list[str]:
    kind, generator = row.get("diagram_type", ""), row.get("generator") or "the generated one"
    return [f"{kind}: {generator} {row['s_final']:.3f} of 1, 0.5 is parity with the reference", *_caption(row)]


def _caption(row: Row) -> list[str]:
    text = _short(str(row.get("caption") or ""))
    return [f"   {text}"] if text else []


def _short(text: str) -> str:
    text = " ".join(visible(text).split())
    return text if len(text) <= _CHARACTERS else text[: _CHARACTERS - 1].rstrip() + "…"


def _figure(row: Row) -> list[str]:
    """A figure or another row: its caption, and the columns that were added to what every row has."""
    added = {name: value for name, value in row.items() if name not in _EVERYWHERE and _is_plain(value)}
    lines = [f"   {name}: {_short(str(value))}" for name, value in list(added.items())[:_MOST_COLUMNS]]
    return [*_caption(row), *lines]


def _other(row: Row) -> list[str]:
    return [f"rows: {row.get('row_id', '')}", *_figure(row)]


def _is_plain(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and value.strip()[:1] not in ("", "{", "["))


def _claim(row: Row) -> list[str]:
    return [f"claim: {row['claim']}"]


_WORDS: dict[str, Callable[[Row], list[str]]] = {
    "pairs": _pair,
    "answers": _answer,
    "scored figures": _scored,
    "rated images": _rated,
    "judged diagrams": _judged,
    "claims": _claim,
    "figures": _figure,
    "rows": _other,
}
