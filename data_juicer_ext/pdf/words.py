"""Lines joined to running text: words that a line's end divided are whole again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from data_juicer_ext.rows import scrub

_DIVIDED = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)[-\u00ad\u2010]\Z")
_FIRST = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_HYPHENS = ("-", "\u00ad", "\u2010")


class Words:
    """The words of a document, as far as no line's end divides them."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._known: set[str] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Learn the words of a line; its last one may be half a word."""
        found = _WORD.findall(text.lower())
        self._known.update(found[:-1] if text.rstrip().endswith(_HYPHENS) else found)

    def join(self, lines: Sequence[str]) -> str:
        """Lines as one text, scrubbed, on one line."""
        text = ""
        for line in lines:
            text = self._put(text, line.strip())
        return " ".join(scrub(text).split())

    def _put(self, text: str, line: str) -> str:
        divided, first = _DIVIDED.search(text), _FIRST.match(line)
        if not text or not line:
            return text or line
        if divided is None or first is None:
            return text + (" " if not text.endswith("\u00ad") else "") + line
        if self._keeps_hyphen(divided[1], first[0]):
            return text + line
        return text[:-1] + line

    def _keeps_hyphen(self, before: str, after: str) -> bool:
        """Whether the hyphen is the word's own ("well-known"), going by what the document has elsewhere."""
        whole, hyphened = (before + after).lower(), f"{before}-{after}".lower()
        if (whole in self._known) != (hyphened in self._known):
            return hyphened in self._known
        return after[0].isupper() or before.isupper()
