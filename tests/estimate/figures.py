"""Figure rows and recipes to estimate with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image

from data_juicer_ext.rows import Figure, figure_row


def figure_rows(folder: Path, number: int = 3) -> list[dict[str, Any]]:
    """Figure rows with an image of 640 x 320 pixels; the last one is cited nowhere."""
    image = folder / "plot.png"
    Image.new("RGB", (640, 320), "white").save(image)
    rows = []
    for n in range(number):
        cited = [f"Figure {n} shows that series {n} rises. " * (n + 1)] if n < number - 1 else []
        figure = Figure(
            figure_id=f"f{n}", number=str(n), label=f"fig:{n}", labels=[f"fig:{n}"], caption=f"Plot {n}.",
            images=[str(image)], context=cited, context_places=["a.tex:1"], section=["Results"],
        )  # fmt: skip
        rows.append(figure_row({"paper_id": f"p{n % 2}", "domain": "cs.LG"}, figure))
    return rows


def config(*process: dict[str, Any]) -> dict[str, Any]:
    """A recipe of these steps."""
    return {"export_path": "out.jsonl", "text_keys": "paper_id", "process": list(process)}


CLAIMS = {
    "claim_extractor_mapper": {"api_model": "text-model", "model_params": {"base_url": "https://api.example.com/v1"}}
}
QUESTIONS = {"mcq_generator_mapper": {"api_model": "text-model"}}
VOTE = {"vision_vote_filter": {"api_model": "o4-mini", "draws": 3}}
