from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.ops.authoring import Outcome, RuleFilter, RuleMapper, operator
from data_juicer_ext.ops.base.registration import EXTENSION_OPERATORS
from data_juicer_ext.ops.base.run_op import taking_part
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from data_juicer_ext.storage import file_access
from data_juicer_ext.testing import run_operator
from tests.s3_server import S3

ROWS = [{"row_id": f"r{n}", "paper_id": "p", "figure_id": f"f{n}", "number": n} for n in range(4)]


def halved(number: int) -> int:
    """Half of an even number; raises for others, and for 0 with a text that no file can hold."""
    if number == 0:
        raise ValueError("nothing\x00 to halve")
    assert number % 2 == 0, "odd"
    return number // 2


@pytest.fixture(autouse=True)
def operators(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A mapper and a filter by rule, known within a test."""
    monkeypatch.setattr(OPERATORS, "_modules", dict(OPERATORS.modules))
    before = list(EXTENSION_OPERATORS)

    @operator("test_half_mapper")
    class HalfMapper(RuleMapper):
        makes = ("half",)

        def decide(self, row: dict[str, Any]) -> Outcome:
            if row["number"] == 3:
                return Outcome("drop", "three")
            return self.kept(row, "halved", {"of": row["number"]}, half=halved(row["number"]))

    @operator("test_half_filter")
    class HalfFilter(RuleFilter):
        def decide(self, row: dict[str, Any]) -> Outcome:
            return Outcome("keep" if halved(row["number"]) else "drop", "halved")

    @operator("test_part_mapper")
    class PartMapper(RuleMapper):
        makes = ("row_id", "part")
        replaces = True

        def decide(self, row: dict[str, Any]) -> Outcome:
            made = [{"row_id": f"{row['row_id']}-{part}", "part": part} for part in range(row["number"])]
            return Outcome("keep", "parted", made) if made else Outcome("drop", "nothing")

    yield
    EXTENSION_OPERATORS[:] = before


@pytest.mark.parametrize("kind", ["mapper", "filter"])
def test_rows_are_kept_refused_and_undecided_each_on_its_own(kind: str, tmp_path: Path) -> None:
    ran = run_operator(f"test_half_{kind}", ROWS, tmp_path)
    assert [row["row_id"] for row in ran.rows] == ["r2"]
    last = ("drop", "three") if kind == "mapper" else ("undecided", "error:AssertionError")
    assert ran.verdicts == {
        "r0": ("undecided", "error:ValueError"), "r1": ("undecided", "error:AssertionError"), "r2": ("keep", "halved"),
        "r3": last,
    }  # fmt: skip
    assert len(ran.rows) + len(ran.undecided) + sum(v == "drop" for v, _ in ran.verdicts.values()) == len(ROWS)


def test_the_ledger_says_what_and_the_undecided_row_is_whole(tmp_path: Path) -> None:
    ran = run_operator("test_half_mapper", ROWS, tmp_path, tag="mine")
    kept = next(entry for entry in ran.decisions if entry["verdict"] == "keep")
    assert (kept["operator"], kept["tag"], kept["made"]) == ("test_half_mapper", "mine", 1)
    assert (kept["paper_id"], kept["figure_id"], kept["detail"]) == ("p", "f2", {"of": 2})
    aside = ran.undecided[0]
    assert {key: aside[key] for key in ROWS[0]} == ROWS[0]
    assert aside["undecided"]["message"] == "ValueError: nothing to halve"


def test_columns_are_those_before_and_the_new_ones(tmp_path: Path) -> None:
    [row] = run_operator("test_half_mapper", ROWS, tmp_path).rows
    assert row == {**ROWS[2], "half": 1}


def test_one_row_becomes_many_of_another_kind(tmp_path: Path) -> None:
    ran = run_operator("test_part_mapper", ROWS[:3], tmp_path)
    assert ran.rows == [{"row_id": "r1-0", "part": 0}, {"row_id": "r2-0", "part": 0}, {"row_id": "r2-1", "part": 1}]
    assert [entry["made"] for entry in ran.decisions] == [0, 1, 2] and ran.verdicts["r0"] == ("drop", "nothing")


def test_a_run_folder_that_can_not_be_written_ends_the_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = run_records.begin(tmp_path / "run", {})
    with taking_part(run):
        op = OPERATORS.modules["test_half_filter"](run_dir=str(tmp_path / "run"))
        shutil.rmtree(tmp_path / "run")
        (tmp_path / "run").write_text("a file where the folder was")
        with pytest.raises(SystemExit):
            op.outcomes(ROWS)
    assert "can't be written" in capfd.readouterr().err


@pytest.mark.parametrize("kind", ["mapper", "filter"])
def test_a_batch_that_is_done_has_its_lines_on_object_storage(kind: str, s3: S3) -> None:
    run = run_records.begin(s3.at("run"), {})
    with taking_part(run):
        op = OPERATORS.modules[f"test_half_{kind}"](run_dir=s3.at("run"))
        batch = op.process_batched if kind == "mapper" else op.compute_stats_batched
        samples = {key: [row.get(key) for row in ROWS] for key in ROWS[2]}
        batch(samples | {"__dj__stats__": [{} for _ in ROWS]})
        run.bring("ledger", run.run_id)
        assert {entry["row_id"] for entry in decisions(run.run_dir, run.run_id)} == {"r0", "r1", "r2", "r3"}


def test_storage_that_fails_when_a_batch_is_done_ends_the_run(
    s3: S3, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run = run_records.begin(s3.at("run"), {})
    with taking_part(run):
        op = OPERATORS.modules["test_half_mapper"](run_dir=s3.at("run"))
        monkeypatch.setattr(file_access, "write", lambda place, data: (_ for _ in ()).throw(OSError(5, "away", place)))
        with pytest.raises(SystemExit):
            op.process_batched({key: [row.get(key) for row in ROWS] for key in ROWS[2]})
    assert f"the run folder {s3.at('run')} can't be written" in capfd.readouterr().err
