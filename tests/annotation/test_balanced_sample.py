from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.annotation.balanced_sample import BalancedSample, SampleOrder, lines, sample, units_of
from data_juicer_ext.annotation.image_fingerprint import Glance, glance_at_all
from tests.annotation.pictures import chart, rendered_anew, rows
from tests.ops.mapper.annotating import question

Rows = list[dict[str, Any]]


def drawn(given: Rows, most: int, exclude: Rows = (), **more: Any) -> BalancedSample:  # type: ignore[assignment]
    units = units_of(given, more.get("by", "image_category"))
    seen = glance_at_all([path for unit in units for path in unit.images], 2)
    away = {row["row_id"]: [one for one in glance_at_all(row["images"], 1).values() if isinstance(one, Glance)]
            for row in exclude}  # fmt: skip
    return sample(units, seen, away, SampleOrder(most, **more))


def reasons(found: BalancedSample) -> Counter[str]:
    return Counter(left.reason for left in found.left_out)


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Twenty different charts."""
    return [chart(tmp_path_factory.mktemp("charts"), seed) for seed in range(20)]


def test_at_most_so_many_a_category_and_each_picture_once(charts: list[str], tmp_path: Path) -> None:
    again = [rendered_anew(tmp_path, 0), str(shutil.copy(charts[1], tmp_path / "copy.png"))]
    given = rows(tmp_path, [*charts, *again])
    found = drawn(given, 6)
    assert Counter(unit.category for unit in found.taken) == {"a": 6, "b": 6}
    assert reasons(found) == {"near_duplicate": 1, "same_bytes": 1, "over_the_limit": 8}
    assert all(left.match is not None for left in found.left_out if left.reason != "over_the_limit")
    assert found.counts()["a"]["taken"] == 6 and sum(found.counts()["b"].values()) == 11


def test_the_sample_hangs_on_content_and_seed_alone(charts: list[str], tmp_path: Path) -> None:
    given = rows(tmp_path, charts)
    texts = {lines(drawn(random.Random(turn).sample(given, len(given)), 4).taken) for turn in range(4)}
    assert len(texts) == 1
    shuffled_columns = [{**dict(reversed(list(row.items()))), "__dj__stats__": {"x": 1}} for row in given]
    assert {lines(drawn(shuffled_columns, 4).taken)} == texts
    assert lines(drawn(given, 4, seed=1).taken) not in texts
    assert lines(drawn(given, 10, seed=1).taken) == lines(drawn(given, 10).taken), "all of them, whatever the seed"


def test_images_of_an_excluded_set_stay_out(charts: list[str], tmp_path: Path) -> None:
    benchmark = rows(tmp_path, [rendered_anew(tmp_path, 2), charts[3], rendered_anew(tmp_path, 31)])
    found = drawn(rows(tmp_path, charts[:8]), 9, benchmark)
    assert reasons(found) == {"excluded": 2}
    owners = {left.match.owner for left in found.left_out if left.match is not None}
    assert owners == {benchmark[0]["row_id"], benchmark[1]["row_id"]}


def test_what_has_no_image_or_no_category_is_left_out(charts: list[str], tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no image")
    given = rows(tmp_path, charts[:5])
    given[0]["image_category"] = ""
    given[1]["images"] = [charts[1], str(tmp_path / "broken.png")]
    given[2]["images"] = []
    found = drawn(given, 5)
    assert reasons(found) == {"no_category": 1, "unreadable_image": 2} and len(found.taken) == 2
    assert any("broken.png" in left.message for left in found.left_out)


def test_questions_of_a_figure_stay_together(charts: list[str]) -> None:
    given = [question(charts[figure], number, figure, figure_type="ab"[figure % 2]) for figure in range(6)
             for number in range(3)]  # fmt: skip
    found = drawn(given, 2, by="figure_type")
    assert [len(unit.rows) for unit in found.taken] == [3] * 4 and reasons(found) == {"over_the_limit": 2}
    written = [json.loads(line) for line in lines(found.taken).splitlines()]
    assert [row["row_id"] for row in written] == sorted(row["row_id"] for row in written) and len(written) == 12
    figures = Counter(row["figure_id"] for row in written)
    assert set(figures.values()) == {3}


def test_rows_that_cannot_be_sampled_are_told(charts: list[str], tmp_path: Path) -> None:
    given = rows(tmp_path, charts[:2])
    with pytest.raises(ValueError, match="no row has the column colour"):
        units_of(given, "colour")
    with pytest.raises(ValueError, match="no row_id"):
        units_of([{"images": charts[:1], "image_category": "a"}], "image_category")
    with pytest.raises(ValueError, match="at least 1"):
        drawn(given, 0)
    assert units_of([], "image_category") == []
