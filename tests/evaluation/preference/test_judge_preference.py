from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.evaluation.judged_pairs import Judged, read_judged
from data_juicer_ext.evaluation.preference.judge_preference import (
    GENERATED,
    REFERENCE,
    PreferenceEvaluation,
    evaluate,
    rater_agreement,
)
from data_juicer_ext.evaluation.preference.preference_report import as_text, write
from data_juicer_ext.evaluation.preference.votes import PairVote
from data_juicer_ext.evaluation.statistics.bootstrap import NONE, Resampling

# SciDiagBench, table 3, judge Gemini: what people prefer, of how many pairs the judge agrees, and its mean S_final.
TABLE_3 = [("reference", -2, 24, 21), ("slight reference", -1, 46, 36), ("slight generated", 1, 29, 27),
           ("generated", 2, 6, 6)]  # fmt: skip
DAR = {"reference": 0.8750, "slight reference": 0.7826, "slight generated": 0.9310, "generated": 1.0}


def row(pair: str, final: float, **more: Any) -> dict[str, Any]:
    return {"row_id": pair, "s_final": final, "order_flipped": -1, "contaminated": 0, "run_index": 0, **more}


def judge(*rows: dict[str, Any], development: tuple[str, ...] = ()) -> dict[str, tuple[dict[str, Judged], list[str]]]:
    return {"judge": read_judged(rows, development)}


def votes(**strengths: str) -> list[PairVote]:
    """Pair by pair the raters' strengths: p="+2 +1 0"."""
    return [PairVote(f"r{n}", pair, float(s)) for pair, given in strengths.items() for n, s in enumerate(given.split())]


def by(found: PreferenceEvaluation, value: str) -> dict[str, Any]:
    return next(row for row in found.judges[0].rows if row["value"] == value)


def the_papers_pairs() -> PreferenceEvaluation:
    """Pairs of the strata of table 3, the judge right on as many as there."""
    rows, said = [], list[PairVote]()
    for name, strength, number, agreed in TABLE_3:
        for place in range(number):
            way = (1 if strength > 0 else -1) * (1 if place < agreed else -1)
            pair = f"{name}-{place}"
            rows.append(row(pair, 0.5 + 0.1 * way))
            said += [PairVote(rater, pair, strength) for rater in "abc"]
    said += [PairVote(rater, f"conflict-{n}", s) for n in range(5) for rater, s in (("a", 1), ("b", -1), ("c", 1))]
    rows += [row(f"conflict-{n}", 0.4) for n in range(5)]
    return evaluate(judge(*rows), said, NONE)


def test_the_papers_directional_agreement() -> None:
    found = the_papers_pairs()
    counts = found.judges[0].counts
    assert (counts["judged"], counts["compared"], counts["conflict"]) == (110, 105, 5)
    for name, dar in DAR.items():
        assert by(found, name)["dar"].value == pytest.approx(dar, abs=5e-5)
    # Table 4, last row: 0.8571 overall, 0.9429 and 0.8143 by stratum; 35 and 70 pairs.
    assert by(found, "")["dar"].value == pytest.approx(0.8571, abs=5e-5)
    generated, reference = by(found, GENERATED), by(found, REFERENCE)
    assert (generated["n"], reference["n"]) == (35, 70)
    assert generated["dar"].value == pytest.approx(0.9429, abs=5e-5)
    assert reference["dar"].value == pytest.approx(0.8143, abs=5e-5)
    assert by(found, "generated")["delta"].value == pytest.approx(0.1)


def test_a_judge_at_parity_agrees_with_nobody() -> None:
    found = evaluate(judge(row("p", 0.5), row("q", 0.6)), votes(p="+1 +1", q="+1 +2"), NONE)
    whole = by(found, "")
    assert (whole["n"], whole["agreed"], whole["ties"], whole["dar"].value) == (2, 1, 1, 0.5)


def test_who_is_left_out_and_why() -> None:
    rows = [
        row("ok", 0.6), row("copy", 0.6, contaminated=1), row("dev", 0.6), row("devpaper", 0.6, paper_id="p9"),
        row("clash", 0.6), row("few", 0.6), row("unrated", 0.6), row("broken", 2.0),
    ]  # fmt: skip
    said = votes(ok="+1 +1", copy="+1 +1", dev="+1 +1", devpaper="+1 +1", clash="+1 -1", few="+2 0", elsewhere="+1 +1")
    found = evaluate(judge(*rows, development=("dev", "p9")), said, NONE)
    assert found.judges[0].counts == {
        "judged": 7, "contaminated": 1, "development": 2, "without_rating": 1, "not_judged": 1, "conflict": 1,
        "too_few": 1, "compared": 1, "several_runs": 0, "refused_rows": 1,
    }  # fmt: skip
    text = as_text(found)
    assert "1 of 7 judged pairs compared" in text and "1  left out: they copy their reference" in text
    assert "refused: judge: broken: s_final is 2.0" in text


def test_strength_is_the_median_and_half_medians_count_as_strong() -> None:
    found = evaluate(judge(row("p", 0.9), row("q", 0.6)), votes(p="+1 +2", q="+1 +1"), NONE)
    assert by(found, "generated")["n"] == 1 and by(found, "slight generated")["n"] == 1
    assert [human.strength for human in found.humans] == [1.5, 1]
    assert by(found, "")["kendall_tau_b"].value == 1 and by(found, "")["spearman_rho"].value == pytest.approx(1)


