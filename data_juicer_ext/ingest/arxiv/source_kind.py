"""What the source file of one arXiv paper holds, told from its first bytes and the names in it."""

import lzma
import re
import zlib
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, cast

from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.source.archive import is_zip, most_bytes
from data_juicer_ext.latex.source.decompression import Decompressed, UnpackedTooLargeError, is_compressed
from data_juicer_ext.latex.source.paper_files import TEX_SUFFIXES
from data_juicer_ext.latex.source.tar_members import BLOCK, TarError, is_tar, tar_members

_BUFFER = 1 << 16
_MOST_MEMBERS = 20_000
# What arXiv puts in the place of a withdrawn paper, among the first lines.
_IGNORED = re.compile(rb"(?:[^\n]{0,200}\n){0,9}[^\n]{0,200}%auto-ignore")
_CLASS = re.compile(rb"\\document(?:class|style)")
_HEADS = ((b"%pdf", "pdf_only", ""), (b"%!ps", "no_latex", "PostScript"), (b"<!doctype", "no_latex", "a web page"),
          (b"<html", "no_latex", "a web page"))  # fmt: skip


def why_not_latex(path: Path) -> tuple[str, str]:
    """Why the source file at `path` has no LaTeX, and a detail; ("", "") if it may have some.

    Reasons: "empty", "pdf_only", "withdrawn", "no_latex", "broken". No more is unpacked than an extractor would
    by default, and 64 kB are held.
    """
    most = most_bytes(path.stat().st_size, LatexOptions())
    try:
        with path.open("rb") as file:
            stream: BufferedReader = file
            if is_compressed(file.peek(BLOCK)):
                stream = BufferedReader(cast(Any, Decompressed(cast(BinaryIO, file), most)), _BUFFER)
            head = stream.peek(_BUFFER)[:_BUFFER]
            return _in_tar(stream) if is_tar(head[:BLOCK]) else _in_file(head)
    except UnpackedTooLargeError:
        return "broken", f"it unpacks to more than {most} bytes"
    except (OSError, EOFError, zlib.error, lzma.LZMAError, TarError) as error:
        return "broken", str(error)


def _in_file(head: bytes) -> tuple[str, str]:
    start = head.lstrip(b"\0 \t\r\n")[:16].lower()
    if not start:
        return "empty", ""
    if is_zip(head):
        return "", ""
    for mark, reason, detail in _HEADS:
        if start.startswith(mark):
            return reason, detail
    return ("withdrawn", "") if _IGNORED.match(head) and not _CLASS.search(head) else ("", "")


def _in_tar(stream: BufferedReader) -> tuple[str, str]:
    """By the names of the members: one that may be LaTeX is enough."""
    suffixes: set[str] = set()
    for number, member in enumerate(tar_members(stream)):
        name = member.name.lower().rsplit("/", 1)[-1]
        if member.refusal or name.startswith("._"):
            continue
        if name.endswith((*TEX_SUFFIXES, ".txt")) or "." not in name or number > _MOST_MEMBERS:
            return "", ""
        suffixes.add(name.rsplit(".", 1)[-1])
    if not suffixes:
        return "empty", ""
    return ("pdf_only", "") if suffixes == {"pdf"} else ("no_latex", f"files: {', '.join(sorted(suffixes)[:10])}")
