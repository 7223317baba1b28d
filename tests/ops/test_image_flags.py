"""The flags of images that a vision model was sent, in rows and ledger."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from data_juicer_ext.rows import add_flags
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.fake_openai import FakeServer
from tests.figures.test_text_height import chart
from tests.host import run_here, with_parameters
from tests.ops.conftest import paper


def test_small_text_in_a_figure_reaches_the_row_and_the_ledger(
    server: FakeServer, process: list[dict[str, Any]], run_dir: Path, tmp_path: Path
) -> None:
    images = {size: str(tmp_path / f"text-{size}.png") for size in (12, 60)}
    for size, path in images.items():
        chart(size, size=(2000, 1600)).save(path)
    papers = [paper(images[12], 1, 3), paper(images[60], 2, 3)]
    rows = run_here(papers, with_parameters(process, model_params={"image_profile": "openai"}))
    assert {row["paper_id"] for row in rows} == {"paper-1", "paper-2"}
    for row in rows:
        assert json.loads(row["image_flags"]) == (["small_text"] if row["paper_id"] == "paper-1" else [])
    for entry in decisions(run_dir, run_records.run_ids(run_dir)[-1]):
        flagged = entry["detail"].get("image_flags", [])
        assert flagged == (["small_text"] if (entry["tag"], entry["paper_id"]) == ("vision_vote", "paper-1") else [])


def test_flags_of_two_steps_are_joined() -> None:
    assert json.loads(add_flags('["jpeg"]', ("small_text", "jpeg"))) == ["jpeg", "small_text"]
    assert add_flags("", ()) == "[]"
