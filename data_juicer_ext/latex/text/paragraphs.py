"""The running text cut into paragraphs, floats left out, each with the heading it stands under."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from data_juicer_ext.latex.expand.flat_text import Flat
from data_juicer_ext.latex.expand.tex_buffer import Buffer

_HEADING = re.compile(
    r"\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?(?![A-Za-z@])\s*(?=[\[{])"
)
_BREAK = re.compile(
    r"\\(?:par(?![A-Za-z@])|(?:begin|end)\s*\{(?:abstract|document|appendices)\}"
    r"|(?:maketitle|figsetstart|figsetend|appendix|tableofcontents|newpage|clearpage|bibliography|printbibliography)(?![A-Za-z@])"
    r"|begin\s*\{thebibliography\})"
)
# Environments that are words of a paragraph, or no words at all; of all others only what is inside them is said.
_SAID = (
    r"equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|d?math|subequations|IEEEeqnarray|empheq|split"
    r"|linenomath|array|[A-Za-z]*matrix|cases|tabular[xy]?|tabbing|[A-Za-z]*[vV]erbatim|lstlisting|minted|alltt|code"
    r"|algorithm[A-Za-z]*|tikzpicture"
)
_SIZED = "multicols|adjustwidth|spacing|minipage|addmargin"
# What stands before the first word of a paragraph without being part of it.
_LEAD = re.compile(
    r"(?:\s|\\(?:noindent|indent|centering|bigskip|medskip|smallskip|FloatBarrier|begingroup|endgroup|leavevmode"
    r"|small|normalsize|linenumbers|justify|item|@(?:old)?maketitle)(?![A-Za-z@])"
    r"|\\(?:label|vspace\*?|hspace\*?|index|markboth|hypertarget|phantomsection|enlargethispage\*?|setlength"
    r"|thispagestyle|pagestyle|setcounter)\s*(?:\{[^{}]{0,200}\}){0,2}"
    rf"|\\begin\s*\{{(?:{_SIZED})\*?\}}(?:\[[^\]\n]{{0,200}}\]|\{{[^{{}}\n]{{0,60}}\}}){{0,3}}"
    rf"|\\begin\s*\{{(?!(?:{_SAID}|{_SIZED})\*?\}})@?[A-Za-z]{{1,30}}\*?\}}(?:\[[^\]]{{0,200}}\])?"
    r"|\\end\s*\{@?[A-Za-z]{1,30}\*?\}|\\twocolumn\s*\[\{?|\}\]?|~|\\\\(?:\[[^\]\n]{0,20}\])?)+"
)
_CUT = "\x00"
_AROUND = 5000


@dataclass(frozen=True)
class LatexParagraph:
    """A paragraph: its text without floats, the offset of its first word, and its heading (offsets)."""

    text: str
    at: int
    heading: tuple[int, int]


class Paragraphs:
    """Finds the paragraph around an offset of the live text."""

    def __init__(self, flat: Flat, buffer: Buffer, spans: Sequence[tuple[int, int]], separator: str) -> None:
        self._flat = flat
        self._spans = _merged(spans)
        self._build()
        breaks = [(0, 0), *self._headings(buffer)]
        breaks += [match.span() for match in _BREAK.finditer(self._body)]
        breaks += [match.span() for match in re.finditer(separator, self._body)]
        breaks.sort()
        self._starts = [start for start, _ in breaks]
        self._furthest = list(accumulate((end for _, end in breaks), max))  # where those up to each end

    def _build(self) -> None:
        """The text without floats; a mark stands for each, so that cutting one makes no blank line."""
        parts: list[str] = []
        self._body_starts: list[int] = []
        self._flat_starts: list[int] = []
        length = position = 0
        for start, end in (*self._spans, (len(self._flat.mask), len(self._flat.mask))):
            self._body_starts.append(length)
            self._flat_starts.append(position)
            piece = self._flat.mask[position:start] + _CUT
            parts.append(piece)
            length += len(piece)
            position = end
        self._body = "".join(parts)

    def _headings(self, buffer: Buffer) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        self._heading_spans: list[tuple[int, int, int]] = []
        for match in _HEADING.finditer(self._body):
            at = self.to_flat(match.end())
            bracket = buffer.bracket(at, 500)
            group = buffer.group(bracket[2] if bracket else at)
            if group is None or group[1] - group[0] > 2000:
                continue
            end = match.end() + (group[2] - at)
            found.append((match.start(), end))
            self._heading_spans.append((end, group[0], group[1]))
        self._heading_ends = [end for end, _, _ in self._heading_spans]
        return found

    def to_flat(self, body_offset: int) -> int:
        """The offset in the live text of an offset in the text without floats."""
        index = bisect_right(self._body_starts, body_offset) - 1
        return self._flat_starts[index] + body_offset - self._body_starts[index]

    def _to_body(self, offset: int) -> int | None:
        index = bisect_right(self._flat_starts, offset) - 1
        if index < len(self._spans) and offset >= self._spans[index][0]:
            return None  # inside a float
        return self._body_starts[index] + offset - self._flat_starts[index]

    def around(self, offset: int) -> tuple[int, int] | None:
        """The span (in the text without floats) of the paragraph at `offset`; None inside a float."""
        at = self._to_body(offset)
        if at is None:
            return None
        index = bisect_right(self._starts, at) - 1
        start = self._furthest[index]
        if start > at:
            return None  # inside a heading
        end = self._starts[index + 1] if index + 1 < len(self._starts) else len(self._body)
        return start, end

    def read(self, span: tuple[int, int], at: int = -1) -> LatexParagraph:
        """The paragraph at a span given by `around`; with `at`, only what stands around that offset."""
        start, end = span
        body_at = self._to_body(at) if at >= 0 else None
        if body_at is not None:
            start, end = max(start, body_at - _AROUND), min(end, body_at + _AROUND)
        lead = _LEAD.match(self._body, start, end)
        while lead is not None or self._body.startswith(_CUT, start, end):
            start = lead.end() if lead is not None else start + 1
            lead = _LEAD.match(self._body, start, end)
        text = "".join(self._quote(start, end)).strip()
        index = bisect_right(self._heading_ends, start) - 1
        heading = self._heading_spans[index][1:] if index >= 0 else (0, 0)
        return LatexParagraph(text, self.to_flat(start), heading)

    def _quote(self, start: int, end: int) -> list[str]:
        parts = []
        while start < end:
            cut = self._body.find(_CUT, start, end)
            stop = end if cut < 0 else cut
            flat = self.to_flat(start)
            parts.append(self._flat.text[flat : flat + stop - start])
            start = stop + 1
            if cut >= 0 and (parts[-1].endswith("\n") or not parts[-1].strip()):
                start += self._body.startswith("\n", start)
        return parts


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
