"""Runs with pictures that differ, made by hand, and exports of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from data_juicer_ext.export.card.dataset_card import WrittenExport
from data_juicer_ext.export.export_run import ExportSource, export
from data_juicer_ext.export.options import ExportOptions
from data_juicer_ext.export.rows.first_pass import RowEntry
from data_juicer_ext.report.run_selection import select_runs
from tests.report.run_folders import RunFolder, qa_row

HARD = (
    "A $\\frac{a}{b}$ \\textbf{x} \"quoted\" 'it' 📈🧪 שלום عالم\tTab\nline \\n <b>&amp; "
    "\\<image> <image> <\\image> <|image_pad|>\u2028end"
)
"""Text with everything that a file format may break."""


def picture(folder: Path, name: str, seed: int, size: tuple[int, int] = (160, 120)) -> str:
    """A chart of its own for each seed."""
    random = np.random.default_rng(seed)
    image = Image.new("RGB", (320, 240), "white")
    draw = ImageDraw.Draw(image)
    for bar in range(6):
        left, top = 12 + bar * 50, int(random.integers(10, 220))
        draw.rectangle((left, top, left + 38, 235), fill=tuple(int(c) for c in random.integers(0, 200, 3)))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    image.resize(size, Image.Resampling.LANCZOS).save(path)
    return str(path)


def row(index: int, image: str, **changed: Any) -> dict[str, Any]:
    """A question of its own about a figure of paper `p<index>`."""
    step = {"tag": "vision_vote", "model": "seer-2", "prompt": "verisciqa/vision_vote@abc", "calls": 3}
    provenance = {"source": {"sentence": "It is so.", "place": "main.tex:3"}, "steps": [step]}
    known = {"paper_id": f"p{index}", "figure_id": f"{index}:fig", "licence": "cc-by-4.0"}
    known |= {"question": f"What number {index * 7919} is printed there?", "provenance": json.dumps(provenance)}
    return qa_row(index, image, **{**known, **changed})


def run_of(folder: Path, rows: list[dict[str, Any]], undecided: int = 0) -> RunFolder:
    """A run that kept `rows`, and left some others undecided."""
    made = RunFolder(folder)
    for one in rows:
        made.note("vision_vote", one["row_id"], paper_id=one.get("paper_id", ""))
    for index in range(undecided):
        made.note("vision_vote", f"open-{index}", "undecided", "timeout", paper_id="p0")
    made.end(rows)
    return made


def pairs(folder: Path, papers: int = 6) -> list[dict[str, Any]]:
    """One question of each of some papers, each with a picture of its own."""
    return [row(index, picture(folder / "figures", f"f{index}", index)) for index in range(papers)]


def exported(made: RunFolder, target: Path, form: str = "jsonl", **asked: Any) -> WrittenExport:
    """The export of a run; without splits asked for, everything is in `train`."""
    strict, overwrite = asked.pop("strict", False), asked.pop("overwrite", False)
    order = ExportOptions(form, **{"splits": (("train", 1.0),), **asked})
    scope = select_runs(made.path)
    assert scope.export is not None
    return export(ExportSource(made.path, scope.export, scope), order, target, overwrite, strict)


def entry(row_id: str = "qa-1", **changed: Any) -> RowEntry:
    """What is kept of a row in mind, for tests of choices."""
    known = {"digest": b"", "kind": "pairs", "offset": 0, "length": 0, "paper": "p", "figure": "f", "licence": ""}
    return RowEntry(row_id, **{**known, "images": ("f.png",), **changed})


def lines(path: Path) -> list[dict[str, Any]]:
    """A JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def files(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
