"""One PDF read from end to end; runs in a process of its own (see `figures.bounded_process`)."""

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.figures.page_drawing import mupdf
from data_juicer_ext.pdf.figures.caption_matching import Match, match_all, once_each
from data_juicer_ext.pdf.figures.captions import Caption
from data_juicer_ext.pdf.figures.offpage_captions import match_adrift
from data_juicer_ext.pdf.figures.page_content import Content, read_content
from data_juicer_ext.pdf.figures.regions import Candidate, RegionFinder
from data_juicer_ext.pdf.options import PdfError
from data_juicer_ext.pdf.page.caption_cues import figure_cue, without_continued
from data_juicer_ext.pdf.page.document_style import Styles, styles_of
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.layout_model import CAPTION, Box, layout, plain_boxes
from data_juicer_ext.pdf.page.lines import Line, as_shown, upright_lines
from data_juicer_ext.pdf.text.line_joining import Words
from data_juicer_ext.pdf.text.paragraphs import Page, Paragraph, paragraphs
from data_juicer_ext.pdf.text.references import FigureNumbers
from data_juicer_ext.pdf.text.running_heads import running_heads

_NAMES_FIGURE = re.compile(r"[Ff]ig(?:\.|ure|s)|F ?I ?G|[Ff]ig \d|Abb")
_SOFT = 0.8  # of the time limit, after which no further page is looked at
_MOST_POINTS = 4_000_000  # square points of a page; more is a poster
_FEW_LETTERS = 20  # a page on the average
_SHRINK_EVERY = 20  # pages
_SHORTEST = 20  # letters of a paragraph


def read(data: bytes, seconds: float, max_pages: int, threads: int, context: bool) -> tuple[dict[str, Any], bytes]:
    """The figures of a PDF: an object with `pages`, `notes` and `figures`.

    Of each figure: `number`, `page` (from 1), `bbox` and `turn` (degrees clockwise that make it upright),
    `caption`, `flags`, and, with `context`, `context` (paragraphs, with place and section).
    """
    with open_pdf(data) as document:
        return Reader(document, seconds, max_pages, threads).read(context), b""


def open_pdf(data: bytes) -> Any:
    """The document in `data`. Raises PdfError for one that cannot be opened, is locked, or has no page."""
    try:
        document = mupdf().open(stream=data, filetype="pdf")
        pages = document.page_count
    except Exception as error:
        raise PdfError("broken", f"the PDF cannot be opened ({error})") from error
    if document.needs_pass:
        raise PdfError("encrypted", "the PDF asks for a password; give a copy without one")
    if pages < 1:
        raise PdfError("no_pages", "the PDF has no page")
    return document


def page_count(data: bytes) -> tuple[int, bytes]:
    """How many pages a PDF has. Raises PdfError."""
    with open_pdf(data) as document:
        return document.page_count, b""


@dataclass
class _Sheet:
    """What is kept of a page."""

    lines: list[Line]
    turn: int
    width: float
    height: float
    heads: Sequence[Line] = ()
    boxes: Sequence[Box] | None = None
    captions: Sequence[Caption] = ()


