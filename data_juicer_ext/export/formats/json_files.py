"""JSON files, one per split: in the forms that ms-swift, LLaVA and OpenAI's chat API read, and rows as plain lines."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from data_juicer_ext.export.formats.dialogues import dialogues
from data_juicer_ext.export.formats.format_samples import TRAINERS, opened, whole_row
from data_juicer_ext.export.images.exported_images import Copies, ExportedImage
from data_juicer_ext.export.options import ExportOptions
from data_juicer_ext.export.rows.row_kinds import RowKind
from data_juicer_ext.rows import to_json

SIDECAR = "provenance.jsonl"
_SURROGATE = re.compile("[\ud800-\udfff]")
# What OpenAI takes in one file of examples with images, and in one example: see `format_samples`. Its files may have
# 512 MB.
CHAT_EXAMPLES, CHAT_FILE_BYTES, CHAT_IMAGES, CHAT_IMAGE_BYTES = 50_000, 500_000_000, 10, 10_000_000


class LineFiles:
    """Writes rows as lines of `<split>.jsonl` (for LLaVA one list, `<split>.json`), and copies their images.

    For OpenAI a split goes on in `<split>-2.jsonl` where a file would be more than the API takes. Of a row that becomes
    dialogues, the sidecar has a line: its columns, `split`, and `samples`, a list of id, file and line (from 1).
    """

    def __init__(self, folder: Path, order: ExportOptions, kind: RowKind) -> None:
        self._folder, self._order, self._kind = folder, order, kind
        self._stack = ExitStack()
        self._copies = Copies(folder)
        self._part: _SplitFile | None = None
        self._files: dict[str, list[str]] = {}
        self._talks = order.format in TRAINERS
        self._sidecar = self._open(SIDECAR) if self._talks else None

    def add(self, split: str, row: Mapping[str, Any], pictures: Sequence[ExportedImage]) -> None:
        """Write one row; those of a split come one after the other."""
        if not self._order.embeds:
            self._copies.add(pictures)
        if not self._talks:
            self._put(split, whole_row(row, pictures, self._order))
            return
        make, samples = TRAINERS[self._order.format], []
        for dialogue in dialogues(row, self._kind, self._order):
            file, line = self._put(split, make(dialogue, pictures, self._order))
            samples.append({"id": dialogue.id, "file": file, "line": line})
        if self._sidecar is not None:
            images = [picture.name if self._order.embeds else picture.path for picture in pictures]
            about = {"row_id": row["row_id"], "split": split, "samples": samples, "images": images}
            self._sidecar.write(json_line({**about, **opened(row), **about}))

    def end(self) -> dict[str, list[str]]:
        """Close the files; returns each split's files."""
        self._close()
        self._stack.close()
        return self._files

    def _put(self, split: str, sample: Mapping[str, Any]) -> tuple[str, int]:
        text = json_line(sample, ascii_only=self._order.format == "llava")
        size = len(text.encode("utf-8"))
        if self._part is None or self._part.split != split or self._is_full(self._part, size):
            self._close()
            self._part = self._begin(split)
        self._part.write(text, size)
        return self._part.name, self._part.lines

    def _is_full(self, part: "_SplitFile", size: int) -> bool:
        return self._order.format == "openai" and (part.lines >= CHAT_EXAMPLES or part.size + size > CHAT_FILE_BYTES)

    def _begin(self, split: str) -> "_SplitFile":
        files = self._files.setdefault(split, [])
        number = f"-{len(files) + 1}" if files else ""
        files.append(f"{split}{number}.{'json' if self._order.format == 'llava' else 'jsonl'}")
        file = (self._folder / files[-1]).open("w", encoding="utf-8", newline="\n")
        return _SplitFile(split, files[-1], file, as_list=self._order.format == "llava")

    def _close(self) -> None:
        if self._part is not None:
            self._part.close()
        self._part = None

    def _open(self, name: str) -> TextIO:
        return self._stack.enter_context((self._folder / name).open("w", encoding="utf-8", newline="\n"))


class _SplitFile:
    """One file that is being written: lines, or the items of one list."""

    def __init__(self, split: str, name: str, file: TextIO, as_list: bool) -> None:
        self.split, self.name, self.lines, self.size = split, name, 0, 0
        self._file, self._as_list = file, as_list

    def write(self, line: str, size: int) -> None:
        """Append a line (which ends in a line feed) of so many bytes."""
        if self._as_list:
            self._file.write(("[\n" if not self.lines else ",\n") + line.removesuffix("\n"))
        else:
            self._file.write(line)
        self.lines, self.size = self.lines + 1, self.size + size

    def close(self) -> None:
        """End the file."""
        self._file.write("\n]\n" if self._as_list else "")
        self._file.close()


def json_line(value: Mapping[str, Any], ascii_only: bool = False) -> str:
    """An object as one line of JSON, for readers too that end lines at U+2028 and the like.

    An object with a lone surrogate, which no file can hold, goes without its control characters and surrogates.
    `ascii_only` is for readers such as LLaVA that take files in whatever encoding their machine has.
    """
    text = json.dumps(value, ensure_ascii=ascii_only)
    if _SURROGATE.search(text):
        text = to_json(value)
    for character in ("\u2028", "\u2029", "\x85"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f"{text}\n"
