"""Small printed papers: PDFs with running text, drawings and captions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pymupdf

WORDS = "We measure how the rate of the reaction depends on the temperature of the vessel and on its walls. " * 40
Box = tuple[float, float, float, float]


@dataclass
class Printed:
    """A PDF in the making, with `columns` of running text; it begins with pages that are full of it."""

    columns: int = 1
    full_pages: int = 2
    document: Any = field(default_factory=pymupdf.open)
    page: Any = None

    def __post_init__(self) -> None:
        """Make the full pages."""
        for _ in range(self.full_pages):
            self.new_page(60)

    def new_page(self, top: float = 400, turn: int = 0) -> Printed:
        """A page whose running text begins at `top` and goes to the bottom."""
        self.page = self.document.new_page(width=600, height=800)
        gap = 20 if self.columns == 2 else 0
        width = (460 - gap) / self.columns
        for column in range(self.columns):
            left = 70 + column * (width + gap)
            self.text((left, top, left + width, 740))
        self.page.insert_text((300, 770), str(len(self.document)), fontsize=10)
        return self

    def text(self, box: Box, words: str = WORDS) -> Printed:
        """Running text that fills a box."""
        words = words[: int((box[2] - box[0]) * (box[3] - box[1]) / 60)]
        while self.page.insert_textbox(box, words, fontsize=10, align=pymupdf.TEXT_ALIGN_JUSTIFY) < 0:
            words = words[: len(words) * 9 // 10]
        return self

    def caption(self, x: float, y: float, *lines: str, rotate: int = 0) -> Printed:
        """Lines of a caption, the first one's baseline at (x, y)."""
        for number, line in enumerate(lines):
            across, down = (number * 11, 0) if rotate else (0, number * 11)
            self.page.insert_text((x + across, y + down), line, fontsize=9, rotate=rotate)
        return self

    def drawing(self, box: Box, *labels: str) -> Printed:
        """A drawing: an outline, a diagonal and a word in it."""
        x0, y0, x1, y1 = box
        self.page.draw_line((x0, y0), (x1, y1), color=(0, 0, 1))
        self.page.draw_line((x0, y1), (x1, y0), color=(0, 0, 1))
        self.page.draw_circle(((x0 + x1) / 2, (y0 + y1) / 2), min(x1 - x0, y1 - y0) / 2, color=(1, 0, 0))
        for number, label in enumerate(labels):
            self.page.insert_text((x0 + 5, y0 + 15 + 12 * number), label, fontsize=10)
        return self

    def data(self) -> bytes:
        """The PDF."""
        return bytes(self.document.tobytes())


def near(box: list[float], wanted: Box, slack: float = 6) -> bool:
    """Whether each edge is where it is wanted, or so."""
    return all(abs(one - other) <= slack for one, other in zip(box, wanted, strict=True))
