"""`dj-ext diagram`: criteria drafted and aligned over a fake endpoint and offline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.cli.main import main
from data_juicer_ext.diagrams.criteria import load_criteria
from data_juicer_ext.diagrams.diagram_types import TYPES
from data_juicer_ext.ratings.rating_file import Rating, append
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.diagrams.judges import drawing, pair_row
from tests.diagrams.test_criteria import document
from tests.fake_openai import FakeServer, Reply, text_of
from tests.host import write_rows


def writer(body: dict[str, Any]) -> str:
    """A model that writes criteria, draws weights and puts preferences into words."""
    user, system = text_of(body, "user"), text_of(body, "system")
    if '"statements"' in system:
        return json.dumps({"statements": {"AF-VOL-1": ["Crossing lines cost two points."], "unknown": ["No."]}})
    if "Aspect: " not in user:
        return json.dumps({"Structure": 0.6, "Content": 0.3, "Aesthetics": 0.1})
    part = user.rpartition("Aspect: ")[2].strip()
    return json.dumps({"criteria": [{"text": f"{part} is met.", "weight": 4}, {"text": f"{part} fits.", "weight": 1}]})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer(writer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


PARAMS = "{backoff: 0.005, max_tries: 2}"


def criteria(*more: str, model: str = "writer") -> int:
    return main(["diagram", "criteria", "--out", "c.yaml", "--api-model", model, "--model-params", PARAMS, *more])


def test_criteria_of_all_types_become_a_file_that_judging_takes(
    server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert criteria() == 0
    assert len(server.requests) == 11 * (5 + 5)
    found, told = load_criteria(Path("c.yaml")), yaml.safe_load(Path("c.yaml").read_text("utf-8"))
    assert list(found.types) == list(TYPES) and told["about"]["reviewed"] is False
    assert [c.weight for c in found.of("TL").criteria if c.dimension == "Structure"] == [0.4, 0.1, 0.4, 0.1]
    assert told["types"]["TL"]["draws"] == [{"Structure": 0.6, "Content": 0.3, "Aesthetics": 0.1}] * 5
    assert len({c.id for kind in found.types.values() for c in kind.criteria}) == 110
    said = capsys.readouterr().out
    assert "110 calls" in said and "TL: 10 criteria; Structure 0.60" in said and "review it" in said


def test_nothing_is_paid_twice_and_no_file_is_replaced(server: FakeServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert criteria("--types", "AF,TL", "--draws", "2") == 0
    first = Path("c.yaml").read_bytes()
    assert criteria("--types", "AF") == 2
    assert "exists already" in capsys.readouterr().err and Path("c.yaml").read_bytes() == first
    Path("c.yaml").unlink()
    server.clear()
    assert criteria("--types", "AF,TL", "--draws", "2") == 0
    assert not server.requests and Path("c.yaml").read_bytes() == first
    assert "14 calls, 14 of them stored before" in capsys.readouterr().out


def test_a_failure_is_told_and_leaves_no_file(server: FakeServer, capsys: pytest.CaptureFixture[str]) -> None:
    server.responder = lambda body: Reply("down", status=500) if "Aspect: LA" in text_of(body, "user") else writer(body)
    assert criteria("--types", "AF,TL") == 1
    said = capsys.readouterr().out
    assert "failed: AF/LA: " in said and "failed: TL/LA: " in said and "c.yaml was not written" in said
    assert not list(Path().glob("*.yaml"))
    run_dir = Path("dj_ext_run")
    undecided = [
        e["row_id"] for e in decisions(run_dir, run_records.run_ids(run_dir)[-1]) if e["verdict"] == "undecided"
    ]
    assert sorted(undecided) == ["AF/LA", "TL/LA"]
    server.responder = writer
    server.clear()
    assert criteria("--types", "AF,TL") == 0 and len(server.requests) == 2


def test_missing_draws_are_told_and_done_without(server: FakeServer, capsys: pytest.CaptureFixture[str]) -> None:
    weights = [0]

    def patchy(body: dict[str, Any]) -> Reply | str:
        if "Aspect: " in text_of(body, "user"):
            return writer(body)
        weights[0] += 1
        return Reply("no", status=400) if weights[0] == 1 else writer(body)

    server.responder = patchy
    assert criteria("--types", "AF", "--draws", "3") == 0
    assert len(yaml.safe_load(Path("c.yaml").read_text("utf-8"))["types"]["AF"]["draws"]) == 2
    assert "without a draw of weights: AF/weights" in capsys.readouterr().out


def test_an_unreadable_answer_is_asked_for_once_more(server: FakeServer) -> None:
    server.responder = lambda body: writer(body) if len(body["messages"]) > 2 else "Here are my criteria:"
    assert criteria("--types", "AF", "--draws", "1") == 0 and len(server.requests) == 12


def test_settings_go_to_the_endpoint(server: FakeServer) -> None:
    assert criteria("--types", "AF", "--sampling-params", "{temperature: 0.7}", "--run-dir", "elsewhere") == 0
    assert all(request.body["temperature"] == 0.7 for request in server.requests)
    assert Path("elsewhere/ledger").is_dir() and not Path("dj_ext_run").exists()


@pytest.mark.parametrize(
    ("more", "told"),
    [(["--types", "XX"], "XX is no diagram type"), (["--draws", "0"], "--draws 0"),
     (["--sampling-params", "[1]"], "a mapping is needed"), (["--sampling-params", "{a: "], "not YAML"),
     (["--model-params", "{speed: 3}"], "model_params.speed is unknown"),
     (["--model-params", "{base_url: 'https://models.example.org/v1'}"], "OPENAI_API_KEY")],
)  # fmt: skip
def test_wrong_use_is_told_before_any_call(more: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert criteria(*more) == 2
    assert told in capsys.readouterr().err and not Path("c.yaml").exists() and not Path("dj_ext_run").exists()


def test_criteria_offline_need_no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    assert criteria("--types", "AF", model="offline") == 0
    assert load_criteria(Path("c.yaml")).of("AF").weights["Structure"] == 0.45


@pytest.fixture
def rated(tmp_path: Path) -> list[str]:
    """A development set of three rated pairs of the same drawings; the command's arguments for it."""
    pair = [drawing(tmp_path / f"{seed}.png", seed) for seed in (1, 9)]
    rows = [pair_row(f"r{n}", *pair) for n in range(3)]
    write_rows(tmp_path / "export.jsonl", rows)
    for number, value in enumerate((2, -1, 0)):
        scores = {"overall": value, "criteria": {"AF-VOL-1": value, "AF-AES-1": 0}}
        append(tmp_path / "ratings.jsonl", Rating("anna", "scidiag", f"r{number}", scores, f"reason {number}"))
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(document()), encoding="utf-8")
    return ["--ratings", "ratings.jsonl", "--rows", "export.jsonl", "--criteria", "own.yaml"]


