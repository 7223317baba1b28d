from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

import pytest

from data_juicer_ext.ingest.arxiv.source_kind import why_not_latex
from tests.latex.archives import FILES, LATEX, header, tar_of, zip_of
from tests.latex.papers import pdf, png

PLAIN_TEX = b"\\magnification=1200 words \\bye"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (tar_of(FILES), ""),
        (tar_of({"paper": LATEX.encode(), "a.eps": b""}), ""),
        (gzip.compress(LATEX.encode()), ""),
        (gzip.compress(PLAIN_TEX), ""),
        (LATEX.encode(), ""),
        (zip_of(FILES), ""),
        (gzip.compress(b"% see %auto-ignore in the guide\n" + LATEX.encode()), ""),
        (gzip.compress(b"%auto-ignore\nThis paper has been withdrawn."), "withdrawn"),
        (gzip.compress(b""), "empty"),
        (gzip.compress(b" \n "), "empty"),
        (tar_of({}), "empty"),
        (b"", "empty"),
        (pdf(), "pdf_only"),
        (gzip.compress(pdf()), "pdf_only"),
        (tar_of({"paper.pdf": pdf(), "anc/extra.PDF": pdf()}), "pdf_only"),
        (gzip.compress(b"%!PS-Adobe-2.0\n"), "no_latex"),
        (gzip.compress(b"<!DOCTYPE html>"), "no_latex"),
        (tar_of({"paper.docx": b"", "a.png": png()}), "no_latex"),
        (gzip.compress(LATEX.encode() * 10)[:40], "broken"),
        (gzip.compress(header(b"a.png", b"9z")), "broken"),
    ],
)
def test_what_a_source_file_holds(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "p.gz"
    path.write_bytes(data)
    assert why_not_latex(path)[0] == reason


def test_the_detail_says_more(tmp_path: Path) -> None:
    path = tmp_path / "p.gz"
    path.write_bytes(tar_of({"paper.docx": b"", "a.png": png()}))
    assert why_not_latex(path) == ("no_latex", "files: docx, png")
    path.write_bytes(gzip.compress(LATEX.encode() * 10)[:40])
    assert why_not_latex(path) == ("broken", "it is cut off")


def test_a_bomb_is_not_unpacked_to_its_end(tmp_path: Path) -> None:
    squeeze, out = zlib.compressobj(9, zlib.DEFLATED, 31), io.BytesIO()
    out.write(squeeze.compress(header(b"huge.png", b"%o" % (1 << 32))))
    for _ in range(25):
        out.write(squeeze.compress(bytes(1_000_000)))
    path = tmp_path / "p.gz"
    path.write_bytes(out.getvalue() + squeeze.flush())
    reason, detail = why_not_latex(path)
    assert (reason, detail) == ("broken", "it unpacks to more than 20000000 bytes")
