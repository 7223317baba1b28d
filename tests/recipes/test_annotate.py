"""The recipes that annotate, answer and sort, over questions and sample images, on both executors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.cli.main import main
from data_juicer_ext.ops.recipe.recipe_check import check
from data_juicer_ext.runs.exported_rows import read_rows
from tests.annotation.pictures import chart
from tests.fake_openai import FakeServer, images_of, text_of
from tests.host import REPO, dj_process, recipe, run_here, with_parameters, write_rows
from tests.ops.mapper.annotating import question
from tests.scripted import digest

RECIPES = ("annotate", "answer", "image_categories")
EXAMPLES = REPO / "examples"
OFFLINE = {"DJ_EXT_VISION_MODEL": "offline", "DJ_EXT_TEXT_MODEL": "offline", "DJ_EXT_TESTED_MODEL": "offline",
           "DJ_EXT_IMAGE_ROOT": str(EXAMPLES), "OMP_NUM_THREADS": "1"}  # fmt: skip
QUESTION_TYPES = ("Descriptive", "Comparative", "Relational")

Rows = list[dict[str, Any]]


def scripted(body: dict[str, Any]) -> str:
    """Plays the vision model, the text model and the model under test; what it says hangs on what it is shown."""
    user = text_of(body, "user")
    if "primary_type" in text_of(body, "system"):
        return json.dumps({"primary_type": QUESTION_TYPES[digest(user) % 3]})
    if "<panels>" in text_of(body, "system"):
        assert len(images_of(body)) == 1
        return "<panels>bar charts</panels><type>Bar chart</type>"
    return "ABCD"[digest(user) % 4]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer(scripted) as server:
        for name, value in endpoint(server).items():
            monkeypatch.setenv(name, value)
        yield server


def endpoint(server: FakeServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.base_url, "DJ_EXT_VISION_MODEL": "v", "DJ_EXT_TEXT_MODEL": "t",
            "DJ_EXT_TESTED_MODEL": "m"}  # fmt: skip


@pytest.fixture
def questions(tmp_path: Path) -> Rows:
    """Four figures with three questions each."""
    charts = [chart(tmp_path, figure) for figure in range(4)]
    return [question(charts[figure], number, figure) for figure in range(4) for number in range(3)]


def started(name: str, folder: Path, dataset: Path, *arguments: str, env: dict[str, str]) -> list[dict[str, Any]]:
    """Run a shipped recipe as its first lines tell, outputs below `folder`; the exported rows."""
    folder.mkdir(parents=True, exist_ok=True)
    export = folder / ("shards" if "ray" in arguments else "rows.jsonl")
    given = ("--dataset_path", str(dataset), "--export_path", str(export), *arguments)
    done = dj_process(recipe(name), folder, *given, env={**env, "DJ_EXT_RUN_DIR": str(folder / "run")})
    assert done.returncode == 0, done.stderr[-3000:]
    return list(read_rows(export))


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_ready_for_its_rows(
    name: str, questions: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in OFFLINE.items():
        monkeypatch.setenv(variable, value)
    rows = write_rows(tmp_path / "rows.jsonl", questions)
    dataset = EXAMPLES / "images.jsonl" if name == "image_categories" else rows
    monkeypatch.chdir(tmp_path)
    assert check(REPO / "recipes" / f"{name}.yaml", str(dataset)) == []


def test_annotated_questions_are_answered_by_figure(server: FakeServer, questions: Rows, tmp_path: Path) -> None:
    typed = run_here(questions, with_parameters(recipe("annotate")["process"], run_dir=str(tmp_path / "annotate")))
    assert {row["figure_type"] for row in typed} == {"Bar Chart"}
    types = {row["question"]: row["question_type"] for row in typed}
    assert len(typed) == 12 and set(types.values()) == set(QUESTION_TYPES)
    assert Counter(request.body["model"] for request in server.requests) == {"v": 4, "t": 12}
    server.clear()
    answered = run_here(typed, with_parameters(recipe("answer")["process"], run_dir=str(tmp_path / "answer")))
    assert [row["answer_correct"] for row in answered] == [int(row["model_answer"] == "B") for row in answered]
    assert len(server.requests) == 12 and {row["figure_type"] for row in answered} == {"Bar Chart"}
    assert all(request.body["temperature"] == 0 for request in server.requests)


@pytest.mark.host
def test_images_are_sorted_and_sampled_without_a_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = started("image_categories", tmp_path, EXAMPLES / "images.jsonl", env=OFFLINE)
    sources = [json.loads(line)["image"] for line in (EXAMPLES / "images.jsonl").read_text("utf-8").splitlines()]
    assert sorted(json.loads(row["provenance"])["image_sources"][0] for row in rows) == sorted(sources)
    assert all(row["image_category"] for row in rows)
    out = tmp_path / "sample.jsonl"
    assert main(["sample", str(tmp_path / "rows.jsonl"), "--per-category", "2", "--out", str(out)]) == 0
    assert 1 <= len(out.read_text("utf-8").splitlines()) < len(rows)
    assert main(["sample", "--check", str(out), str(tmp_path / "rows.jsonl")]) == 1, "it is a part of that set"
    capsys.readouterr()


@pytest.mark.host
@pytest.mark.ray
@pytest.mark.slow
def test_both_executors_give_the_same_rows_and_the_same_sample(questions: Rows, tmp_path: Path) -> None:
    dataset = write_rows(tmp_path / "questions.jsonl", questions)
    with FakeServer(scripted) as server:
        env = {**endpoint(server), "OMP_NUM_THREADS": "1"}
        here = started("annotate", tmp_path / "default", dataset, env=env)
        asked = Counter(request.body["model"] for request in server.requests)
        there = started(
            "annotate", tmp_path / "ray", dataset, "--executor_type", "ray", "--ray_address", "local", env=env
        )
    assert asked == {"v": 4, "t": 12}
    assert sorted(here, key=lambda row: row["row_id"]) == sorted(there, key=lambda row: row["row_id"])
    for name, export in (("default", "rows.jsonl"), ("ray", "shards")):
        given = ["sample", str(tmp_path / name / export), "--by", "figure_type", "--per-category", "2"]
        assert main([*given, "--out", str(tmp_path / f"{name}.jsonl")]) == 0
    assert (tmp_path / "default.jsonl").read_bytes() == (tmp_path / "ray.jsonl").read_bytes()
