import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.export.tokens import escape, holds_token, unescape

TOKENS = ("<image>", "<IMAGE>", "</img>", "<img>", "<|image_pad|>", "<|vision_start|>", "<video>", "<audio>",
          "<image_1>", "<|im_end|>", "[IMG]", "<bbox>", "<ref-object>", "<image_soft_token>")  # fmt: skip
PIECES = st.sampled_from([*TOKENS, "<", ">", "\\", "|", "image", "[", "]", "IMG", "a < b", "<b>", "é", "\n"])


@pytest.mark.parametrize("token", TOKENS)
def test_no_token_is_left(token):
    made = escape(f"What does {token} mean?")
    assert token not in made and not holds_token(made) and holds_token(token)


@pytest.mark.parametrize("text", ["a < b > c", "<b>bold</b>", "x |y| z", r"\frac{a}{b}", "imagine <imaginary>"])
def test_other_text_stays(text):
    assert escape(text) == text


@given(st.lists(PIECES, max_size=12).map("".join))
def test_every_text_is_found_again(text):
    made = escape(text)
    assert unescape(made) == text and not holds_token(made)
