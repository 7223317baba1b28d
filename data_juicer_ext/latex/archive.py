"""Archives of papers read into memory, bounded: members, bytes and ratio, no way out of the folder."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from typing import Protocol

from data_juicer_ext.latex.options import LatexOptions, PaperError

_RATIO = 500
_FREE = 20_000_000  # below this many bytes the ratio says nothing
_CHUNK = 1 << 20
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile,
           NotImplementedError, RuntimeError, ValueError, OverflowError, MemoryError)  # fmt: skip
_ENDED = "the archive of {name} is broken ({error}); fetch it again"


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class _BombError(Exception):
    """More comes out of an archive than is allowed."""


class Unpacked:
    """The members of an archive: contents by path, and a note for each member that was refused."""

    def __init__(self, name: str, options: LatexOptions, packed: int) -> None:
        self.files: dict[str, bytes] = {}
        self.notes: list[str] = []
        self.seen = 0
        self.bytes = 0
        self._name = name
        self._options = options
        self._most = min(options.max_bytes, max(_FREE, packed * _RATIO))

    def count(self) -> None:
        """One more member; raises PaperError when there are too many."""
        self.seen += 1
        if self.seen > self._options.max_members:
            raise PaperError(
                f"{self._name} holds more than {self._options.max_members} members; "
                "raise max_members if it is to be trusted"
            )

    def add(self, member: str, stream: _Readable) -> None:
        """Read one member, unless its path leaves the folder."""
        path = safe_path(member)
        if path is None:
            self.refuse(member, "its path leaves the paper's folder")
            return
        data = _read(stream, self._most - self.bytes, self._name)
        self.bytes += len(data)
        self.files[path] = data

    def refuse(self, member: str, reason: str) -> None:
        """Note a member that is not read (the first 50 by name)."""
        if len(self.notes) < 50:
            self.notes.append(f"archive member refused: {member[:200]!r}: {reason}")


def safe_path(member: str) -> str | None:
    """`member` as a clean relative path, or None if it is absolute or climbs out."""
    if "\x00" in member or member.startswith(("/", "\\")) or member[1:2] == ":":
        return None
    parts = [part for part in member.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts or not parts:
        return None
    return "/".join(parts)


def decompressed(data: bytes, name: str, options: LatexOptions) -> bytes:
    """`data` without its gzip, bzip2 or xz layer, bounded in size."""
    module = gzip if data.startswith(b"\x1f\x8b") else bz2 if data.startswith(b"BZh") else lzma
    try:
        with module.open(io.BytesIO(data), "rb") as stream:
            return _read(stream, min(options.max_bytes, max(_FREE, len(data) * _RATIO)), name)
    except _BombError:
        raise _too_large(name) from None
    except _BROKEN as error:
        raise PaperError(_ENDED.format(name=name, error=error)) from error


def read_tar(data: bytes, name: str, options: LatexOptions, packed: int) -> Unpacked:
    """The regular files of a tar; links, devices and climbing paths are refused and noted."""
    unpacked = Unpacked(name, options, packed)
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                unpacked.count()
                stream = archive.extractfile(member) if member.isreg() else None
                if stream is not None:
                    unpacked.add(member.name, stream)
                elif not member.isdir():
                    unpacked.refuse(member.name, "it is a link or a device")
    except _BombError:
        raise _too_large(name) from None
    except PaperError:
        raise
    except _BROKEN as error:
        raise PaperError(_ENDED.format(name=name, error=error)) from error
    return unpacked


def read_zip(data: bytes, name: str, options: LatexOptions) -> Unpacked:
    """The files of a zip, as `read_tar`."""
    unpacked = Unpacked(name, options, len(data))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                unpacked.count()
                if member.is_dir():
                    continue
                if (member.external_attr >> 28) not in (0, 8):
                    unpacked.refuse(member.filename, "it is a link or a device")
                elif member.flag_bits & 1:
                    unpacked.refuse(member.filename, "it is encrypted")
                else:
                    with archive.open(member) as stream:
                        unpacked.add(member.filename, stream)
    except _BombError:
        raise _too_large(name) from None
    except PaperError:
        raise
    except _BROKEN as error:
        raise PaperError(_ENDED.format(name=name, error=error)) from error
    return unpacked


def _read(stream: _Readable, most: int, name: str) -> bytes:
    chunks: list[bytes] = []
    left = most
    while chunk := stream.read(min(_CHUNK, left + 1)):
        left -= len(chunk)
        if left < 0:
            raise _BombError(name)
        chunks.append(chunk)
    return b"".join(chunks)


def _too_large(name: str) -> PaperError:
    return PaperError(f"{name} unpacks to more than is allowed; raise max_bytes if it is to be trusted")
