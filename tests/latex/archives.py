"""Archives for the tests: sound ones, and headers that no sound program would write."""

from __future__ import annotations

import io
import tarfile
import zipfile

from tests.latex.papers import document, figure, png

LATEX = document(figure() + "\nFigure~\\ref{fig:a} shows it.\n")
FILES: dict[str, bytes] = {"ms.tex": LATEX.encode(), "a.png": png()}


def tar_of(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    """A tar of `files`, compressed as `mode` says."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zip_of(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of `files`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def header(
    name: bytes, size: bytes = b"0", kind: bytes = b"0", magic: bytes = b"ustar\x0000", rest: bytes = b""
) -> bytes:
    """A tar header with the fields as given and a checksum that is right; `rest` starts at byte 265."""
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108], block[108:116], block[116:124], block[136:148] = (
        b"0000644\0",
        b"0000000\0",
        b"0000000\0",
        b"0" * 11 + b"\0",
    )
    block[124 : 124 + len(size)] = size
    block[156:157], block[257:265] = kind, magic
    block[265 : 265 + len(rest)] = rest
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def member(name: bytes, data: bytes, kind: bytes = b"0", **fields: bytes) -> bytes:
    """A header with its data, padded."""
    return header(name, b"%o" % len(data), kind, **fields) + data + bytes(-len(data) % 512)


def record(key: bytes, value: bytes) -> bytes:
    """A record of a pax header."""
    body = b" " + key + b"=" + value + b"\n"
    length = len(body) + len(str(len(body)))
    return str(length if len(str(length)) == len(str(len(body))) else length + 1).encode() + body


def sound_tar() -> bytes:
    """The plain tar of a paper without the blocks that end it, to go on from."""
    return b"".join(member(name.encode(), data) for name, data in FILES.items())
