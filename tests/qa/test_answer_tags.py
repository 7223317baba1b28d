"""Tags of model answers, and the thinking that is blanked out."""

from __future__ import annotations

import pytest

from data_juicer_ext.qa.answer_tags import blank, find_tags, without_thinking


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<answer>B</answer>", [("answer", "B", True)]),
        ("<Answer> B < / ANSWER >", [("answer", " B ", True)]),
        ("&lt;answer&gt;B&lt;/answer&gt;", [("answer", "B", True)]),
        ("<answer>B", [("answer", "B", False)]),
        ("<answer>B<option>C</option>", [("answer", "B", False), ("option", "C", True)]),
        ("<answer>B<end>C", [("answer", "B", False)]),
        ("<answer>B</option>C</answer>", [("answer", "B", False)]),
        ("</answer>B", []),
        ("<answer>A<answer>B</answer>", [("answer", "A", False), ("answer", "B", True)]),
        ("<answers>B</answers> <other>", []),
    ],
)
def test_elements_end_at_their_tag_the_next_one_or_with_the_text(text: str, found: list[tuple[str, str, bool]]) -> None:
    tags = find_tags(text, ("answer", "option"), ("end",))
    assert [(tag.name, tag.content(text), tag.closed) for tag in tags] == found
    for tag in tags:
        assert text[tag.outer_start] in "<&" and tag.outer_start < tag.start <= tag.end <= tag.outer_end
        assert (tag.outer_end > tag.end) == tag.closed


def test_blanks_keep_all_places() -> None:
    assert blank("ab\ncd", [(1, 4)]) == "a \n d" and blank("abc", []) == "abc"
    assert blank("abcdef", [(0, 1), (4, 6)]) == " bcd  "


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>A</think>B", "B"),
        ("A</think>B", "B"),
        ("A<think>B", "A"),
        ("A<think>B<think>C</think>D", "AD"),
        ("A</think>B</thinking>C", "C"),
        ("A<think>B</think>C</think>D", "D"),
        ("A <scratchpad>x</scratchpad> B <reflection>y</reflection>", "AB"),
        ("<|channel|>analysis<|message|>A<|channel|>final<|message|>B<|end|>", "B"),
        ("<|channel|> final <|message|>A<|channel|>final<|message|>B", "B"),
        ("<|channel|>analysis<|message|>A", ""),
        ("<|im_start|>A<|im_end|>", "A"),
        ("no tags <b>A</b>", "notags<b>A</b>"),
    ],
)
def test_thinking_is_no_answer(text: str, left: str) -> None:
    plain = without_thinking(text)
    assert len(plain) == len(text) and "".join(plain.split()) == left
    assert all(kept in (" ", written) for kept, written in zip(plain, text, strict=True))
