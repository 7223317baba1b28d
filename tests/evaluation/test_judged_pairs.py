from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.evaluation.judged_pairs import aliases, merged, pair_id, read_judged, way


def row(pair: str, final: Any, run: int = 0, **more: Any) -> dict[str, Any]:
    judgement = {"scores": {"c1": {"generated": 6, "reference": 7.5}, "c2": {"generated": 4, "reference": 4}}}
    row_id = pair if not run else f"run-{pair}-{run}"
    return {"row_id": row_id, "instance_id": pair, "paper_id": f"paper-{pair}", "s_final": final, "order_flipped": -1,
            "contaminated": 0, "run_index": run, "judgement": json.dumps(judgement), **more}  # fmt: skip


def test_the_runs_of_a_pair_are_one_pair() -> None:
    rows = [row("p", 0.4, order_flipped=1, diagram_type="AF"), row("p", 0.5, 1, order_flipped=0), row("p", 0.3, 2)]
    found, refused = read_judged(rows)
    assert refused == [] and set(found) == {"p"}
    pair = found["p"]
    assert [run.final for run in pair.runs.values()] == [0.4, 0.5, 0.3] and pair.final == 0.4 and pair.direction == -1
    assert [run.flipped for run in pair.runs.values()] == [True, False, None]
    assert pair.runs[0].criteria == {"c1": -1.5, "c2": 0} and pair.groups["diagram_type"] == "AF"
    assert aliases(rows) == {"p": "p", "run-p-1": "p", "run-p-2": "p"}


def test_candidates_of_one_instance_stay_apart() -> None:
    rows = [{"row_id": name, "instance_id": "paper-figure", "s_final": 0.5} for name in ("first", "second")]
    assert [pair_id(entry) for entry in rows] == ["first", "second"] and len(read_judged(rows)[0]) == 2


@pytest.mark.parametrize(
    ("final", "direction"),
    [(0.5, 0), (0.500001, 1), (0.499999, -1), (0.5 + 1e-12, 0), (0.1 + 0.2 + 0.2, 0), (1, 1), (0, -1)],
)
def test_parity_is_a_tie(final: float, direction: int) -> None:
    assert way(final) == direction


def test_contaminated_and_development_pairs_are_marked() -> None:
    rows = [
        row("a", 0.5, contaminated=1),
        row("b", 0.5),
        row("c", 0.5),
        row("d", 0.5, split="development"),
        row("e", 1),
    ]
    found, _ = read_judged(rows, {"b", "paper-c"})
    assert [pair.contaminated for pair in found.values()] == [True, False, False, False, False]
    assert [pair.development for pair in found.values()] == [False, True, True, True, False]


@pytest.mark.parametrize("final", [None, "", "high", -0.1, 1.1, float("nan"), True])
def test_what_is_no_s_final_is_refused(final: Any) -> None:
    found, refused = read_judged([row("a", final), row("b", 0.5)])
    assert set(found) == {"b"} and refused[0].startswith("a: s_final is ")


@pytest.mark.parametrize(
    "judgement", ["{", '{"scores": {"c": 1}}', '{"scores": {"c": {"generated": 1}}}', '{"scores": [1]}']
)
def test_a_broken_judgement_is_refused(judgement: str) -> None:
    found, refused = read_judged([row("a", 0.5, judgement=judgement)])
    assert found == {} and "a: the column judgement is not one of diagram_judge_mapper" in refused[0]


@pytest.mark.parametrize("judgement", [None, "", "{}"])
def test_a_row_without_criterion_scores_still_has_its_s_final(judgement: Any) -> None:
    assert read_judged([row("a", 0.5, judgement=judgement)])[0]["a"].runs[0].criteria == {}


def test_the_last_row_of_a_pair_and_run_counts() -> None:
    found, refused = read_judged([row("a", 0.2), row("a", 0.8), {"s_final": 0.5}])
    assert found["a"].final == 0.8 and found["a"].repeated == 1
    assert refused[0].startswith("a row without row_id")


def test_exports_of_one_judge_are_counted_on() -> None:
    first, second = read_judged([row("a", 0.2), row("a", 0.4, 1)])[0], read_judged([row("a", 0.6), row("b", 0.1)])[0]
    both = merged([first, second])
    assert {index: run.final for index, run in both["a"].runs.items()} == {0: 0.2, 1: 0.4, 2: 0.6}
    assert list(both["b"].runs) == [2] and len(first["a"].runs) == 2, "the parts are as they were"
    assert merged([]) == {}
