from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.report.ledger_decisions import count
from data_juicer_ext.report.run_selection import select_runs
from data_juicer_ext.rows import Figure, figure_row, to_json
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.fake_openai import FakeServer, Received, Reply, text_of
from tests.host import run_here
from tests.judging.answers import responder, stage_of

Rows = list[dict[str, Any]]
TREND = r"As Figure~\ref{fig:1} shows, A outperforms B by three points."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer(responder) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


@pytest.fixture
def image(tmp_path: Path) -> str:
    path = tmp_path / "figure.png"
    Image.new("RGB", (64, 48), "white").save(path)
    return str(path)


def figure(image: str, number: int, caption: str, context: list[str]) -> dict[str, Any]:
    made = Figure(
        figure_id=str(number), number=str(number), label="fig:1", labels=["fig:1"], caption=caption, images=[image],
        context=context, context_places=["m.tex:1"] * len(context), section=["Results"] * len(context),
    )  # fmt: skip
    features = to_json({"laplacian_variance": 777.5, "readable_text": "OCRTEXT"})
    return {**figure_row({"paper_id": "p"}, made), "features": features, "venue": "ACL", "year": "2020"}


@pytest.fixture
def rows(image: str) -> Rows:
    """All evidence, caption only, citing text only, neither."""
    return [
        figure(image, 1, "Accuracy of A and B.", [TREND]), figure(image, 2, "Accuracy of A and B.", []),
        figure(image, 3, "", [TREND]), figure(image, 4, "Figure 4", ["ok"]),
    ]  # fmt: skip


def score(rows: Rows, run_dir: Path, protocol: str = "direct", **parameters: Any) -> Rows:
    given = {"protocol": protocol, "api_model": "vision-model", "run_dir": str(run_dir),
             "model_params": {"backoff": 0.005, "max_tries": 2}, **parameters}  # fmt: skip
    return run_here(rows, [{"figure_quality_mapper": given}])


def quality(row: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(row["quality"]))


def ledger(run_dir: Path) -> Rows:
    return decisions(run_dir, run_records.run_ids(run_dir)[-1])


def systems(server: FakeServer, stage: str) -> list[Received]:
    return [request for request in server.requests if stage_of(request.system_text) == stage]