def align(rated: list[str], *more: str, model: str = "writer") -> int:
    given = ["diagram", "align", *rated, "--out", "aligned.yaml", "--api-model", model, "--model-params", PARAMS]
    return main([*given, *more])


def test_preferences_become_instructions_and_the_papers_are_listed(
    server: FakeServer, rated: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert align(rated) == 0
    [request] = server.requests
    assert len(request.images) == 4 and "reason 1" in request.user_text and "reason 2" not in request.user_text
    assert "AF-AES-1" not in request.system_text
    found = load_criteria(Path("aligned.yaml"))
    assert found.of("AF").criteria[0].instructions == ("Crossing lines cost two points.",)
    assert found.development == {"paper of r0", "paper of r1", "paper of r2"}
    said = capsys.readouterr().out
    assert "AF: 1 statements from 2 pairs" in said and "3 development papers" in said


def test_a_failed_distillation_leaves_no_file(
    server: FakeServer, rated: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    server.responder = lambda body: '{"statements": {"AF-VOL-1": ["Prefer the reference diagram."]}}'
    assert align(rated) == 1 and not Path("aligned.yaml").exists()
    assert "where a diagram comes from" in capsys.readouterr().out and len(server.requests) == 2


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [(1, "none.jsonl", "there is no file none.jsonl"), (3, "none.jsonl", "none.jsonl"), (5, "none.yaml", "none.yaml")],
)
def test_files_that_are_missing_are_told(
    place: int, value: str, told: str, rated: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    rated[place] = value
    assert align(rated) == 2 and told in capsys.readouterr().err


def test_ratings_without_a_preference_are_told(rated: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    append(Path("ratings.jsonl"), Rating("anna", "scidiag", "r0", {"overall": 0, "criteria": {"AF-VOL-1": 0}}))
    append(Path("ratings.jsonl"), Rating("anna", "scidiag", "r1", {"overall": 0, "criteria": {"gone": 2}}))
    assert align(rated) == 2
    said = capsys.readouterr()
    assert "prefers no diagram" in said.err and "not used: r1: the criteria of AF have no gone" in said.out


def test_alignment_runs_offline(rated: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    assert align(rated, model="offline") == 0
    assert len(load_criteria(Path("aligned.yaml")).development) == 3
