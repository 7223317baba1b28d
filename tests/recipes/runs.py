"""Runs of shipped recipes over small papers: how they are set up, and what they leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.fake_openai import FakeServer
from tests.host import recipe, with_parameters, write_rows
from tests.scripted import TEXT_MODEL, VISION_MODEL

MAIN_FILES = {
    "basictraining": "paper", "celerite": "paper", "edo": "submission", "eqlgb": "manuscript",
    "stickye": ".", "sysid": "doc/paper",
}  # fmt: skip


def environment(server: FakeServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.base_url, "DJ_EXT_TEXT_MODEL": TEXT_MODEL, "DJ_EXT_VISION_MODEL": VISION_MODEL}


def configured(name: str, folder: Path, rows: list[dict[str, Any]], **model_params: Any) -> dict[str, Any]:
    """A shipped recipe over rows, all its outputs below `folder`."""
    config = recipe(name)
    write_rows(folder / "papers.jsonl", rows)
    ray = config["executor_type"] == "ray"
    config |= {"dataset_path": str(folder / "papers.jsonl"),
               "export_path": str(folder / ("out" if ray else "out/pairs.jsonl"))}  # fmt: skip
    config["process"] = with_parameters(config["process"], run_dir=str(folder / "run"), model_params=model_params)
    return config


def verdicts(run_dir: Path) -> set[tuple[str, str, str]]:
    return {(e["row_id"], e["tag"], e["verdict"]) for e in decisions(run_dir, run_records.run_ids(run_dir)[-1])}


def kept(config: dict[str, Any]) -> list[str]:
    """The ids of an export, counted as they stand in its files."""
    path = Path(config["export_path"])
    files = [f for f in path.rglob("*.json*") if f.is_file()] if path.is_dir() else [path]
    return sorted(json.loads(line)["row_id"] for file in files for line in file.read_text().splitlines() if line)


def latex_paper(folder: Path, name: str, figures: int) -> dict[str, Any]:
    """A small paper of its own, as a folder."""
    paper = folder / name
    paper.mkdir(parents=True)
    body = ""
    for n in range(1, figures + 1):
        Image.new("RGB", (80, 60), (n * 20, 90, 200)).save(paper / f"plot{n}.png")
        body += (
            f"Figure~\\ref{{fig:{n}}} of {name} shows that series {n} rises.\n\n"
            f"\\begin{{figure}}\\includegraphics{{plot{n}}}\\caption{{Plot {n} of {name}.}}"
            f"\\label{{fig:{n}}}\\end{{figure}}\n\n"
        )
    (paper / "main.tex").write_text(f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\\end{{document}}\n")
    return {"paper_id": name, "paper_path": str(paper), "domain": "cs.CL", "text": ""}
