"""The parts that compare with people: siqa, preference, stability and agreement, from their files to their files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.cli.main import main
from data_juicer_ext.ratings.rating_file import Rating, append, ratings_path
from tests.cli.evaluate.runs import run_folder
from tests.host import write_rows

LEVELS = [1, 2, 3, 4, 5, 4, 2, 1]


def ratings(path: Path, given: list[Rating]) -> Path:
    for rating in given:
        append(path, rating)
    return path


def siqa(annotator: str, levels: list[int], calibration: bool = False) -> list[Rating]:
    kind = "c" if calibration else "f"
    return [
        Rating(annotator, "siqa", f"{kind}{n}", {"perception": level, "knowledge": 6 - level}, calibration=calibration)
        for n, level in enumerate(levels)
    ]


def test_siqa_with_ratings_a_consensus_and_a_rater_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [r for name in "abc" for r in (*siqa(name, LEVELS), *siqa(name, LEVELS[:5], True))]
    given += [*siqa("bad", [6 - s for s in LEVELS]), *siqa("bad", [5, 4, 3, 2, 1], True)]
    gold = ratings(tmp_path / "ratings.jsonl", given)
    consensus = write_rows(
        tmp_path / "consensus.jsonl", [{"row_id": f"c{n}", "perception": n + 1, "knowledge": 5 - n} for n in range(5)]
    )
    scored = [
        {"row_id": f"f{n}", "rating_perception": s + 0.1 * (n % 2), "rating_knowledge": 6.0 - s}
        for n, s in enumerate(LEVELS)
    ]
    run = run_folder(tmp_path / "run", "siqa_rating_mapper", scored, [])
    arguments = ["evaluate", "siqa", "--pred", f"q={run}", "--gold", str(gold), "--out", str(tmp_path / "out")]
    assert main([*arguments, "--consensus", str(consensus), "--resamples", "50"]) == 0
    shown = capsys.readouterr().out
    assert "3 of 4 raters count" in shown and "left out, calibration: bad" in shown and "no --consensus" not in shown
    [row] = json.loads((tmp_path / "out/siqa.json").read_text())["rows"]
    assert row["model"] == "q" and row["srcc_knowledge"]["value"] == pytest.approx(1)
    with (tmp_path / "out/mos.csv").open() as file:
        assert [line["level_perception"] for line in csv.DictReader(file)] == [str(level) for level in LEVELS]
    assert main([*arguments, "--gate", "off", "--outliers", "off", "--resamples", "0"]) == 0
    assert "4 of 4 raters count" in capsys.readouterr().out
    for wrong, said in ((["--gate", "high"], "--gate high"), (["--scale", "5", "1"], "--scale 5 1")):
        assert main([*arguments, *wrong]) == 2
        assert said in capsys.readouterr().err


def test_siqa_with_a_mos_file_by_image_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write_rows(
        tmp_path / "mos.jsonl", [{"image": f"b/{n}.png", "mos_perception": n, "mos_knowledge": n} for n in range(3)]
    )
    scored = write_rows(
        tmp_path / "s.jsonl",
        [
            {"row_id": f"r{n}", "images": [f"i/{n}.png"], "rating_perception": n, "rating_knowledge": -n}
            for n in range(3)
        ],
    )
    assert main(["evaluate", "siqa", "--pred", str(scored), "--gold", str(gold), "--out", str(tmp_path / "o")]) == 0
    shown = capsys.readouterr().out
    assert "3 images with a MOS, known by image" in shown and "-1.000" in shown and "the MOS is given" in shown


def judged(pair: str, final: float, run: int = 0, **more: Any) -> dict[str, Any]:
    scores = {"c1": {"generated": 6, "reference": 5 + run}}
    return {"row_id": f"run-{pair}-{run}" if run else pair, "instance_id": pair, "paper_id": f"paper-{pair}",
            "s_final": final, "order_flipped": run % 2, "contaminated": 0, "run_index": run, "diagram_type": "AF",
            "judgement": json.dumps({"scores": scores}), **more}  # fmt: skip


def preferred(pair: str, *strengths: int) -> list[Rating]:
    return [Rating(f"r{n}", "scidiag", pair, {"overall": s, "criteria": {"c1": s}}) for n, s in enumerate(strengths)]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    finals = {"a": (0.6, 0.7), "b": (0.3, 0.4), "c": (0.45, 0.55), "d": (0.2, 0.3)}
    return write_rows(
        tmp_path / "judge.jsonl", [judged(p, f, r) for p, both in finals.items() for r, f in enumerate(both)]
    )


def test_preference_finds_the_pair_whichever_runs_row_was_rated(
    export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_folder(tmp_path / "run", "diagram_judge_mapper", [], [], export=False)
    ratings(ratings_path(run), [*preferred("a", 2, 1), *preferred("run-b-1", -1, -1), *preferred("c", 1, -1)])
    ratings(ratings_path(run), preferred("d", 1, 2, 0))
    arguments = ["evaluate", "preference", "--pred", str(export), "--out", str(tmp_path / "out"), "--resamples", "20"]
    assert main([*arguments, "--gold", str(run)]) == 0
    shown = capsys.readouterr().out
    assert "judge: 3 of 4 judged pairs compared" in shown and "1  left out: raters in conflict" in shown
    whole = json.loads((tmp_path / "out/preference.json").read_text())["judges"][0]
    assert whole["rows"][0]["dar"]["value"] == pytest.approx(2 / 3) and whole["flip_rate"]["value"] == 0.5
    development = write_rows(tmp_path / "dev.jsonl", [{"paper_id": "paper-a"}])
    assert main([*arguments, "--gold", str(run), "--development", str(development)]) == 0
    assert "1  left out: of the development set" in capsys.readouterr().out


def test_preferences_may_stand_in_plain_rows(export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write_rows(tmp_path / "gold.jsonl", [{"row_id": "a", "strength": 2}, {"row_id": "b", "strength": -1}])
    arguments = ["evaluate", "preference", "--pred", f"x={export}", "--gold", str(gold), "--out", str(tmp_path / "out")]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "x: 2 of 4 judged pairs compared" in shown and "no item has two ratings" in shown
    empty = write_rows(tmp_path / "none.jsonl", [{"x": 1}])
    assert main([*arguments, "--development", str(empty)]) == 2
    assert "no row has a row_id or paper_id" in capsys.readouterr().err


def test_papers_that_a_criteria_file_was_aligned_with_are_left_out(
    export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Criteria:
        development = frozenset({"paper-b"})

    monkeypatch.setattr("data_juicer_ext.diagrams.criteria.load_criteria", lambda path: Criteria())
    arguments = ["evaluate", "stability", "--pred", str(export), "--development", "criteria.yaml"]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    assert "judge: 3 of 4 judged pairs compared, 2 runs each" in capsys.readouterr().out


def test_stability_of_runs_in_one_export_and_in_several(
    export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "stability", "--pred", str(export), "--out", str(tmp_path / "one")]) == 0
    rows = [json.loads(line) for line in export.read_text().splitlines()]
    parts = []
    for n in (0, 1):
        own = [judged(row["instance_id"], row["s_final"]) for row in rows if row["run_index"] == n]
        parts.append(write_rows(tmp_path / f"{n}.jsonl", own))
    assert (
        main(["evaluate", "stability", "--pred", *(f"j={part}" for part in parts), "--out", str(tmp_path / "two")]) == 0
    )
    capsys.readouterr()
    files = [tmp_path / name / "stability.json" for name in ("one", "two")]
    one, two = (json.loads(file.read_text())["judges"][0]["rows"][0] for file in files)
    assert one["icc"] == two["icc"] and one["direction_flip"]["value"] == 0.25
    assert (one["criterion_flip"]["value"], two["criterion_flip"]["value"]) == (1, 0)
    alone = ["evaluate", "stability", "--pred", str(parts[0]), "--out", str(tmp_path / "alone")]
    assert main(alone) == 0
    assert "none with two runs" in capsys.readouterr().out


def test_agreement_by_form_with_means_by_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = ratings(
        tmp_path / "1.jsonl", [Rating("a", "verisciqa", f"q{n}", {"overall_quality": n + 1}) for n in range(4)]
    )
    second = ratings(
        tmp_path / "2.jsonl", [Rating("b", "verisciqa", f"q{n}", {"overall_quality": n + 1}) for n in range(4)]
    )
    ratings(second, [Rating("b", "audit", "q0", {}, accepted=True)])
    rows = write_rows(tmp_path / "rows.jsonl", [{"row_id": f"q{n}", "source": "AB"[n // 2]} for n in range(4)])
    arguments = ["evaluate", "agreement", "--ratings", str(first), str(second), "--out", str(tmp_path / "out")]
    assert main([*arguments, "--rows", str(rows), "--by", "source", "--resamples", "20"]) == 0
    shown = capsys.readouterr().out
    assert "form verisciqa: 4 items, 2 raters, 8 ratings" in shown and "1.000" in shown and "form audit" in shown
    with (tmp_path / "out/agreement.csv").open() as file:
        [line] = [line for line in csv.DictReader(file) if line["form"] == "verisciqa"]
    assert (line["mean_A"], line["mean_B"], line["alpha_ordinal"]) == ("1.5", "3.5", "1.0")
    for wrong, said in (
        (["--form", "siqa"], "no rating has this form; there is audit, verisciqa"),
        (["--by", "source"], "--rows and --by go together"),
        (["--rows", str(rows), "--by", "journal"], "no row of"),
    ):
        assert main([*arguments, *wrong]) == 2
        assert said in capsys.readouterr().err
    other = ["evaluate", "agreement", "--ratings", str(rows), "--out", str(tmp_path / "out")]
    assert main(other) == 2 and "is no ratings file" in capsys.readouterr().err
    empty = [
        "evaluate",
        "agreement",
        "--ratings",
        str(write_rows(tmp_path / "e.jsonl", [])),
        "--out",
        str(tmp_path / "o"),
    ]
    assert main(empty) == 0 and "agreement not defined: no ratings" in capsys.readouterr().out
