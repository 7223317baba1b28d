"""Charts, renderings of them, and sets of rows that show them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import ImageOps

from data_juicer_ext.annotation.image_rows import image_row
from tests.figures.charts import as_jpeg, bars, lines, render, saved


def curve(seed: int) -> list[float]:
    """Heights, 0 to 1, that wander."""
    generator = random.Random(seed)
    return [0.5 + 0.4 * generator.uniform(-1, 1) for _ in range(12)]


def chart(folder: Path, seed: int, dpi: int = 100) -> str:
    """A chart with data of its own: curves, or bars where `seed` is even."""
    document = bars(curve(seed)) if seed % 2 == 0 else lines(curve(seed), curve(seed + 1000))
    return saved(render(document, dpi), folder / f"chart-{seed}.png")


def rendered_anew(folder: Path, seed: int) -> str:
    """The same chart smaller, as JPEG and with a margin."""
    document = bars(curve(seed)) if seed % 2 == 0 else lines(curve(seed), curve(seed + 1000))
    image = ImageOps.expand(as_jpeg(render(document, 80), 60), 15, "white")
    return saved(image, folder / f"anew-{seed}.png")


def rows(folder: Path, images: Sequence[str], categories: str = "ab") -> list[dict[str, Any]]:
    """A row an image, in categories by turns."""
    return [
        {**image_row({"image": image, "caption": f"c{place}"}, folder),
         "image_category": categories[place % len(categories)]}
        for place, image in enumerate(images)
    ]  # fmt: skip
