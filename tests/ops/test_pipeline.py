"""The pipeline from figures to verified pairs, over HTTP, on the default executor."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.models.batch.batch_client import BatchClient
from data_juicer_ext.models.batch.collector import BatchCollector
from data_juicer_ext.models.client import RunPlace
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.ops.base import run_op
from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.fake_openai import FakeServer, Received
from tests.host import run_here, with_parameters
from tests.scripted import STEPS, VISION_MODEL, ScriptedModels, refused_by, step_of

TAG_OF = {"claims": "claim_extractor", "questions": "mcq_generator", "source": "source_consistency",
          "blind_text": "visual_dependence_text", "blind_vision": "visual_dependence_vision",
          "vote": "vision_vote"}  # fmt: skip

Rows = list[dict[str, Any]]


def ledger(run_dir: Path) -> Rows:
    return decisions(run_dir, run_records.run_ids(run_dir)[-1])


def ids(rows: Rows) -> list[str]:
    return sorted(row["row_id"] for row in rows)


def test_every_pair_gets_the_verdict_that_its_answers_stand_for(
    server: FakeServer, papers: Rows, process: Rows, run_dir: Path
) -> None:
    kept = run_here(papers, process)
    made = [e for e in ledger(run_dir) if e["tag"] == TAG_OF["questions"] and e["verdict"] == "keep"]
    asked = [e["detail"]["question"] for e in made]
    assert sorted(row["question"] for row in kept) == sorted(q for q in asked if not refused_by(q))
    refused = {e["tag"]: 0 for e in ledger(run_dir)} | Counter(
        e["tag"] for e in ledger(run_dir) if e["verdict"] == "drop"
    )
    for step in ("source", "blind_text", "blind_vision", "vote"):
        assert refused[TAG_OF[step]] == sum(refused_by(q) == step for q in asked) > 0
    assert len(set(ids(kept))) == len(kept) > 0


def test_rows_in_are_rows_kept_refused_or_undecided(
    server: FakeServer, papers: Rows, process: Rows, run_dir: Path
) -> None:
    kept = run_here(papers, process)
    counts: dict[str, Counter[str]] = {}
    for entry in ledger(run_dir):
        counts.setdefault(entry["tag"], Counter())[entry["verdict"]] += 1
    going_in = counts[TAG_OF["questions"]]["keep"]
    for step in ("source", "blind_text", "blind_vision", "vote"):
        assert sum(counts[TAG_OF[step]].values()) == going_in
        going_in = counts[TAG_OF[step]]["keep"]
    assert going_in == len(kept)


def test_a_kept_pair_can_be_traced(server: FakeServer, papers: Rows, process: Rows) -> None:
    row = run_here(papers, process)[0]
    provenance = json.loads(row["provenance"])
    assert [step["tag"] for step in provenance["steps"]] == list(TAG_OF.values())
    assert all(step["prompt_tokens"] > 0 and step["model"] and "@" in step["prompt"] for step in provenance["steps"])
    assert provenance["steps"][-1]["calls"] == 3
    assert provenance["image_sha256"] and provenance["figure_row_id"].startswith("figure-")
    assert row["rationale"] == "The curve peaks there."


@pytest.mark.parametrize("step", STEPS)
def test_an_outage_of_one_step_decides_nothing(
    step: str, server: FakeServer, models: ScriptedModels, papers: Rows, process: Rows, run_dir: Path
) -> None:
    models.broken = {step}
    assert run_here(papers, process) == []
    of_step = [e for e in ledger(run_dir) if e["tag"] == TAG_OF[step]]
    assert of_step and {e["verdict"] for e in of_step} == {"undecided"}
    assert {e["reason"] for e in of_step} == {"call_failed:server"}
    later = STEPS[STEPS.index(step) + 1 :]
    assert not [e for e in ledger(run_dir) if e["tag"] in {TAG_OF[name] for name in later}]

    set_aside = run_records.end(current_run(str(run_dir)))
    assert ids(set_aside) == ids(of_step)
    assert all("500" in row["undecided"]["message"] and "images" in row for row in set_aside)


def test_when_the_endpoint_is_well_again_all_is_decided(
    server: FakeServer, models: ScriptedModels, papers: Rows, process: Rows, run_dir: Path
) -> None:
    models.broken = set(STEPS)
    assert run_here(papers, process) == []
    assert {e["verdict"] for e in ledger(run_dir) if e["tag"] == TAG_OF["claims"]} == {"undecided"}
    models.broken = set()
    recovered = run_here(papers, process)
    assert recovered and "undecided" not in {e["verdict"] for e in ledger(run_dir)}
    assert ids(recovered) == ids(run_here(papers, process))


def test_each_step_sees_what_it_may_see_and_nothing_else(server: FakeServer, papers: Rows, process: Rows) -> None:
    run_here(papers, process)
    seen = {step: [r for r in server.requests if step_of(r.body) == step] for step in STEPS}
    assert all(seen.values())
    for request in server.requests:
        assert request.path == "/v1/chat/completions" and request.body["temperature"] == 1.0
        assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    for step in STEPS:
        assert all((" shows, series" in r.user_text) == (step in ("claims", "questions", "source")) for r in seen[step])
        assert all(("Caption " in r.user_text) == (step not in ("claims", "source")) for r in seen[step])
        assert all(("fig:" in r.user_text) == (step in ("claims", "questions", "source")) for r in seen[step])
        assert all(bool(r.images) == (step == "vote") for r in seen[step])
        assert all((r.body["model"] == VISION_MODEL) == (step in ("blind_vision", "vote")) for r in seen[step])
    assert all(_opens(request) for request in seen["vote"])
    assert all("computer science" in r.user_text.lower() + r.system_text.lower() for r in server.requests)


def _opens(request: Received) -> bool:
    [sent] = request.images
    image = Image.open(io.BytesIO(sent.data))
    image.load()
    return sent.mime == f"image/{(image.format or '').lower()}" and image.size == (64, 48)


def test_a_malformed_row_costs_itself_only(server: FakeServer, papers: Rows, process: Rows, run_dir: Path) -> None:
    figures = run_here(papers, process[:1])
    figures[0]["context_places"] = "{broken"
    claims = run_here(figures, process[1:2])
    assert figures[0]["figure_id"] and claims
    [odd] = [e for e in ledger(run_dir) if e["verdict"] == "undecided"]
    assert odd["row_id"] == figures[0]["row_id"] and odd["reason"] == "error:JSONDecodeError"


def test_an_unreadable_answer_is_asked_for_once_more(server: FakeServer, papers: Rows, process: Rows) -> None:
    scripted = server.responder

    def mumbling(body: dict[str, Any]) -> Any:
        return "Well, hm." if len(body["messages"]) == 2 else scripted({**body, "messages": body["messages"][:2]})

    server.responder = mumbling
    kept = run_here(papers, process)
    second = [r.body["messages"] for r in server.requests if len(r.body["messages"]) > 2]
    assert kept and len(second) * 2 == len(server.requests)
    assert {tuple(m["role"] for m in messages) for messages in second} == {("system", "user", "assistant", "user")}
    server.responder = scripted
    assert ids(kept) == ids(run_here(papers, process))


def test_an_answer_that_stays_unreadable_refuses_but_the_blind_check_stays_open(
    server: FakeServer, papers: Rows, process: Rows, run_dir: Path
) -> None:
    scripted = server.responder
    server.responder = lambda body: "Well, hm." if step_of(body) == "blind_text" else scripted(body)
    assert run_here(papers, process) == []
    assert {(e["verdict"], e["reason"]) for e in ledger(run_dir) if e["tag"] == TAG_OF["blind_text"]} == {
        ("undecided", "unparsable")
    }
    server.responder = lambda body: "Well, hm." if step_of(body) == "source" else scripted(body)
    run_dir = run_dir / "other"
    assert run_here(papers, with_parameters(process, run_dir=str(run_dir))) == []
    last = {e["tag"]: (e["verdict"], e["reason"]) for e in ledger(run_dir)}
    assert last[TAG_OF["source"]] == ("drop", "unparsable")


def test_frugal_votes_give_the_same_verdicts_for_fewer_calls(
    server: FakeServer, models: ScriptedModels, papers: Rows, process: Rows, tmp_path: Path
) -> None:
    fast = run_here(papers, process)
    before = models.calls["vote"]
    process[-1]["vision_vote_filter"]["vote_mode"] = "frugal"
    assert ids(run_here(papers, with_parameters(process, run_dir=str(tmp_path / "frugal")))) == ids(fast)
    assert 0 < models.calls["vote"] - before < before


def test_permuted_options_give_the_same_verdicts(server: FakeServer, papers: Rows, process: Rows) -> None:
    plain = run_here(papers, process)
    for step in process[-3:]:
        next(iter(step.values()))["permute_options"] = True
    assert ids(run_here(papers, process)) == ids(plain)


def test_no_figures_at_all(server: FakeServer, papers: Rows, process: Rows) -> None:
    assert run_here([{**papers[1], "figures": "[]"}], process) == []
    assert server.requests == []


def test_a_second_run_asks_for_nothing_and_ends_with_the_same_rows(
    server: FakeServer, papers: Rows, process: Rows, run_dir: Path
) -> None:
    first = run_here(papers, process)
    asked = len(server.requests)
    assert run_here(papers, process) == first
    assert len(server.requests) == asked > 0
    paid = [e["spending"]["prompt_tokens"] for e in ledger(run_dir)]
    hits = [e["spending"]["store_hits"] for e in ledger(run_dir)]
    assert sum(paid) == 0 and sum(hits) == asked


def test_an_outage_is_not_paid_for_twice(
    server: FakeServer, models: ScriptedModels, papers: Rows, process: Rows, run_dir: Path
) -> None:
    expected = ids(run_here(papers, with_parameters(process, run_dir=str(run_dir / "whole"))))
    needed = dict(models.calls)
    models.calls = dict.fromkeys(STEPS, 0)
    models.broken = {"vote"}
    run_here(papers, process)
    models.broken, models.calls["vote"] = set(), 0
    assert ids(run_here(papers, process)) == expected
    assert models.calls == needed


def test_what_may_be_spent_ends_a_run_and_more_goes_on(
    server: FakeServer, models: ScriptedModels, papers: Rows, process: Rows, run_dir: Path
) -> None:
    expected = ids(run_here(papers, with_parameters(process, run_dir=str(run_dir / "whole"))))
    needed = sum(models.calls.values())
    models.calls = dict.fromkeys(STEPS, 0)
    for limit in (30, 60, needed):
        for step in process[1:]:
            next(iter(step.values()))["max_calls"] = limit
        run_op._RUNS.clear()  # as in a process of its own
        kept = run_here(papers, process)
        assert sum(models.calls.values()) == limit
        reasons = {e["reason"] for e in ledger(run_dir) if e["verdict"] == "undecided"}
        assert reasons == (set() if limit == needed else {"call_failed:budget"})
    assert ids(kept) == expected


def test_money_is_counted_and_an_unknown_price_is_said(
    server: FakeServer, papers: Rows, process: Rows, run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DJ_EXT_VISION_MODEL", "gpt-4o-mini")
    scripted = server.responder
    server.responder = lambda body: scripted({**body, "model": VISION_MODEL} if "gpt" in body["model"] else body)
    kept = run_here(papers, process)
    votes, checks = (
        [e["spending"] for e in ledger(run_dir) if e["tag"] == TAG_OF[step]] for step in ("vote", "source")
    )
    assert votes and all(spent["cost"] > 0 and spent["unpriced"] == 0 for spent in votes)
    assert checks and all(spent["cost"] == 0 and spent["unpriced"] == spent["calls"] for spent in checks)
    steps = {step["tag"]: step for step in json.loads(kept[0]["provenance"])["steps"]}
    assert steps["vision_vote"]["cost"] > 0 and steps["source_consistency"]["unpriced"] == 1


@pytest.mark.parametrize("broken", [{"labels": None}, {"caption": None}, {"number": 1}, {"images": ["/gone.png"]}])
def test_a_malformed_figure_costs_its_paper_only(
    broken: dict[str, Any], papers: Rows, process: Rows, run_dir: Path
) -> None:
    figures = json.loads(papers[1]["figures"])
    bad = {"paper_id": "bad", "domain": "", "figures": json.dumps([{**figures[0], **broken}])}
    rows = run_here([papers[3], bad, papers[2]], process[:1])
    assert Counter(row["paper_id"] for row in rows) == {"paper-3": 3, "paper-2": 2}
    [refused] = [e for e in ledger(run_dir) if e["verdict"] == "drop"]
    assert refused["paper_id"] == "bad" and refused["reason"] in ("bad_figures_column", "unreadable_image")


def test_a_run_folder_that_fills_up_ends_the_run(
    papers: Rows, process: Rows, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def full(self: Any, value: dict[str, Any]) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("data_juicer_ext.runs.ledger.LineWriter.write", full)
    with pytest.raises(SystemExit):
        run_here(papers, process[:1])
    assert "can't be written" in capfd.readouterr().err


def test_the_batch_interface_gives_the_same_pairs_at_half_the_price(
    server: FakeServer, papers: Rows, process: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DJ_EXT_VISION_MODEL", "gpt-4o-mini")
    scripted = server.responder
    server.responder = lambda body: scripted({**body, "model": VISION_MODEL} if "gpt" in body["model"] else body)
    direct = run_here(papers, process)
    asked = len(server.requests)

    def quick(config: EndpointConfig, place: RunPlace) -> BatchCollector:
        return BatchCollector(BatchClient(config, Path(place.run_dir) / "batches", poll=0.01), quiet=0.1)

    monkeypatch.setattr("data_juicer_ext.models.client._collector", quick)
    batched = run_here(papers, with_parameters(process, run_dir=str(tmp_path / "b"), model_params={"mode": "batch"}))
    assert len(server.requests) == asked
    assert ids(batched) == ids(direct)
    costs = [[json.loads(row["provenance"])["steps"][-1]["cost"] for row in rows] for rows in (direct, batched)]
    assert sum(costs[1]) == pytest.approx(sum(costs[0]) / 2) and sum(costs[1]) > 0
