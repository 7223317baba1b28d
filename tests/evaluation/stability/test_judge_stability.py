from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.evaluation.judged_pairs import read_judged
from data_juicer_ext.evaluation.stability.judge_stability import JudgeStability, evaluate
from data_juicer_ext.evaluation.stability.stability_report import as_text, write


def rows(
    pair: str, finals: list[float], criteria: list[dict[str, float]] | None = None, **more: Any
) -> list[dict[str, Any]]:
    """One row per run; `criteria` are the differences generated minus reference of each run."""
    made = []
    for run, final in enumerate(finals):
        scores = {name: {"generated": 5 + d, "reference": 5} for name, d in (criteria[run] if criteria else {}).items()}
        row_id = f"run-{pair}-{run}" if run else pair
        made.append(
            {"row_id": row_id, "instance_id": pair, "run_index": run, "s_final": final,
             "order_flipped": -1, "contaminated": 0, "judgement": json.dumps({"scores": scores}), **more}
        )  # fmt: skip
    return made


def of(*parts: list[dict[str, Any]], development: tuple[str, ...] = ()) -> JudgeStability:
    return evaluate("judge", *read_judged([row for part in parts for row in part], development))


def test_the_components_of_variance_worked_by_hand() -> None:
    whole = of(rows("a", [0.4, 0.5]), rows("b", [0.6, 0.7])).rows[0]
    # Means 0.45 and 0.65 about 0.55; squares within 4 x 0.05^2 over 2; between (2 x 2 x 0.1^2 - within) / 2.
    assert whole["within"].value == pytest.approx(0.005)
    assert whole["between"].value == pytest.approx((0.04 - 0.005) / 2)
    assert whole["icc"].value == pytest.approx(0.0175 / 0.0225)
    assert whole["run_sd"].value == pytest.approx(0.1 / 2**0.5), "run means of 0.5 and 0.6"


@pytest.mark.parametrize(
    ("finals", "flips", "pairs"),
    [
        ([0.6, 0.7, 0.8], 0, 0),
        ([0.4, 0.6, 0.6], 1, 2 / 3),
        ([0.4, 0.5, 0.6], 1, 1),
        ([0.5, 0.5, 0.5 + 1e-12], 0, 0),
        ([0.5, 0.500001, 0.6], 1, 2 / 3),
    ],
)
def test_a_direction_flips_where_the_runs_do_not_all_point_one_way(
    finals: list[float], flips: float, pairs: float
) -> None:
    whole = of(rows("a", finals)).rows[0]
    assert whole["direction_flip"].value == flips and whole["direction_flip_pairs"].value == pytest.approx(pairs)


def test_the_papers_flip_rates_are_shares_of_its_instances() -> None:
    # SciDiagBench, table 5: 0.1333 and 0.1212 of 165 instances in three runs.
    for flipped, rate in ((22, 0.1333), (20, 0.1212)):
        pairs = [rows(f"p{n}", [0.4, 0.6, 0.4] if n < flipped else [0.4, 0.3, 0.4]) for n in range(165)]
        assert of(*pairs).rows[0]["direction_flip"].value == pytest.approx(rate, abs=5e-5)


def test_criteria_are_counted_by_instance_without_weights() -> None:
    first = [{"c1": 1.0, "c2": 0.0, "c3": -1.0}, {"c1": 2.0, "c2": 0.5, "c3": -1.0}]
    second = [{"c1": 0.0}, {"c1": 0.0, "c9": 4.0}]
    whole = of(rows("a", [0.5, 0.5], first), rows("b", [0.5, 0.5], second)).rows[0]
    assert whole["criteria"] == 4, "c9 was scored in one run only"
    assert whole["criterion_flip"].value == 0.25, "a tie that becomes a preference flips"
    # Standard deviations of (1, 2), (0, 0.5), (-1, -1) and (0, 0).
    assert whole["criterion_dispersion"].value == pytest.approx((0.5**0.5 + 0.125**0.5) / 4)


def test_rounding_flips_no_criterion() -> None:
    whole = of(rows("a", [0.5, 0.5], [{"c": 0.0}, {"c": 1e-12}])).rows[0]
    assert whole["criterion_flip"].value == 0 and whole["criterion_dispersion"].value == 0


def test_what_is_left_out_is_counted() -> None:
    found = of(
        rows("a", [0.4, 0.6]), rows("one", [0.4]), rows("copy", [0.4, 0.6], contaminated=1), rows("dev", [0.4, 0.6]),
        rows("b", [0.4, 0.6, 0.7]), [{"row_id": "x", "s_final": "?"}], development=("dev",),
    )  # fmt: skip
    assert found.counts == {
        "judged": 5, "contaminated": 1, "development": 1, "one_run": 1, "compared": 2, "fewest_runs": 2, "most_runs": 3,
        "repeated": 0, "refused_rows": 1,
    }  # fmt: skip
    text = as_text([found])
    assert "2 of 5 judged pairs compared, 2 to 3 runs each" in text and "left out: judged in one run only" in text
    assert found.rows[0]["run_sd"].value == pytest.approx(
        ((0.4 - 1.7 / 3) ** 2 / 2 + (0.6 - 1.7 / 3) ** 2 / 2 + (0.7 - 1.7 / 3) ** 2 / 2) ** 0.5
    ), "over the one pair that has all runs"


def test_noise_lowers_the_icc() -> None:
    def judged(noise: float) -> float:
        chance = random.Random(6)
        pairs = [
            rows(f"p{n}", [base + chance.gauss(0, noise) for _ in range(3)])
            for n, base in enumerate(chance.uniform(0.2, 0.8) for _ in range(60))
        ]
        return float(of(*pairs).rows[0]["icc"].value)

    assert 1 > judged(0.01) > 0.98 > judged(0.06) > 0.5


def test_the_table_has_the_papers_columns_and_groups(tmp_path: Path) -> None:
    found = of(rows("a", [0.4, 0.5], diagram_type="AF"), rows("b", [0.6, 0.8], diagram_type="TL"))
    assert [(row["by"], row["value"]) for row in found.rows] == [
        ("all", ""),
        ("diagram_type", "AF"),
        ("diagram_type", "TL"),
    ]
    text = as_text([found])
    for head in ("ICC", "between var.", "within var.", "direction flip", "criterion flip", "dispersion"):
        assert head in text
    whole, table = write([found], tmp_path)
    assert (
        json.loads(whole.read_text())["judges"][0]["rows"][1]["icc"]["note"] == "not defined: fewer than two instances"
    )
    assert [row["value"] for row in csv.DictReader(table.open())] == ["", "AF", "TL"]


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([], "fewer than two instances"),
        ([rows("a", [0.5])], "fewer than two instances"),
        ([rows("a", [0.5, 0.5]), rows("b", [0.5, 0.5])], "all scores are equal"),
    ],
)
def test_odd_data_gives_a_stated_result(parts: list[list[dict[str, Any]]], why: str, tmp_path: Path) -> None:
    found = of(*parts)
    assert found.rows[0]["icc"].note == f"not defined: {why}" and f"icc not defined: {why}" in as_text([found]).replace(
        "icc, between, within", "icc"
    )
    assert "NaN" not in write([found], tmp_path)[0].read_text()
