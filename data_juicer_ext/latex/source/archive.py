"""Archives of papers read into memory, bounded: members, bytes and ratio, no way out of the folder."""

import contextlib
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import IO, BinaryIO

from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.source.decompression import UnpackedTooLargeError, is_compressed
from data_juicer_ext.latex.source.reading_notes import Refusals
from data_juicer_ext.latex.source.tar_members import NoHeaderError, TarMember, is_tar, tar_members

_RATIO = 500
_FREE = 20_000_000  # below this many bytes the ratio says nothing
_CHUNK = 1 << 20
_LARGEST = 300_000_000  # of one member, in bytes
_LONGEST_NAME = 1000
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")
_ENTRY = b"PK\x01\x02"
_LOCAL_HEADER = 30
# bzip2 and LZMA members decompress without a bound in the standard library, and papers use neither.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, struct.error,
           NotImplementedError, RuntimeError, ValueError, OverflowError, MemoryError)  # fmt: skip


def is_zip(head: bytes) -> bool:
    """Whether a file that starts with `head` is a zip."""
    return head.startswith(_ZIPS)


def is_archive(head: bytes) -> bool:
    """Whether a file that starts with `head` (512 bytes) is an archive or compressed."""
    return is_zip(head) or is_compressed(head) or is_tar(head)


def most_bytes(packed: int, options: LatexOptions) -> int:
    """How much may come out of an archive of `packed` bytes."""
    return min(options.max_bytes, max(_FREE, packed * _RATIO))


@contextlib.contextmanager
def refusing(name: str, packed: int, options: LatexOptions) -> Iterator[None]:
    """Turns what goes wrong while an archive is read into a PaperError that says what to do."""
    try:
        yield
    except PaperError:
        raise
    except UnpackedTooLargeError:
        most = most_bytes(packed, options)
        if most == options.max_bytes:
            told = f"max_bytes ({most}); raise it if the archive is to be trusted"
        else:
            told = f"{most} bytes from {packed}, as bombs do; if it is to be trusted, unpack it and name the folder"
        raise PaperError(f"{name} unpacks to more than {told}") from None
    except _BROKEN as error:
        raise PaperError(f"the archive of {name} is broken ({error}); fetch it again") from error


class Unpacked:
    """The members of an archive: contents by path, and notes on refused members and (`remarks`) on all of it."""

    def __init__(self, name: str, options: LatexOptions, packed: int) -> None:
        self.files: dict[str, bytes] = {}
        self._refusals = Refusals("archive member")
        self.remarks: list[str] = []
        self._seen = 0
        self._left = most_bytes(packed, options)
        self._name = name
        self._options = options

    @property
    def notes(self) -> list[str]:
        """What was refused, and why."""
        return self._refusals.lines + self.remarks

    def count(self, members: int = 1) -> None:
        """So many members more; raises PaperError when there are too many."""
        self._seen += members
        if self._seen > self._options.max_members:
            raise PaperError(
                f"{self._name} holds more than {self._options.max_members} members; "
                "raise max_members if it is to be trusted"
            )

    def add(self, member: str, size: int, stream: TarMember | IO[bytes]) -> None:
        """Read one member, unless its name is refused. Raises UnpackedTooLargeError if all together are too large."""
        if size > self._left:
            raise UnpackedTooLargeError
        path, reason = safe_path(member)
        if not reason and size > _LARGEST:
            reason = f"it is larger than {_LARGEST} bytes"
        if reason:
            self.refuse(member, reason)
            return
        data = _read(stream, self._left)
        self._left -= len(data)
        if path in self.files:
            self._refusals.add(path, "the last one is read", verb="found more than once")
        elif is_archive(data[:512]):
            self._refusals.add(path, "archives inside an archive are not opened", verb="kept closed")
        self.files[path] = data

    def refuse(self, member: str, reason: str) -> None:
        """Note a member that is not read."""
        self._refusals.add(member, reason)


