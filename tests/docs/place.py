"""The folder that the pages' commands run in: a checkout's recipes and samples, and the files a reader would have."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from tests.host import REPO

EXAMPLES = REPO / "examples"
# Whatever model a page names, its recipes run on the offline model.
OFFLINE = {f"DJ_EXT_{role}_MODEL": "offline" for role in ("TEXT", "VISION", "TESTED")}


# What is left of each sample file: enough for the commands, few enough for a test.
KEPT = {
    "papers": ("paper_id", ("ribbed_plate",)),
    "pdf_papers": ("paper_id", ("ribbed_plate",)),
    "diagrams": ("row_id", ("counter-omitter", "buoy-overlapper", "stoma-redrawer")),
    "images": (
        "image",
        ("papers/tide_router/figures/accuracy.png", "papers/tide_router/figures/training.png",
         "sources/salt_marsh/germination.png", "papers/ribbed_plate_images/drag.png", "images/shedding_blurred.png"),
    ),
}  # fmt: skip


def samples(folder: Path) -> None:
    """The recipes, prompts and samples of a checkout, with few rows in the sample files."""
    for name in ("recipes", "prompts"):
        (folder / name).symlink_to(REPO / name)
    (folder / "examples").mkdir()
    for there in EXAMPLES.iterdir():
        if there.suffix != ".jsonl":
            (folder / "examples" / there.name).symlink_to(there)
    for name in KEPT:
        _lines(folder / "examples" / f"{name}.jsonl", _rows(name))


def furnish(folder: Path, demo: Path) -> Path:
    """Fill `folder` with samples, what the runs in `demo` have left, and files of a reader's own that pages name."""
    folder.mkdir(parents=True)
    samples(folder)
    for made in ("outputs", "dj_ext_run"):
        shutil.copytree(demo / made, folder / made)
    for here in (folder, folder / "demo"):  # where the README leads to
        here.mkdir(exist_ok=True)
        _lines(here / "papers.jsonl", [_moved(row, "paper_path") for row in _rows("papers")])
        _lines(here / "pdf_papers.jsonl", [_moved(row, "paper_path") for row in _rows("pdf_papers")])
    _lines(folder / "diagrams.jsonl", [_moved(row, "images") for row in _rows("diagrams")[:1]])
    _lines(folder / "images.jsonl", _rows("images")[:1])
    benchmark = {
        "row_id": "b1",
        "images": [str(EXAMPLES / "images" / "frost_depth.png")],
        "image_category": "data plot",
    }
    _lines(folder / "benchmark.jsonl", [benchmark])
    (folder / "my_images").symlink_to(EXAMPLES)
    image = Image.new("RGB", (1600, 1200), "white")
    ImageDraw.Draw(image).text((200, 200), "0.5", fill="black", font_size=20)
    image.save(folder / "figure.png")
    _scores(folder)
    _answers(folder)
    _ratings(folder)
    return folder


def _rows(name: str) -> list[dict[str, Any]]:
    """The rows of a sample file that are kept."""
    key, kept = KEPT[name]
    return [row for row in all_rows(name) if row[key] in kept]


def all_rows(name: str) -> list[dict[str, Any]]:
    """All rows of a sample file."""
    return [json.loads(line) for line in (EXAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _moved(row: Mapping[str, Any], column: str) -> dict[str, Any]:
    """A sample row whose paths do not hang on the folder it is read from."""
    paths = row[column]
    return {**row, column: str(EXAMPLES / paths) if isinstance(paths, str) else [str(EXAMPLES / p) for p in paths]}


def _lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _scores(folder: Path) -> None:
    """Figures of 400 papers at two venues, scores for some of them, and what three raters gave to all."""
    names = [(f"p{paper}", str(figure)) for paper in range(400) for figure in range(1, 5)]
    figures = [
        {"paper_id": paper, "figure_id": figure, "venue": "ACL" if int(paper[1:]) % 2 else "ICML",
         "figure_type": "chart" if figure == "1" else "diagram", "caption": "A plot of losses.", "context": "See it."}
        for paper, figure in names
    ]  # fmt: skip
    scores = {"VC": 8, "SL": 7, "C": 6, "CTX": 5, "MR": 7}
    _lines(folder / "figures.jsonl", figures)
    _lines(folder / "scored.jsonl", [
        {**row, "row_id": f"{row['paper_id']}-{row['figure_id']}", "quality_overall": 6.6,
         "quality": json.dumps({"scores": {**scores, "VC": 6 + number % 3}, "overall": 6.6})}
        for number, row in enumerate(figures[:60])
    ])  # fmt: skip
    _lines(folder / "ratings.jsonl", [
        {"paper_id": paper, "figure_id": figure, "rater": rater, **scores, "VC": 5 + (number + bias) % 4}
        for number, (paper, figure) in enumerate(names)
        for bias, rater in enumerate(("anna", "ben", "chen"))
    ])  # fmt: skip


def _answers(folder: Path) -> None:
    """What two models answered to 1,200 questions."""
    for model, right in (("o3", 5), ("qwen", 4)):
        _lines(folder / f"{model}.jsonl", [
            {"row_id": f"q{number}", "domain": ("cs.CL", "math.OC")[number % 2], "figure_type": "Chart",
             "question_type": "Relational", "options": ["a", "b", "c", "d"], "answer": "ABCD"[number % 4],
             "model_answer": "ABCD"[(number if number % 6 < right else number + 1) % 4], "answer_kind": "letter",
             "answer_model": model}
            for number in range(1200)
        ])  # fmt: skip


def _ratings(folder: Path) -> None:
    """What three people said on the review page about twelve pairs of two sets."""
    dimensions = ("factual_correctness", "intent_alignment", "visual_dependency", "self_containment", "overall_quality")
    names = [f"qa-{number}" for number in range(12)]
    _lines(folder / "mixed.jsonl", [{"row_id": name, "source": "ab"[n % 2]} for n, name in enumerate(names)])
    (folder / "dj_ext_run" / "review").mkdir()
    _lines(folder / "dj_ext_run" / "review" / "ratings.jsonl", [
        {"time": "2026-01-02T03:04:05+00:00", "annotator": annotator, "form": "verisciqa", "row_id": name, "item": 0,
         "seconds": 20.0, "ratings": dict.fromkeys(dimensions, 1 + (n + n * bias // 8) % 5), "reason": ""}
        for n, name in enumerate(names)
        for bias, annotator in enumerate(("Anna", "Ben", "Chen"))
    ])  # fmt: skip
