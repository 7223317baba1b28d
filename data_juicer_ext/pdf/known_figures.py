"""Where figures stand in a PDF whose captions are known, as in that of a LaTeX paper; runs in a process of its own.

Known captions are told from other text by their words, so that the layout model, which takes most of the time that
a page needs, is not asked.
"""

from collections.abc import Sequence
from typing import Any

from data_juicer_ext.pdf.document import Reader, open_pdf
from data_juicer_ext.pdf.figures.caption_matching import Match, match_all
from data_juicer_ext.pdf.figures.captions import Caption
from data_juicer_ext.pdf.figures.known_captions import PrintedCaption, find_captions
from data_juicer_ext.pdf.figures.regions import Candidate
from data_juicer_ext.pdf.page.geometry import Rect

Candidates = list[tuple[Caption, list[Candidate]]]

_MOST_PAGES = 500


def locate(data: bytes, wanted: list[list[str]], seconds: float) -> tuple[list[dict[str, Any]], bytes]:
    """Where each of `wanted` (number, caption) stands in a PDF, in the same order.

    An object each: `page` (from 1), `bbox` (left, top, right, bottom in points of the page as it is shown) and
    `turn` (degrees clockwise that make it upright); or `reason`, why it was not found. Raises PdfError for a PDF
    that cannot be read or has no text.
    """
    with open_pdf(data) as document:
        reader = Reader(document, seconds, _MOST_PAGES)
        captions = find_captions(reader.read_text(), [(number, caption) for number, caption in wanted])
        pages = _candidates(reader, [caption for caption in captions if caption is not None])
        matches = match_all([(page, found) for page, found in pages.items() if found is not None])
        unread = {page for page, found in pages.items() if found is None}
        return [_place(reader, caption, matches, unread) for caption in captions], b""


def _candidates(reader: Reader, known: Sequence[PrintedCaption]) -> dict[int, Candidates | None]:
    """All captions of the pages that hold known ones, and what is next to them; None for a page that is not read."""
    rects: dict[int, list[Rect]] = {}
    for caption in known:
        rects.setdefault(caption.page, []).append(caption.rect)
    for page, on_page in rects.items():
        reader.lay_out(page, on_page)
    return {page: reader.candidates(page) for page in rects}


def _place(
    reader: Reader, caption: PrintedCaption | None, matches: Sequence[Match], unread: set[int]
) -> dict[str, Any]:
    if caption is None:
        return {"reason": "no caption in the PDF has its number and is like its caption"}
    if caption.page in unread:
        return {"reason": f"page {caption.page + 1} is too large, cannot be drawn, or came too late"}
    for match in matches:
        if match.caption.lines[0] is caption.lines[0] and match.candidate.drawn:
            return reader.place(match)
    return {"reason": f"nothing is drawn next to its caption on page {caption.page + 1}"}
