"""Names of things in a text, and which of them could stand in for one another."""

import re
from collections.abc import Iterable, Sequence

from data_juicer_ext.offline.text.sentences import FIGURE, OTHER, sentences, words
from data_juicer_ext.offline.text.statements import AxisStatement, Extreme, Value, statement
from data_juicer_ext.offline.text.statements import Sequence as Step

_NAME = re.compile(
    r"(?<![\w-])(?!The |In |As |At |On |For |We |It |This |These |Both |All |Its |With |After |Here )"
    r"(?:[A-Z][\w-]*|[a-z]+[A-Z][\w-]*|[A-Za-z]+-?\d[\w-]*)(?: (?:[A-Z][\w-]*|\d+[a-z]?\b))*"
)
_ITEM = r"[\w-]{1,40}(?: [\w-]{1,40}){0,2}"
_LISTED = re.compile(rf"(?<![\w-])((?:{_ITEM}, ){{1,8}}(?:{_ITEM},? )?(?:and|or) {_ITEM})")
_ARTICLE = re.compile(r"^(?:the|an?|our|its) ", re.I)


def bare(name: str) -> str:
    """`name` without its article."""
    return _ARTICLE.sub("", name.strip())


def names(texts: Iterable[str]) -> list[str]:
    """Capitalised names inside the sentences of `texts`, in order, each once."""
    found: dict[str, None] = {}
    for text in texts:
        for sentence in sentences(text):
            for match in _NAME.finditer(sentence):
                name = match.group(0)
                if name in (FIGURE, OTHER) or (match.start() == 0 and not _sure(name)):
                    continue
                found.setdefault(name, None)
    return list(found)


def _sure(name: str) -> bool:
    """Whether a word at the start of a sentence is a name whatever its capital."""
    return bool(re.search(r"\d|[a-z][A-Z]|[A-Z]{2}| ", name))


def alternatives(right: str, clauses: Sequence[str], texts: list[str]) -> list[str]:
    """Things that `right` could be mistaken for, the likeliest first, with `right`'s article.

    They come from the list that names `right`, from phrases with the same last word, from the
    subjects of other statements, and, if `right` is a name, from the other names of the texts.
    """
    target = bare(right)
    article = right[: len(right) - len(target)]
    pool = [*_same_list(target, texts), *_same_head(target, texts), *_subjects(clauses)]
    if target[:1].isupper():
        stated = [clause for clause in clauses if statement(clause)]
        pool = [name for name in (*pool, *names(stated), *names(texts)) if name[:1].isupper() or _sure(name.split()[0])]
    chosen: dict[str, str] = {}
    for name in pool:
        if _distinct(name, target, chosen):
            chosen[name.lower()] = f"{article}{name}"
    return list(chosen.values())


def _distinct(name: str, target: str, chosen: dict[str, str]) -> bool:
    """Whether a name is no part of the target or of another one, nor one of these a part of it."""
    name = name.lower()
    return 2 <= len(name) <= 60 and not any(name in other or other in name for other in (target.lower(), *chosen))


def _same_list(target: str, texts: Iterable[str]) -> list[str]:
    found = []
    for text in texts:
        for match in _LISTED.finditer(text):
            parts = [bare(part) for part in re.split(r",? (?:and|or) |, ", match.group(1))]
            trimmed = [part for part in (_trim(part, target) for part in parts) if part]
            if target.lower() in (part.lower() for part in trimmed):
                found += trimmed
    return found


def _trim(part: str, target: str) -> str:
    """The end of a list item that is as long as `target` is; names only where `target` is one."""
    tokens = part.split()
    if target[:1].isupper():
        while tokens and not tokens[0][:1].isupper():
            tokens = tokens[1:]
        while tokens and not (tokens[-1][:1].isupper() or tokens[-1][:1].isdigit()):
            tokens = tokens[:-1]
        return " ".join(tokens)
    return part if len(tokens) == len(target.split()) else ""


def _same_head(target: str, texts: Iterable[str]) -> list[str]:
    tokens = target.split()
    if len(tokens) < 2 or not tokens[-1].isalpha():
        return []
    phrase = re.compile(rf"(?:the|an?) ((?:[\w-]+ ){{{len(tokens) - 1}}}{re.escape(tokens[-1])})\b", re.I)
    return [match.group(1) for text in texts for match in phrase.finditer(text)]


def _subjects(clauses: Iterable[str]) -> list[str]:
    found: list[str] = []
    for clause in clauses:
        stated = statement(clause)
        if isinstance(stated, (Extreme, Step)):
            found += [stated.entity, stated.other]
        elif isinstance(stated, Value):
            found.append(stated.subject)
    return [bare(name) for name in found if name and len(words(name)) <= 5]


def axis_quantities(clauses: Iterable[str]) -> list[str]:
    """What the axes show, as far as `clauses` say."""
    return [stated.quantity for stated in map(statement, clauses) if isinstance(stated, AxisStatement)]
