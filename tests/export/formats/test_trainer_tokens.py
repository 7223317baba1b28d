from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from data_juicer_ext.export.formats.trainer_tokens import escape, unescape

# What trainers act on: ms-swift's `special_tokens` and <img>...</img>
# (https://github.com/modelscope/ms-swift/blob/main/swift/llm/template/base.py), LLaVA's constants and cut marks
# (https://github.com/haotian-liu/LLaVA/blob/main/llava/constants.py, llava/train/train.py), and tokens of models.
TOKENS = (
    "<image>", "<video>", "<audio>", "<bbox>", "<ref-object>", "<cot-process>", "<start-image>", "<img>", "</img>",
    "<im_start>", "<im_end>", "<im_patch>", "</s>", "[/INST]", "ASSISTANT:", "<|image_pad|>", "<|vision_start|>",
    "<|vision_end|>", "<|im_end|>", "<|image_1|>", "<IMG_CONTEXT>", "<image_soft_token>", "<start_of_image>", "[IMG]",
    "[IMG_BREAK]", "<Image>", "<image_3>", "<｜end▁of▁sentence｜>", "<|endoftext|>", "<think>", "</think>",
    "</tool_call>", "<fake_token_around_image>", "<row_1_col_2>", "<global-img>", "<unused17>", "<extra_0>",
    "<|channel>", "<channel|>", "]<]image[>[", "[IMAGE_PLACEHOLDER]", "[/SYSTEM_PROMPT]", "<end_of_utterance>",
)  # fmt: skip


@pytest.mark.parametrize("token", TOKENS)
def test_no_token_is_left_and_the_text_comes_back(token: str) -> None:
    text = f"Is {token} in the figure, or {token}{token}?"
    escaped = escape(text)
    assert token not in escaped and unescape(escaped) == text


@pytest.mark.parametrize(
    "text",
    [
        "x < y > z",
        r"$<\alpha>$",
        "a<b>c</b>",
        "[1]",
        "<imagery>",
        "An ASSISTANT",
        "<|",
        "| a | b |",
        "if a<|b|c",
        "<psi|phi>",
        "<thinker>",
    ],
)
def test_what_is_no_token_stays_as_it_is(text: str) -> None:
    assert escape(text) == text


def test_a_token_that_has_backslashes_gets_one_more() -> None:
    assert escape(r"<\image> <\\image>") == r"<\\image> <\\\image>"


pieces = st.sampled_from((*TOKENS, "<", ">", "|", "\\", "[", "]", "/", "image", "A", " ", "é", "$"))


@given(st.lists(pieces, max_size=12).map("".join))
@example("<" + "\\" * 3 + "image>")
def test_any_text_comes_back(text: str) -> None:
    escaped = escape(text)
    assert unescape(escaped) == text
    assert not any(token in escaped for token in TOKENS)


def test_long_texts_take_no_more_than_their_share() -> None:
    for text in ("<" * 100_000, "<\\" * 50_000, "<|a" * 40_000, "<" + "\\" * 100_000, "<image" * 20_000):
        assert re.sub(r"\\", "", escape(text)) == re.sub(r"\\", "", text)
