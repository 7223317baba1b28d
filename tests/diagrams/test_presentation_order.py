from __future__ import annotations

import hashlib
from itertools import pairwise

from data_juicer_ext.diagrams.anonymous_pair import generated_first, run_row_id


def test_each_order_about_half_the_time_over_rows_and_over_runs() -> None:
    over_rows = sum(generated_first(f"row-{n}") for n in range(2000))
    over_runs = sum(generated_first("one row", n) for n in range(2000))
    assert 920 <= over_rows <= 1080 and 920 <= over_runs <= 1080


def test_ids_with_a_pattern_get_no_pattern_of_orders() -> None:
    hashed = [f"figure-{hashlib.sha256(str(n).encode()).hexdigest()[:20]}" for n in range(400)]
    numbered = [f"{n:08d}" for n in range(400)]
    for names in (hashed, numbered):
        drawn = [generated_first(name) for name in names]
        changes = sum(one != other for one, other in pairwise(drawn))
        assert 160 <= sum(drawn) <= 240 and 160 <= changes <= 240


def test_the_order_is_the_same_each_time() -> None:
    assert [generated_first("a", run) for run in range(30)] == [generated_first("a", run) for run in range(30)]
    assert len({generated_first("a", run) for run in range(30)}) == 2


def test_the_first_run_keeps_the_rows_id_and_all_differ() -> None:
    ids = [run_row_id("pair", run) for run in range(5)]
    assert ids[0] == "pair" and len(set(ids)) == 5 and ids == [run_row_id("pair", run) for run in range(5)]
