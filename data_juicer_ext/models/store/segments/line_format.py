"""The lines of a response store's segments: JSON, one answer per line, with a checksum over the rest.

    {"crc32": "5f0c2a91", "entry": {"key": "...", "created": ..., "answer": {...}, "about": {...}}}

The first line of a segment says the version of all this. The checksum and the key stand at fixed
places, so that an index is built without decoding the answers.
"""

import json
import time
import zlib
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.models.store.interface import (
    SCHEMA_VERSION,
    Stored,
    StoreError,
    about_to_json,
    answer_from_json,
    answer_to_json,
    check_key,
)
from data_juicer_ext.models.types import Answer

_HEAD = b'{"crc32": "'
_MIDDLE = b'", "entry": '
_END = b"}\n"
_ENTRY = slice(len(_HEAD) + 8 + len(_MIDDLE), -len(_END))
_KEY_HEAD = b'{"key": "'
_KEY = slice(len(_KEY_HEAD), len(_KEY_HEAD) + 64)
_VERSION_HEAD = b'{"segments": '


def line_of(key: str, answer: Answer, about: Mapping[str, Any]) -> bytes:
    """The line that stores an answer now. Raises ValueError for a key that is none."""
    entry = (
        f'{{"key": "{check_key(key)}", "created": {time.time():.6f}, '
        f'"answer": {answer_to_json(answer)}, "about": {about_to_json(about)}}}'
    )
    return _framed(entry.encode("ascii"))


def key_of_line(line: bytes, where: str) -> bytes | None:
    """The key of the answer in a whole line, 32 bytes; None for a segment's first line.

    `where` is how an error names the line. Raises StoreError if the line is not as it was written,
    or of a version that this program does not know.
    """
    entry = _checked(line, where)
    if entry.startswith(_VERSION_HEAD):
        _check_version(json.loads(entry)["segments"], where)
        return None
    return bytes.fromhex(entry[_KEY].decode("ascii"))


def stored_in(line: bytes, where: str) -> Stored:
    """The stored answer in a line, as `key_of_line` checks it."""
    value = json.loads(_checked(line, where))
    return Stored(value["key"], answer_from_json(value["answer"]), value["about"], value["created"])


def _framed(entry: bytes) -> bytes:
    return b"".join((_HEAD, f"{zlib.crc32(entry):08x}".encode("ascii"), _MIDDLE, entry, _END))


FIRST_LINE = _framed(f'{{"segments": {SCHEMA_VERSION}}}'.encode("ascii"))


def _checked(line: bytes, where: str) -> bytes:
    entry = line[_ENTRY]
    if line != _framed(entry):
        raise StoreError(
            f"the response store is damaged at {where}. Nothing was changed. Restore that file from a "
            "copy, or delete that line from it (its answer will be paid for again)"
        )
    return entry


def _check_version(version: int, where: str) -> None:
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"the segment at {where} has version {version}, this program reads {SCHEMA_VERSION}: use "
            "the program that wrote it, or move the file away"
        )
