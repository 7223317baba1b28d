from __future__ import annotations

import json
from pathlib import Path

from data_juicer_ext.review.review_sample import load_items, ordered, side_of


def export(tmp_path: Path, count: int) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps({"row_id": f"r{n}", "ok": n % 3 != 0}) + "\n" for n in range(count)))
    return path


def test_rows_that_the_form_takes(tmp_path: Path) -> None:
    path = export(tmp_path, 9)
    with path.open("a") as file:
        file.write("{cut off")
    found = load_items(path, lambda row: bool(row["ok"]), 0, 0)
    assert [item.row_id for item in found.items] == ["r1", "r2", "r4", "r5", "r7", "r8"]
    assert (found.total, found.skipped, len(found.broken)) == (6, 3, 1)


def test_a_sample_hangs_on_rows_and_seed_alone(tmp_path: Path) -> None:
    path = export(tmp_path, 60)
    drawn = {seed: [item.row_id for item in load_items(path, lambda row: True, 7, seed).items] for seed in (0, 1)}
    assert len(drawn[0]) == 7 and drawn[0] != drawn[1] and drawn[0] == sorted(drawn[0], key=lambda name: int(name[1:]))
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert {item.row_id for item in load_items(path, lambda row: True, 7, 0).items} == set(drawn[0])


def test_a_row_without_an_id_gets_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    ids = [item.row_id for item in load_items(path, lambda row: True, 0, 0).items]
    assert len(set(ids)) == 2 and all(name.startswith("row-") for name in ids)


def test_each_annotator_has_an_order_and_sides_of_their_own(tmp_path: Path) -> None:
    items = load_items(export(tmp_path, 40), lambda row: True, 0, 0).items
    orders = [[item.row_id for item in ordered(items, name, seed)] for name, seed in (("A", 0), ("B", 0), ("A", 1))]
    assert orders[0] == [item.row_id for item in ordered(items[::-1], "A", 0)]
    assert len({tuple(order) for order in orders}) == 3 and {frozenset(order) for order in orders} == {
        frozenset(orders[0])
    }
    first = [side_of("A", f"r{n}", 0) for n in range(8)]
    assert first == [-1, 1, -1, -1, -1, 1, -1, 1], "sheets that annotators have begun stay as they are"
    sides = [side_of(name, f"r{n}", 0) for name in "AB" for n in range(200)]
    assert 140 < sides.count(1) < 260 and set(sides) == {1, -1}