def test_several_runs_count_with_their_mean() -> None:
    rows = [row("p", 0.4), {**row("run-p", 0.7, run_index=1), "instance_id": "p"}]
    found = evaluate(judge(*rows), votes(p="+1 +1"), NONE)
    assert by(found, "")["mean_s_final"].value == pytest.approx(0.55) and found.judges[0].counts["several_runs"] == 1


def test_the_order_flip_rate_is_over_the_runs_with_both_orders() -> None:
    flips = [1, 0, 0, 0, -1, -1]
    rows = [row(f"p{n}", 0.6, order_flipped=flip) for n, flip in enumerate(flips)]
    rows.append(row("copy", 0.6, order_flipped=1, contaminated=1))
    found = evaluate(judge(*rows), [], NONE).judges[0]
    assert found.flip_rate.value == 0.25 and found.flips_known == 4
    unknown = evaluate(judge(row("p", 0.6)), [], NONE).judges[0]
    assert unknown.flip_rate.note == "not defined: no runs with both orders"


def test_swapping_the_sides_everywhere_changes_no_agreement() -> None:
    finals = {"a": 0.7, "b": 0.3, "c": 0.45, "d": 0.5}
    said = votes(a="+1 +2", b="+1 +1", c="-2 -1", d="-1 -1")
    there = evaluate(judge(*(row(p, f) for p, f in finals.items())), said, Resampling(20))
    turned = [PairVote(vote.rater, vote.pair, -vote.strength) for vote in said]
    back = evaluate(judge(*(row(p, 1 - f) for p, f in finals.items())), turned, Resampling(20))
    for name in ("dar", "kendall_tau_b", "spearman_rho"):
        assert by(there, "")[name].value == pytest.approx(by(back, "")[name].value)
    assert by(there, GENERATED)["dar"] == by(back, REFERENCE)["dar"]
    assert there.agreement["alpha_ordinal"].value == pytest.approx(back.agreement["alpha_ordinal"].value)
    assert there.agreement["kappa_direction"].value == pytest.approx(back.agreement["kappa_direction"].value)


def test_groups_are_diagram_type_and_generator() -> None:
    rows = [row("p", 0.6, diagram_type="AF", generator="x"), row("q", 0.4, diagram_type="TL", generator="x")]
    found = evaluate(judge(*rows), votes(p="+1 +1", q="+1 +1"), NONE)
    assert [(r["by"], r["value"], r["n"], r["dar"].value) for r in found.judges[0].rows[7:]] == [
        ("diagram_type", "AF", 1, 1.0), ("diagram_type", "TL", 1, 0.0), ("generator", "x", 2, 0.5),
    ]  # fmt: skip
    assert "diagram_type AF" in as_text(found)


def test_the_raters_agreement_is_over_all_pairs_with_its_intervals() -> None:
    said: dict[str, dict[str, float]] = {
        f"p{n}": {"a": s, "b": s, "c": s if n % 5 else -s} for n, s in enumerate([2.0, -1, 1, -2] * 10)
    }
    found = rater_agreement(said, Resampling(100))
    assert (found["pairs"], found["raters"]) == (40, 3)
    # Three raters, 8 of 40 pairs two to one: observed agreement 32/40 + 8/40 * 1/3; directions balanced.
    ways = [(s > 0) - (s < 0) for given in said.values() for s in given.values()]
    expected = (ways.count(1) / 120) ** 2 + (ways.count(-1) / 120) ** 2
    observed = 32 / 40 + 8 / 40 / 3
    assert found["kappa_direction"].value == pytest.approx((observed - expected) / (1 - expected))
    for name in ("kappa_direction", "alpha_ordinal"):
        assert found[name].low < found[name].value < found[name].high


@pytest.mark.parametrize(
    ("rows", "said", "why"),
    [
        ([], [], "no item has two ratings"),
        ([row("p", 0.6)], votes(p="+1"), "no item has two ratings"),
        ([row("p", 0.6)], votes(p="+1 +1"), "only one item has two ratings"),
        ([row("p", 0.6), row("q", 0.6)], votes(p="+1 +1", q="+1 +1"), "all ratings are equal"),
        ([row("p", 0.6), row("q", 0.6)], [PairVote("", "p", 2), PairVote("", "q", -1)], "no item has two ratings"),
    ],
)
def test_odd_data_gives_a_stated_result(
    rows: list[dict[str, Any]], said: list[PairVote], why: str, tmp_path: Path
) -> None:
    found = evaluate(judge(*rows), said, Resampling(10))
    assert found.agreement["alpha_ordinal"].note == f"not defined: {why}" and f"not defined: {why}" in as_text(found)
    assert by(found, "")["kendall_tau_b"].value is None
    assert "NaN" not in write(found, tmp_path)[0].read_text()


def test_the_files(tmp_path: Path) -> None:
    found = the_papers_pairs()
    whole, table, people = write(found, tmp_path)
    assert json.loads(whole.read_text())["judges"][0]["rows"][0]["dar"]["value"] == pytest.approx(90 / 105)
    rows = list(csv.DictReader(table.open()))
    assert [row["by"] for row in rows] == ["all"] + ["direction"] * 2 + ["strength"] * 4
    assert float(rows[0]["dar_low"]) < float(rows[0]["dar"]) < float(rows[0]["dar_high"])
    assert sum(row["left_out"] == "raters in conflict" for row in csv.DictReader(people.open())) == 5
    assert "0.857" in as_text(found)
