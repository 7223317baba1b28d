"""The forms in which an answer names options: letters, lists of letters, an option's own text."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_WRAPPERS = (
    ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("**", "**"), ("__", "__"), ("*", "*"),
    ("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("[", "]"), ("(", ")"), ("{", "}"), ("<", ">"),
)  # fmt: skip
_COMMAND = re.compile(r"\\(?:boxed|fbox|text|textbf|textit|mathrm|mathbf|mathit|mathsf|bm|emph|rm|bf)\b\s?")
_WORDS = frozenset(
    ("option", "options", "choice", "choices", "answer", "answers", "letter", "letters", "both", "either", "and", "or")
)
_SEPARATOR = re.compile(
    r"[*_`\"')\]]{0,4}\s{0,3}(?:,\s{0,3}(?:and\b|or\b|&)?|;|/|&|\+|\||\band/or\b|\band\b|\bor\b)\s{0,3}"
    r"(?:(?:both|option|choice|also)\s{1,3})?", re.I,
)  # fmt: skip
_LETTER = re.compile(r"(?:[\s*_`\"'“‘([{$]|\\[a-zA-Z]{2,12}\{|\\[(\[]){0,10}([A-Za-z])(?![A-Za-z0-9_\\^{]|['’][a-z])")
# What may follow the letter of an answer. A word may only if it cannot follow the article "a".
_AFTER = re.compile(
    r"\s*\Z|[*_`\"”’)\]}$»]{0,8}(?:\s*\Z|[ \t]{0,3}(?:[,;:!)\]}|/&+<\n]|\.(?=[\s*_`\"”’)\]}$<]|\Z)|[–—]|-\s|\())"
    r"|[*_`\"”’)\]}$»]{0,8}\s{1,3}(?:because|since|as|due|based|given|and|or|but|with|which|in|from|according"
    r"|where|when|while|whereas|rather|instead|over)\b(?!\s{1,3}(?:function|of)\b)"
)
_CONDITIONAL = re.compile(r"[\s,]{0,4}(?:only\s)?(?:if|unless|assuming|provided\sthat|otherwise)\b|\s{0,2}\?", re.I)
_VERB_NEXT = re.compile(
    r"[*_`\"')\]]{0,4}\s{1,3}(?:is|are|was|were|has|have|looks?|seems?|does|do|can|could|would|may|might|also)\b", re.I
)  # fmt: skip


_LONG_WORD = re.compile(r"[^\W\d_]{4,}")


class NamedLetters(NamedTuple):
    """Letters in the order they are named, upper case, and the span they were read from."""

    letters: tuple[str, ...]
    start: int
    end: int


def key(text: str, fold: bool = True) -> str:
    """`text` for comparison: case, spacing, markup, quotes, closing punctuation and a leading article go.

    Without `fold` the case of short words stays: mW is not MW, and x need not be X.
    """
    plain = unicodedata.normalize("NFKC", _COMMAND.sub("", text)).replace("−", "-")
    folded = plain.casefold() if fold else _LONG_WORD.sub(lambda word: word.group().casefold(), plain)
    bare = re.sub(r"[\s$*_`\"'“”‘’{}\\]+", " ", folded).strip(" .,;:!")
    return re.sub(r"\A(?:the|a|an) (?=.)", "", bare).replace(" ", "")


_option_key = lru_cache(maxsize=512)(key)


def matching(text: str, options: Sequence[str]) -> tuple[str, ...]:
    """The letters of the options whose text equals `text` (by `key`)."""
    wanted = key(text)
    return tuple(chr(65 + i) for i, option in enumerate(options) if wanted and _option_key(option) == wanted)


def unwrap(text: str, start: int, end: int) -> tuple[int, int]:
    """The span inside `text[start:end]` without blanks, Markdown, quotes, math and \\boxed{} around it."""
    for _ in range(8):
        before = (start, end)
        while start < end and text[start].isspace():
            start += 1
        end = start + len(text[start:end].rstrip(".:,;!✓✔✅ \t\n\r") or text[start:end].rstrip())
        start = start + 1 if text[start:end].startswith((":", "=", "-", "#")) and end - start > 1 else start
        for left, right in _WRAPPERS:
            inner = text[start + len(left) : end - len(right)]
            if text.startswith(left, start, end) and text.endswith(right, start, end) and inner and left not in inner:
                start, end = start + len(left), end - len(right)
        command = _COMMAND.match(text, start, end)
        start = command.end() if command else start
        if (start, end) == before:
            break
    return start, end


def letters_only(text: str, count: int) -> tuple[str, ...] | None:
    """The letters of a `text` that consists of nothing but letters of options and what joins them.

    "B", "(b)", "Option C", "A, C", "both A and D". None if anything else stands in it or a letter is
    beyond `count` options.
    """
    if len(text) > 200:
        return None
    tokens = re.findall(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]", text)
    names = [token for token in tokens if _ascii_letters(token) and token.lower() not in _WORDS]
    rest = [token for token in tokens if not _ascii_letters(token)]
    if not names or any(len(name) > 1 for name in names) or any(mark not in ",;/&+|()[]*_'\"`.:" for mark in rest):
        return None
    if not (all(map(str.isupper, names)) or all(map(str.islower, names))):
        return None
    letters = tuple(dict.fromkeys(name.upper() for name in names))
    return letters if all(ord(letter) - 65 < count for letter in letters) else None


def _ascii_letters(token: str) -> bool:
    return token.isascii() and token.isalpha()


def joined_letters(text: str, count: int) -> tuple[str, ...] | None:
    """The letters of "ACD": upper case, rising, at least two, all within `count` options."""
    rising = len(text) > 1 and all(a < b for a, b in pairwise(text))
    return tuple(text) if rising and all("A" <= letter < chr(65 + count) for letter in text) else None


def letters_at(text: str, position: int, count: int, end: int | None = None) -> NamedLetters | None:
    """The letter or list of letters that begins at `position` (markup before it allowed), or None.

    A letter counts only where it cannot be a word or a name: what follows it must end it ("B.", "B)",
    "B because"). Lower-case letters must be closed by a mark or the end.
    """
    end = len(text) if end is None else end
    found: list[str] = []
    first, last = position, position
    while len(found) < 30:
        match = _LETTER.match(text, position, end)
        if match is None or not _closed(text, match, end, count) or (found and _VERB_NEXT.match(text, match.end())):
            break
        first = first if found else match.start(1)
        found.append(match.group(1).upper())
        last = match.end(1)
        separator = _SEPARATOR.match(text, last, end)
        if separator is None:
            break
        position = separator.end()
    if not found or _CONDITIONAL.match(text, last):
        return None
    return NamedLetters(tuple(dict.fromkeys(found)), first, last)


def _closed(text: str, match: re.Match[str], end: int, count: int) -> bool:
    letter = match.group(1)
    if ord(letter.upper()) - 65 >= count:
        return False
    after = _AFTER.match(text, match.end(1), end)
    return after is not None and (letter.isupper() or not re.match(r"\s{1,3}\w", text[match.end(1) : match.end(1) + 8]))


# "B. The line drops": a sentence after the letter, unless others are listed in the same way. A name ("A. Smith",
# "C. elegans") begins otherwise.
_EXPLAINS = re.compile(
    r"[*_]{0,3}(?:\.|:|\s[–—-])[*_]{0,3}\s{1,3}(?:The|This|It|In|As|From|According|Looking|For|At|There|When|We|I|Based|Given"
    r"|Here|Both|While|Although)\b"
)
_LISTED = re.compile(r"(?:^|[\s(*])[A-Za-z](?:[.:)]|\s[–—-])[*_]{0,3}\s", re.M)
_REASON = re.compile(
    r"[\s,;:.*_)\]–—-]{0,8}(?:because|since|due\sto|based\son|given\s(?:that|the)|the\sreason|reason(?:ing)?\s?:"
    r"|explanation|rationale|\(?confidence|this\sis\s(?:because|the\s(?:correct|right|best)))\b",
    re.I,
)


def lead(text: str, start: int, end: int, options: Sequence[str], strict: bool) -> tuple[str, ...] | None:
    """The letters that `text[start:end]` begins with, as in "B. its text", "C, since ...", "(b) text".

    None if it begins with no letter of an option, () if letter and text contradict each other. With
    `strict` what follows must be the option's own text or a reason: "C. elegans grows" begins with no
    letter, "(a) shows the first panel" neither.
    """
    prefix = re.compile(r"(?:the\s)?(?:option|choice|answer|letter)s?[\s:]{1,3}", re.I).match(text, start, end)
    found = letters_at(text, prefix.end() if prefix else start, len(options), end)
    if found is None:
        return None
    rest = text[found.end : end]
    if len(found.letters) > 1:
        return found.letters if not strict or _REASON.match(rest) else None
    said = rest.lstrip(" \t*_`\"'”)]}$.,:;–—-(").removesuffix(")")
    fits = [i for i, option in enumerate(options) if begins_with(said, option)]
    own = ord(found.letters[0]) - 65
    if own not in fits and any(key(options[i]) == key(said) for i in fits):
        return ()
    if not strict or own in fits or _REASON.match(rest) or not said:
        return found.letters
    explains = _EXPLAINS.match(rest) and not _LISTED.search(text, found.end + 3)
    return found.letters if explains or _resembles(said, own, options) else None


def _tokens(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", _COMMAND.sub("", text)).casefold()
    return re.findall(r"[^\W_]+(?:\.\d+)?|[^\w\s$*`\"'“”‘’{}\\.,;:()]", folded)


def begins_with(said: str, option: str) -> bool:
    """Whether `said` begins with the option's words, all of them."""
    words = _tokens(option)
    return bool(words) and _tokens(said[: 4 * len(option) + 100])[: len(words)] == words


def _resembles(said: str, own: int, options: Sequence[str]) -> bool:
    """Whether the first line of `said` shares most words with its own option and with no other as many."""
    words = set(_tokens(said.split("\n", 1)[0][:1000]))
    shares = [len(words & set(_tokens(option))) / max(1, len(set(_tokens(option)))) for option in options]
    return shares[own] >= 0.7 and shares.count(max(shares)) == 1 and shares[own] == max(shares)
