"""JSON files, one a split, in the forms that ms-swift, LLaVA and OpenAI's chat API read, and plain JSON Lines.

The images are copied beside them (inside the lines for OpenAI). `provenance.jsonl` holds the other columns of each row.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from data_juicer_ext.export.candidates import quality_of
from data_juicer_ext.export.dialogues import Dialogue, dialogues
from data_juicer_ext.export.order import SCORED
from data_juicer_ext.export.picked import FOLDER, Picked

PLACEHOLDER = "<image>"
SIDECAR = "provenance.jsonl"


class LineFiles:
    """Writes rows as lines of `<split>.jsonl` (`<split>.json`, one list, for LLaVA), and copies their images.

    A dialogue's other columns go into the sidecar, with `split` and `line` (from 1; in LLaVA's list the position).
    """

    def __init__(self, folder: Path, form: str, kind: str) -> None:
        self._folder, self._form, self._kind = folder, form, kind
        self._suffix = "json" if form == "llava" else "jsonl"
        self._stack = ExitStack()
        self._files: dict[str, TextIO] = {}
        self._lines: dict[str, int] = {}
        self._sidecar = None if form == "jsonl" else self._open(SIDECAR)

    def add(self, picked: Picked) -> None:
        """Write one row."""
        if self._form != "openai":
            self._copy(picked)
        if self._form == "jsonl":
            self._put(picked.split, release(picked, self._kind))
            return
        for dialogue in dialogues(picked.row, self._kind):
            self._put(picked.split, _MADE[self._form](dialogue, picked))
            self._note(dialogue, picked)

    def end(self) -> dict[str, str]:
        """Close the files; returns each split's file."""
        if self._form == "llava":
            for file in self._files.values():
                file.write("\n]\n")
        self._stack.close()
        return {split: f"{split}.{self._suffix}" for split in self._files}

    def _put(self, split: str, entry: Mapping[str, Any]) -> None:
        if split not in self._files:
            self._files[split] = self._open(f"{split}.{self._suffix}")
            self._lines[split] = 0
        before = ("[\n" if self._lines[split] == 0 else ",\n") if self._form == "llava" else ""
        after = "" if self._form == "llava" else "\n"
        self._files[split].write(f"{before}{_text(entry)}{after}")
        self._lines[split] += 1

    def _note(self, dialogue: Dialogue, picked: Picked) -> None:
        place = {"id": dialogue.id, "split": picked.split, "line": self._lines[picked.split]}
        images = [picture.name if self._form == "openai" else picture.path for picture in picked.pictures]
        if self._sidecar is not None:
            entry = {**place, **picked.row, **place, "images": images, **_provenance(picked)}
            self._sidecar.write(_text(entry) + "\n")

    def _copy(self, picked: Picked) -> None:
        (self._folder / FOLDER).mkdir(exist_ok=True)
        for picture in picked.pictures:
            path = self._folder / picture.path
            if not path.exists():
                path.write_bytes(picture.data)

    def _open(self, name: str) -> TextIO:
        # Line feeds alone, whatever the system writes otherwise.
        return self._stack.enter_context((self._folder / name).open("w", encoding="utf-8", newline="\n"))


def release(picked: Picked, kind: str) -> dict[str, Any]:
    """A row as one plain object: its columns, relative image paths, and provenance; a scored figure's scores opened.

    A scored figure has `run_id`, `protocol`, `models`, `call_budget`, `scores`, `reasons`, `overall`, `reports` (what
    each stage answered, with its evidence) and the rest of `quality` in place of that column.
    """
    columns = {name: value for name, value in picked.row.items() if name != "provenance"}
    images = [picture.path for picture in picked.pictures]
    if kind == SCORED:
        quality = quality_of(columns)
        columns = {name: value for name, value in columns.items() if name != "quality"} | quality
    return {**columns, "images": images, **_provenance(picked)}


def _ms_swift(dialogue: Dialogue, picked: Picked) -> dict[str, Any]:
    asked = PLACEHOLDER * len(picked.pictures) + dialogue.asked
    return {
        "messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": dialogue.answer}],
        "images": [picture.path for picture in picked.pictures],
    }


def _llava(dialogue: Dialogue, picked: Picked) -> dict[str, Any]:
    paths = [picture.path for picture in picked.pictures]
    asked = f"{PLACEHOLDER}\n" * len(paths) + dialogue.asked
    return {
        "id": dialogue.id,
        "image": paths[0] if len(paths) == 1 else paths,
        "conversations": [{"from": "human", "value": asked}, {"from": "gpt", "value": dialogue.answer}],
    }


def _openai(dialogue: Dialogue, picked: Picked) -> dict[str, Any]:
    encoded = (
        f"data:{picture.mime};base64,{base64.b64encode(picture.data).decode('ascii')}" for picture in picked.pictures
    )
    images = [{"type": "image_url", "image_url": {"url": url}} for url in encoded]
    parts = [*images, {"type": "text", "text": dialogue.asked}]
    return {"messages": [{"role": "user", "content": parts}, {"role": "assistant", "content": dialogue.answer}]}


_MADE: dict[str, Callable[[Dialogue, Picked], dict[str, Any]]] = {
    "ms-swift": _ms_swift,
    "llava": _llava,
    "openai": _openai,
}


def _provenance(picked: Picked) -> dict[str, Any]:
    """The provenance as an object; a text that holds none stays a text."""
    try:
        return {"provenance": json.loads(picked.provenance)}
    except ValueError:
        return {"provenance": picked.provenance}


def _text(entry: Mapping[str, Any]) -> str:
    # Some readers split lines at U+2028 and the like; JSON may spell them out.
    text = json.dumps(entry, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