def safe_path(member: str) -> tuple[str, str]:
    """`member` as a clean relative path, and why it is refused ("" where it is not)."""
    if _CONTROL.search(member):
        return "", "its name holds control characters"
    if len(member) > _LONGEST_NAME:
        return "", f"its name is longer than {_LONGEST_NAME} characters"
    parts = [part for part in member.replace("\\", "/").split("/") if part not in ("", ".")]
    if member.startswith(("/", "\\")) or member[1:2] == ":" or ".." in parts:
        return "", "its path leaves the paper's folder"
    return "/".join(parts), "" if parts else "it has no name"


def read_tar(stream: BinaryIO, name: str, options: LatexOptions, packed: int) -> Unpacked:
    """The plain files of a tar; links, devices, sparse files and climbing paths are refused and noted.

    `packed` is the size of the archive as it came. Call it, like `read_zip`, within `refusing`.
    """
    unpacked = Unpacked(name, options, packed)
    try:
        for member in tar_members(stream):
            unpacked.count()
            if not member.refusal:
                unpacked.add(member.name, member.size, member)
            elif not member.is_folder:
                unpacked.refuse(member.name, member.refusal)
    except NoHeaderError as error:
        if not unpacked.files:
            raise
        unpacked.remarks.append(f"archive: {error}; the rest was not read")
    return unpacked


def read_zip(file: BinaryIO, name: str, options: LatexOptions, packed: int) -> Unpacked:
    """The files of a zip, as `read_tar`; members that can't be decompressed are refused and noted."""
    unpacked = Unpacked(name, options, packed)
    unpacked.count(_entries(file))  # before the standard library makes an object of each
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if _overlap(members):
            raise PaperError(f"{name} is a zip whose members overlap, as only bombs do; fetch it again")
        if sum(member.file_size for member in members) > most_bytes(packed, options):
            raise UnpackedTooLargeError
        for member in members:
            _unzip(archive, member, unpacked)
    return unpacked


def _unzip(archive: zipfile.ZipFile, member: zipfile.ZipInfo, unpacked: Unpacked) -> None:
    if member.is_dir():
        return
    if reason := _zip_refusal(member):
        unpacked.refuse(member.orig_filename, reason)
        return
    try:
        with archive.open(member) as stream:
            unpacked.add(_zip_name(member), member.file_size, stream)
    except _BROKEN as error:
        unpacked.refuse(member.filename, f"it can't be unpacked ({error})")


def _zip_refusal(member: zipfile.ZipInfo) -> str:
    if (member.external_attr >> 28) not in (0, 8):
        return "it is a link or a device"
    if member.flag_bits & 1:
        return "it is encrypted"
    if member.compress_type not in _METHODS:
        return f"it is compressed by a method that is not read (number {member.compress_type})"
    return "its name holds control characters" if "\x00" in member.orig_filename else ""


def _zip_name(member: zipfile.ZipInfo) -> str:
    """The name of a member; UTF-8 that is not marked as such (as macOS writes it) is read as UTF-8."""
    if member.flag_bits & 0x800 or member.filename.isascii():
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def _entries(file: BinaryIO) -> int:
    """The most entries that the table of contents of a zip can have: each starts with the same mark."""
    found, tail = 0, b""
    file.seek(0)
    while chunk := file.read(_CHUNK):
        chunk = tail + chunk
        found += chunk.count(_ENTRY)
        tail = chunk[-len(_ENTRY) + 1 :]
    return found


def _overlap(members: Sequence[zipfile.ZipInfo]) -> bool:
    spans = sorted((member.header_offset, _LOCAL_HEADER + member.compress_size) for member in members)
    return any(start + length > following for (start, length), (following, _) in pairwise(spans))


def _read(stream: TarMember | IO[bytes], most: int) -> bytes:
    chunks: list[bytes] = []
    left = most
    while chunk := stream.read(min(_CHUNK, left + 1)):
        left -= len(chunk)
        if left < 0:
            raise UnpackedTooLargeError
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
