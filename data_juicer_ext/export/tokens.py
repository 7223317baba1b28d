r"""Literal image tokens in text, escaped so that a trainer takes them for text.

Trainers put an image where the text says `<image>`, and tokenizers know `<|image_pad|>` wherever it stands. A backslash
behind the opening bracket ends that: `<image>` becomes `<\image>`. A token that has backslashes there already gets one
more, so that `unescape` finds every text again.
"""

from __future__ import annotations

import re

_WORDS = (
    "image", "images", "img", "im", "image_pad", "image_token", "image_soft_token", "image_placeholder", "image_start",
    "image_end", "start_of_image", "end_of_image", "im_start", "im_end", "im_patch", "img_context", "imgpad",
    "vision_start", "vision_end", "video", "videos", "video_pad", "video_placeholder", "audio", "audios", "audio_pad",
    "audio_soft_token", "speech", "ref-object", "bbox", "point", "box", "ref", "quad", "cot-process",
)  # fmt: skip
_BODY = rf"/?(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?:[_-]?\d{{1,4}})?|\|[^|<>\n]{{1,60}}\|"
_PLAIN = re.compile(rf"<(?=\\*(?:{_BODY})>)|\[(?=\\*IMG(?:_BREAK|_END)?\])", re.IGNORECASE)
_ESCAPED = re.compile(rf"<\\(?=\\*(?:{_BODY})>)|\[\\(?=\\*IMG(?:_BREAK|_END)?\])", re.IGNORECASE)


def escape(text: str) -> str:
    """`text` with every literal token made plain text."""
    return _PLAIN.sub(lambda found: found[0] + "\\", text)


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return _ESCAPED.sub(lambda found: found[0][0], text)


def holds_token(text: str) -> bool:
    """Whether a trainer or a tokenizer would take something in `text` for a token."""
    return any(text[found.end() : found.end() + 1] != "\\" for found in _PLAIN.finditer(text))
