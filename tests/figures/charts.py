"""Charts as papers have them, drawn as PDF and rendered at any resolution, and textures like photographs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
from PIL import Image

from data_juicer_ext.curation.findings import Item
from data_juicer_ext.figures.image_appearance import ImageLook
from data_juicer_ext.rows import Figure

WIDTH, HEIGHT = 300, 200  # points


def _axes(page: Any, left: float = 40, top: float = 15, right: float = 290, bottom: float = 170) -> None:
    page.draw_rect(pymupdf.Rect(left, top, right, bottom), width=0.8)
    for step in range(5):
        x, y = left + step * (right - left) / 4, bottom - step * (bottom - top) / 4
        page.draw_line((x, bottom), (x, bottom + 3), width=0.6)
        page.draw_line((left - 3, y), (left, y), width=0.6)
        page.insert_text((x - 6, bottom + 13), str(step * 25), fontsize=8)
        page.insert_text((left - 22, y + 3), f"{step * 0.25:.2f}", fontsize=8)
    page.insert_text((140, 195), "Training epoch", fontsize=9)


def _page() -> tuple[Any, Any]:
    document = pymupdf.open()
    return document, document.new_page(width=WIDTH, height=HEIGHT)


def bars(values: Sequence[float], colour: tuple[float, float, float] = (0.2, 0.4, 0.7)) -> Any:
    """A document of one page: bars of the given heights, 0 to 1."""
    document, page = _page()
    _axes(page)
    for place, value in enumerate(values):
        left = 55 + place * 230 / len(values)
        page.draw_rect(pymupdf.Rect(left, 170 - 150 * value, left + 140 / len(values), 170), fill=colour, width=0.5)
    return document


def lines(*curves: Sequence[float], colour: tuple[float, float, float] = (0, 0, 0), labelled: bool = True) -> Any:
    """A document of one page: curves through the given heights, 0 to 1, with axes and labels or without."""
    document, page = _page()
    if labelled:
        _axes(page)
    for values in curves:
        points = [(40 + 250 * i / (len(values) - 1), 170 - 150 * value) for i, value in enumerate(values)]
        page.draw_polyline(points, width=1.0, color=colour)
    return document


def heat_map(cells: Sequence[Sequence[float]]) -> Any:
    """A document of one page: cells from dark (0) to light (1)."""
    document, page = _page()
    _axes(page)
    for row, values in enumerate(cells):
        for column, value in enumerate(values):
            corner = pymupdf.Rect(42 + 40 * column, 17 + 25 * row, 82 + 40 * column, 42 + 25 * row)
            page.draw_rect(corner, fill=(value, value, 0.6), width=0)
    return document


def render(document: Any, dpi: int) -> Image.Image:
    """The only page of a document, RGB."""
    pixels = document[0].get_pixmap(dpi=dpi, alpha=False)
    return Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)


def as_jpeg(image: Image.Image, quality: int) -> Image.Image:
    """The image after compression."""
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality)
    out.seek(0)
    return Image.open(out).convert("RGB")


def texture(seed: int, side: int = 240) -> Image.Image:
    """Noise whose spectrum falls as that of photographs does (amplitude 1/f), RGB."""
    random = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.rfftfreq(side)[None, :], np.fft.fftfreq(side)[:, None]) + 0.01
    channels = []
    for _ in range(3):
        plane = np.fft.irfft2(np.fft.rfft2(random.normal(size=(side, side))) / frequency, s=(side, side))
        channels.append(np.clip(128 + 50 * (plane - plane.mean()) / plane.std(), 0, 255))
    return Image.fromarray(np.dstack(channels).astype(np.uint8))


def saved(image: Image.Image, path: Path) -> str:
    """The path, as text, that the image was written to."""
    image.save(path)
    return str(path)


def figure(number: str, *images: str, page: int = 0, bbox: Sequence[float] = (), **more: Any) -> Figure:
    """A figure with its number as its id."""
    return Figure(figure_id=f"f{number}", number=number, caption=f"Caption {number}.", images=list(images),
                  page=page, bbox=list(bbox), **more)  # fmt: skip


def item(number: str, width: int = 300, height: int = 200, phash: int = 0, **more: Any) -> Item:
    """A figure on its way, with an image that has been looked at."""
    look = ImageLook(f"{number}.png", width, height, 0.5, phash)
    return Item(figure(number, f"{number}.png", **more), [look])
