"""Atomic claims about a figure: read from a model's answer, traced to the sentence they come from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from data_juicer_ext.qa.answer_tags import find_tags, without_thinking
from data_juicer_ext.qa.declined_answers import is_none
from data_juicer_ext.qa.sentences import split_sentences
from data_juicer_ext.rows import scrub

__all__ = ["ClaimParse", "ClaimSource", "parse_claims", "split_sentences", "trace_claim"]

_ITEM = re.compile(
    r"[ \t>]{0,8}[*_]{0,3}(?:(?P<number>\d{1,3})\s?[.):]|[-•‣–*+])[*_]{0,3}(?:[ \t]+|(?=[A-Z]))(?P<body>.*)\Z"
)
_INLINE = re.compile(r"(?<=\S)[ \t]+(?=[*_]{0,2}\d{1,3}[.)][*_]{0,2}[ \t]+(?:The[ \t]+)?(?:[Ff]igure|Fig\.|[Pp]anel))")
_LEAD_IN = re.compile(
    r"\A(?:the|this)?\s?fig(?:ure|\.)?\s?(?:\S{1,12}\s)?(?:shows?|illustrates?|indicates?)?(?:\sthat)?", re.I
)
_STOP = frozenset(
    re.findall(
        r"\S+",
        "the a an of in on at to for from by with and or is are was were be been that this these those it its as than "
        "figure fig figures figs show shows shown showing see we our which can has have had not but both each",
    )
)
_MIN_OVERLAP = 0.34
_LABEL_BONUS = 0.25


@dataclass(frozen=True)
class ClaimSource:
    """The sentence that a claim comes from: index of its paragraph, offset of the sentence within that."""

    sentence: str
    paragraph: int
    start: int


@dataclass(frozen=True)
class ClaimParse:
    """The claims of an answer; `problem` says, for a repair prompt, why it could not be parsed."""

    kind: Literal["claims", "none", "unparsable"]
    claims: tuple[str, ...]
    problem: str = ""


def parse_claims(text: str) -> ClaimParse:
    """Read the numbered list inside <Patterns>, or None.

    Tolerates a missing tag, bullets, "1)", bold, code fences and items over several lines; claims that
    say the same are given once.
    """
    visible = without_thinking(text)
    tags = [tag for tag in find_tags(visible, ("patterns",)) if tag.content(visible).strip()]
    content = tags[-1].content(visible) if tags else visible
    content = re.sub(r"^[ \t]*```\w{0,12}[ \t]*$", "", scrub(content), flags=re.M).strip()
    if is_none(content.strip("*`_ \n.")):
        return ClaimParse("none", ())
    if not content:
        return ClaimParse("unparsable", (), "the answer is empty")
    items = _items(content, bare_lines=bool(tags))
    claims = _distinct([item for item in items if not is_none(item)])
    if claims:
        return ClaimParse("claims", claims)
    if items and all(map(is_none, items)):
        return ClaimParse("none", ())
    return ClaimParse("unparsable", (), "there is no numbered list inside <Patterns>, and it is not None")


def _items(content: str, bare_lines: bool) -> list[str]:
    """The items of a list; without any list mark, with `bare_lines`, its paragraphs."""
    items, marked = list[list[str]](), False
    numbered = any((match := _ITEM.match(line)) and match.group("number") for line in content.split("\n"))
    for line in _INLINE.sub("\n", content).split("\n"):
        match = _ITEM.match(line)
        if match and (match.group("number") or not numbered):
            marked = True
            items.append([match.group("body")])
        elif match and items:
            items[-1].append(match.group("body"))
        elif line.strip() and items:
            items[-1].append(line)
    if not marked and bare_lines:
        items = [[line] for line in content.split("\n") if line.strip()]
    return [item for parts in items if (item := _plain(" ".join(parts)))]


def _plain(item: str) -> str:
    item = re.sub(r"\s*</?patterns>\s*|\*\*|__(?=\s|$)", " ", item, flags=re.I)
    return " ".join(item.split()).strip('`"“” ').strip()


def _distinct(items: Sequence[str]) -> tuple[str, ...]:
    """Items with something to say, the first of those that differ only in case and punctuation."""
    known = dict[str, str]()
    for item in items:
        if re.search(r"\w", _LEAD_IN.sub("", item)):
            known.setdefault(re.sub(r"[\W_]+", "", item.casefold()) or item, item)
    return tuple(known.values())


def trace_claim(claim: str, paragraphs: Sequence[str], labels: Sequence[str]) -> ClaimSource | None:
    """The sentence that `claim` comes from, or None where that can't be told.

    The share of the claim's content words that a sentence has, with a bonus for a sentence that names
    one of `labels`; the first of equals. Claims are drawn from sentences that name the figure: where
    no sentence shares enough words with the claim and only one names it, it is that one.
    """
    wanted = _words(claim)
    best: tuple[float, ClaimSource] | None = None
    naming: list[ClaimSource] = []
    for index, paragraph in enumerate(paragraphs):
        for start, sentence in split_sentences(paragraph):
            share = len(wanted & _words(sentence)) / len(wanted) if wanted else 0.0
            named = any(label and label in sentence for label in labels)
            source = ClaimSource(sentence, index, start)
            naming += [source] if named else []
            score = share + (_LABEL_BONUS if named else 0.0)
            if share >= _MIN_OVERLAP and (best is None or score > best[0]):
                best = (score, source)
    if best is None and len(naming) == 1:
        return naming[0]
    return best[1] if best else None


def _words(text: str) -> set[str]:
    """Content words, numbers and symbols' names, folded; plain plurals as their singular."""
    words = re.findall(r"[^\W_]+(?:\.\d+)?", re.sub(r"\\\w*ref\w{0,8}\*?\s?\{[^{}]{0,200}\}", " ", text).casefold())
    return {re.sub(r"(?<=\w{3})(?<!s)s\Z", "", word) for word in words} - _STOP
