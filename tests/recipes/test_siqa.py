"""SIQA's recipes over the sample images, offline on both executors, and against a scripted model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.cli.main import main
from data_juicer_ext.ops.recipe.recipe_check import check
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.runs.ledger import decisions
from data_juicer_ext.siqa.dimensions import DIMENSIONS, HOW
from tests.fake_openai import FakeServer, Reply, text_of
from tests.host import REPO, dj_process, recipe, run_here, with_parameters
from tests.siqa.answers import rating, responder, step_of

EXAMPLES = REPO / "examples"
SAMPLES = EXAMPLES / "images.jsonl"
RECIPES = ("siqa_u", "siqa_s")
OFFLINE = {"DJ_EXT_VISION_MODEL": "offline", "DJ_EXT_IMAGE_ROOT": str(EXAMPLES), "OMP_NUM_THREADS": "1"}
RATED = {"frost_depth.png": (5.0, 3.0), "reef_dive.png": (5.0, 4.0), "shedding_blurred.png": (3.0, 5.0)}

Rows = list[dict[str, Any]]


@pytest.fixture
def samples() -> Rows:
    return [json.loads(line) for line in SAMPLES.read_text("utf-8").splitlines()]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer(labelling) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("DJ_EXT_VISION_MODEL", "m")
        monkeypatch.setenv("DJ_EXT_IMAGE_ROOT", str(EXAMPLES))
        yield server


def labelling(body: Mapping[str, Any]) -> str:
    """The scripted model; as a voter it always chooses the option that stands for B in the alphabet of texts."""
    if step_of(body) != "vote":
        return responder(body)
    lines = [line for line in text_of(body, "user").split("\n") if line[:3] in ("A. ", "B. ", "C. ", "D. ")]
    chosen = sorted(lines, key=lambda line: line[3:])[0]
    return f"<rationale>seen</rationale>\n<option>{chosen[0]}</option>"


def run_process(name: str, folder: Path, *arguments: str, export: str) -> Rows:
    """Run a shipped recipe as its first lines tell, outputs below `folder`; the exported rows."""
    folder.mkdir(parents=True, exist_ok=True)
    given = ("--dataset_path", str(SAMPLES), "--export_path", str(folder / export), *arguments)
    done = dj_process(recipe(name), folder, *given, env={**OFFLINE, "DJ_EXT_RUN_DIR": str(folder / "run")})
    assert done.returncode == 0, done.stderr[-3000:]
    return list(read_rows(folder / export))


def on_ray(name: str, folder: Path) -> Rows:
    return run_process(name, folder, "--executor_type", "ray", "--ray_address", "local", export="out")


def test_the_sample_images_are_there(samples: Rows) -> None:
    assert len(samples) == 8 and all(set(row) == {"image", "caption", "domain", "licence"} for row in samples)
    assert all((EXAMPLES / row["image"]).is_file() for row in samples)


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_ready_to_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    monkeypatch.setenv("DJ_EXT_IMAGE_ROOT", str(EXAMPLES))
    assert check(REPO / "recipes" / f"{name}.yaml", str(SAMPLES)) == []


@pytest.mark.host
@pytest.mark.ray
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_understanding_offline_gives_the_same_set_on_both_executors(tmp_path: Path) -> None:
    local, ray = run_process("siqa_u", tmp_path / "a", export="rows.jsonl"), on_ray("siqa_u", tmp_path / "b")
    assert len(local) >= 60 and {row["row_id"] for row in local} == {row["row_id"] for row in ray}
    assert {row["dimension"] for row in local} == set(DIMENSIONS)
    for row in local:
        letters = "ABCD"[: len(row["options"])]
        assert row["answer"] in letters and Path(row["images"][0]).is_file() and row["audit"] in ("yes", "no")
        assert row["question_type"] != "how" or row["options"] == list(HOW)
        assert (row["question_negated"] != "") == (row["question_type"] == "yes_no")
    made = []
    for export in (tmp_path / "a" / "rows.jsonl", tmp_path / "b" / "out"):
        out = tmp_path / f"{export.name}.balanced"
        assert main(["balance", str(export), "--out", str(out), "--seed", "3"]) == 0
        made.append(out.read_bytes())
    assert made[0] == made[1], "the same seed gives the same file"
    balanced = [json.loads(line) for line in made[0].decode().split("\n") if line]
    assert len(balanced) == len(local)
    yes = Counter(row["answer"] for row in balanced if row["question_type"] == "yes_no")
    assert abs(yes["A"] - yes["B"]) <= 1
    letters = Counter(row["answer"] for row in balanced if row["question_type"] == "what")
    assert max(letters.values()) - min(letters.values()) <= 1
    check_nothing_lost(tmp_path / "a" / "run")
    check_nothing_lost(tmp_path / "b" / "run")


@pytest.mark.host
@pytest.mark.ray
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_scoring_offline_gives_the_same_ratings_on_both_executors(tmp_path: Path) -> None:
    local, ray = run_process("siqa_s", tmp_path / "a", export="rows.jsonl"), on_ray("siqa_s", tmp_path / "b")
    ratings = [{row["row_id"]: row["rating"] for row in rows} for rows in (local, ray)]
    assert ratings[0] == ratings[1] and len(ratings[0]) == 8
    by_name = {row["figure_id"]: (row["rating_perception"], row["rating_knowledge"]) for row in local}
    assert {name: by_name[name] for name in RATED} == RATED
    assert all(row["rating_method"] == "level" and 1 <= row["rating_mean"] <= 5 for row in local)
    check_nothing_lost(tmp_path / "a" / "run")


def check_nothing_lost(run_dir: Path) -> None:
    entries = decisions(run_dir, run_records.run_ids(run_dir)[-1])
    assert {entry["verdict"] for entry in entries if entry["tag"] != "mcq_label_vote"} == {"keep"}
    assert (run_dir / "undecided.jsonl").read_text() == ""


def test_every_step_of_understanding(server: FakeServer, samples: Rows, tmp_path: Path) -> None:
    process = with_parameters(recipe("siqa_u")["process"], run_dir=str(tmp_path / "run"))
    made = run_here(samples, process)
    asked = Counter(step_of(request.body) for request in server.requests)
    assert (asked["description"], asked["mcq"], asked["negation"], asked["vote"]) == (32, 96, 32, 288)
    assert len(made) == 96 and "other" not in asked
    for row in made:
        texts = sorted(row["options"])
        assert row["options"]["ABCD".index(row["answer"])] == texts[0], "the label is the voters'"
        votes = json.loads(row["provenance"])["label_votes"]
        assert [vote["vote"] for vote in votes] == [row["answer"]] * 3
    assert all("caption" not in request.user_text for request in server.requests if step_of(request.body) == "vote")
    assert {request.body["model"] for request in server.requests} == {"m"}
    server.clear()
    again = run_here(samples, process)
    assert not server.requests and [row["row_id"] for row in again] == [row["row_id"] for row in made]


def test_scoring_by_log_probabilities(server: FakeServer, samples: Rows, tmp_path: Path) -> None:
    server.responder = lambda body: rating(" Good", **{" Good": 0.6, "good": 0.2, "Fair": 0.2})
    made = run_here(samples, with_parameters(recipe("siqa_s")["process"], run_dir=str(tmp_path / "run")))
    assert len(made) == 8 and len(server.requests) == 16
    assert {row["rating_mean"] for row in made} == {3.8} and {row["rating_method"] for row in made} == {"logprobs"}


def test_an_outage_decides_nothing(server: FakeServer, samples: Rows, tmp_path: Path) -> None:
    server.responder = lambda body: Reply("down", status=500)
    short = {"backoff": 0.005, "max_tries": 2}
    for name in RECIPES:
        run_dir = tmp_path / name
        made = run_here(samples, with_parameters(recipe(name)["process"], run_dir=str(run_dir), model_params=short))
        assert made == []
        entries = decisions(run_dir, run_records.run_ids(run_dir)[-1])
        assert Counter(entry["verdict"] for entry in entries) == {"keep": 8, "undecided": 8}
