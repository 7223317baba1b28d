"""Small papers for the tests: written to a folder or kept as text, and read."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import pymupdf
from PIL import Image

from data_juicer_ext.latex.paper import LatexExtraction, LatexOptions, figures_from_text, read_figures
from data_juicer_ext.rows import Figure


def png(width: int = 40, height: int = 30, colour: str = "red", mode: str = "RGB") -> bytes:
    """A plain PNG."""
    out = io.BytesIO()
    Image.new(mode, (width, height), colour).save(out, "PNG")
    return out.getvalue()


def pretending(width: int, height: int) -> bytes:
    """A small PNG whose header says that it is `width` x `height` pixels."""
    header = b"IHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\x00\x00\x00"
    data = png()
    return data[:12] + header + zlib.crc32(header).to_bytes(4, "big") + data[33:]


def pdf(width: float = 144, height: float = 72, pages: int = 1) -> bytes:
    """A PDF of `pages` empty pages, sizes in points."""
    document = pymupdf.open()
    for number in range(pages):
        page = document.new_page(width=width, height=height)
        page.insert_text((10, 40), f"page {number + 1}")
    return bytes(document.tobytes())


def document(body: str, preamble: str = "", document_class: str = "article") -> str:
    """A LaTeX document around `body`."""
    return f"\\documentclass{{{document_class}}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


def figure(name: str = "a", inside: str = "\\includegraphics{a}", caption: str = "A caption.") -> str:
    """A figure environment labelled fig:<name>."""
    return f"\\begin{{figure}}\n{inside}\n\\caption{{{caption}}}\n\\label{{fig:{name}}}\n\\end{{figure}}\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write `files` under `folder` and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def read_folder(tmp_path: Path, files: dict[str, str | bytes], **options: object) -> LatexExtraction:
    """The extraction of a paper in a folder."""
    folder = write(tmp_path / "paper", files)
    return read_figures(folder, tmp_path / "images", LatexOptions(**options))  # type: ignore[arg-type]


def read_text(tmp_path: Path, latex: str, **options: object) -> list[Figure]:
    """The figures of LaTeX text."""
    return figures_from_text(latex, tmp_path / "images", LatexOptions(**options)).figures  # type: ignore[arg-type]
