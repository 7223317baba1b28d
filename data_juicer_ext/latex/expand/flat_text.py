"""The live text of a paper in one piece, with the way back from each character to file and line."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

from data_juicer_ext.latex.expand.macros import Macros
from data_juicer_ext.latex.expand.tex_buffer import Buffer, Piece

_BLOCK = 4096  # characters whose line ends are counted together
_CONTROL_WORD = re.compile(r"\\[A-Za-z@]+\Z")


@dataclass
class Flat:
    """`text` is what LaTeX would read; `mask` is equally long, with verbatim text blotted out.

    Search in `mask`, quote from `text`. `files` are paths relative to the paper's folder.
    """

    text: str = ""
    mask: str = ""
    files: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    macros: Macros = field(default_factory=Macros)
    folders: list[tuple[int, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    main_folder: str = ""
    _starts: list[int] = field(default_factory=list)
    _lines: dict[int, list[int]] = field(default_factory=dict)

    def origin(self, offset: int) -> tuple[int, int]:
        """(index of the file, offset in it) of the character at `offset`."""
        if len(self._starts) != len(self.pieces):
            self._starts = [piece.start for piece in self.pieces]
        if not self.pieces:
            return 0, 0
        piece = self.pieces[max(0, bisect_right(self._starts, offset) - 1)]
        return piece.file, piece.offset + (offset - piece.start if piece.moves else 0)

    def place(self, offset: int) -> str:
        """ "file:line" of the character at `offset`."""
        file, position = self.origin(offset)
        source = self.sources[file]
        if file not in self._lines:
            blocks = (source.count("\n", at, at + _BLOCK) for at in range(0, len(source), _BLOCK))
            self._lines[file] = [0, *accumulate(blocks)]
        block = position // _BLOCK
        return f"{self.files[file]}:{self._lines[file][block] + source.count(chr(10), block * _BLOCK, position) + 1}"

    def folder_at(self, offset: int) -> str:
        """The folder that an \\import set for what stands at `offset`, or ""."""
        index = bisect_right(self.folders, (offset, "\uffff")) - 1
        return self.folders[index][1] if index >= 0 else ""


class FlatWriter:
    """Puts a `Flat` together from stretches of buffers."""

    def __init__(self, limit: int) -> None:
        self.flat = Flat()
        self.limit = limit
        self.length = 0
        self.at_line_start = True
        self._text: list[str] = []
        self._mask: list[str] = []

    @property
    def full(self) -> bool:
        """Whether no more is taken in."""
        return self.length >= self.limit

    def emit(self, buffer: Buffer, start: int, end: int, protected: bool = False) -> None:
        """Append buffer[start:end]; `protected` blots it out of the mask."""
        if start >= end or self.full:
            return
        part = buffer.text[start:end]
        if part[0].isalpha() and self._text and _CONTROL_WORD.search(self._text[-1][-40:]):
            # What was cut out, or an input's end, ended that word: it must not grow.
            self._join(" ", buffer, start)
        self._note_pieces(buffer, start, end)
        self._text.append(part)
        self._mask.append("x" * len(part) if protected else part)
        self.length += end - start
        tail = part if part[-1] not in " \t" else part.rstrip(" \t")
        self.at_line_start = tail[-1] == "\n" if tail else self.at_line_start

    def _join(self, text: str, buffer: Buffer, at: int) -> None:
        file, offset = buffer.origin(at)
        self.flat.pieces.append(Piece(self.length, file, offset, False))
        self._text.append(text)
        self._mask.append(text)
        self.length += len(text)

    def _note_pieces(self, buffer: Buffer, start: int, end: int) -> None:
        for begin, _, (at, file, offset, moves) in buffer.origins(start, end):
            self.flat.pieces.append(
                Piece(self.length + begin - start, file, offset + begin - at if moves else offset, moves)
            )

    def finish(self) -> Flat:
        """The finished text."""
        self.flat.text, self.flat.mask = "".join(self._text), "".join(self._mask)
        return self.flat
