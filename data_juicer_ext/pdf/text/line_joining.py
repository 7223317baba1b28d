"""Lines joined to running text: words that a line's end divided are whole again."""

import re
from collections.abc import Iterable, Sequence

from data_juicer_ext.rows import scrub

_DIVIDED = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)[-\u00ad\u2010]\Z")
_FIRST = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_LONGEST = 60  # letters of a word
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
        parts: list[str] = []
        for line in lines:
            if parts and line.strip():
                parts[-1] = self._end(parts[-1], line.strip())
            parts.append(line.strip())
        return " ".join(scrub("".join(parts)).split())

    def _end(self, text: str, line: str) -> str:
        """`text` as it stands before the line that follows: with a space, or without the hyphen that divides a word."""
        divided, first = _DIVIDED.search(text[-_LONGEST:]), _FIRST.match(line)
        if divided is None or first is None:
            return text + " "
        return text if self._keeps_hyphen(divided[1], first[0]) else text[:-1]

    def _keeps_hyphen(self, before: str, after: str) -> bool:
        """Whether the hyphen is the word's own ("well-known"), going by what the document has elsewhere."""
        whole, hyphened = (before + after).lower(), f"{before}-{after}".lower()
        if (whole in self._known) != (hyphened in self._known):
            return hyphened in self._known
        return after[0].isupper() or before.isupper()
