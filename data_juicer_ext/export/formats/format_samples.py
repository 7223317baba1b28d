"""One sample of each trainer's format: what a line of its file holds.

ms-swift: https://swift.readthedocs.io/en/latest/Customization/Custom-dataset.html
LLaVA: https://github.com/haotian-liu/LLaVA/blob/main/docs/Finetune_Custom_Data.md
OpenAI: https://developers.openai.com/api/docs/guides/vision-fine-tuning
"""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from data_juicer_ext.export.formats.dialogues import Dialogue
from data_juicer_ext.export.formats.trainer_tokens import escape
from data_juicer_ext.export.images.exported_images import ExportedImage
from data_juicer_ext.export.options import ExportOptions

PLACEHOLDER = "<image>"
TrainingSample = dict[str, Any]
NESTED = (
    "provenance", "labels", "context_places", "image_flags", "rating", "descriptions", "features", "figure_map",
    "curation", "judgement",
)  # fmt: skip
"""Columns that hold JSON as text, and are opened where lines hold JSON anyway."""


def ms_swift(dialogue: Dialogue, pictures: Sequence[ExportedImage], order: ExportOptions) -> TrainingSample:
    """Messages, with a placeholder an image; `row_id` is a key of ours, which ms-swift leaves out."""
    asked = PLACEHOLDER * len(pictures) + escape(dialogue.asked)
    return {
        "row_id": dialogue.id,
        "messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": escape(dialogue.answer)}],
        "images": [data_url(picture) if order.embeds else picture.path for picture in pictures],
    }


def llava(dialogue: Dialogue, pictures: Sequence[ExportedImage], order: ExportOptions) -> TrainingSample:
    """Conversations; `image` is a path, a list of them (LLaVA-NeXT) where a row has several images."""
    paths = [picture.path for picture in pictures]
    asked = f"{PLACEHOLDER}\n" * len(paths) + escape(dialogue.asked)
    answer = {"from": "gpt", "value": escape(dialogue.answer)}
    image = paths[0] if len(paths) == 1 else paths
    return {"id": dialogue.id, "image": image, "conversations": [{"from": "human", "value": asked}, answer]}


def openai(dialogue: Dialogue, pictures: Sequence[ExportedImage], order: ExportOptions) -> TrainingSample:
    """Messages whose parts are the images, as data URLs, and the text as it is: parts need no placeholders."""
    images = [{"type": "image_url", "image_url": {"url": data_url(picture)}} for picture in pictures]
    parts = [*images, {"type": "text", "text": dialogue.asked}]
    return {"messages": [{"role": "user", "content": parts}, {"role": "assistant", "content": dialogue.answer}]}


TRAINERS: dict[str, Callable[[Dialogue, Sequence[ExportedImage], ExportOptions], TrainingSample]] = {
    "ms-swift": ms_swift,
    "llava": llava,
    "openai": openai,
}


def whole_row(row: Mapping[str, Any], pictures: Sequence[ExportedImage], order: ExportOptions) -> TrainingSample:
    """A row as one object with its images, nested columns opened."""
    images = [data_url(picture) if order.embeds else picture.path for picture in pictures]
    return {**opened(row), "images": images}


def opened(row: Mapping[str, Any]) -> TrainingSample:
    """A row whose nested columns are objects and lists instead of JSON text; a text that is none stays."""
    return {name: _opened(value) if name in NESTED else value for name, value in row.items()}


def _opened(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def data_url(picture: ExportedImage) -> str:
    """An image as the text of a data URL. Raises ImageError if its file has changed."""
    return f"data:{picture.mime};base64,{base64.b64encode(picture.data()).decode('ascii')}"
