"""Claims about a figure, read from the sentences that refer to it."""

from collections.abc import Collection, Iterable

from data_juicer_ext.offline.text.clauses import atomic, lowered, said
from data_juicer_ext.offline.text.sentences import OTHER, readable, sentences

CLAIM_LIMIT = 40  # claims of one figure


def figure_claims(paragraphs: Iterable[str], labels: Collection[str]) -> list[str]:
    """The claims that LaTeX `paragraphs` make about the figure with `labels`, in order, at most 40.

    Only sentences count that refer to the figure and to no other, or that say "this figure" in a
    paragraph that refers to no other. Each claim reads "The figure shows that ...".
    """
    claims: dict[str, None] = {}
    for paragraph in paragraphs:
        text = readable(paragraph, labels)
        for sentence in sentences(text):
            body = said(sentence, OTHER not in text)
            for clause in atomic(lowered(body, text)):
                claims.setdefault(f"The figure shows {_joined(clause)}.", None)
    return list(claims)[:CLAIM_LIMIT]


def _joined(clause: str) -> str:
    """`that` and the clause, or the bare noun phrase where the sentence gave no clause."""
    return clause[1:] if clause.startswith("\0") else f"that {clause}"
