"""Figures for the tests of the offline model, drawn with Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
BLACK: Colour = (0, 0, 0)


class Canvas:
    """A white image with text centred on points."""

    def __init__(self, width: int = 1000, height: int = 700) -> None:
        self.image = Image.new("RGB", (width, height), "white")
        self.draw = ImageDraw.Draw(self.image)

    def text(self, x: float, y: float, text: str, colour: Colour = BLACK, size: int = 30, anchor: str = "mm") -> None:
        """Write `text` at a point."""
        self.draw.text((x, y), text, fill=colour, font=ImageFont.load_default(size), anchor=anchor)

    def upright(self, x: int, y: int, text: str, size: int = 30) -> None:
        """Write `text` from bottom to top, centred on a point."""
        font = ImageFont.load_default(size)
        width = int(font.getlength(text)) + 8
        strip = Image.new("RGB", (width, size + 12), "white")
        ImageDraw.Draw(strip).text((4, 2), text, fill="black", font=font)
        turned = strip.rotate(90, expand=True)
        self.image.paste(turned, (x - turned.width // 2, y - turned.height // 2))

    def save(self, path: Path) -> str:
        """Write the image; its path as text."""
        self.image.save(path)
        return str(path)


def bar_chart(path: Path, names: Sequence[str], values: Sequence[float], title: str = "Runoff (mm)") -> str:
    """Bars with names under them, values over them, and an upright axis title."""
    canvas = Canvas()
    base, top = 580, max(values)
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        x = 220 + place * 200
        high = base - 420 * value / top
        canvas.draw.rectangle((x - 55, high, x + 55, base), fill=(60, 110, 170))
        canvas.text(x, high - 28, f"{value:.1f}")
        canvas.text(x, base + 35, name)
    canvas.draw.line((120, base, 980, base), fill="black", width=3)
    canvas.upright(40, 330, title)
    return canvas.save(path)


def diagram(path: Path, blocks: Sequence[tuple[str, str]], backward: bool = False) -> str:
    """Blocks (name, second line) from left to right, with arrows to the next, or from it."""
    canvas = Canvas(320 * len(blocks) + 40, 260)
    for place, (name, line) in enumerate(blocks):
        left = 30 + place * 320
        canvas.draw.rectangle((left, 60, left + 220, 200), outline="black", width=3)
        canvas.text(left + 110, 110 if line else 130, name, size=26)
        if line:
            canvas.text(left + 110, 155, line, size=26)
        if place:
            start, end = left - 98, left - 4
            canvas.draw.line((start, 130, end, 130), fill="black", width=4)
            tip, back = (start, start + 26) if backward else (end, end - 26)
            canvas.draw.polygon([(tip, 130), (back, 116), (back, 144)], fill="black")
    return canvas.save(path)
