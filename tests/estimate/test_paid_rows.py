from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from data_juicer_ext.estimate.assumptions import load_assumptions
from data_juicer_ext.estimate.paid_rows import Drawn, draw, draw_rows, frame
from data_juicer_ext.estimate.recipe_steps import plan
from data_juicer_ext.runs.dataset import DatasetError
from data_juicer_ext.runs.shard_cutting import ShardLayout
from tests.estimate.figures import CLAIMS, config, figure_rows
from tests.host import write_rows

CHARACTERS = load_assumptions().characters
PAPERS = tuple({"paper_id": f"p{n}"} for n in range(4))


def test_rows_are_drawn_by_content_and_seed(tmp_path: Path) -> None:
    rows = [{"paper_id": f"p{n}", "text": None if n % 2 else "t", "images": ["a.png"]} for n in range(20)]
    one = write_rows(tmp_path / "one.jsonl", rows)
    other = write_rows(tmp_path / "other.jsonl", rows[::-1])
    layout = ShardLayout(("text",))
    first, again = (draw(path, 5, 3, layout, tmp_path / "spool") for path in (one, other))
    assert first.dataset_rows == 20 and len(first.rows) == 5 and first.rows == again.rows
    assert draw(one, 5, 4, layout, tmp_path / "spool").rows != first.rows
    assert len(draw(one, 0, 3, layout, tmp_path / "spool").rows) == 20
    assert all(row["text"] is not None and row["images"] == [str(tmp_path / "a.png")] for row in first.rows)
    assert not (tmp_path / "spool").exists()


def test_an_empty_dataset_is_named(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    with pytest.raises(DatasetError, match="is empty"):
        draw(tmp_path / "none.jsonl", 5, 0, ShardLayout(), tmp_path / "spool")


def test_rows_that_cost_nothing_are_no_part_of_it(tmp_path: Path) -> None:
    found = frame(Drawn(2, PAPERS[:2]), figure_rows(tmp_path, 4), plan(config(CLAIMS)).known, CHARACTERS)
    assert len(found.rows) == 3 and found.free == 1 and found.sent.calls.all()
    assert found.rows_apart == found.tokens_apart == 0 and found.scale == 1


def test_papers_that_were_not_read_make_it_uncertain(tmp_path: Path) -> None:
    steps = plan(config(CLAIMS)).known
    rows = figure_rows(tmp_path, 6)
    half, few, bare = (
        frame(Drawn(whole, PAPERS[:read]), rows, steps, CHARACTERS) for whole, read in ((4, 2), (4000, 2), (8, 4))
    )
    assert half.scale == 2 and 0 < half.tokens_apart < few.tokens_apart
    assert bare.tokens_apart > half.tokens_apart  # two of those four papers have no figure


def test_rows_that_are_read_as_they_are_count_one_each(tmp_path: Path) -> None:
    rows = tuple(figure_rows(tmp_path, 9)[:8])
    found = frame(Drawn(80, rows), rows, plan(config(CLAIMS)).known, CHARACTERS, by_paper=False)
    assert found.rows_apart == 0 and 0 < found.tokens_apart < 0.5


def test_a_larger_draw_holds_the_smaller() -> None:
    rows = [{"row_id": f"r{n}"} for n in range(50)]
    assert set(draw_rows(rows, 10, 1)) < set(draw_rows(rows, 20, 1))
    assert draw_rows(rows, 10, 1) != draw_rows(rows, 10, 2)
    assert draw_rows(rows, 99, 1) == list(range(50))


def test_every_row_is_drawn_as_often_as_any_other() -> None:
    rows = [{"row_id": f"r{n}", "paper_id": "big" if n > 2 else "small"} for n in range(20)]
    drawn = Counter(place for seed in range(400) for place in draw_rows(rows, 5, seed))
    assert all(60 < drawn[place] < 145 for place in range(20))
