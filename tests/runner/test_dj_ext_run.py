"""`dj-ext run` itself, in processes of its own, on the default executor."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.report.summary import run_summary
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.runs.ledger import read_lines
from tests.fake_openai import FakeServer, Reply
from tests.host import write_rows
from tests.runner.driving import COST_A_CALL, asked, finished, ids, papers, rows, shards, stopped_after, write_recipe
from tests.scripted import ScriptedModels

pytestmark = pytest.mark.host

# What arrived at the server this long before a stop may not have been answered and stored by then.
LATENCY_S = 0.04
ON_THE_WAY_S = 0.25 + LATENCY_S


@pytest.fixture
def server() -> Iterator[FakeServer]:
    models = ScriptedModels()

    def slow(body: dict[str, Any]) -> Reply:
        reply = models(body)
        return Reply(reply, delay=LATENCY_S) if isinstance(reply, str) else reply

    with FakeServer(slow) as server:
        yield server


def test_stopped_and_killed_runs_end_as_an_uninterrupted_one(server: FakeServer, tmp_path: Path) -> None:
    dataset, run_dir = papers(tmp_path / "papers", 24), tmp_path / "run"
    recipe = str(write_recipe(tmp_path, model_params={"max_concurrency": 8}))
    order = (recipe, "--dataset", str(dataset), "--run-dir", str(run_dir), "--shard", "6")
    code, said = finished(server, tmp_path, *order)
    assert code == 0 and "from 24 of 24 papers (4 of 4 shards" in said, said
    whole, needed = rows(run_dir / "pairs.jsonl"), asked(server.requests)
    assert len(whole) >= 15 and len(ids(run_dir / "pairs.jsonl")) == len(set(ids(run_dir / "pairs.jsonl")))
    assert sum(s["cost"] for s in shards(run_dir)) == pytest.approx(sum(needed.values()) * COST_A_CALL, rel=1e-3)
    run_dir.rename(tmp_path / "first")
    server.clear()
    calls = sum(needed.values())
    code, said, interrupted = stopped_after(int(calls * 0.4), signal.SIGINT, server, tmp_path, *order)
    assert code == 130 and "same command goes on" in said and "Traceback" not in said, said
    states = [s["state"] for s in shards(run_dir)]
    assert states[0] == "done" and states[-1] == "pending" and "running" not in states
    assert set(rows(run_dir / "pairs.jsonl")) < set(whole) and rows(run_dir / "pairs.jsonl")
    code, _, killed = stopped_after(int(calls * 0.75), signal.SIGKILL, server, tmp_path, *order)
    assert code == -signal.SIGKILL
    assert [s["state"] for s in shards(run_dir)].count("running") == 1
    code, said = finished(server, tmp_path, *order)
    assert code == 0, said
    assert rows(run_dir / "pairs.jsonl") == whole
    assert (run_dir / "undecided.jsonl").read_text() == "" and not list((run_dir / "undecided").glob("*.*.*.jsonl"))
    stops = (interrupted, killed)
    safe = [r for r in server.requests if not any(stop - ON_THE_WAY_S <= r.arrived <= end for stop, end in stops)]
    again = asked(safe) - needed
    assert not again and len(safe) > calls / 2, f"{sum(again.values())} of {len(safe)} were asked for again"
    assert f"kept pairs: {len(whole)}" in run_summary(run_dir)
    # The same command once more has nothing to do, and asks for nothing.
    server.clear()
    code, said = finished(server, tmp_path, *order)
    assert code == 0 and "All shards are done" in said and not server.requests
    assert rows(run_dir / "pairs.jsonl") == whole


def test_sigterm_ends_in_words_and_all_tries_count_in_the_end(server: FakeServer, tmp_path: Path) -> None:
    dataset, run_dir = papers(tmp_path / "papers", 12), tmp_path / "run"
    recipe = str(write_recipe(tmp_path, model_params={"max_concurrency": 4}))
    order = (recipe, "--dataset", str(dataset), "--run-dir", str(run_dir), "--shard", "12")
    code, said, _ = stopped_after(60, signal.SIGTERM, server, tmp_path, *order)
    assert code == 143 and "Traceback" not in said, said
    assert "(SIGTERM): 0 of 1 shards are done, 1 are left. The same command goes on." in said, said
    code, said = finished(server, tmp_path, *order)
    assert code == 0, said
    spent = [line["spending"] for line in read_lines(run_dir / "ledger")]
    calls, cost = sum(s["calls"] - s["store_hits"] for s in spent), sum(s["cost"] for s in spent)
    [shard] = shards(run_dir)
    assert len(shard["run_ids"]) == 2 and shard["calls"] == calls > 60
    assert shard["cost"] == pytest.approx(cost) and f"{calls} calls, {cost:.4f} US dollars)" in said, said
    last = [line["spending"] for line in read_lines(run_dir / "ledger", shard["whole_run_id"])]
    assert sum(s["calls"] - s["store_hits"] for s in last) < calls


def test_a_budget_buys_whole_shards_and_a_target_ends_early(server: FakeServer, tmp_path: Path) -> None:
    dataset, run_dir = papers(tmp_path / "papers", 2000), tmp_path / "run"
    order = ("verisciqa.yaml", "--dataset", str(dataset), "--run-dir", str(run_dir), "--target", "100")
    budget = 1000 * COST_A_CALL  # a shard takes about 700 calls
    write_recipe(tmp_path, max_cost=budget)
    code, said = finished(server, tmp_path, *order)
    assert code == 3 and "The budget is reached" in said and "rows are UNDECIDED" in said, said
    assert 1000 <= server.count <= 1000 + 300  # what had been let out already: the calls of one step of a shard
    found = shards(run_dir)
    assert [s["state"] for s in found[:3]] == ["done", "undecided", "pending"] and len(found) == 40
    assert found[0]["kept"] == len(list(read_rows(run_dir / "exports" / "shard-00000.jsonl"))) > 20
    assert set(ids(run_dir / "exports" / "shard-00000.jsonl")) <= set(ids(run_dir / "pairs.jsonl"))
    assert found[1]["undecided"] == len(rows(run_dir / "undecided.jsonl")) > 0
    write_recipe(tmp_path, max_cost=0.0)
    code, said = finished(server, tmp_path, *order)
    assert code == 0 and "The target of 100 kept pairs is reached" in said, said
    kept, ran = ids(run_dir / "pairs.jsonl"), [s for s in shards(run_dir) if s["state"] != "pending"]
    assert len(kept) == len(set(kept)) >= 100 > len(kept) - ran[-1]["kept"]
    assert {s["state"] for s in ran} == {"done"} and len(ran) <= 4
    assert max(asked(server.requests).values()) <= 3  # three votes draw by the same words; nothing is paid for twice
    assert server.count <= len(ran) * 50 * 20


def test_a_recipe_of_other_operators_loses_no_row_to_a_null_cell(server: FakeServer, tmp_path: Path) -> None:
    given = [{"text": None if n % 4 == 0 else f"word {n} " * n, "n": n} for n in range(12)] + [{"n": 12, "extra": "x"}]
    folder = tmp_path / "with space"
    (tmp_path / "rows").mkdir()
    write_rows(tmp_path / "rows" / "a.jsonl", given[:7])
    write_rows(tmp_path / "rows" / "b.jsonl", given[7:])
    config = {
        "project_name": "p", "dataset_path": str(tmp_path / "rows"), "export_path": "out.jsonl",
        "export_extra_args": {"mode": "overwrite"}, "use_cache": False, "text_keys": "text", "np": 2,
        "process": [{"whitespace_normalization_mapper": None}, {"text_length_filter": {"min_len": 0, "max_len": 60}}],
    }  # fmt: skip
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(config))
    order = ("recipe.yaml", "--run-dir", str(folder / "run"), "--shard", "3")
    code, said = finished(server, tmp_path, *order)
    assert code == 0, said
    kept = {row["n"]: row["text"] for row in read_rows(folder / "run" / "pairs.jsonl")}
    expected = {row["n"]: " ".join((row.get("text") or "").split()) for row in given}
    assert kept == {n: text for n, text in expected.items() if len(text) <= 60}
    assert len(kept) > 5 and not (tmp_path / "out.jsonl").exists()


def test_what_stands_in_the_way_is_an_exit_code_and_a_plain_line(tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl").write_text("")
    write_recipe(tmp_path, "quickstart")
    done = subprocess.run(
        [sys.executable, "-m", "data_juicer_ext.cli", "run", "quickstart.yaml", "--dataset", "papers.jsonl",
         "--run-dir", "run"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1 and "papers.jsonl is empty" in done.stdout and done.stderr == ""
    assert not (tmp_path / "run").exists()
