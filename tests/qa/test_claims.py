from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.qa.claims import parse_claims, trace_claim

ONE, TWO = "The figure shows that A rises.", "The figure shows that B falls by 2.5 K."


@pytest.mark.parametrize(
    "text",
    [
        f"<Patterns>1. {ONE}\n2. {TWO}</Patterns>",
        f"<Patterns>\n1. {ONE}\n2. {TWO}\n</Patterns>",
        f"<patterns>\n1) {ONE}\n2) {TWO}\n</patterns>",
        f"<Patterns>\n- {ONE}\n- {TWO}\n</Patterns>",
        f"<Patterns>\n* {ONE}\n\n* {TWO}\n</Patterns>",
        f"<Patterns>\n• {ONE}\n• {TWO}\n</Patterns>",
        f"<Patterns>\n1. **{ONE}**\n2. **{TWO}**\n</Patterns>",
        f"<Patterns>\n**1.** {ONE}\n**2.** {TWO}\n</Patterns>",
        f"<Patterns>\n(none missing)\n1. {ONE}\n2. {TWO}\n</Patterns>",
        f"<Patterns>\n1. {ONE}\n2. {TWO}",
        f"<Patterns>\n```\n1. {ONE}\n2. {TWO}\n```\n</Patterns>",
        f"```xml\n<Patterns>\n1. {ONE}\n2. {TWO}\n</Patterns>\n```",
        f"<Patterns>1. {ONE} 2. {TWO}</Patterns>",
        "<Patterns>\n1. The figure shows\n   that A rises.\n2. The figure shows that B\nfalls by 2.5 K.\n</Patterns>",
        f"<Patterns>\n1. {ONE}\n2. {TWO}\n3. the figure shows that a rises\n</Patterns>",
        f"<Patterns>\n{ONE}\n{TWO}\n</Patterns>",
        f"Here they are:\n\n<Patterns>\n1. {ONE}\n2. {TWO}\n</Patterns>\n\nThese are all.",
        f"<think><Patterns>1. The figure shows nonsense.</Patterns></think><Patterns>1. {ONE}\n2. {TWO}</Patterns>",
        f"<Patterns>1. {ONE}\r\n2. {TWO}\r\n</Patterns>",
        f"1. {ONE}\n2. {TWO}",
        f"<Patterns>\n1. {ONE}\n2. {TWO}\n3. None\n4. The figure shows ...\n</Patterns>",
    ],
    ids=repr,
)
def test_lists_as_models_write_them(text: str) -> None:
    parse = parse_claims(text)
    assert (parse.kind, parse.claims) == ("claims", (ONE, TWO))


def test_points_under_a_numbered_item_belong_to_it() -> None:
    parse = parse_claims("<Patterns>\n1. The figure shows two phases:\n   - solid\n   - liquid\n</Patterns>")
    assert parse.claims == ("The figure shows two phases: solid liquid",)


@pytest.mark.parametrize(
    "text",
    ["<Patterns>None</Patterns>", "<Patterns>\nNone.\n</Patterns>", "None", "**None**", "<Patterns>1. None</Patterns>",
     "<Patterns>none", "<Patterns>N/A</Patterns>", "```\n<Patterns>None</Patterns>\n```"],
    ids=repr,
)  # fmt: skip
def test_none(text: str) -> None:
    assert parse_claims(text).kind == "none"


@pytest.mark.parametrize("text", ["", "  ", "<Patterns></Patterns>", "I cannot help with that.", "<think>1. The"])
def test_unparsable_answers_say_what_is_wrong(text: str) -> None:
    parse = parse_claims(text)
    assert (parse.kind, parse.claims) == ("unparsable", ())
    assert parse.problem


@given(st.text(max_size=200))
def test_any_text_is_parsed(text: str) -> None:
    for answer in (text, f"<Patterns>{text}</Patterns>"):
        parse = parse_claims(answer)
        assert (parse.kind == "claims") == bool(parse.claims)
        assert all("\n" not in claim and claim.strip() == claim != "" for claim in parse.claims)


PARAGRAPHS = (
    r"Rates matter a lot here. The melting rate doubles above 300 K (Fig.~\ref{fig:melt}), as expected. "
    r"The melting rate was also modelled.",
    r"Fig. \ref{fig:other} is about freezing. Growth stops at 250 K, see \cref{fig:melt,fig:other}.",
)


@pytest.mark.parametrize(
    ("claim", "paragraph", "begins"),
    [
        ("The figure shows that the melting rate doubles above 300 K.", 0, "The melting rate doubles"),
        ("The figure shows that growth stops at 250 K.", 1, "Growth stops"),
        ("The figure shows the melting rate.", 0, "The melting rate doubles"),
    ],
)
def test_a_claim_is_traced_to_its_sentence(claim: str, paragraph: int, begins: str) -> None:
    source = trace_claim(claim, PARAGRAPHS, ["fig:melt"])
    assert source is not None
    assert source.paragraph == paragraph and source.sentence.startswith(begins)
    assert PARAGRAPHS[paragraph][source.start :].startswith(source.sentence)


@pytest.mark.parametrize("claim", ["The figure shows nothing of the kind.", "The figure shows", ""])
def test_a_claim_from_nowhere_has_no_source(claim: str) -> None:
    assert trace_claim(claim, PARAGRAPHS, ["fig:melt"]) is None
    assert trace_claim("The figure shows melting.", [], []) is None


@pytest.mark.parametrize(
    "piece", ["1. ", "- ", "<Patterns>", "The figure ", "**", " ", "1. The figure ", "\n", "```\n"]
)
def test_long_hostile_answers_end(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert parse_claims(f"<Patterns>{text}").kind in ("claims", "none", "unparsable")
    trace_claim(text[:20_000], [text], ["1."])


def test_a_claim_in_other_words_comes_from_the_only_sentence_that_names_the_figure() -> None:
    paragraphs = ["We trained it twice. As Fig.~\\ref{fig:a} shows, losses fall.", "Nothing here."]
    found = trace_claim("The figure shows that error declines.", paragraphs, ["fig:a"])
    assert found is not None and found.sentence.startswith("As Fig.") and found.paragraph == 0
    twice = [*paragraphs, "See \\ref{fig:a} again."]
    assert trace_claim("The figure shows that error declines.", twice, ["fig:a"]) is None