class Reader:
    """Reads the pages of a document: the text of all at first, what is drawn on one when it is asked for."""

    def __init__(self, document: Any, seconds: float, max_pages: int, threads: int = 1) -> None:
        self._document = document
        self._deadline = time.monotonic() + _SOFT * seconds
        self._threads = threads
        self._notes: list[str] = []
        self._count = min(document.page_count, max_pages)
        if self._count < document.page_count:
            self._notes.append(f"only the first {max_pages} of {document.page_count} pages were read (max_pages)")
        if getattr(document, "is_repaired", False):
            self._notes.append("the file was damaged and has been repaired as far as it goes")
        self._sheets: list[_Sheet] = []

    def read(self, context: bool) -> dict[str, Any]:
        """The figures of the document, as `read` tells them."""
        self.read_text()
        matches = self._matches()
        figures = [self._figure(match) for match in matches]
        if context:
            self._add_context(figures, matches)
        return {"pages": self._document.page_count, "notes": self._notes, "figures": figures}

    # ---- pages

    def read_text(self) -> list[list[Line]]:
        """The lines of each page. Raises PdfError for a document without text."""
        for index in range(self._count):
            if time.monotonic() > self._deadline:
                self._notes.append(f"time limit: the text from page {index + 1} on was not read")
                break
            self._sheets.append(self._sheet(index))
        self._count = len(self._sheets)
        self._styles = self._checked_styles()
        for sheet, heads in zip(self._sheets, self._heads(), strict=True):
            sheet.heads = heads
        return [sheet.lines for sheet in self._sheets]

    def _sheet(self, index: int) -> _Sheet:
        if index % _SHRINK_EVERY == 0:
            mupdf().TOOLS.store_shrink(100)
        try:
            page = self._document[index]
            lines, turn = upright_lines(page)
        except Exception as error:  # one bad page of a damaged file
            self._notes.append(f"page {index + 1} cannot be read ({type(error).__name__}: {str(error)[:100]})")
            return _Sheet([], 0, 1.0, 1.0)
        return _Sheet(lines, turn, page.rect.width, page.rect.height)

    def _checked_styles(self) -> Styles:
        letters = [sum(len(line.text) for line in sheet.lines) for sheet in self._sheets]
        styles = styles_of([sheet.lines for sheet in self._sheets])
        if styles is None or sum(letters) < _FEW_LETTERS * len(letters):
            raise PdfError("no_text", "the PDF has no text (scanned?); run OCR on it first")
        empty = sum(count < _FEW_LETTERS for count in letters)
        if empty:
            self._notes.append(f"{empty} of {len(letters)} pages have no text")
        return styles

    def _heads(self) -> list[list[Line]]:
        return running_heads([sheet.lines for sheet in self._sheets], [sheet.height for sheet in self._sheets])

    def _content(self, index: int) -> Content | None:
        sheet = self._sheets[index]
        if sheet.width * sheet.height > _MOST_POINTS or time.monotonic() > self._deadline:
            return None
        try:
            page = self._document[index]
            boxes = self._boxes(index, page)
            content = read_content(page, sheet.lines, sheet.heads, boxes, self._styles.of(index), mupdf().csGRAY)
        except (RuntimeError, ValueError) as error:
            self._notes.append(f"page {index + 1} cannot be drawn ({type(error).__name__}: {str(error)[:100]})")
            return None
        sheet.captions = content.captions
        if index % _SHRINK_EVERY == 0:
            mupdf().TOOLS.store_shrink(100)
        return content

    def _boxes(self, index: int, page: Any) -> Sequence[Box]:
        sheet = self._sheets[index]
        if sheet.boxes is None:
            try:
                sheet.boxes = layout(page, self._threads)
            except Exception as error:  # the model stumbles over odd pages
                self._notes.append(f"page {index + 1} has no layout ({type(error).__name__}: {str(error)[:100]})")
                sheet.boxes = plain_boxes(sheet.lines, self._styles.of(index))
        return sheet.boxes

    def lay_out(self, index: int, captions: Iterable[Rect]) -> None:
        """Take a page as its lines are set, with `captions` that are known, instead of asking the layout model."""
        sheet = self._sheets[index]
        sheet.boxes = [Box(rect, CAPTION) for rect in captions] + plain_boxes(sheet.lines, self._styles.of(index))

    # ---- figures

    def candidates(self, index: int) -> list[tuple[Caption, list[Candidate]]] | None:
        """The captions of figures on a page and where the figures may be; None where `_content` is."""
        content = self._content(index)
        if content is None:
            return None
        finder = RegionFinder(content, self._styles.of(index))
        return [(caption, finder.candidates(caption)) for caption in content.captions if caption.number]

    def _matches(self) -> list[Match]:
        pages = []
        for index, sheet in enumerate(self._sheets):
            if any(figure_cue(line.text) for line in sheet.lines):
                if time.monotonic() > self._deadline:
                    self._notes.append(f"time limit: figures from page {index + 1} on were not looked for")
                    break
                found = self.candidates(index)
                if found is not None:
                    pages.append((index, found))
        matches = once_each(match_all(pages))
        return sorted(
            [*matches, *self._adrift(pages, matches)],
            key=lambda match: (match.page, match.candidate.rect.y0, match.candidate.rect.x0),
        )

    def _adrift(
        self, pages: Sequence[tuple[int, Sequence[tuple[Caption, Any]]]], matches: Sequence[Match]
    ) -> list[Match]:
        """Matches of captions that have no drawing on their page."""
        known = {match.caption.number for match in matches}
        left: dict[str, tuple[int, Caption]] = {}
        for page, captions in pages:
            for caption, _ in captions:
                if caption.number not in known:
                    left[caption.number] = (page, caption)
        if not left:
            return []
        taken = {page for page, captions in pages if captions}
        near = {page + step for page, _ in left.values() for step in (-1, 1)}
        last = max(page for page, _ in left.values())
        looked_at = [
            index for index in range(self._count)
            if index not in taken and (index in near or index > last) and len(self._sheets[index].lines) < 200
        ]  # fmt: skip
        alone: dict[int, Candidate] = {}
        for index in looked_at:
            content = self._content(index)
            candidate = RegionFinder(content, self._styles.of(index)).alone() if content is not None else None
            if candidate is not None:
                alone[index] = candidate
        return match_adrift(list(left.values()), alone)

    def _figure(self, match: Match) -> dict[str, Any]:
        sheet, caption = self._sheets[match.page], match.caption
        flags = []
        if caption.continued:
            flags.append("continued")
        if caption not in sheet.captions:
            flags.append("caption_on_other_page")
        if not match.candidate.drawn:
            flags.append("text_only")
        return {"number": caption.number, **self.place(match), "caption": self._caption(caption), "flags": flags}

    def place(self, match: Match) -> dict[str, Any]:
        """`page` (from 1), `bbox` and `turn` of a figure, on its page as it is shown."""
        sheet = self._sheets[match.page]
        shown = as_shown(match.candidate.rect, sheet.turn, sheet.width, sheet.height)
        return {"page": match.page + 1, "bbox": [round(value, 1) for value in shown], "turn": sheet.turn}

    def _caption(self, caption: Caption) -> str:
        first, *rest = (line.text for line in caption.lines)
        text = self._words().join([first[caption.end :], *rest])
        return without_continued(text).lstrip(" .:|—–-")

    def _words(self) -> Words:
        if not hasattr(self, "_known_words"):
            self._known_words = Words(line.text for sheet in self._sheets for line in sheet.lines)
        return self._known_words

    # ---- citing paragraphs

    def _add_context(self, figures: Sequence[dict[str, Any]], matches: Sequence[Match]) -> None:
        numbers = FigureNumbers(figure["number"] for figure in figures)
        cited: dict[str, list[Paragraph]] = {figure["number"]: [] for figure in figures}
        for paragraph in paragraphs(self._text_pages(matches), self._styles, self._words()):
            for number in numbers.named_in(paragraph.text) if len(paragraph.text) >= _SHORTEST else ():
                if all(known.text != paragraph.text for known in cited[number]):
                    cited[number].append(paragraph)
        for figure in figures:
            figure["context"] = [[part.text, f"page {part.page}", part.section] for part in cited[figure["number"]]]

    def _text_pages(self, matches: Sequence[Match]) -> list[Page]:
        named = {
            index for index, sheet in enumerate(self._sheets)
            if any(_NAMES_FIGURE.search(line.text) for line in sheet.lines)
        }  # fmt: skip
        pages = []
        for index, sheet in enumerate(self._sheets):
            wanted = sheet.boxes is not None or index in named or index + 1 in named
            if wanted and time.monotonic() < self._deadline:
                boxes = self._boxes(index, self._document[index])
            else:
                boxes = plain_boxes(sheet.lines, self._styles.of(index))
            taken = [match.candidate.rect for match in matches if match.page == index]
            taken += [caption.rect for caption in sheet.captions]
            pages.append(Page(index, sheet.lines, boxes, taken, sheet.heads))
        return pages
