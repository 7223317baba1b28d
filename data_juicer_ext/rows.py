"""The columns of every kind of row, and the ids that know a row again.

All columns are written here. Scalars are never null ("" stands for nothing), anything nested or
of varying shape travels as a JSON string, and list columns are never empty: on the default
executor the first batch that is written fixes the column types (see docs/rows.md).
"""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from data_juicer_ext.errors import UsageError

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# What JSON makes of such characters, behind an even number of backslashes.
_ESCAPED_CONTROL = re.compile(r"(?<!\\)(?:\\\\)*\\(?:u00|[rbf])")
Row = Mapping[str, Any]  # a row of a dataset, by column

# Zero-width and bidirectional controls, and the tag characters that can spell hidden text.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


def scrub(text: str) -> str:
    """`text` without control characters and lone surrogates (either ends a Data-Juicer run).

    Tabs and line feeds stay, carriage returns become line feeds.
    """
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def visible(text: str) -> str:
    """`scrub`bed text without invisible characters: zero-width, bidirectional controls, hidden tags."""
    return _INVISIBLE.sub("", scrub(text))


def seeded(*parts: object) -> bytes:
    """The SHA-256 of some parts: an order or a draw that hangs on nothing but them, on every machine."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "replace")).digest()


def content_id(kind: str, *parts: str) -> str:
    """A stable id: the kind, then 20 hex digits of the SHA-256 of its parts."""
    return f"{kind}-{seeded(kind, *parts).hex()[:20]}"


def to_json(value: Any) -> str:
    """`value` as JSON text, keys in the order given, every string scrubbed, NaN and infinities as null."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # another mapping than a dict, a NaN
        text = ""
    # Nearly all values are clean already, and looking at the text is many times faster than walking the value.
    if text and not _CONTROL.search(text) and not _ESCAPED_CONTROL.search(text):
        return text
    return json.dumps(_clean(value), ensure_ascii=False, allow_nan=False)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return value


@dataclass
class Figure:
    """One figure of a paper, from LaTeX or PDF; the objects of the `figures` column.

    `number` is printed text ("3", "A.1"). `images` are files that a vision model can read, `image_sources` the paths as
    found, relative to the paper's folder. `context` holds the citing paragraphs; `context_places` ("file:line" or "page
    N") and `section` run parallel to it. `page` counts from 1 (0: unknown); `bbox` is in points from the top left, []
    if unknown. `parent_label` and `panel` ("a") are set for panels only. `flags` say what is unusual.
    """

    figure_id: str = ""
    number: str = ""
    label: str = ""
    labels: list[str] = field(default_factory=list)
    parent_label: str = ""
    panel: str = ""
    caption: str = ""
    caption_tex: str = ""
    caption_place: str = ""
    images: list[str] = field(default_factory=list)
    image_sources: list[str] = field(default_factory=list)
    context: list[str] = field(default_factory=list)
    context_places: list[str] = field(default_factory=list)
    section: list[str] = field(default_factory=list)
    page: int = 0
    bbox: list[float] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    quality: dict[str, Any] = field(default_factory=dict)


def dump_figures(figures: Iterable[Figure]) -> str:
    """The text of a `figures` column."""
    return to_json([vars(figure) for figure in figures])


def value_in(column: Any) -> Any:
    """What a column holds as JSON text, or as it is; None for text that is no JSON."""
    try:
        return json.loads(column) if isinstance(column, str) else column
    except (ValueError, RecursionError):
        return None


def object_in(column: Any) -> dict[str, Any]:
    """The JSON object that a column holds as text, or as it is; {} for anything else."""
    said = value_in(column)
    return said if isinstance(said, dict) else {}


def load_figures(text: str) -> list[Figure]:
    """The figures of a `figures` column; unknown keys (of a later version) are left out.

    Raises UsageError for text that is not a JSON array of objects, or an object whose values are of
    another type than a figure's.
    """
    data = value_in(text or "[]")
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise UsageError("the figures column is not a JSON array of objects")
    return [_figure(item) for item in data]


def _figure(item: Mapping[str, Any]) -> Figure:
    plain = Figure()
    given = {key: value for key, value in item.items() if key in Figure.__dataclass_fields__}
    for key, value in given.items():
        usual = getattr(plain, key)
        if not isinstance(value, type(usual)) or isinstance(value, bool):
            raise UsageError(f"{key} of a figure is {value!r}, not {type(usual).__name__}")
        if isinstance(usual, list) and key != "bbox" and not all(isinstance(entry, str) for entry in value):
            raise UsageError(f"{key} of a figure holds something that is not text")
    return Figure(**given)


