"""An endpoint that misbehaves in every way at once: the verdicts stay those of a good one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from data_juicer_ext.ops.base import run_op
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.fake_openai import FakeServer, Reply
from tests.host import run_here, with_parameters
from tests.ops.conftest import paper
from tests.scripted import ScriptedModels, digest

Rows = list[dict[str, Any]]


class Chaos:
    """10% 500, 5% 429 with Retry-After, 3% hang, 2% empty, 2% cut JSON, 1% reset in mid-body; and 1% of the
    requests meet a content filter each time. Seeded: what happens hangs on the request and its number."""

    def __init__(self, models: ScriptedModels) -> None:
        self.models = models
        self.seen: Counter[str] = Counter()
        self.filtered: set[str] = set()

    def __call__(self, body: dict[str, Any]) -> Reply | str:
        text = json.dumps(body, sort_keys=True)
        self.seen[text] += 1
        if digest("filter" + text) % 100 == 0:
            self.filtered.add(text)
            return Reply("refused by the content filter", status=400, code="content_filter")
        fate = digest(f"{self.seen[text]}/{text}") % 1000
        for share, reply in self._fates():
            if fate < share:
                return reply
            fate -= share
        return self.models(body)

    def _fates(self) -> list[tuple[int, Reply]]:
        return [
            (100, Reply("overloaded", status=500)),
            (50, Reply("slow down", status=429, headers={"Retry-After": "0.02"})),
            (30, Reply(hang=True)),
            (20, Reply("")),
            (20, Reply(raw='{"id": "x", "choices": [{"mess')),
            (10, Reply("B" * 200, reset=True)),
        ]


def verdicts(run_dir: Path) -> dict[tuple[str, str], tuple[str, str]]:
    run_id = run_records.run_ids(run_dir)[-1]
    return {(e["row_id"], e["tag"]): (e["verdict"], e["reason"]) for e in decisions(run_dir, run_id)}


def test_chaos_changes_no_verdict(server: FakeServer, papers: Rows, process: Rows, tmp_path: Path) -> None:
    many = papers + [paper(str(tmp_path / "figure.png"), number, 3) for number in range(20, 50)]
    quiet = with_parameters(process, run_dir=str(tmp_path / "quiet"))
    expected_rows = run_here(many, quiet)
    expected, needed = verdicts(tmp_path / "quiet"), len(server.requests)
    chaos = Chaos(server.responder)  # type: ignore[arg-type]
    server.clear()
    server.responder = chaos
    run_op._RUNS.clear()
    loud = {"backoff": 0.01, "max_tries": 12, "timeout": 1.0, "deadline": 60}
    rows = run_here(many, with_parameters(process, run_dir=str(tmp_path / "loud"), model_params=loud))
    got = verdicts(tmp_path / "loud")

    undecided = {key for key, (verdict, _) in got.items() if verdict == "undecided"}
    assert {got[key][1] for key in undecided} == {"call_failed:content_filter"}
    assert 0 < len(undecided) <= len(chaos.filtered)
    assert {key: got[key] for key in got if key not in undecided} == {
        key: expected[key] for key in got if key not in undecided
    }
    lost = {row_id for row_id, _ in undecided}
    assert {row["row_id"] for row in rows} == {
        row["row_id"] for row in expected_rows if row["row_id"] not in lost and not _from(row, lost)
    }
    sent = sum(chaos.seen.values())
    answered = needed - _calls_not_made(expected, got)
    assert sent <= 1.45 * answered


def _from(row: dict[str, Any], lost: set[str]) -> bool:
    """Whether a row was made from one that stayed undecided."""
    provenance = json.loads(row["provenance"])
    return bool({provenance["figure_row_id"], provenance["claim_row_id"]} & lost)


def _calls_not_made(expected: dict[tuple[str, str], Any], got: dict[tuple[str, str], Any]) -> int:
    """The calls of steps that rows did not come to, because an earlier step stayed undecided."""
    calls = {"vision_vote": 3, "figure_rows": 0}
    return sum(calls.get(tag, 1) for row_id, tag in expected.keys() - got.keys())
