"""Draw the figures of the sample papers, pack the two that travel as archives, and draw three flawed images.

    .venv/bin/pip install matplotlib
    .venv/bin/python examples/draw_figures.py

matplotlib is needed for drawing only; it is no dependency of the package. The numbers below are
made up; the papers' texts quote them, rightly but for a few mistakes planted on purpose. Output is
the same byte for byte for the same version of matplotlib.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from pathlib import Path

os.environ["SOURCE_DATE_EPOCH"] = "0"

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from PIL import Image, ImageFilter

HERE = Path(__file__).resolve().parent
ROUTER = HERE / "papers" / "tide_router" / "figures"
MARSH = HERE / "sources" / "salt_marsh"
PLATE = HERE / "papers" / "ribbed_plate_images"
IMAGES = HERE / "images"

BLUE, ORANGE, GREEN, GREY = "#2b6ca3", "#d9822b", "#3c8d53", "#8a8f98"


def save(figure: Figure, path: Path) -> None:
    """Write `figure` as its suffix says, without dates or versions in the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pdf = path.suffix == ".pdf"
    metadata = {"CreationDate": None, "Producer": None, "Creator": None} if pdf else {"Software": None}
    figure.savefig(path, dpi=130, bbox_inches="tight", metadata=metadata)
    plt.close(figure)


def bare(axes: Axes) -> None:
    """Take the upper and the right frame line away."""
    axes.spines[["top", "right"]].set_visible(False)


def bars(names: list[str], values: list[float], label: str, colour: str, path: Path, digits: int = 1) -> None:
    """A bar chart with the value above each bar."""
    figure, axes = plt.subplots(figsize=(5.4, 3.6))
    drawn = axes.bar(names, values, color=colour, width=0.6)
    axes.bar_label(drawn, fmt=f"%.{digits}f", padding=3, fontsize=12)
    axes.set_ylabel(label, fontsize=12)
    axes.set_ylim(0, max(values) * 1.18)
    axes.tick_params(labelsize=12)
    bare(axes)
    save(figure, path)


def chain(blocks: list[str], path: Path) -> None:
    """A block diagram: boxes from left to right, an arrow from each to the next."""
    figure, axes = plt.subplots(figsize=(11, 1.9))
    axes.set(xlim=(0, len(blocks) * 2.6), ylim=(0, 1.6))
    axes.axis("off")
    for place, text in enumerate(blocks):
        left = place * 2.6 + 0.1
        axes.add_patch(
            FancyBboxPatch((left, 0.35), 1.9, 0.9, boxstyle="round,pad=0.03", facecolor="#eef3f8", edgecolor=BLUE)
        )
        axes.text(left + 0.95, 0.8, text, ha="center", va="center", fontsize=12)
        if place:
            axes.annotate(
                "", xy=(left - 0.04, 0.8), xytext=(left - 0.64, 0.8),
                arrowprops={"arrowstyle": "-|>", "color": "black", "lw": 1.6, "mutation_scale": 16},
            )  # fmt: skip
    save(figure, path)


def heatmap(rows: list[str], columns: list[str], values: list[list[int]], title: str, path: Path) -> None:
    """A table-like heatmap with the number in each cell."""
    figure, axes = plt.subplots(figsize=(5.6, 3.8))
    axes.imshow(values, cmap="YlGn", vmin=0, vmax=130, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, fontsize=12)
    axes.set_yticks(range(len(rows)), rows, fontsize=12)
    axes.set_xlabel(title, fontsize=12)
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            axes.text(column, row, str(value), ha="center", va="center", fontsize=13)
    save(figure, path)


Series = tuple[str, str, list[float], list[tuple[int, str, tuple[float, float]]]]


def lines(times: list[float], series: list[Series], labels: tuple[str, str], path: Path) -> None:
    """A line plot with a legend; `series` holds name, colour, values and annotated points."""
    figure, axes = plt.subplots(figsize=(6.2, 4.0))
    for name, colour, values, notes in series:
        axes.plot(times, values, "o-", color=colour, label=name, markersize=4)
        for place, text, offset in notes:
            axes.annotate(
                text, (times[place], values[place]), offset, textcoords="offset points",
                ha="center", fontsize=12, color=colour,
            )  # fmt: skip
    axes.set_xlabel(labels[0], fontsize=12)
    axes.set_ylabel(labels[1], fontsize=12)
    axes.tick_params(labelsize=11)
    axes.margins(y=0.18)
    axes.legend(fontsize=12, frameon=False)
    bare(axes)
    save(figure, path)


def flat_bars(names: list[str], values: list[float], label: str, path: Path) -> None:
    """A horizontal bar chart with the value right of each bar."""
    figure, axes = plt.subplots(figsize=(5.8, 3.2))
    drawn = axes.barh(names[::-1], values[::-1], color=GREEN, height=0.55)
    axes.bar_label(drawn, fmt="%.2f", padding=4, fontsize=12)
    axes.set_xlabel(label, fontsize=12)
    axes.set_xlim(0, max(values) * 1.18)
    axes.tick_params(labelsize=12)
    bare(axes)
    save(figure, path)


