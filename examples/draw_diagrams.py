"""Draw the sample diagrams of diagrams.jsonl: references, and candidates with flaws planted on purpose.

    .venv/bin/python examples/draw_diagrams.py [FOLDER]

The subjects are made up; the texts in diagrams.jsonl describe them. Output is the same byte for byte for
the same version of Pillow.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).resolve().parent / "diagrams"
SMOOTH = 2  # drawn so many times larger and then reduced

INK, BLUE, SAND, GREEN, ROSE, WHITE = "#22303c", "#dcebf7", "#f7ecd6", "#dff0df", "#f8dfe0", "#ffffff"


@dataclass(frozen=True)
class Box:
    """A box with text, its centre and size in pixels; `fill` "" leaves the frame out."""

    text: str
    x: int
    y: int
    width: int = 170
    height: int = 64
    fill: str = BLUE


@dataclass(frozen=True)
class Drawing:
    """Boxes by name and arrows between them, each (from, to) or (from, to, label)."""

    width: int
    height: int
    boxes: dict[str, Box]
    arrows: tuple[tuple[str, ...], ...] = ()
    type_size: int = 19
    corner: int = 10
    lines: tuple[tuple[int, int, int, int], ...] = ()

    def without(self, name: str) -> Drawing:
        """The drawing without a box and its arrows."""
        boxes = {key: box for key, box in self.boxes.items() if key != name}
        return replace(self, boxes=boxes, arrows=tuple(arrow for arrow in self.arrows if name not in arrow[:2]))

    def moved(self, name: str, across: int, down: int) -> Drawing:
        """The drawing with one box moved, and its arrows with it."""
        box = self.boxes[name]
        return replace(self, boxes={**self.boxes, name: replace(box, x=box.x + across, y=box.y + down)})

    def turned(self, source: str, target: str) -> Drawing:
        """The drawing with the arrow from `source` to `target` pointing the other way."""
        arrows = ((target, source, *a[2:]) if a[:2] == (source, target) else a for a in self.arrows)
        return replace(self, arrows=tuple(arrows))


def draw(drawing: Drawing) -> Image.Image:
    """The drawing as an image."""
    image = Image.new("RGB", (drawing.width * SMOOTH, drawing.height * SMOOTH), WHITE)
    canvas, font = ImageDraw.Draw(image), ImageFont.load_default(drawing.type_size * SMOOTH)
    for line in drawing.lines:
        canvas.line([side * SMOOTH for side in line], INK, 3 * SMOOTH)
    for source, target, *label in drawing.arrows:
        _arrow(canvas, drawing.boxes[source], drawing.boxes[target], label[0] if label else "", font)
    for box in drawing.boxes.values():
        left, top = (box.x - box.width // 2) * SMOOTH, (box.y - box.height // 2) * SMOOTH
        frame = (left, top, left + box.width * SMOOTH, top + box.height * SMOOTH)
        if box.fill:
            canvas.rounded_rectangle(frame, drawing.corner * SMOOTH, box.fill, INK, 2 * SMOOTH)
    for box in drawing.boxes.values():  # after all frames, so that text lies on text where boxes overlap
        canvas.multiline_text((box.x * SMOOTH, box.y * SMOOTH), box.text, INK, font, "mm", align="center")
    return image.resize((drawing.width, drawing.height), Image.Resampling.LANCZOS)


def _arrow(canvas: ImageDraw.ImageDraw, source: Box, target: Box, label: str, font: ImageFont.ImageFont) -> None:
    angle = math.atan2(target.y - source.y, target.x - source.x)
    start, end = _edge(source, angle), _edge(target, angle + math.pi)
    canvas.line([start[0] * SMOOTH, start[1] * SMOOTH, end[0] * SMOOTH, end[1] * SMOOTH], INK, 2 * SMOOTH)
    head = [
        end,
        *((end[0] - 13 * math.cos(angle + turn), end[1] - 13 * math.sin(angle + turn)) for turn in (0.4, -0.4)),
    ]
    canvas.polygon([(x * SMOOTH, y * SMOOTH) for x, y in head], INK)
    if label:
        middle = ((start[0] + end[0]) / 2 * SMOOTH, ((start[1] + end[1]) / 2 - 14) * SMOOTH)
        canvas.text(middle, label, INK, font, "mm")


def _edge(box: Box, angle: float) -> tuple[float, float]:
    """Where a ray from the centre of a box leaves it, with 4 pixels to spare."""
    across, down = math.cos(angle), math.sin(angle)
    reach = min(
        (box.width / 2 + 4) / abs(across) if abs(across) > 1e-9 else math.inf,
        (box.height / 2 + 4) / abs(down) if abs(down) > 1e-9 else math.inf,
    )
    return box.x + reach * across, box.y + reach * down


def chain(names: dict[str, str], across: bool, fill: str, step: int = 214) -> dict[str, Box]:
    """Boxes one after the other, from left to right or from top to bottom."""
    places = [(110 + place * step, 100) if across else (220, 70 + place * step) for place in range(len(names))]
    return {key: Box(text, *place, fill=fill) for (key, text), place in zip(names.items(), places, strict=True)}


def follow(*names: str) -> tuple[tuple[str, str], ...]:
    """An arrow from each name to the next."""
    return tuple(pairwise(names))


COUNTER = {
    "in": "Drone image", "tile": "Tile splitter", "detect": "Leaf detector", "merge": "Duplicate\nmerger",
    "count": "Leaf count",
}  # fmt: skip
BUOY = {
    "sensor": ("Pressure sensor", 140, 70), "radio": ("LoRa radio", 140, 190), "gateway": ("Shore gateway", 400, 190),
    "store": ("Time-series store", 660, 190), "alarm": ("Alarm service", 660, 70),
    "screen": ("Harbour screen", 660, 310),
}  # fmt: skip
SURVEY = {
    "plan": ("Choose plots", 140, 70), "core": ("Take cores", 140, 190), "enough": ("Enough cores?", 140, 310),
    "dry": ("Dry at 60 °C", 400, 310), "sieve": ("Sieve at 2 mm", 660, 310), "assay": ("Carbon assay", 660, 190),
}  # fmt: skip
GAUGES = (("1831", "Stilling well"), ("1882", "Paper drum"), ("1931", "Bubbler gauge"), ("1992", "Radar gauge"))
STOMA = {
    "dry": ("Dry soil", 120, 90), "aba": ("Abscisic acid\nrises", 350, 90),
    "calcium": ("Calcium enters\nguard cell", 600, 90), "efflux": ("Potassium\nleaves", 600, 240),
    "turgor": ("Turgor falls", 350, 240), "close": ("Stoma closes", 120, 240),
}  # fmt: skip
CLADES = {
    "root": ("Ancestral coral", 110, 200), "deep": ("Deep clade", 360, 100), "reef": ("Reef clade", 360, 300),
    "lamp": ("Lamp coral", 620, 60), "fan": ("Fan coral", 620, 150), "stag": ("Staghorn", 620, 250),
    "brain": ("Brain coral", 620, 340),
}  # fmt: skip


def placed(spots: dict[str, tuple[str, int, int]], fill: str, width: int = 176) -> dict[str, Box]:
    """Boxes where they are told to stand."""
    return {key: Box(text, x, y, width, fill=fill) for key, (text, x, y) in spots.items()}


def mirrored(boxes: dict[str, Box], width: int, fill: str) -> dict[str, Box]:
    """The same boxes with left and right changed, in another colour: another drawing of the same content."""
    return {key: replace(box, x=width - box.x, fill=fill, height=56) for key, box in boxes.items()}


def timeline() -> Drawing:
    """The gauges on an axis of time."""
    years = {f"y{n}": Box(year, 130 + n * 230, 150, 90, 40, SAND) for n, (year, _) in enumerate(GAUGES)}
    names = {f"n{n}": Box(name, 130 + n * 230, 70 + 160 * (n % 2), 180, 48) for n, (_, name) in enumerate(GAUGES)}
    return Drawing(950, 300, {**years, **names}, lines=((30, 150, 920, 150),))


def drawings() -> dict[str, Image.Image]:
    """All images by file name (without suffix)."""
    counter = Drawing(1076, 200, chain(COUNTER, True, BLUE), follow(*COUNTER))
    tall = Drawing(440, 690, chain(COUNTER, False, GREEN, 137), follow(*COUNTER), type_size=22, corner=0)
    links = (*follow("sensor", "radio", "gateway", "store"), ("store", "alarm"), ("store", "screen"))
    buoy = Drawing(800, 380, placed(BUOY, SAND), links)
    buoy_again = Drawing(800, 380, mirrored(buoy.boxes, 800, BLUE), links, 18, 2)
    steps = (*follow("plan", "core", "enough"), ("enough", "dry", "yes"), *follow("dry", "sieve", "assay"))
    survey = Drawing(800, 380, placed(SURVEY, GREEN), steps)
    causes = follow("dry", "aba", "calcium", "efflux", "turgor", "close")
    stoma = Drawing(730, 330, placed(STOMA, ROSE, 170), causes)
    descent = (
        ("root", "deep"),
        ("root", "reef"),
        ("deep", "lamp"),
        ("deep", "fan"),
        ("reef", "stag"),
        ("reef", "brain"),
    )
    clades = Drawing(740, 400, placed(CLADES, SAND, 160), descent)
    return {
        "counter_reference": draw(counter),
        "counter_redrawn": draw(tall),
        "counter_missing_box": draw(tall.without("merge")),
        "buoy_reference": draw(buoy),
        "buoy_overlap": draw(buoy_again.moved("alarm", 46, 111).moved("screen", 16, -106)),
        "survey_reference": draw(survey),
        "survey_wrong_arrow": draw(
            replace(survey, boxes=mirrored(survey.boxes, 800, SAND), type_size=18).turned("dry", "sieve")
        ),
        "gauges_reference": draw(timeline()),
        "gauges_copy": draw(timeline()).resize((1140, 360), Image.Resampling.BICUBIC),
        "stoma_reference": draw(stoma),
        "stoma_redrawn": draw(replace(stoma, boxes=mirrored(stoma.boxes, 730, GREEN), type_size=20, corner=26)),
        "clades_reference": draw(clades),
        "clades_missing_box": draw(replace(clades, boxes=mirrored(clades.boxes, 740, BLUE)).without("fan")),
        "bars_reference": bars((91, 64, 38), 0),
        "bars_redrawn": bars((91, 64, 38), 60),
    }


def bars(values: tuple[int, ...], gap: int) -> Image.Image:
    """A bar chart: no diagram, so that its pair is refused."""
    image = Image.new("RGB", (480, 320), WHITE)
    canvas, font = ImageDraw.Draw(image), ImageFont.load_default(18)
    canvas.line((60, 20, 60, 280, 460, 280), INK, 2)
    for place, value in enumerate(values):
        left = 90 + place * (70 + gap)
        canvas.rectangle((left, 280 - 2 * value, left + 50, 279), "#7ba4c9", INK)
        canvas.text((left + 25, 270 - 2 * value), f"{value} %", INK, font, "mb")
    return image


def main(folder: Path) -> None:
    """Write all images as PNG with few colours, which keeps them small; the copy as JPEG, compressed anew."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, image in drawings().items():
        if name == "gauges_copy":
            image.save(folder / f"{name}.jpg", quality=60)
        else:
            image.quantize(64, dither=Image.Dither.NONE).save(folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
