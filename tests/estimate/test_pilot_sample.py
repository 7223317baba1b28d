from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.estimate.pilot_sample import PilotListing, PilotSample, read_sample
from data_juicer_ext.models.store.sqlite import SqliteStore
from data_juicer_ext.models.types import Answer, Usage
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs import shard_manifest as states
from data_juicer_ext.runs.ledger import Entry, Spending
from data_juicer_ext.runs.shard_manifest import Manifest, ShardEntry
from tests.host import write_rows

ROWS = [{"row_id": f"f{n}", "paper_id": f"p{n}", "figure_id": "1"} for n in range(4)]
LISTINGS = [
    PilotListing("claim_extractor_mapper", "claims", ("t/claims",), "m"),
    PilotListing("mcq_generator_mapper", "questions", ("t/questions",), "m"),
    PilotListing("vision_vote_filter", "vote", ("t/vote",), "v"),
]


class Pilot:
    """A pilot's folder with what its shards have decided."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest("r", "", "d", "", 2, 0)
        (folder / "shards").mkdir()

    def shard(self, rows: list[dict[str, Any]], entries: list[Entry]) -> None:
        name = f"shard-{len(self.manifest.shards):05d}"
        write_rows(self.folder / "shards" / f"{name}.jsonl", rows)
        run = run_records.begin(self.folder, {})
        for entry in entries:
            run.ledger.record(entry)
        done = ShardEntry(name, "", len(rows), states.DONE, run.run_id, run.run_id)
        self.manifest.shards.append(done)
        self.manifest.save(self.folder)

    def sample(self) -> PilotSample:
        return read_sample(self.folder, ROWS, [10, 11, 12, 13], LISTINGS)


@pytest.fixture
def pilot(tmp_path: Path) -> Pilot:
    return Pilot(tmp_path)


def spent(calls: int = 1, hits: int = 0, tokens: int = 100) -> Spending:
    return Spending(calls, calls - hits, hits, tokens * (calls - hits), 10 * (calls - hits), cost=0.5 * (calls - hits))


def claims(row: str, made: list[str], **own: Any) -> Entry:
    told = [{"row_id": name, "claim": "c"} for name in made]
    return Entry(row, "claim_extractor_mapper", "claims", "keep", "claims", f"p{row[1:]}", "1", model="m-1",
                 spending=spent(**own), made=len(made), detail={"claims": told})  # fmt: skip


def question(claim: str, made: str) -> Entry:
    return Entry(claim, "mcq_generator_mapper", "questions", "keep" if made else "drop", "x", spending=spent(),
                 made=int(bool(made)), detail={"made": made} if made else {})  # fmt: skip


def vote(row: str, verdict: Any = "keep", reason: str = "majority", **own: Any) -> Entry:
    return Entry(row, "vision_vote_filter", "vote", verdict, reason, model="v-1", made=int(verdict == "keep"),
                 spending=spent(3, **own))  # fmt: skip


def test_every_decision_goes_back_to_the_row_that_was_drawn(pilot: Pilot) -> None:
    pilot.shard(ROWS[:2], [
        claims("f0", ["c0", "c1"]), claims("f1", []), question("c0", "q0"), question("c1", "q1"), vote("q0"),
        vote("q1", "drop"),
    ])  # fmt: skip
    pilot.shard(
        ROWS[2:], [claims("f2", ["c2"]), claims("f3", ["c3"]), question("c2", ""), question("c3", "q3"), vote("q3")]
    )
    found = pilot.sample()
    assert found.places == (10, 11, 12, 13) and found.untied == 0 and found.calls == 17
    first, second, third = found.steps
    assert first.rows_in.tolist() == [1, 1, 1, 1] and first.rows_out.tolist() == [2, 0, 1, 1]
    assert second.rows_in.tolist() == [2, 0, 1, 1] and second.rows_out.tolist() == [2, 0, 0, 1]
    assert third.rows_in.tolist() == [2, 0, 0, 1] and third.rows_out.tolist() == [1, 0, 0, 1]
    assert third.calls.tolist() == [6, 0, 0, 3] and third.prompt.tolist() == [600, 0, 0, 300]
    assert third.cost == pytest.approx(4.5)


def test_rows_with_a_failed_call_are_left_out(pilot: Pilot) -> None:
    pilot.shard(ROWS, [claims("f0", ["c0"]), question("c0", "q0"), vote("q0", "undecided", "call_failed:network"),
                       *(claims(f"f{n}", []) for n in (1, 2, 3))])  # fmt: skip
    found = pilot.sample()
    assert found.places == (11, 12, 13) and found.undecided == 1 and found.unreached == 0


def test_a_shard_that_the_budget_cut_short_does_not_count(pilot: Pilot) -> None:
    pilot.shard(ROWS[:2], [claims("f0", []), claims("f1", [])])
    ended = Entry("c3", "mcq_generator_mapper", "questions", "undecided", "call_failed:budget")
    pilot.shard(ROWS[2:], [claims("f2", []), claims("f3", ["c3"]), ended])
    found = pilot.sample()
    assert found.places == (10, 11) and found.unreached == 2
    assert found.calls == 4 and found.cost == pytest.approx(2.0)  # it was paid for all the same


def test_rows_of_unknown_steps_are_known_by_their_figure(pilot: Pilot) -> None:
    pilot.shard(ROWS, [Entry("new-1", "vision_vote_filter", "vote", "keep", "x", "p2", "1", made=1),
                       Entry("new-2", "vision_vote_filter", "vote", "keep", "x", "p9", "1", made=1)])  # fmt: skip
    found = pilot.sample()
    assert found.steps[2].rows_out.tolist() == [0, 0, 1, 0] and found.untied == 1


def test_stored_answers_tell_what_such_answers_take(pilot: Pilot, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    store = SqliteStore(tmp_path / "store" / "responses.sqlite")
    for number, tokens in enumerate((700, 900)):
        usage = Usage(tokens, 40)
        store.put(f"{number:064x}", Answer("B", "v-1", usage=usage), {"task": "t/vote", "model": "v"})
    store.put(f"{9:064x}", Answer("B", "v-1", usage=Usage(5, 5)), {"task": "t/other", "model": "v"})
    store.close()
    pilot.shard(ROWS, [vote("f0", hits=3), vote("f1", hits=3)])
    found = pilot.sample()
    assert found.hits == 6 and found.cost == 0
    assert found.steps[2].stored == (800, 40) and found.steps[2].hits.tolist() == [3, 3, 0, 0]
    assert not found.steps[2].prompt.any()


def test_a_line_that_tells_of_no_spending_spent_nothing(pilot: Pilot) -> None:
    pilot.shard(ROWS, [claims("f0", [])])
    [ledger] = (pilot.folder / "ledger").glob("*.jsonl")
    line = {**json.loads(ledger.read_text()), "row_id": "x", "operator": "rule_filter"}
    del line["spending"]
    with ledger.open("a") as lines:
        lines.writelines(
            json.dumps(each) + "\n" for each in (line, {**line, "spending": None}, {**line, "spending": {}})
        )
    found = pilot.sample()
    assert (found.calls, found.hits, found.cost, found.unpriced) == (1, 0, 0.5, 0)