def draw_router() -> None:
    """Figures of papers/tide_router."""
    models = ["Heron", "Plover", "Dunlin", "Turnstone"]
    chain(["Sensor frames", "Patch encoder\n6 layers", "Token router\n48 tokens", "Mixer\n4 blocks", "Readout head"],
          ROUTER / "overview.pdf")  # fmt: skip
    bars(models, [91.3, 88.6, 84.9, 79.2], "Accuracy (%)", BLUE, ROUTER / "accuracy.png")
    bars(models, [14.2, 23.8, 9.6, 31.5], "Energy per frame (mJ)", ORANGE, ROUTER / "energy.pdf")
    epochs = [0.0, 10.0, 20.0, 30.0, 40.0]
    lines(epochs, [("train", BLUE, [2.1, 1.2, 0.8, 0.6, 0.5], []), ("held out", GREY, [2.1, 1.3, 1.0, 0.9, 0.9], [])],
          ("Epoch", "Loss"), ROUTER / "training.png")  # fmt: skip


def draw_marsh() -> None:
    """Figures of sources/salt_marsh."""
    heatmap(
        ["Spartina", "Salicornia", "Aster", "Plantago"], ["0", "10", "20", "30"],
        [[94, 91, 77, 52], [88, 86, 83, 68], [96, 71, 34, 9], [92, 64, 41, 15]],
        "Salinity (g/L)", MARSH / "germination.png",
    )  # fmt: skip
    days = [0.0, 14.0, 28.0, 42.0, 56.0, 70.0]
    lines(
        days,
        [
            ("drained plots", GREEN, [0.4, 1.9, 3.8, 5.6, 7.1, 7.4], [(5, "7.4 g", (-2, 10)), (2, "3.8 g", (-6, 10))]),
            ("flooded plots", ORANGE, [0.4, 0.9, 1.7, 2.4, 2.9, 3.1], [(5, "3.1 g", (-2, 10)), (2, "1.7 g", (6, -18))]),
        ],
        ("Days after sowing", "Shoot dry mass (g)"), MARSH / "biomass.pdf",
    )  # fmt: skip


def draw_plate() -> None:
    """Figures of the one-file paper ribbed_plate; they travel beside it as PNG."""
    flat_bars(["Smooth", "Riblet", "Dimpled", "Serrated"], [1.28, 1.17, 1.05, 1.41], "Drag coefficient",
              PLATE / "drag.png")  # fmt: skip
    spacing = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    lines(spacing, [("slow stream", BLUE, [12.0, 16.5, 19.4, 17.2, 14.8, 13.1], [(2, "19.4 Hz", (0, 10))]),
                    ("fast stream", ORANGE, [21.0, 24.6, 27.9, 31.2, 28.3, 25.5], [(3, "31.2 Hz", (0, 10))])],
          ("Rib spacing (mm)", "Shedding frequency (Hz)"), PLATE / "shedding.png")  # fmt: skip


def draw_flawed() -> None:
    """Images of images.jsonl with a flaw each: axes without titles, uneven steps, blur."""
    depths, warmth = [0.0, 5.0, 10.0, 15.0, 20.0, 25.0], [4.1, 3.2, 2.6, 2.1, 1.9, 1.8]
    lines(depths, [("borehole", BLUE, warmth, [])], ("", ""), IMAGES / "frost_depth.png")
    figure, axes = plt.subplots(figsize=(5.6, 3.6))
    axes.plot(range(5), [12, 31, 44, 52, 55], "o-", color=ORANGE)
    axes.set_xticks(range(5), ["0", "2", "9", "12", "60"], fontsize=12)
    axes.set_xlabel("Dive time (min)", fontsize=12)
    axes.set_ylabel("Species counted", fontsize=12)
    bare(axes)
    save(figure, IMAGES / "reef_dive.png")
    with Image.open(PLATE / "shedding.png") as sharp:
        flat = Image.alpha_composite(Image.new("RGBA", sharp.size, "white"), sharp.convert("RGBA")).convert("RGB")
        flat.filter(ImageFilter.GaussianBlur(2.2)).save(IMAGES / "shedding_blurred.png")


def pack() -> None:
    """salt_marsh as a .tar.gz and ribbed_plate as a gzipped .tex, the way arXiv ships sources."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(MARSH.iterdir()):
            entry = tarfile.TarInfo(path.name)
            entry.size, entry.mode, entry.mtime = path.stat().st_size, 0o644, 0
            archive.addfile(entry, io.BytesIO(path.read_bytes()))
    single = (HERE / "sources" / "ribbed_plate" / "ribbed_plate.tex").read_bytes()
    for name, data in (("salt_marsh.tar.gz", buffer.getvalue()), ("ribbed_plate.gz", single)):
        (HERE / "papers" / name).write_bytes(gzip.compress(data, compresslevel=9, mtime=0))


if __name__ == "__main__":
    draw_router()
    draw_marsh()
    draw_plate()
    draw_flawed()
    pack()
