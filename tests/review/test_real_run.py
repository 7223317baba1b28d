"""Over a run as people make it: the sample papers, by `dj-process`; and what a wheel has of the page."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.report.run_selection import last_selection
from data_juicer_ext.review import app
from data_juicer_ext.review.audit_rows import audit_of
from data_juicer_ext.review.audit_session import AuditDesk
from data_juicer_ext.review.forms.verisciqa import VeriSciQA
from data_juicer_ext.review.rating_session import RateDesk
from data_juicer_ext.review.review_sample import load_items
from data_juicer_ext.review.shown_figures import ImageEncoder
from data_juicer_ext.runs.ledger import read_lines
from tests.host import REPO, dj_process, recipe, with_parameters
from tests.review.conftest import ORIGIN, Recorder


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quickstart")
    config = recipe("quickstart")
    config["dataset_path"], config["export_path"] = str(REPO / "examples" / "papers.jsonl"), str(folder / "pairs.jsonl")
    config["process"] = with_parameters(
        config["process"], run_dir=str(folder / "run"), paper_root=str(REPO / "examples")
    )
    done = dj_process(config, folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder / "run"


@pytest.mark.host
def test_an_audit_has_every_row_that_was_decided(run_dir: Path) -> None:
    audit = audit_of(last_selection(run_dir))
    lines = list(read_lines(run_dir / "ledger"))
    refused = Counter(line["tag"] for line in lines if line["verdict"] == "drop")
    assert {group.tag: group.total for group in audit.groups.values() if group.verdict == "drop"} == refused
    assert audit.groups["keep"].total == len((run_dir.parent / "pairs.jsonl").read_text().splitlines())
    desk = AuditDesk(run_dir, audit)
    views = [(item["group"], desk.item(item["id"])) for item in desk.start("Anna")["items"]]
    for group, view in views:
        if group == "keep":
            assert view["paragraphs"][0]["sentence"] and view["claim"] and view["images"]
            assert [step["tag"] for step in view["trail"]] == [
                "figure_rows", "claim_extractor", "mcq_generator", "source_consistency",
                "visual_dependence", "vision_vote",
            ]  # fmt: skip
            assert any(draw["right"] for draw in view["trail"][-1]["draws"])
        elif "vision_vote" in group:
            assert view["question"] and view["paragraphs"][0]["sentence"] and view["trail"][-1]["verdict"] == "refused"


@pytest.mark.host
def test_raters_see_questions_and_figures_and_no_origin(run_dir: Path) -> None:
    rows = load_items(run_dir.parent / "pairs.jsonl", VeriSciQA().takes, 0, 0).items
    desk = RateDesk(run_dir, VeriSciQA(), rows)
    client = Recorder(app.make_app(desk, ImageEncoder(run_dir / "images")), ORIGIN)
    items = client.post("/api/start", {"annotator": "Anna"}).json()["items"]
    assert len(items) == len(rows) > 10
    for item in items:
        view: dict[str, Any] = client.get(f"/api/item/{item['id']}").json()
        for index in range(view["images"]):
            assert client.get(f"/api/image/{item['id']}/{index}").status_code == 200
    client.get("/api/agreement")
    for item in rows:
        hidden = [item.row[name] for name in ("row_id", "paper_id", "figure_id", "label", "context", "claim")]
        hidden += [json.loads(item.row["provenance"])["source"]["sentence"], *map(str, item.row["images"])]
        hidden += [Path(image).name for image in item.row["images"]]
        for text in hidden:
            assert text.encode() not in client.bytes, text


@pytest.mark.host
def test_the_wheel_has_the_page_and_its_words(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)],
        cwd=REPO, check=True, capture_output=True,
    )  # fmt: skip
    [wheel] = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    review = REPO / "data_juicer_ext" / "review"
    for path in (*(review / "static").iterdir(), review / "forms" / "texts.yaml"):
        assert str(path.relative_to(REPO)) in names
