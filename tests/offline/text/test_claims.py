"""Claims out of citing sentences: what counts, what is cut apart, what stays silent."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_juicer_ext.offline.text.claims import CLAIM_LIMIT, figure_claims
from data_juicer_ext.offline.text.clauses import atomic
from data_juicer_ext.offline.text.sentences import FIGURE, OTHER, UNKNOWN, readable, sentences

LABELS = ["fig:glacier", "fig:glacier-b"]


def claims(*paragraphs: str) -> list[str]:
    return [claim.removeprefix("The figure shows that ") for claim in figure_claims(paragraphs, LABELS)]


@pytest.mark.parametrize(
    "sentence",
    [
        r"As Figure~\ref{fig:glacier} shows, the melt rate is 4.2 m in July.",
        r"Figure~\ref{fig:glacier} shows that the melt rate is 4.2\,m in July.",
        r"In Fig.~\ref{fig:glacier}, the melt rate is 4.2~m in July.",
        r"The melt rate is 4.2 m in July (Fig.~\ref{fig:glacier}).",
        r"The melt rate is 4.2 m in July, as shown in \autoref{fig:glacier}.",
        r"As can be seen in \Cref{fig:glacier-b}, the melt rate is 4.2 m in July.",
        r"We can see from Figure~\ref{fig:glacier}(b) that the melt rate is $4.2$ m in July.",
        r"It is clear from \myfig{fig:glacier} that the melt rate is 4.2 m in July.",
        r"The melt rate is 4.2 m in July, see \hyperref[fig:glacier]{the figure}.",
        r"Notably, the melt rate is \SI{4.2}{\meter} in July (\cref{fig:glacier,fig:glacier-b}).",
        r"The gauge is new (Table~\ref{tab:gauge}). In Fig.~\ref{fig:glacier}, the melt rate is 4.2 m in July.",
    ],
)
def test_every_way_to_refer_gives_the_same_claim(sentence: str) -> None:
    assert claims(sentence) == ["the melt rate is 4.2 m in July."]


@pytest.mark.parametrize(
    "sentence",
    [
        r"The melt rate is 4.2 m in July.",
        r"Figure~\ref{fig:other} shows that the melt rate is 4.2 m in July.",
        r"Figures~\ref{fig:glacier} and~\ref{fig:other} show that the melt rate is 4.2 m in July.",
        r"\cref{fig:glacier,fig:other} shows that the melt rate is 4.2 m in July.",
        r"The apparatus is described in Figure~\ref{fig:glacier}.",
        r"As Figure~\ref{fig:glacier} shows, the melt rate lies between \meltlow{} and \melthigh.",
    ],
)
def test_no_claim_from_other_figures_announcements_and_unknown_values(sentence: str) -> None:
    assert figure_claims([sentence], LABELS) == []


def test_only_sentences_that_refer_to_the_figure_count() -> None:
    text = r"Ice is cold. As Fig.~\ref{fig:glacier} shows, the melt rate is 4.2 m in July. The snow is 3 m deep."
    assert claims(text) == ["the melt rate is 4.2 m in July."]


def test_this_figure_counts_where_no_other_is_near() -> None:
    alone = r"We turn to Figure~\ref{fig:glacier}. This figure shows that the melt rate is 4.2 m in July."
    beside = r"Compare Table~\ref{tab:x} with Figure~\ref{fig:glacier}. This figure shows that the rate is 4 m."
    assert claims(alone) == ["the melt rate is 4.2 m in July."]
    assert claims(beside) == []


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ("the melt rate is 4.2 m in July, while the flow is 0.3 m in July",
         ["the melt rate is 4.2 m in July", "the flow is 0.3 m in July"]),
        ("Aletsch, Rhone and Gorner reach 4.2 m, 3.1 m and 2.9 m, respectively",
         ["Aletsch reaches 4.2 m", "Rhone reaches 3.1 m", "Gorner reaches 2.9 m"]),
        ("the flow rises from 0.1 m at 1800 m to 0.4 m at 2600 m",
         ["the flow is 0.1 m at 1800 m", "the flow is 0.4 m at 2600 m"]),
        ("the depth is 12 m at Rhone, 15 m at Gorner and 9 m at Trift",
         ["the depth is 12 m at Rhone", "the depth is 15 m at Gorner", "the depth is 9 m at Trift"]),
    ],
)  # fmt: skip
def test_conjunctions_of_numbers_are_cut_apart(body: str, parts: list[str]) -> None:
    assert atomic(body) == parts


@pytest.mark.parametrize(
    "body",
    [
        "the flow and the melt rate are alike",
        "Rhone and Gorner reach 4.2 m, 3.1 m and 2.9 m, respectively",
        "the ice is old and blue",
        "the melt rate is 4.2 m in July and it is a record",
    ],
)
def test_unsafe_conjunctions_stay_whole(body: str) -> None:
    assert atomic(body) == [body]


def test_a_name_keeps_its_capital_and_a_common_word_does_not() -> None:
    text = r"Gorner has 3 lakes (\ref{fig:glacier}). Runoff is 3 m in May (\ref{fig:glacier}), and runoff falls."
    assert claims(text) == ["Gorner has 3 lakes.", "runoff is 3 m in May, and runoff falls."]


def test_at_most_so_many_claims() -> None:
    many = [rf"The depth is {number} m at Rhone (\ref{{fig:glacier}})." for number in range(90)]
    assert len(figure_claims(many, LABELS)) == CLAIM_LIMIT


def test_readable_marks_references_and_units() -> None:
    latex = r"In Fig.~\ref{a} and Table~\ref{b}, \qty{3}{\micro\gram} at $20\,^\circ$C, \ours wins~\cite{x}."
    text = readable(latex, ["a"])
    assert text == f"In {FIGURE} and {OTHER}, 3 µg at 20°C, {UNKNOWN} wins."


def test_plain_text_keeps_its_percent_signs() -> None:
    assert readable("The yield is 83% and 12\\% here.") == "The yield is 83% and 12% here."


def test_sentences_survive_abbreviations_and_units() -> None:
    text = "We use e.g. Fig. 3 here. The salt is 30 g/L. These are few, cf. Smith et al. 2020. A. Smith left."
    assert sentences(text) == [
        "We use e.g. Fig. 3 here.", "The salt is 30 g/L.", "These are few, cf. Smith et al. 2020.", "A. Smith left.",
    ]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=r"\{}$%_^~ref:fig.,;()and is123the[]" + "\n", max_size=300))
def test_broken_tex_never_raises(text: str) -> None:
    for claim in figure_claims([text, rf"{text} \ref{{fig:glacier}}"], LABELS):
        assert claim.startswith("The figure shows ")


def test_hostile_tex_is_read_in_bounds() -> None:
    hostile = ["{" * 50_000, r"\textbf{" * 20_000, "$" * 50_001, "a is 1 and " * 5_000, r"\ref{fig:glacier}, " * 3_000]
    for text in hostile:
        assert len(figure_claims([text], LABELS)) <= CLAIM_LIMIT
