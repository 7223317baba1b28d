r"""Literal tokens of trainers in text, escaped so that a trainer takes them for text.

ms-swift and LLaVA put an image where the text says `<image>`, and tokenizers know `<|image_pad|>` wherever it stands. A
backslash behind the first character ends that: `<image>` becomes `<\image>`. A token that has backslashes there already
gets one more, so that `unescape` finds every text again.

The tokens: ms-swift's `special_tokens` and `<img>...</img>`, LLaVA's constants and the marks that its conversations are
cut at, and the special tokens of the vision models that either trains.
"""

import re

_WORDS = (
    "image", "images", "img", "im", "image_pad", "image_token", "image_soft_token", "image_placeholder", "image_start",
    "image_end", "image_id", "start_of_image", "end_of_image", "start-image", "im_start", "im_end", "im_patch",
    "im_newline", "img_context", "imgpad", "imagehere", "global-img", "fake_token_around_image", "vision_start",
    "vision_end", "video", "videos", "video_pad", "video_placeholder", "audio", "audios", "audio_pad",
    "audio_soft_token", "audio_start", "audio_end", "audio_patch", "start_of_audio", "end_of_audio", "speech",
    "ref-object", "bbox", "point", "box", "ref", "quad", "patch", "slice", "cot-process", "start_of_turn",
    "end_of_turn", "turn", "channel", "end_of_utterance", "think", "tool", "tool_call", "tool_response", "mask", "sep",
    "unused", "extra", "s", "bos", "eos", "pad", "unk",
)  # fmt: skip
_NAMES = "|".join(_WORDS)
# What follows the first character. Letters may be of any case, but those of the role that LLaVA cuts its text at.
_BODIES = {
    "<": rf"(?i:/?(?:{_NAMES})(?:[_-]?\d{{1,4}})?>|\|(?:{_NAMES})>|(?:{_NAMES})\|>|\](?:{_NAMES})\[>)"
    r"|row_\d{1,3}_col_\d{1,3}>|\|[^|<>\n]{1,60}\|>|｜[^｜<>\n]{1,60}｜>",
    r"\[": r"/?(?:IMG|IMG_BREAK|IMG_END|IMAGE_PLACEHOLDER|INST|AUDIO|BEGIN_AUDIO|SYSTEM_PROMPT|THINK|TOOL_CALLS"
    r"|TOOL_RESULTS|AVAILABLE_TOOLS)\]",
    "A": "SSISTANT:",
}
_PLAIN = re.compile("|".join(rf"{first}(?=\\*(?:{body}))" for first, body in _BODIES.items()))
_ESCAPED = re.compile("|".join(rf"{first}\\(?=\\*(?:{body}))" for first, body in _BODIES.items()))


def escape(text: str) -> str:
    """`text` with every literal token made plain text."""
    return _PLAIN.sub(lambda found: found[0] + "\\", text)


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return _ESCAPED.sub(lambda found: found[0][0], text)
