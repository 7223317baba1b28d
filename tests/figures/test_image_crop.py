"""What part of a picture is shown."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from data_juicer_ext.figures.image_crop import View, as_png, viewed


def ramp(width: int = 100, height: int = 80) -> Image.Image:
    """A picture whose pixel (x, y) holds the colour (x, y, 0)."""
    pixels = np.zeros((height, width, 3), dtype=np.uint8)
    pixels[:, :, 0], pixels[:, :, 1] = np.arange(width), np.arange(height)[:, None]
    return Image.fromarray(pixels)


def corners(view: View, dpi: float = 72.0) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The first and the last pixel (x, y) of what is shown."""
    shown = viewed(ramp(), view, dpi)
    return shown.getpixel((0, 0))[:2], shown.getpixel((shown.width - 1, shown.height - 1))[:2]


WHOLE = ((0, 0), (99, 79))


@pytest.mark.parametrize(
    ("view", "dpi", "seen"),
    [
        (View(), 72.0, WHOLE),
        (View(trim=(10, 20, 30, 40)), 72.0, ((10, 40), (69, 59))),
        (View(trim=(5, 10, 15, 20)), 144.0, ((10, 40), (69, 59))),
        (View(viewport=(10, 20, 60, 70)), 72.0, ((10, 10), (59, 59))),
        (View(viewport=(5, 10, 30, 35)), 144.0, ((10, 10), (59, 59))),
        (View(trim=(-5, -5, -5, -5)), 72.0, WHOLE),
        (View(trim=(10, 0, 82, 0)), 72.0, ((10, 0), (17, 79))),  # 8 pixels are left
        (View(trim=(10, 0, 83, 0)), 72.0, WHOLE),  # 7 pixels: a mistake
        (View(trim=(0, 40, 0, 33)), 72.0, WHOLE),
        (View(trim=(60, 0, 60, 0)), 72.0, WHOLE),
        (View(trim=(1, 1, 1, 1), viewport=(10, 20, 60, 70)), 72.0, ((1, 1), (98, 78))),
    ],
)  # fmt: skip
def test_trim_and_viewport_cut_in_points(view: View, dpi: float, seen: tuple[tuple[int, ...], ...]) -> None:
    assert corners(view, dpi) == seen


def test_an_angle_turns_counter_clockwise() -> None:
    turned = viewed(ramp(), View(angle=90), 72.0)
    assert turned.size == (80, 100) and turned.getpixel((0, 0))[:2] == (99, 0)


@pytest.mark.parametrize(
    ("options", "view"),
    [
        ({}, View()),
        ({"page": " 3 "}, View(page=3)),
        ({"page": "x"}, View()),
        ({"trim": "1 2 3 4"}, View()),  # without clip all is seen
        ({"trim": "1 2 3 4", "clip": "true"}, View(trim=(1, 2, 3, 4))),
        ({"trim": "1in 2bp 3px 1pc", "clip": "true"}, View(trim=(72, 2, 3, 12))),
        ({"viewport": "0 0 2.54cm 25.4mm", "clip": "true"}, View(viewport=(0, 0, 72, 72))),
        ({"trim": "72.27pt 0 0 0", "clip": "true"}, View(trim=(72, 0, 0, 0))),
        ({"trim": "1 2 3", "clip": "true"}, View()),
        ({"trim": "1 2 3 4", "clip": "false"}, View()),
        ({"angle": "90"}, View(angle=90)),
        ({"angle": "-90.0"}, View(angle=270)),
        ({"angle": "450"}, View(angle=90)),
        ({"angle": "45"}, View()),
        ({"angle": "x"}, View()),
    ],
)
def test_options_of_includegraphics(options: dict[str, str], view: View) -> None:
    made = View.from_options(options)
    for name in ("trim", "viewport"):
        wanted, found = getattr(view, name), getattr(made, name)
        assert found == (None if wanted is None else pytest.approx(wanted))
    assert (made.page, made.angle, made.box) == (view.page, view.angle, None)


def test_a_picture_is_kept_as_png() -> None:
    assert as_png(ramp()).startswith(b"\x89PNG")
