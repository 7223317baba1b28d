"""The members of a tar, read from a stream in order; no header is believed beyond what its bytes bear out.

The standard library's reader is not for archives of strangers on all Pythons that we support: a
negative size sends it into an endless loop (CVE-2025-8194), extended headers cost it quadratic time
(CVE-2024-6232), and sparse headers are held in memory as long as they claim to be.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from data_juicer_ext.errors import DjExtError

BLOCK = 512
_CHUNK = 1 << 20
_LONGEST = 1_000_000  # of an extended header or a long name, in bytes
_MOST_EXTENDED = 100  # in a row
_NO_FILE = {b"1": "it is a link", b"2": "it is a link", b"3": "it is a device", b"4": "it is a device",
            b"5": "it is a folder", b"6": "it is a pipe", b"S": "it is a sparse file"}  # fmt: skip
_WITHOUT_DATA = frozenset(b"123456")
_OCTAL = re.compile(rb" *([0-7]{0,12}) *")


class TarError(DjExtError, ValueError):
    """A tar that is broken or cut off; the message says where."""


class NoHeaderError(TarError):
    """Something else stands where a header is due; all members before it are whole."""


class TarMember:
    """One member: `name`, `size` in bytes, and why it is no plain file (`refusal`, "" for a file)."""

    def __init__(self, name: str, size: int, refusal: str, stream: BinaryIO) -> None:
        self.name, self.size, self.refusal = name, size, refusal
        self._stream, self._left = stream, size

    @property
    def is_folder(self) -> bool:
        """Whether the member is a folder."""
        return self.refusal == _NO_FILE[b"5"]

    def read(self, most: int = -1) -> bytes:
        """The next `most` bytes of the content (-1: the rest); only before the next member is asked for."""
        wanted = self._left if most < 0 else min(most, self._left)
        data = _exactly(self._stream, wanted, self.name)
        self._left -= wanted
        return data

    def leave(self) -> None:
        """Skip what was not read, and the padding."""
        _skip(self._stream, self._left + -self.size % BLOCK, self.name)
        self._left = 0


def is_tar(head: bytes) -> bool:
    """Whether a file that starts with `head` (512 bytes) is a tar, those without the ustar mark included."""
    return len(head) >= BLOCK and (head[257:262] == b"ustar" or _sums_up(head[:BLOCK]))


def tar_members(stream: BinaryIO) -> Iterator[TarMember]:
    """The members of a plain tar. Raises TarError where it is broken, NoHeaderError where a header is not one."""
    extended: dict[str, bytes] = {}
    at = row = 0
    while (block := _block(stream, at)).strip(b"\0"):
        kind, size = _header(block, at, extended)
        at += BLOCK
        if kind in b"LKxgX":
            row += 1
            if size > _LONGEST or row > _MOST_EXTENDED:
                raise TarError(f"an extended header at byte {at - BLOCK} is too long")
            _extend(extended, kind, _exactly(stream, size, "an extended header"))
            _skip(stream, -size % BLOCK, "an extended header")
        else:
            member = TarMember(_name(block, extended), size, _refusal(kind, block, extended), stream)
            if kind == b"S":
                at += _skip_sparse_map(stream, block)
            yield member
            member.leave()
            extended, row = {}, 0
        at += size + -size % BLOCK


def _block(stream: BinaryIO, at: int) -> bytes:
    block = stream.read(BLOCK)
    while 0 < len(block) < BLOCK and (more := stream.read(BLOCK - len(block))):
        block += more
    if block and len(block) < BLOCK and block.strip(b"\0"):
        raise NoHeaderError(f"it ends in the middle of a header at byte {at}")
    return block


def _header(block: bytes, at: int, extended: dict[str, bytes]) -> tuple[bytes, int]:
    """Kind and size that a header tells; extended headers before it have the last word on the size."""
    if not _sums_up(block):
        raise NoHeaderError(f"what stands at byte {at} is no header")
    kind = block[156:157]
    if kind in b"LKxgX":
        return kind, _number(block[124:136], at)
    if "size" in extended:
        told = extended["size"]
        if not told.isdigit() or len(told) > 20:
            raise TarError(f"the size of the member at byte {at} is {told[:20]!r}")
        size = int(told)
    else:
        size = _number(block[124:136], at)
    return kind, 0 if kind[0] in _WITHOUT_DATA else size


def _number(field: bytes, at: int) -> int:
    """A number as tar writes it: octal, or binary behind the byte 0x80."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    match = _OCTAL.fullmatch(field.split(b"\0", 1)[0])
    if match is None:
        raise TarError(f"the size of the member at byte {at} is {field!r}")
    return int(match.group(1) or b"0", 8)