@pytest.mark.parametrize(("protocol", "calls"), [("direct", 1), ("sidecar", 1), ("agent", 3)])
def test_calls_gates_and_columns(protocol: str, calls: int, server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    scored = score(rows, tmp_path, protocol)
    assert [row["figure_id"] for row in scored] == ["1", "2", "3"]
    assert len(server.requests) == 3 * calls
    gates = [[name for name, value in quality(row)["scores"].items() if value is None] for row in scored]
    assert gates == [[], ["CTX"], ["C"]] == [quality(row)["gate"]["gated"] for row in scored]
    for row in scored:
        told = quality(row)
        assert (told["protocol"], told["call_budget"], told["run_id"]) == (protocol, calls, f"{protocol}:vision-model")
        assert row["quality_overall"] == told["overall"] > 0
        assert [row[f"quality_{name}"] for name in told["scores"]] == [value or 0 for value in told["scores"].values()]
        assert json.loads(row["provenance"])["steps"][0]["calls"] == calls
        assert row["features"] and row["venue"] == "ACL"


def test_figures_without_text_are_excluded_and_counted(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    score(rows, tmp_path)
    verdicts = Counter((entry["verdict"], entry["reason"]) for entry in ledger(tmp_path))
    assert verdicts == {("keep", "scored"): 3, ("drop", "no_text_evidence"): 1}
    [excluded] = [entry for entry in ledger(tmp_path) if entry["verdict"] == "drop"]
    assert excluded["figure_id"] == "4" and excluded["spending"]["calls"] == 0


def test_gated_dimensions_are_not_asked_for(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    for protocol in ("direct", "sidecar", "agent"):
        score(rows[1:2], tmp_path / protocol, protocol, json_schema=True)
    assert len(server.requests) == 5
    for request in server.requests:
        body = json.dumps({key: value for key, value in request.body.items() if key != "messages"})
        said = request.system_text + request.user_text + body
        assert not any(word in said for word in ("CTX", "context", "citing"))
    server.requests.clear()
    for protocol in ("direct", "sidecar", "agent"):
        score(rows[2:3], tmp_path / protocol, protocol)
    assert not any("caption" in request.system_text + request.user_text for request in server.requests)


def test_the_language_stage_sees_no_image_and_no_feature(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    score(rows[:1], tmp_path, "agent")
    [language], [vision], [fusion] = (systems(server, stage) for stage in ("language", "vision", "fusion"))
    assert len(vision.images) == 1 and not language.images and not fusion.images
    assert "image_url" not in json.dumps(language.body)
    for mark in ("777.5", "OCRTEXT", "laplacian", "tick labels are readable"):
        assert mark not in json.dumps(language.body)
    assert "OCRTEXT" in vision.user_text and "777.5" in vision.user_text
    assert "As Figure 1 shows, A outperforms B" in language.user_text and "Accuracy of A and B." in language.user_text
    assert "outperforms" not in vision.user_text and "Accuracy of A" not in vision.user_text
    assert "tick labels are readable" in fusion.user_text and "the texts agree" in fusion.user_text


def test_direct_shows_no_feature_and_sidecar_does(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    score(rows[:1], tmp_path / "a", "direct")
    score(rows[:1], tmp_path / "b", "sidecar")
    direct, sidecar = server.requests
    assert "OCRTEXT" not in direct.user_text and "OCRTEXT" in sidecar.user_text
    assert len(direct.images) == len(sidecar.images) == 1
    assert direct.user_text.strip() == sidecar.user_text.split("\n\nMeasured")[0].strip()


def test_later_stages_can_not_move_clarity_and_layout(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    def pushing(body: dict[str, Any]) -> str:
        answer = json.loads(responder(body))
        if stage_of(text_of(body, "system")) != "vision":
            answer |= {"VC": {"score": 1, "reason": "x"}, "SL": {"score": 1, "reason": "x"}}
        return json.dumps(answer)

    server.responder = pushing
    [row] = score(rows[:1], tmp_path, "agent")
    assert (quality(row)["scores"]["VC"], quality(row)["scores"]["SL"]) == (9, 8)


def test_caps_and_a_contradiction_reach_the_scores(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    server.responder = lambda body: responder(body, caps={"C": 6, "CTX": None, "MR": None}, severity="contradiction")
    [row] = score(rows[:1], tmp_path, "agent")
    told = quality(row)
    assert told["scores"] == {"VC": 9, "SL": 8, "C": 6, "CTX": 2, "MR": 2} and told["overall"] == 5.4
    assert told["proposed"] == {"C": 8, "CTX": 9, "MR": 5} and told["caps"]["C"] == 6
    assert told["severity"] == "contradiction" and told["risk_band"] == [7, 9]
    assert set(told["reports"]) == {"vision", "language", "fusion"}


def test_an_answer_that_can_not_be_read_is_asked_for_once_more(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    def hesitant(body: dict[str, Any]) -> str:
        if len(body["messages"]) > 2:
            assert "VC.score" in text_of(body, "user")
            return responder(body)
        return responder(body, VC={"score": 12, "reason": "x"})

    server.responder = hesitant
    [row] = score(rows[:1], tmp_path)
    assert len(server.requests) == 2 and quality(row)["scores"]["VC"] == 7


def test_a_row_whose_answers_stay_unreadable_is_undecided_never_scored(
    server: FakeServer, rows: Rows, tmp_path: Path
) -> None:
    server.responder = lambda body: "I would say it is a good figure."
    assert score(rows[:1], tmp_path) == []
    [entry] = ledger(tmp_path)
    assert (entry["verdict"], entry["reason"]) == ("undecided", "unparsable")
    assert "no JSON object" in entry["detail"]["message"] and len(server.requests) == 2
    [aside] = run_records.end(current_run(str(tmp_path)))
    assert aside["figure_id"] == "1" and "quality" not in aside


@pytest.mark.parametrize("broken", ["vision", "language", "fusion"])
def test_a_failed_stage_leaves_the_row_undecided(broken: str, server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    def outage(body: dict[str, Any]) -> str | Reply:
        return Reply("down", status=500) if stage_of(text_of(body, "system")) == broken else responder(body)

    server.responder = outage
    assert score(rows, tmp_path, "agent") == []
    found = Counter((entry["verdict"], entry["reason"]) for entry in ledger(tmp_path))
    assert found == {("undecided", "call_failed:server"): 3, ("drop", "no_text_evidence"): 1}
    server.responder = responder
    asked = len(server.requests)
    assert len(score(rows, tmp_path, "agent")) == 3
    assert len(server.requests) - asked == (3 if broken == "fusion" else 6), "answers that arrived are not paid again"


def test_stages_without_an_image_can_go_to_another_model(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    [row] = score(rows[:1], tmp_path, "agent", text_api_model="text-model", run_id="F5")
    assert {stage_of(r.system_text): r.body["model"] for r in server.requests} == {
        "vision": "vision-model", "language": "text-model", "fusion": "text-model"
    }  # fmt: skip
    assert quality(row)["run_id"] == "F5"
    [entry] = ledger(tmp_path)
    assert entry["spending"]["calls"] == 3 and entry["prompt"].count("scifigqual/agent_") == 3
    paid = {model: part["calls"] for model, part in entry["by_model"].items()}
    assert paid == {"vision-model": 1, "text-model": 2}
    assert sum(part["prompt_tokens"] for part in entry["by_model"].values()) == entry["spending"]["prompt_tokens"]
    assert json.loads(row["provenance"])["steps"][-1]["models"] == ["text-model", "vision-model"]
    spent = count(select_runs(tmp_path)).spent
    assert {key[3]: spending.calls for key, spending in spent.items()} == paid, "the report prices each at its own"


def test_a_bad_row_costs_only_itself(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    rows[0]["features"], rows[1]["images"] = "{not json", [""]
    assert [row["figure_id"] for row in score(rows, tmp_path)] == ["3"]
    reasons = {entry["figure_id"]: (entry["verdict"], entry["reason"]) for entry in ledger(tmp_path)}
    assert reasons["1"] == ("undecided", "error:UsageError") and reasons["2"] == ("drop", "no_image")


def test_the_map_of_the_paper_is_shown_where_there_is_one(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    given = {**rows[0], "figure_map": to_json([{"number": "9", "caption": "An overview."}])}
    score([given], tmp_path / "a")
    score([given], tmp_path / "b", figure_map=False)
    assert ["9: An overview." in request.user_text for request in server.requests] == [True, False]


@pytest.mark.parametrize(
    ("parameters", "told"),
    [({"protocol": "jury"}, "direct, sidecar, agent"), ({"max_context_tokens": 5}, "max_context_tokens")],
)
def test_a_wrong_parameter_stops_before_the_first_row(
    parameters: dict[str, Any], told: str, rows: Rows, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        score(rows, tmp_path, **parameters)
    assert told in capfd.readouterr().err


@pytest.mark.parametrize("protocol", ["direct", "sidecar", "agent"])
def test_the_offline_baseline_scores_without_a_network(
    protocol: str, rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    once = [quality(row) for row in score(rows, tmp_path / "a", protocol, api_model="offline")]
    again = [quality(row) for row in score(rows, tmp_path / "b", protocol, api_model="offline")]
    assert once == again and len(once) == 3
    assert all("by rule" in reason for told in once for reason in told["reasons"].values() if reason)