def read_caption(figure: Figure) -> str:
    """The caption as a reader sees it: on one line, panels by their letter alone.

    The `figures` column names a panel in a caption as "(a, fig:left)", so that text around the figure
    can be tied to it; a label is nothing that a reader, or a question, should see.
    """
    text = " ".join(figure.caption.split())
    for label in figure.labels:
        text = text.replace(f", {label})", ")") if label else text
    return text


FIGURE_ROW = (
    "row_id", "paper_id", "figure_id", "domain", "licence", "venue", "year", "images", "caption", "label",
    "number", "labels", "context", "context_places", "provenance",
)  # fmt: skip
CLAIM_ROW = (*FIGURE_ROW, "claim")
QA_ROW = (
    *CLAIM_ROW, "question", "options", "answer", "rationale", "figure_type", "question_type", "image_flags",
)  # fmt: skip


def figure_row_id(paper_id: str, figure: Figure) -> str:
    """The `row_id` of a figure's row, known before that row is made."""
    return content_id("figure", paper_id, figure.figure_id, figure.caption)


def figure_row(paper: Mapping[str, Any], figure: Figure) -> dict[str, Any]:
    """A figure row: one figure with the text around it.

    `context` joins the citing paragraphs by a blank line. `labels` is a JSON list: the figure's
    labels and its panels'. `context_places` is a JSON list with an object a paragraph: place,
    section and text. `domain`, `licence`, `venue` and `year` are the paper's, as text.
    """
    paper_id = str(paper.get("paper_id") or "")
    places = [
        {"place": place, "section": section, "paragraph": paragraph}
        for place, section, paragraph in zip_longest(
            figure.context_places[: len(figure.context)], figure.section[: len(figure.context)], figure.context,
            fillvalue="",
        )
    ]  # fmt: skip
    return {
        "row_id": figure_row_id(paper_id, figure),
        "paper_id": scrub(paper_id),
        "figure_id": figure.figure_id,
        "domain": scrub(str(paper.get("domain") or "")),
        **{key: scrub(str(paper.get(key) or "")) for key in ("licence", "venue", "year")},
        "images": list(figure.images),
        "caption": scrub(read_caption(figure)),
        "label": scrub(figure.label),
        "number": scrub(figure.number),
        "labels": to_json(figure.labels),
        "context": scrub("\n\n".join(figure.context)),
        "context_places": to_json(places),
        "provenance": to_json({"flags": figure.flags, "image_sources": figure.image_sources,
                               "caption_place": figure.caption_place,
                               **({"page": figure.page, "bbox": figure.bbox} if figure.page else {}),
                               **({"figure_quality": figure.quality} if figure.quality else {})}),
    }  # fmt: skip


def claim_row(figure: Mapping[str, Any], claim: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """A claim row: the figure row with one claim, `source` (sentence, place, ...) in its provenance."""
    claim = scrub(claim)
    row = {key: figure[key] for key in FIGURE_ROW}
    row["row_id"] = content_id("claim", str(figure["row_id"]), claim)
    row["claim"] = claim
    row["provenance"] = add_provenance(row["provenance"], source=dict(source), figure_row_id=figure["row_id"])
    return row


def qa_row(claim: Mapping[str, Any], question: str, options: Sequence[str], answer: str) -> dict[str, Any]:
    """A QA row: the claim row with a question, its options (no letters) and the answer's letter."""
    question, options = scrub(question), [scrub(option) for option in options]
    row = {key: claim[key] for key in CLAIM_ROW}
    row["row_id"] = content_id("qa", str(claim["row_id"]), question, *options, answer)
    row |= {"question": question, "options": options, "answer": answer,
            "rationale": "", "figure_type": "", "question_type": "", "image_flags": "[]"}  # fmt: skip
    row["provenance"] = add_provenance(row["provenance"], claim_row_id=claim["row_id"])
    return row


def add_flags(text: str, flags: Iterable[str]) -> str:
    """The JSON text of an `image_flags` column with `flags` added, each once."""
    return to_json(list(dict.fromkeys([*json.loads(text or "[]"), *flags])))


def add_provenance(text: str, **entries: Any) -> str:
    """The JSON text of a `provenance` column with `entries` set in it."""
    return to_json({**json.loads(text or "{}"), **entries})
