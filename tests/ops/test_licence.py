"""The licence of a paper stays with every row that is made from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image

from data_juicer_ext.rows import Figure, dump_figures
from tests.host import run_here

STEPS: list[dict[str, Any]] = [
    {"figure_rows_mapper": {}},
    {"claim_extractor_mapper": {"api_model": "offline"}},
    {"mcq_generator_mapper": {"api_model": "offline"}},
    {"source_consistency_filter": {"api_model": "offline"}},
]


def paper(name: str, image: Path, **columns: Any) -> dict[str, Any]:
    figure = Figure(
        figure_id="1", number="1", label="fig:a", labels=["fig:a"], caption="Runoff of rivers.", images=[str(image)],
        context=["Figure~\\ref{fig:a} shows that the runoff of Inn is 12.5 and the runoff of Lech is 63.0."],
    )  # fmt: skip
    return {"paper_id": name, "domain": "physics.geo-ph", "figures": dump_figures([figure]), **columns}


def test_from_paper_to_question(tmp_path: Path) -> None:
    image = tmp_path / "a.png"
    Image.new("RGB", (64, 48), "white").save(image)
    steps = [{name: {**given, "run_dir": str(tmp_path / "run")}} for step in STEPS for name, given in step.items()]
    rows = [paper("a", image, licence="cc-by-4.0"), paper("b", image, licence="cc0-1.0"), paper("c", image, licence="")]
    for last in range(1, len(steps) + 1):
        made = {(row["paper_id"], row["licence"]) for row in run_here(rows, steps[:last])}
        assert made == {("a", "cc-by-4.0"), ("b", "cc0-1.0"), ("c", "")}
    without = run_here([paper("d", image)], steps)
    assert without and {row["licence"] for row in without} == {""}
