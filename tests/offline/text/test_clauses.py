"""Sentences about a figure, cut into clauses that state one thing each."""

from __future__ import annotations

import pytest

from data_juicer_ext.offline.text.clauses import FIGURE, OTHER, atomic, clauses_of, lowered, said


@pytest.mark.parametrize(
    ("sentence", "alone", "body"),
    [
        (f"As {FIGURE} shows, the rate is 5.", False, "the rate is 5"),
        (f"The rate is 5 ({FIGURE}).", False, "The rate is 5"),
        (f"We see in {FIGURE} that the rate is 5.", False, "the rate is 5"),
        ("This figure shows that A is 5.", True, "A is 5"),
        ("This figure shows that A is 5.", False, ""),
        (f"{FIGURE} shows the spread of the values.", False, "\0the spread of the values"),
        (f"{FIGURE} and {OTHER} show that A is 5.", False, ""),
        (f"See {FIGURE}.", False, ""),
        ("Nothing here.", True, ""),
    ],
)
def test_what_a_sentence_says_of_the_figure(sentence: str, alone: bool, body: str) -> None:
    assert said(sentence, alone) == body


@pytest.mark.parametrize(
    ("body", "paragraph", "small"),
    [
        ("The rate is 5", "x", "the rate is 5"),
        ("Rate is 5", "the rate is", "rate is 5"),
        ("Rate is 5", "Rate was", "Rate is 5"),
        ("GPT wins", "we use GPT", "GPT wins"),
        ("Loss falls", "high-loss is", "Loss falls"),
    ],
)
def test_a_name_keeps_its_capital(body: str, paragraph: str, small: str) -> None:
    assert lowered(body, paragraph) == small


@pytest.mark.parametrize(
    ("body", "clauses"),
    [
        ("", []),
        ("\0the spread", ["\0the spread"]),
        ("the rate is 5, which is high", ["the rate is 5, which is high"]),
        ("the rate rises to 5 and the loss falls to 3", ["the rate rises to 5", "the loss falls to 3"]),
        ("the bowl is red and the cup is blue", ["the bowl is red and the cup is blue"]),
        ("the first and the second reach 10 and 20, respectively", ["the first reaches 10", "the second reaches 20"]),
        ("the first, the second, and the third are 1, 2 and 3 s at rest, respectively",
         ["the first is 1 at rest", "the second is 2 at rest", "the third is 3 s at rest"]),
        ("the first and the second have 1 and 2 layers, respectively",
         ["the first has 1 layers", "the second has 2 layers"]),
        ("the first and the second reach 1, respectively", ["the first and the second reach 1, respectively"]),
        ("the loss rises from 1 s in the beginning to 2 s at the end",
         ["the loss is 1 s in the beginning", "the loss is 2 s at the end"]),
        ("the losses drops from 5 at rest to 3 in flow", ["the losses are 5 at rest", "the losses are 3 in flow"]),
        ("the rate is 5 at 10 K, 6 at 20 K and 7 at 30 K",
         ["the rate is 5 at 10 K", "the rate is 6 at 20 K", "the rate is 7 at 30 K"]),
        ("the speed is 5 at 10 K and rises", ["the speed is 5 at 10 K and rises"]),
    ],
)  # fmt: skip
def test_a_body_is_cut_where_each_part_states_one_thing(body: str, clauses: list[str]) -> None:
    assert atomic(body) == clauses


def test_paragraphs_are_clauses_whatever_figure_they_speak_of() -> None:
    assert clauses_of(["This figure shows that the rate is 5."]) == ["this figure shows that the rate is 5"]
    both = [r"As Fig.~\ref{fig:a} shows, the rate is 5.", r"In Fig.~\ref{fig:b} we see that the loss is 3."]
    assert clauses_of(both, ["fig:a"]) == ["the rate is 5", "the loss is 3"]
    assert clauses_of([r"The speed is \\own. The loss is 3."]) == ["the loss is 3"]
    assert clauses_of(["The rate is 5. The loss is 3."]) == ["the rate is 5", "the loss is 3"]
