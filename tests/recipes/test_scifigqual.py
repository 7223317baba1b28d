"""SciFigQual's recipes over the sample PDFs: from papers to curated, bound and scored figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ops.recipe.recipe_check import check
from data_juicer_ext.report.summary import summary
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.runs.ledger import decisions
from tests.fake_openai import FakeServer, images_of
from tests.host import REPO, dj_process, recipe, run_here, with_parameters
from tests.judging.answers import responder, stage_of
from tests.recipes.runs import configured, environment
from tests.scripted import TEXT_MODEL, VISION_MODEL, digest

EXAMPLES = REPO / "examples"
RECIPES = ("scifigqual", "scifigqual_ray", "scifigqual_direct", "scifigqual_sidecar", "quickstart_scifigqual")
CALLS = {"scifigqual": 3, "scifigqual_ray": 3, "scifigqual_direct": 1, "scifigqual_sidecar": 1}

# The figures that come out, with the dimensions that their texts close.
SCORED = {
    ("tide_router", "1"): [], ("tide_router", "2"): [], ("tide_router", "3"): [], ("tide_router", "A.1"): [],
    ("salt_marsh", "1"): [], ("salt_marsh", "2"): [], ("salt_marsh", "4"): ["C"], ("salt_marsh", "5"): ["CTX"],
}  # fmt: skip
# What is left behind, each with operator, paper and figure.
LEFT = {
    ("paper_corpus", "tide_router_copy", ""): "duplicate_file",
    ("paper_corpus", "salt_marsh_draft", ""): "missing_metadata",
    ("figure_curation", "tide_router", "figure-4"): "S1:near_duplicate",
    ("figure_curation", "salt_marsh", "figure-3"): "S1:one_colour",
    ("figure_curation", "ribbed_plate", "figure-2"): "S1:one_colour",
    ("figure_curation", "ribbed_plate", "figure-1"): "S5:too_many_deleted",
    ("figure_curation", "ribbed_plate", ""): "S5:too_many_deleted",
    ("figure_quality", "salt_marsh", "figure-6"): "no_text_evidence",
}
FUNNEL = {"S1 hard filter": "13 10 3", "S2 anomaly flag": "10 10 0", "S5 paper filter": "10 9 1"}

Rows = list[dict[str, Any]]


def judge(body: dict[str, Any]) -> str:
    """The scripted judge, with facts of its own for each image: equal requests would be sent once."""
    seen = "".join(image.data.hex() for image in images_of(body))
    return responder(body, facts={"content": f"picture {digest(seen)}", "trends": []})


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(judge) as server:
        yield server


@pytest.fixture(scope="module")
def papers() -> Rows:
    return [json.loads(line) for line in (EXAMPLES / "pdf_papers.jsonl").read_text("utf-8").splitlines()]


def around(server: FakeServer | None = None) -> dict[str, str]:
    """The environment of a run."""
    endpoint = environment(server) if server else {}
    return {"DJ_EXT_PAPER_ROOT": str(EXAMPLES), "OMP_NUM_THREADS": "1", **endpoint}


def ready(name: str, folder: Path, papers: Rows, **parameters: Any) -> dict[str, Any]:
    """A recipe whose outputs lie below `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    config = configured(name, folder, papers)
    config["process"] = with_parameters(config["process"], **parameters)
    return config


def without_ocr(process: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The operators without reading text in figures, which takes seconds per figure."""
    for step in process:
        for name, given in step.items():
            if name in ("figure_curation_mapper", "figure_features_mapper"):
                given["ocr"] = False
    return process


def scored(config: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The exported rows by id."""
    rows = list(read_rows(Path(config["export_path"])))
    assert len({row["row_id"] for row in rows}) == len(rows)
    return {row["row_id"]: row for row in rows}


def quality(row: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(row["quality"]))


def ledger(run_dir: Path) -> Rows:
    return decisions(run_dir, run_records.run_ids(run_dir)[-1])


def decided(run_dir: Path) -> set[tuple[str, ...]]:
    names = ("tag", "row_id", "paper_id", "figure_id", "verdict", "reason")
    return {tuple(entry[name] for name in names) for entry in ledger(run_dir)}


def files(run_dir: Path) -> set[str]:
    """What lies in a run folder; ledgers and runs are named anew each time."""
    found = {path.relative_to(run_dir) for path in run_dir.rglob("*") if path.is_file()}
    return {path.parts[0] if path.parts[0] in ("ledger", "runs") else str(path) for path in found}


def check_export(rows: Rows) -> None:
    """The right figures with the right gates, and everything that a release has to hold."""
    assert {(row["paper_id"], row["number"]): quality(row)["gate"]["gated"] for row in rows} == SCORED
    for row in rows:
        told, gated = quality(row), SCORED[row["paper_id"], row["number"]]
        assert told["run_id"].startswith(told["protocol"]) and told["models"]
        assert told["call_budget"] == (3 if told["protocol"] == "agent" else 1)
        assert [name for name, score in told["scores"].items() if score is None] == gated
        assert [name for name, reason in told["reasons"].items() if not reason] == gated
        assert set(told["reports"]) == (
            {"vision", "language", "fusion"} if told["protocol"] == "agent" else {told["protocol"]}
        )
        given = [score for score in told["scores"].values() if score is not None]
        assert told["overall"] == row["quality_overall"] == pytest.approx(sum(given) / len(given))
        assert all(row[f"quality_{name}"] == (score or 0) for name, score in told["scores"].items())
        assert row["venue"] and row["year"] and row["licence"] and Path(row["images"][0]).is_file()


def check_left_behind(run_dir: Path) -> None:
    left = {(e["tag"], e["paper_id"], e["figure_id"]): e["reason"] for e in ledger(run_dir) if e["verdict"] != "keep"}
    assert left == LEFT


def check_funnel(text: str) -> None:
    lines = {" ".join(line.split()[:3]): " ".join(line.split()[3:6]) for line in text.splitlines()}
    assert {stage: lines.get(stage) for stage in FUNNEL} == FUNNEL


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_ready_to_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    assert check(REPO / "recipes" / f"{name}.yaml", str(EXAMPLES / "pdf_papers.jsonl")) == []


def test_the_recipe_on_ray_is_the_same_pipeline() -> None:
    assert recipe("scifigqual_ray")["process"] == recipe("scifigqual")["process"]
    assert recipe("scifigqual_ray")["executor_type"] == "ray"


@pytest.mark.host
@pytest.mark.ray
@pytest.mark.slow
@pytest.mark.timeout(600)  # two runs, each with OCR
def test_the_quickstart_scores_the_same_figures_the_same_on_both_executors(papers: Rows, tmp_path: Path) -> None:
    local, on_ray = (
        ready("quickstart_scifigqual", tmp_path / name, papers, paper_root=str(EXAMPLES)) for name in ("local", "ray")
    )
    on_ray |= {"executor_type": "ray", "ray_address": "local", "export_path": str(tmp_path / "ray" / "out")}
    exports, text = [], ""
    for config, folder in ((local, tmp_path / "local"), (on_ray, tmp_path / "ray")):
        done = dj_process(config, folder, env=around())
        assert done.returncode == 0, done.stderr[-3000:]
        exports.append(scored(config))
        check_left_behind(folder / "run")
        check_funnel(done.stderr)
        text = summary(folder / "run")
        check_funnel(text)
        assert "no_text_evidence 1" in text and "duplicate_file 1" in text
        assert (folder / "run" / "undecided.jsonl").read_text() == ""
    first, second = exports
    check_export(list(first.values()))
    assert first.keys() == second.keys()
    for row_id, row in first.items():
        other = second[row_id]
        assert set(row) == set(other)
        for column in ("quality", "features", "caption", "context_places", "figure_map", "number", "venue", "year"):
            assert row[column] == other[column], column
    assert decided(tmp_path / "local" / "run") == decided(tmp_path / "ray" / "run")
    assert files(tmp_path / "local" / "run") == files(tmp_path / "ray" / "run")
    check_offline_scores(list(first.values()))


def check_offline_scores(rows: Rows) -> None:
    """The planted flaws are what lowers the baseline's scores."""
    scores = {(row["paper_id"], row["number"]): quality(row)["scores"] for row in rows}
    assert min(scores, key=lambda figure: scores[figure]["VC"]) == ("salt_marsh", "1")  # blurred
    with_context = {figure: told["CTX"] for figure, told in scores.items() if told["CTX"] is not None}
    assert min(with_context, key=lambda figure: with_context[figure]) == ("tide_router", "1")  # merely pointed at
    told = {(row["paper_id"], row["number"]): json.loads(row["features"]) for row in rows}
    assert {figure for figure, features in told.items() if features["panel_label_count"] == 2} == {("tide_router", "3")}


@pytest.mark.host
@pytest.mark.parametrize(
    "name", ["scifigqual", pytest.param("scifigqual_ray", marks=[pytest.mark.ray, pytest.mark.slow])]
)
def test_the_agent_makes_three_calls_a_figure_and_a_rerun_none(
    name: str, server: FakeServer, papers: Rows, tmp_path: Path
) -> None:
    config = ready(name, tmp_path, papers)
    config["process"] = without_ocr(config["process"])
    done = dj_process(config, tmp_path, env=around(server))
    assert done.returncode == 0, done.stderr[-3000:]
    rows = scored(config)
    check_export(list(rows.values()))
    check_left_behind(tmp_path / "run")
    stages = Counter(stage_of(request.system_text) for request in server.requests)
    assert stages == dict.fromkeys(("vision", "language", "fusion"), len(SCORED))
    calls = {e["row_id"]: e["spending"]["calls"] for e in ledger(tmp_path / "run") if e["tag"] == "figure_quality"}
    assert {row_id: calls[row_id] for row_id in rows} == dict.fromkeys(rows, CALLS[name])
    assert sum(calls.values()) == len(server.requests)  # the figure without texts cost nothing
    check_stages(server, {text for row in rows.values() for text in features_of(row)})
    server.clear()
    assert dj_process(config, tmp_path, env=around(server)).returncode == 0
    assert not server.requests
    again = scored(config)
    assert {row_id: row["quality"] for row_id, row in again.items()} == {
        row_id: row["quality"] for row_id, row in rows.items()
    }


def features_of(row: dict[str, Any]) -> set[str]:
    """Measured numbers that no other text holds by chance."""
    features = json.loads(row["features"])
    return {f"{features[name]:.4g}" for name in ("laplacian_variance", "edge_sharpness")}


def check_stages(server: FakeServer, measured: set[str]) -> None:
    """Each stage sees what it may see, and all have the same rubric."""
    scale = (REPO / "prompts" / "scifigqual" / "rubric.jinja").read_text("utf-8").partition("{% ")[0].split("\n", 1)[1]
    for request in server.requests:
        stage = stage_of(request.system_text)
        assert bool(request.images) == (stage == "vision")
        assert request.body["model"] == (VISION_MODEL if stage == "vision" else TEXT_MODEL)
        assert any(number in request.user_text for number in measured) == (stage == "vision")
        assert ("Heron reaches an accuracy" in request.user_text) <= (stage == "language")
        assert request.body["temperature"] == 0 and scale in request.system_text


@pytest.mark.parametrize("name", ["scifigqual_direct", "scifigqual_sidecar"])
def test_one_call_a_figure(
    name: str, server: FakeServer, papers: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in around(server).items():
        monkeypatch.setenv(variable, value)
    process = without_ocr(with_parameters(recipe(name)["process"], run_dir=str(tmp_path / "run")))
    rows = run_here(papers, process)
    check_export(rows)
    assert len(server.requests) == len(SCORED) * CALLS[name]
    assert all(len(request.images) == 1 for request in server.requests)
    sidecar = name == "scifigqual_sidecar"
    assert ["laplacian_variance" in request.user_text for request in server.requests] == [sidecar] * len(SCORED)
