"""The steps of a pilot within their budget, its folder and its images; that it runs is asked in tests/cli."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.estimate import pilot_run
from data_juicer_ext.estimate.pilot_run import PILOTS, PartError, bounded, pilot_folder, run_pilot, undecided_in
from data_juicer_ext.runner.run import BUDGET
from data_juicer_ext.runner.shard_plan import RunRequest
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.storage.yaml_mapping import read_mapping


@pytest.mark.parametrize(
    ("own", "bound"),
    [({}, 2.0), ({"max_cost": 5.0}, 2.0), ({"max_cost": 1.0}, 1.0), ({"max_cost": 0}, 2.0), (None, 2.0)],
)
def test_steps_that_call_spend_no_more_than_the_pilot_may(own: dict[str, Any] | None, bound: float) -> None:
    [made, other] = bounded([{"mapper": own}, {"filter": {"x": 1}}], ["mapper"], 2.0)
    assert made == {"mapper": {"max_cost": bound}} and other == {"filter": {"x": 1}}
    assert bounded([{"mapper": own}], ["mapper"], 0.0) == [{"mapper": own}]


def test_each_pilot_has_a_folder_of_its_own(tmp_path: Path) -> None:
    one, other = pilot_folder(tmp_path, 30, 7), pilot_folder(tmp_path, 30, 7)
    assert one != other and one.parent == tmp_path / PILOTS and "-30-rows-seed-7-" in one.name


def pilot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int = 0, rows: int = 25, **given: Any) -> Any:
    """What a pilot of so many rows asks the runner for, whether its budget ended it, and its recipe."""
    asked: list[RunRequest] = []

    def run(request: RunRequest, say: Any, console: Any) -> int:
        asked.append(request)
        say("why it ended")
        return code

    monkeypatch.setattr(pilot_run, "run", run)
    config = {"text_keys": "caption", "executor_type": "ray", "ray_address": "auto", "dataset": {}, "np": 1}
    drawn = [{"row_id": f"r{n}", "caption": "c"} for n in range(rows)]
    folder = tmp_path / "pilot"
    ended = run_pilot(config, [{"mapper": given}], drawn, folder, tmp_path / "run" / "store", None)
    [request] = asked
    return request, ended, read_mapping(request.recipe, ValueError)


def test_a_pilot_with_a_budget_runs_in_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request, ended, recipe = pilot(tmp_path, monkeypatch, BUDGET, max_cost=1.0)
    assert request.shard_size == 3 and ended, "25 rows in ten shards at most"
    assert recipe["executor_type"] == "default" and "ray_address" not in recipe and "dataset" not in recipe
    assert recipe["text_keys"] == "caption" and recipe["np"] == 1
    assert len(list(read_rows(tmp_path / "pilot" / "drawn.jsonl"))) == 25


def test_without_a_budget_it_is_one_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request, ended, _ = pilot(tmp_path, monkeypatch, max_cost=0)
    assert request.shard_size == 25 and not ended and request.again
    assert (tmp_path / "pilot" / "store").resolve() == (tmp_path / "run" / "store").resolve()


def test_a_pilot_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PartError, match="why it ended"):
        pilot(tmp_path, monkeypatch, 1)


@pytest.mark.parametrize("code", sorted(pilot_run.WAYS))
def test_a_signal_ends_it_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        pilot(tmp_path, monkeypatch, code)


def test_a_text_key_that_no_row_has_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, recipe = pilot(tmp_path, monkeypatch, rows=0)
    assert recipe["text_keys"] == "row_id"


def test_images_of_one_name_lie_side_by_side(tmp_path: Path) -> None:
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f.png").write_text(folder)
    named = [str(tmp_path / "a/f.png"), str(tmp_path / "b/f.png"), str(tmp_path / "gone.png"), ""]
    kept = pilot_run._with_own_images({"row_id": "r", "images": named}, tmp_path / "images")["images"]
    assert [Path(path).read_text() for path in kept[:2]] == ["a", "b"] and kept[2:] == named[2:]
    assert {Path(path).parent for path in kept[:2]} == {tmp_path / "images"}
    again = pilot_run._with_own_images({"images": named[:1]}, tmp_path / "images")["images"]
    assert again == kept[:1]
    assert pilot_run._with_own_images({"images": None, "x": 1}, tmp_path) == {"images": None, "x": 1}


def test_undecided_rows_of_a_pilot_are_told_each_once(tmp_path: Path) -> None:
    assert undecided_in(tmp_path) == ""
    line = '{"row_id": "r1", "undecided": {"operator": "op", "tag": "t", "reason": "timeout", "message": "late"}}\n'
    (tmp_path / "undecided.jsonl").write_text(line + line)
    assert "1 rows are UNDECIDED" in undecided_in(tmp_path)
