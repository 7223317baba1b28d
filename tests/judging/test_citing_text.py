from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.judging.citing_text import Passage, Snippet, context_set, kind_of, snippets, window, written_out


def place(paragraph: str, section: str = "Results") -> dict[str, str]:
    return {"paragraph": paragraph, "section": section, "place": "page 3"}


TREND = "Our method outperforms the baseline on all five tasks, as Figure 3 shows."
PLAIN = "Figure 3 depicts encoder blocks, decoder stacks and attention heads joined by arrows."
BARE = "The architecture of our model is shown in Figure 3."


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("see Figure 3", "bare"),
        ("(see Fig. 3 for details)", "bare"),
        (BARE, "bare"),
        ("Results are given in Figures 2 and 3.", "bare"),
        (PLAIN, "plain"),
        (TREND, "trend"),
        ("Accuracy rises with the number of layers (Fig. 3).", "trend"),
        ("The error in Figure 3 is lower for small batches.", "trend"),
    ],
)
def test_kinds_of_sentences(sentence: str, kind: str) -> None:
    assert kind_of(sentence) == kind


def test_a_pointer_weighs_less_than_a_statement_and_that_less_than_a_trend() -> None:
    found = {passage.text: passage.weight for passage in context_set([place(BARE), place(PLAIN), place(TREND)], "3")}
    assert found[BARE] < found[PLAIN] < found[TREND]


def test_trend_language_counts_where_it_is_about_the_figure() -> None:
    far = "Sales rose in 2009. They had been counted twice. " + "Nothing else is known. " * 3 + "See Figure 3."
    near = "Figure 3 shows the sales. They rise until 2009 and fall afterwards."
    assert [passage.kind for passage in context_set([place(far), place(near)], "3")] == ["bare", "trend"]


def test_paragraphs_of_a_section_stand_together_and_none_crosses_its_border() -> None:
    places = [place(TREND, "Results"), place(BARE, "Method"), place(PLAIN, "Results")]
    assert [passage.section for passage in context_set(places, "3")] == ["Results", "Results", "Method"]


def test_blocks_under_twenty_characters_are_ignored_and_merged_ones_count() -> None:
    assert context_set([place("see Figure 3.")], "3") == []
    assert len(context_set([place("x" * 19)])) == 0 and len(context_set([place("x" * 20)])) == 1
    merged = context_set([place("see Figure 3."), place("Cf. Figure 3 too.")], "3")
    assert [passage.text for passage in merged] == ["see Figure 3.", "Cf. Figure 3 too."]
    assert context_set([place("see Figure 3.", "A"), place("Cf. Figure 3 too.", "B")], "3") == []


def test_the_set_is_capped_in_tokens_and_the_heaviest_stay() -> None:
    places = [place(f"{BARE} {'word ' * 40}", str(n)) for n in range(5)] + [place(TREND, "Last")]
    capped = context_set(places, "3", max_tokens=60)
    assert sum(len(passage.text) for passage in capped) <= 240
    assert TREND in [passage.text for passage in capped]
    assert len(context_set(places, "3", max_tokens=10_000)) == 6


def test_a_paragraph_that_is_said_twice_counts_once() -> None:
    assert len(context_set([place(TREND), place(TREND + " ")], "3")) == 1


def test_no_paragraph_no_context() -> None:
    assert context_set([]) == [] and snippets([]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"see Fig.~\ref{fig:a}", "see Fig. 3"),
        (r"\autoref{fig:a} and \cref{fig:b}", r"Figure 3 and \cref{fig:b}"),
        (r"panels \subref{fig:a1}", "panels 3"),
        (r"\Cref{fig:a, fig:a1}", "Figure 3"),
        (r"\ref{fig:a,fig:b}", r"\ref{fig:a,fig:b}"),
        ("A ~ B", "A ~ B"),
    ],
)
def test_references_are_written_out(text: str, expected: str) -> None:
    assert written_out(text, "3", ["fig:a", "fig:a1"]) == expected


def test_a_figure_without_number_is_this_figure() -> None:
    [passage] = context_set([place(r"As \ref{fig:a} shows, heat rises with load.")], "", ["fig:a"])
    assert passage.text.startswith("As this figure shows") and passage.kind == "trend"


def test_two_snippets_of_500_characters_the_heaviest_first() -> None:
    long = "Filler sentence number one stands here. " * 30 + TREND + " More words follow after it. " * 30
    made = snippets(context_set([place(BARE, "Method"), place(long, "Results"), place(PLAIN, "Intro")], "3", (), 5000))
    assert [snippet.section for snippet in made] == ["Results", "Intro"]
    assert all(len(snippet.text) <= 500 for snippet in made)
    assert TREND in made[0].text and made[0].text.startswith("… ") and made[0].text.endswith(" …")


def test_a_snippet_takes_in_others_of_its_section_in_their_order() -> None:
    made = snippets(context_set([place(BARE), place(TREND), place(PLAIN, "Intro")], "3"))
    assert made == [Snippet("Results", f"{BARE} {TREND}", "trend"), Snippet("Intro", PLAIN, "plain")]


@given(st.lists(st.tuples(st.text(max_size=700), st.sampled_from(["A", "B", ""])), max_size=6), st.integers(1, 3))
def test_no_text_breaks_the_limits(texts: list[tuple[str, str]], count: int) -> None:
    passages = context_set([place(text, section) for text, section in texts], "3", max_tokens=200)
    assert sum(len(passage.text) for passage in passages) <= 800
    made = snippets(passages, count)
    assert len(made) <= count and all(0 < len(snippet.text) <= 500 for snippet in made)


@given(st.text(max_size=300), st.integers(0, 300), st.integers(20, 120))
def test_a_window_is_never_longer_than_asked(text: str, anchor: int, characters: int) -> None:
    assert len(window(text, min(anchor, len(text)), characters)) <= characters


@pytest.mark.parametrize("piece", ["a", "a ", "Fig. 3 ", r"\ref{", r"\ref{a} ", "e.g. ", "$x"])
def test_long_text_takes_no_long_time(piece: str) -> None:
    assert context_set([place(piece * (60_000 // len(piece)))], "3", ["a"])[0].text


def test_weights_are_by_kind() -> None:
    assert Passage("x", "", "bare", 0, 0).weight == 0.25
