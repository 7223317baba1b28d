"""Print three sample papers as PDF, with the figures that draw_figures.py drew and some more.

    .venv/bin/python examples/draw_pdfs.py [FOLDER]

The texts are in pdfs/sources. Blocks are parted by empty lines: first title and authors, then "# heading", running
text, "---" for a new page, or "{names height} caption" for a figure, "wide" behind its height where it crosses the
columns. Planted on purpose: two figures with nearly nothing in them, one that repeats another, one that no text cites,
two without a caption, a blurred one, a sentence that reverses a trend, and a paper of which too little is left. Output
is the same byte for byte for the same version of PyMuPDF.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "pdfs" / "sources"
ROUTER = HERE / "papers" / "tide_router" / "figures"
MARSH = HERE / "sources" / "salt_marsh"
PLATE = HERE / "papers" / "ribbed_plate_images"
COLUMNS = {"tide_router": 2, "salt_marsh": 1, "ribbed_plate": 1}

WIDTH, HEIGHT, MARGIN, GUTTER = 612.0, 792.0, 60.0, 20.0  # points, US Letter
PLAIN, BOLD, SANS = "tiro", "tibo", "helv"  # Times and Helvetica, which readers of PDFs have: nothing is embedded
LEFT, CENTRE, JUSTIFIED = pymupdf.TEXT_ALIGN_LEFT, pymupdf.TEXT_ALIGN_CENTER, pymupdf.TEXT_ALIGN_JUSTIFY
BLUE, PALE, GRID = (0.17, 0.39, 0.64), (0.93, 0.95, 0.97), (0.85, 0.85, 0.88)

Draw = Callable[[Any, Any], None]
"""Draws a figure on a page into a rectangle."""


# ---- figures


def vector(path: Path) -> Draw:
    """A PDF figure, placed as drawings and text."""

    def draw(page: Any, box: Any) -> None:
        with pymupdf.open(path) as source:
            page.show_pdf_page(box, source, 0)

    return draw


def raster(path: Path) -> Draw:
    """A PNG, placed as an image without transparency."""

    def draw(page: Any, box: Any) -> None:
        page.insert_image(box, pixmap=pymupdf.Pixmap(pymupdf.Pixmap(str(path)), 0))

    return draw


def blurred(path: Path) -> Draw:
    """A PNG, placed as a JPEG that was scaled to a quarter and back."""

    def draw(page: Any, box: Any) -> None:
        sharp = pymupdf.Pixmap(pymupdf.Pixmap(str(path)), 0)
        small = pymupdf.Pixmap(sharp, sharp.width // 4, sharp.height // 4)
        back = pymupdf.Pixmap(small, sharp.width, sharp.height)
        page.insert_image(box, stream=back.tobytes("jpeg", jpg_quality=85))

    return draw


def chain(*blocks: str) -> Draw:
    """Boxes from top to bottom, an arrow from each to the next; drawn, there is no image in it."""

    def draw(page: Any, box: Any) -> None:
        pitch, middle = box.height / len(blocks), (box.x0 + box.x1) / 2
        for place, text in enumerate(blocks):
            top, bottom = box.y0 + place * pitch, box.y0 + (place + 1) * pitch - 16
            page.draw_rect((middle - 80, top, middle + 80, bottom), color=BLUE, fill=PALE, width=1.2)
            start = middle - pymupdf.get_text_length(text, fontname=SANS, fontsize=10) / 2
            page.insert_text((start, (top + bottom) / 2 + 3.5), text, fontname=SANS, fontsize=10)
            if place:
                page.draw_line((middle, top - 16), (middle, top - 2), width=1)
                page.draw_polyline([(middle - 4, top - 7), (middle, top - 1), (middle + 4, top - 7)], width=1)

    return draw


def curve(values: Sequence[float], most: float, across: str, up: str) -> Draw:
    """A line plot of `values`, from 0 to `most`, with a scale on both axes; there is no image in it."""

    def draw(page: Any, box: Any) -> None:
        plot = pymupdf.Rect(box.x0 + 46, box.y0 + 14, box.x1 - 12, box.y1 - 32)
        page.draw_line(plot.bl, plot.br, width=0.8)
        page.draw_line(plot.bl, plot.tl, width=0.8)
        for step in range(5):
            x, y = plot.x0 + step * plot.width / 4, plot.y1 - step * plot.height / 4
            page.insert_text((x - 6, plot.y1 + 12), f"{step * (len(values) - 1) / 4:g}", fontname=SANS, fontsize=8)
            page.insert_text((plot.x0 - 24, y + 3), f"{step * most / 4:g}", fontname=SANS, fontsize=8)
            page.draw_line((plot.x0, y), (plot.x1, y), color=GRID, width=0.4)
        page.insert_text((plot.x0 + plot.width / 2 - 24, plot.y1 + 25), across, fontname=SANS, fontsize=9)
        page.insert_text((box.x0 + 2, box.y0 + 8), up, fontname=SANS, fontsize=9)
        width = plot.width / (len(values) - 1)
        points = [(plot.x0 + i * width, plot.y1 - value / most * plot.height) for i, value in enumerate(values)]
        page.draw_polyline(points, color=BLUE, width=1.4)

    return draw


def nearly_white(width: int, height: int) -> Draw:
    """An image that came out white but for twelve grey specks."""

    def draw(page: Any, box: Any) -> None:
        pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, width, height), False)
        pixels.clear_with(255)
        for place in range(12):
            x, y = 5 + place * (width - 13) // 11, 5 + (place * 7 % 12) * (height - 13) // 11
            for dot in range(9):
                pixels.set_pixel(x + dot % 3, y + dot // 3, (120, 120, 120))
        page.insert_image(box, pixmap=pixels)

    return draw


def level(hour: int) -> float:
    """The water level of a tide gauge in metres: two tides a day, one of them higher."""
    return 2.4 + 1.5 * math.sin(hour / 12.4 * math.tau) + 0.4 * math.sin(hour / 24.8 * math.tau)


FIGURES: dict[str, Draw] = {
    "parts": chain(
        "Sensor frames", "Patch encoder, 6 layers", "Token router, 48 tokens", "Mixer, 4 blocks", "Readout head"
    ),
    "accuracy": raster(ROUTER / "accuracy.png"),
    "energy": vector(ROUTER / "energy.pdf"),
    "training": raster(ROUTER / "training.png"),
    "level": curve([level(hour) for hour in range(49)], 6, "Hours", "Water level (m)"),
    "germination": blurred(MARSH / "germination.png"),
    "biomass": vector(MARSH / "biomass.pdf"),
    "roots": nearly_white(900, 420),
    "table": curve([60 - 48 * (1 - math.exp(-day / 4)) for day in range(25)], 80, "Days", "Water table (cm)"),
    "salinity": curve([30 - 0.6 * day + 2 * math.sin(day / 2) for day in range(29)], 40, "Days", "Salinity (g/L)"),
    "rain": curve([11 + 6 * math.sin(w) + 3 * math.sin(w * 2.3) for w in range(41)], 20, "Weeks", "Rain (mm)"),
    "drag": raster(PLATE / "drag.png"),
    "dye": nearly_white(800, 300),
}


# ---- papers


class Print:
    """A paper in one column or two: what is added fills a column from the top, then the next one."""

    def __init__(self, columns: int) -> None:
        self._document = pymupdf.open()
        self._columns = columns
        self._width = (WIDTH - 2 * MARGIN - (columns - 1) * GUTTER) / columns
        self.new_page()

    def new_page(self) -> None:
        """Begin a page, with its number at the foot."""
        self._page = self._document.new_page(width=WIDTH, height=HEIGHT)
        self._page.insert_text((WIDTH / 2, HEIGHT - 30), str(len(self._document)), fontname=PLAIN, fontsize=9)
        self._top = self._y = MARGIN
        self._column = 0

    def title(self, text: str) -> None:
        """Title and authors, a line each, over the whole width."""
        title, authors = text.split("\n")
        self._across(title, BOLD, 15, CENTRE, 6)
        self._across(authors, PLAIN, 11, CENTRE, 16)

    def heading(self, text: str) -> None:
        """The heading of a section, with room for some lines below."""
        if self._y > HEIGHT - MARGIN - 80:
            self._next_column()
        self._write(text, BOLD, 12, LEFT, 4)

    def paragraph(self, text: str) -> None:
        """Running text."""
        self._write(text, PLAIN, 10, JUSTIFIED, 7)

    def figure(self, panels: Sequence[Draw], height: float, wide: bool, caption: str) -> None:
        """Panels side by side, with letters where there are several, and the caption below."""
        if self._y + height + 55 > HEIGHT - MARGIN:
            self._next_column()
        left, width = (MARGIN, WIDTH - 2 * MARGIN) if wide else (self._left, self._width)
        self._panels(panels, pymupdf.Rect(left, self._y + 4, left + width, self._y + 4 + height))
        self._y += height + 12
        (self._across if wide else self._write)(caption, PLAIN, 9, LEFT, 14)

    def data(self) -> bytes:
        """The PDF, without dates and without an id that changes."""
        self._document.set_metadata({})
        return bytes(self._document.tobytes(garbage=3, deflate=True, no_new_id=True))

    def _panels(self, panels: Sequence[Draw], box: Any) -> None:
        if len(panels) == 1:
            panels[0](self._page, box)
            return
        for place, (letter, panel) in enumerate(zip("abc", panels, strict=False)):
            left, width = box.x0 + place * box.width / len(panels), box.width / len(panels)
            panel(self._page, pymupdf.Rect(left + 4, box.y0, left + width - 4, box.y1 - 16))
            self._page.insert_text((left + width / 2 - 6, box.y1 - 4), f"({letter})", fontname=PLAIN, fontsize=10)

    @property
    def _left(self) -> float:
        return MARGIN + self._column * (self._width + GUTTER)

    def _next_column(self) -> None:
        if self._column + 1 == self._columns:
            self.new_page()
        else:
            self._column, self._y = self._column + 1, self._top

    def _write(self, text: str, font: str, size: float, align: int, space: float) -> None:
        """Text in the column where there is room for it."""
        for _ in range(2):
            box = pymupdf.Rect(self._left, self._y, self._left + self._width, HEIGHT - MARGIN)
            left = self._page.insert_textbox(box, text, fontname=font, fontsize=size, align=align)
            if left >= 0:
                self._y = box.y1 - left + space
                return
            self._next_column()
        raise ValueError(f"no column has room for: {text[:60]}")

    def _across(self, text: str, font: str, size: float, align: int, space: float) -> None:
        """Text over all columns, which begin below it."""
        box = pymupdf.Rect(MARGIN, self._y, WIDTH - MARGIN, HEIGHT - MARGIN)
        left = self._page.insert_textbox(box, text, fontname=font, fontsize=size, align=align)
        self._top = self._y = box.y1 - left + space


def printed(source: str, columns: int) -> bytes:
    """The PDF of a paper, from its text as the head of this file describes it."""
    paper = Print(columns)
    title, *blocks = source.strip().split("\n\n")
    paper.title(title)
    for block in blocks:
        text = " ".join(block.split())
        figure = re.fullmatch(r"\{([\w+]+) (\d+)( wide)?\} (.*)", text)
        if text == "---":
            paper.new_page()
        elif text.startswith("# "):
            paper.heading(text[2:])
        elif figure:
            panels = [FIGURES[name] for name in figure[1].split("+")]
            paper.figure(panels, float(figure[2]), bool(figure[3]), figure[4])
        else:
            paper.paragraph(text)
    return paper.data()


def print_all(folder: Path) -> None:
    """Write the sample papers into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, columns in COLUMNS.items():
        source = (SOURCES / f"{name}.txt").read_text(encoding="utf-8")
        (folder / f"{name}.pdf").write_bytes(printed(source, columns))


if __name__ == "__main__":
    print_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "pdfs")