def _sums_up(block: bytes) -> bool:
    """Whether the checksum of a header is right, with bytes counted as unsigned or, as old tars did, as signed."""
    match = _OCTAL.fullmatch(block[148:156].split(b"\0", 1)[0])
    if match is None or not match.group(1):
        return False
    rest = block[:148] + block[156:]
    found = int(match.group(1), 8) - 8 * ord(" ")
    return found == sum(rest) or found == sum(rest) - 256 * sum(byte > 127 for byte in rest)


def _extend(extended: dict[str, bytes], kind: bytes, data: bytes) -> None:
    """Take in an extended header: the long name of GNU tar, or the records of pax."""
    if kind == b"L":
        extended["path"] = data.split(b"\0", 1)[0]
    elif kind in b"xX":
        extended |= _records(data)


def _records(data: bytes) -> dict[str, bytes]:
    """The records of a pax header ("LENGTH KEY=VALUE" and a line end each) that tell name, size, or a sparse file."""
    records: dict[str, bytes] = {}
    at = 0
    while at < len(data) and data[at]:
        space = data.find(b" ", at, at + 10)
        length = data[at:space] if space > 0 else b""
        if not length.isdigit() or not space - at < int(length) <= len(data) - at:
            raise TarError("an extended header is broken")
        key, _, value = data[space + 1 : at + int(length) - 1].partition(b"=")
        if key in (b"path", b"size"):
            records[key.decode()] = value
        elif key.startswith(b"GNU.sparse."):
            records["sparse"] = b"1"
        at += int(length)
    return records


def _name(block: bytes, extended: dict[str, bytes]) -> str:
    if "path" in extended:
        name = extended["path"]
    else:
        name = block[:100].split(b"\0", 1)[0]
        prefix = block[345:500].split(b"\0", 1)[0] if block[257:263] == b"ustar\0" else b""
        name = prefix + b"/" + name if prefix else name
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("latin-1")


def _refusal(kind: bytes, block: bytes, extended: dict[str, bytes]) -> str:
    if kind in b"07\0":
        if "sparse" in extended:
            return _NO_FILE[b"S"]
        folder = kind == b"\0" and block[:100].split(b"\0", 1)[0].endswith(b"/")
        return _NO_FILE[b"5"] if folder else ""
    return _NO_FILE.get(kind, f"it is of a kind that is not read ({kind.decode('latin-1')!r})")


def _skip_sparse_map(stream: BinaryIO, block: bytes) -> int:
    """Skip the blocks in which an old sparse member goes on with its map; their length in bytes."""
    skipped, goes_on = 0, block[482]
    while goes_on:
        goes_on = _exactly(stream, BLOCK, "a sparse file")[504]
        skipped += BLOCK
    return skipped


def _exactly(stream: BinaryIO, size: int, name: str) -> bytes:
    data = stream.read(min(size, _CHUNK)) if size else b""
    if len(data) == size:
        return data
    chunks = [data]
    left = size - len(data)
    while left:
        chunk = stream.read(min(left, _CHUNK))
        if not chunk:
            raise TarError(f"it ends in the middle of {name[:200]!r}")
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _skip(stream: BinaryIO, size: int, name: str) -> None:
    if size > _CHUNK and stream.seekable():
        try:
            stream.seek(size - 1, 1)
        except (OSError, ValueError, OverflowError):
            raise TarError(f"it ends in the middle of {name[:200]!r}") from None
        size = 1
    while size:
        got = len(stream.read(min(size, _CHUNK)))
        if not got:
            raise TarError(f"it ends in the middle of {name[:200]!r}")
        size -= got
