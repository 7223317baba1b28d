from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.qa.sentences import split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        [r"Fig.~\ref{fig:a} shows a peak.", "It is narrow."],
        [r"As in Figs. \ref{a} and \ref{b}, e.g. at 3.5 K, it rises.", "Then it falls!"],
        ["Smith et al. report a drop.", "We do not."],
        ["It was seen by Smith et al.", "We see it too."],
        ["The width (cf. Sec. 3) is 0.5 nm.", r"See Eq.~(2)."],
        [r"We set $x = 1. Y$ and go on.", "Done."],
        [r"The slope is $k = 1.$", "It is steep."],
        [r"We have \[ a = b. \]", "Here $a$ is free."],
        [r"We have \begin{equation} a = b. \end{equation}", "Here $a$ is free."],
        [r"Prices are \$5. per unit in Fig. 2.", r"\emph{Both} rise."],
        [r"A note\footnote{It is long. Very long.} stands here.", "The end?"],
        ["It drops (see Fig. 3).", "(It is flat elsewhere.)", "“Why?”", "Nobody knows"],
        ["J. R. Smith drew Fig. 4.", "B. Jones did not."],
        ["Approx. 5 of them, i.e. half, etc. are red.", "Vol. 3 has more."],
        ["One paragraph", "Another after a blank line."],
        [r"Brace \{ open.", "$ Dollar open."],
        ["Values in Sec.$x$ rise.", "So it is."],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    joint = "\n\n" if not sentences[0].endswith((".", "?", "!", "$", "]", "}", ")")) else " "
    paragraph = joint.join(sentences)
    assert [sentence for _, sentence in split_sentences(paragraph)] == sentences


@given(st.text(alphabet="aB .!?$\\{}()[]\n~1'", max_size=120))
def test_offsets_hold_and_nothing_is_lost(paragraph: str) -> None:
    end = 0
    for start, sentence in split_sentences(paragraph):
        assert paragraph[start : start + len(sentence)] == sentence == sentence.strip()
        assert start >= end and not paragraph[end:start].strip()
        end = start + len(sentence)
    assert not paragraph[end:].strip()


@pytest.mark.parametrize(
    "piece", ["$", "{", "}", "\\[", ". ", "A. ", "Fig. ", "\\begin{a}", "e.g. ", "(", "\n\n", "a.", "$x.$ ", "\\", ".)"]
)
def test_long_hostile_paragraphs_end(piece: str) -> None:
    paragraph = piece * (100_000 // len(piece))
    assert sum(len(sentence) for _, sentence in split_sentences(paragraph)) <= len(paragraph)
