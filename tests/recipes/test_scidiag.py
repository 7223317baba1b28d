"""SciDiag's recipe over the sample diagrams, and the samples themselves."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from data_juicer_ext.diagrams.criteria import load_criteria
from data_juicer_ext.estimate.prompt_rehearsal import rehearse
from data_juicer_ext.estimate.recipe_steps import plan
from data_juicer_ext.ops.recipe.recipe_check import check
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.runs.ledger import decisions
from tests.diagrams.judges import judge
from tests.fake_openai import FakeServer, text_of
from tests.host import REPO, dj_process, recipe, run_here, with_parameters, write_rows

EXAMPLES = REPO / "examples"
TYPES = {
    "counter-redrawer": "AF", "counter-omitter": "AF", "buoy-overlapper": "CSA", "survey-mistaker": "TR",
    "gauges-copier": "TL", "stoma-redrawer": "MD", "clades-omitter": "LD",
}  # fmt: skip
COLUMNS = {"row_id", "paper_id", "instance_id", "generator", "paper_text", "caption", "aspect_ratio", "diagram_type",
           "images"}  # fmt: skip
# Columns that hold no path and nothing that a run measures by the clock.
SAME = ("judgement", "s_final", "s_gen", "s_ref", "order_flipped", "contaminated", "run_index", "diagram_type",
        "aspect_ratio", "instance_id", "generator")  # fmt: skip

Rows = list[dict[str, Any]]


def sample_rows() -> Rows:
    """The sample rows, with whole paths."""
    rows = [json.loads(line) for line in (EXAMPLES / "diagrams.jsonl").read_text("utf-8").splitlines()]
    return [{**row, "images": [str(EXAMPLES / image) for image in row["images"]]} for row in rows]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    def answer(body: dict[str, Any]) -> str:
        if "No diagrams in this sense" not in text_of(body, "system"):
            return judge(body)
        caption = text_of(body, "user")
        return '{"class": "plot"}' if "Bar chart" in caption else '{"class": "AF"}'

    with FakeServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("DJ_EXT_VISION_MODEL", "vision-model")
        yield server


def test_the_samples_hold_the_flaws_that_their_generators_are_named_for() -> None:
    rows = sample_rows()
    assert len({row["row_id"] for row in rows}) == len(rows) == 8 and len(set(TYPES.values())) == 6
    for row in rows:
        assert set(row) == COLUMNS and all(Path(image).is_file() for image in row["images"])
        assert row["row_id"] == f"{row['instance_id']}-{row['generator']}"
    assert {row["generator"] for row in rows} == {"redrawer", "omitter", "overlapper", "mistaker", "copier"}


def test_the_samples_are_drawn_by_their_script() -> None:
    spec = importlib.util.spec_from_file_location("draw_diagrams", EXAMPLES / "draw_diagrams.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["draw_diagrams"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    for name, image in module.drawings().items():
        [shipped] = (EXAMPLES / "diagrams").glob(f"{name}.*")
        with Image.open(shipped) as opened:
            difference = ImageChops.difference(opened.convert("RGB"), image).convert("L")
        assert opened.size == image.size and difference.point(lambda level: 255 * (level > 60)).getbbox() is None, name


def test_the_recipe_is_ready_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    assert check(REPO / "recipes" / "scidiag.yaml", str(EXAMPLES / "diagrams.jsonl")) == []


def test_the_recipe_asks_two_orders_a_pair_and_a_rerun_nothing(server: FakeServer, tmp_path: Path) -> None:
    process = with_parameters(recipe("scidiag")["process"], run_dir=str(tmp_path / "run"))
    scored = run_here(sample_rows(), process)
    assert {row["row_id"] for row in scored} == set(TYPES)
    sorting = [request for request in server.requests if len(request.images) == 1]
    # One row brings its type, and two have one reference and caption: that is asked once.
    assert len(sorting) == 6 and len(server.requests) == 6 + 2 * len(TYPES)
    assert all(request.body["temperature"] == 0 for request in server.requests)
    refused = [
        e for e in decisions(tmp_path / "run", run_records.run_ids(tmp_path / "run")[-1]) if e["verdict"] == "drop"
    ]
    assert [(entry["row_id"], entry["reason"]) for entry in refused] == [("bars-redrawer", "refused_class:plot")]
    server.clear()
    again = run_here(sample_rows(), process)
    assert not server.requests
    assert [[row[name] for name in SAME] for row in again] == [[row[name] for name in SAME] for row in scored]


def test_an_estimate_knows_the_calls_of_a_row_whose_type_is_not_known_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    steps = plan(recipe("scidiag")).steps
    rows = sample_rows()
    found = rehearse(steps, rows, {})
    assert found.calls.tolist() == [[float(not row["diagram_type"]), 2.0] for row in rows] and not found.silent
    assert (found.images[:, 1] > 0).all() and (found.text[:, 1] > 500).all()


def check_offline(rows: dict[str, dict[str, Any]]) -> None:
    """The planted flaws that the baseline can see are what lowers its scores."""
    assert {name: row["diagram_type"] for name, row in rows.items()} == TYPES
    finals = {name: row["s_final"] for name, row in rows.items()}
    assert min(finals, key=lambda name: finals[name]) == "buoy-overlapper"
    assert all(finals[name] < 0.5 for name in ("buoy-overlapper", "counter-omitter", "clades-omitter"))
    assert [name for name, row in rows.items() if row["contaminated"]] == ["gauges-copier"]
    assert rows["counter-redrawer"]["aspect_ratio"] == "21:9" and rows["stoma-redrawer"]["aspect_ratio"] == "16:9"
    for row in rows.values():
        judgement = json.loads(row["judgement"])
        criteria = load_criteria().of(row["diagram_type"])
        assert set(judgement["scores"]) == set(criteria.ids) and judgement["criteria"] == load_criteria().fingerprint
        assert row["order_flipped"] == 0 and len(judgement["orders"]) == 2
        for side, name in (("s_gen", "generated"), ("s_ref", "reference")):
            by_hand = sum(
                criteria.weights[c.dimension] * c.weight * judgement["scores"][c.id][name] for c in criteria.criteria
            )
            assert row[side] == pytest.approx(by_hand, abs=1e-5)


@pytest.mark.host
@pytest.mark.ray
@pytest.mark.slow
@pytest.mark.timeout(600)  # two runs, each with OCR
def test_offline_both_executors_judge_the_samples_alike(tmp_path: Path) -> None:
    exports = []
    environment = {"DJ_EXT_VISION_MODEL": "offline", "OMP_NUM_THREADS": "1"}
    for name, more in (("local", {}), ("ray", {"executor_type": "ray", "ray_address": "local"})):
        folder = tmp_path / name
        folder.mkdir()
        config = {**recipe("scidiag"), **more, "dataset_path": str(write_rows(folder / "rows.jsonl", sample_rows()))}
        config["export_path"] = str(folder / "out" if more else folder / "out.jsonl")
        config["process"] = with_parameters(config["process"], run_dir=str(folder / "run"))
        done = dj_process(config, folder, env=environment)
        assert done.returncode == 0, done.stderr[-3000:]
        rows = {row["row_id"]: row for row in read_rows(Path(config["export_path"]))}
        check_offline(rows)
        exports.append(rows)
        assert (folder / "run" / "undecided.jsonl").read_text() == ""
    first, second = exports
    assert {name: [row[column] for column in SAME] for name, row in first.items()} == {
        name: [row[column] for column in SAME] for name, row in second.items()
    }
