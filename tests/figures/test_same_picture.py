"""Whether two image files show the same, by their pixels."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from data_juicer_ext.figures.same_picture import same_picture

Colour = tuple[int, int, int]
RED: Colour = (200, 60, 60)


def bars(path: Path, colour: Colour = RED, right: int = 200, scale: int = 1, margin: int = 0) -> str:
    """Two framed bars, the first of some colour, the second up to `right`; the frame is black."""
    image = Image.new("RGB", (300 + 2 * margin, 200 + 2 * margin), "white")
    draw = ImageDraw.Draw(image)
    for box, fill in (((40, 40, 260, 160), None), ((60, 60, 150, 100), colour), ((60, 120, right, 150), (90, 90, 90))):
        x0, y0, x1, y1 = (side + margin for side in box)
        draw.rectangle((x0, y0, x1, y1), fill=fill, outline="black", width=2)
    image.resize((image.width * scale, image.height * scale), Image.Resampling.LANCZOS).save(path)
    return str(path)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"scale": 3}, True),
        ({"margin": 60}, True),
        ({"margin": 60, "scale": 2}, True),
        ({"colour": (200, 60, 72)}, True),  # JPEG shifts a colour as far
        ({"colour": (200, 60, 88)}, False),  # another shade of red, over a whole bar
        ({"colour": (60, 60, 200)}, False),
        ({"right": 220}, False),
    ],
)
def test_size_and_margin_say_nothing_and_data_do(other: dict[str, object], same: bool, tmp_path: Path) -> None:
    first, second = bars(tmp_path / "1.png"), bars(tmp_path / "2.png", **other)  # type: ignore[arg-type]
    assert same_picture(first, second) is same and same_picture(second, first) is same


def test_other_proportions_are_another_picture(tmp_path: Path) -> None:
    first = bars(tmp_path / "1.png")
    with Image.open(first) as image:
        image.resize((300, 260)).save(tmp_path / "2.png")
    assert not same_picture(first, str(tmp_path / "2.png"))


def test_a_file_that_does_not_decode_is_the_same_as_nothing(tmp_path: Path) -> None:
    first = bars(tmp_path / "1.png")
    (tmp_path / "broken.png").write_bytes(b"no image")
    for other in (tmp_path / "broken.png", tmp_path / "gone.png"):
        assert not same_picture(first, str(other)) and not same_picture(str(other), first)


def test_a_file_that_was_changed_is_read_anew(tmp_path: Path) -> None:
    first, second = bars(tmp_path / "1.png"), bars(tmp_path / "2.png")
    assert same_picture(first, second)
    bars(tmp_path / "2.png", right=220)
    assert not same_picture(first, second)
