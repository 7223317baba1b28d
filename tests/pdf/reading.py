"""PDFs read in this process, and PDFs that are hard to read."""

from __future__ import annotations

from typing import Any

import pymupdf

from data_juicer_ext.pdf.document import read
from tests.latex.printed import Printed

NO_PAGES = (
    b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"
    b"trailer\n<</Root 1 0 R>>\n%%EOF\n"
)


def found(printed: Printed, seconds: float = 60.0, max_pages: int = 100) -> list[dict[str, Any]]:
    """The figures of a printed paper, with their citing paragraphs."""
    return list(read(printed.data(), seconds, max_pages, 1, True)[0]["figures"])


def only(printed: Printed) -> dict[str, Any]:
    """The one figure of a printed paper."""
    (figure,) = found(printed)
    return figure


def blank(printed: Printed) -> Printed:
    """A printed paper with an empty page more."""
    printed.page = printed.document.new_page(width=600, height=800)
    return printed


def locked() -> bytes:
    """A PDF that asks for a password."""
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "secret")
    return bytes(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw="user"))


def scanned(pages: int = 2) -> bytes:
    """A PDF of pictures of pages."""
    shown = Printed().new_page(60).document
    document = pymupdf.open()
    for number in range(pages):
        page = document.new_page(width=600, height=800)
        page.insert_image(page.rect, pixmap=shown[number].get_pixmap(dpi=50))
    return bytes(document.tobytes())
