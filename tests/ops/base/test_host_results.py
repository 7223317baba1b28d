"""How outcomes become what the host expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data_juicer.utils.constant import Fields

from data_juicer_ext.ops.base.host_results import RowMapper, VerdictFilter, replace_rows, set_column, to_rows
from data_juicer_ext.ops.base.outcome import Outcome


class Doubling(RowMapper):
    """Makes two rows of each, none of those whose `x` is 0."""

    _batched_op = True
    makes = ("x", "y")
    replaces = False

    def outcomes(self, rows: Sequence[dict[str, Any]]) -> list[Outcome]:
        """Two rows of each."""
        return [Outcome("keep", "r", [{**row, "y": n} for n in range(2)] if row["x"] else []) for row in rows]


class Odd(VerdictFilter):
    """Keeps rows whose `x` is odd, doubts those where it is 0, and notes it in `x`."""

    tag = "odd"

    def outcomes(self, rows: Sequence[dict[str, Any]]) -> list[Outcome]:
        """One outcome per row."""
        return [
            Outcome("keep" if row["x"] % 2 else "drop" if row["x"] else "undecided", "r", columns={"x": -row["x"]})
            for row in rows
        ]


def test_a_mapper_goes_on_with_what_was_made() -> None:
    mapper = Doubling()
    samples = {"x": [1, 0, 2], "z": "abc"}
    made = mapper.process_batched(samples)
    assert made is samples and made == {"x": [1, 1, 2, 2], "z": ["a", "a", "c", "c"], "y": [0, 1, 0, 1]}
    mapper.replaces = True
    assert mapper.process_batched({"x": [3], "z": ["c"]}) == {"x": [3, 3], "y": [0, 1]}
    assert list(mapper.process_batched({"x": [0]})) == ["x", "y"]


def test_a_filter_writes_verdict_reason_and_columns_and_keeps_by_the_verdict() -> None:
    kept = Odd()
    samples = {"x": [1, 2, 0], Fields.stats: [{"known": 1}, None, {}]}
    made = kept.compute_stats_batched(samples)
    assert made["x"] == [-1, -2, 0]
    assert made[Fields.stats] == [
        {"known": 1, "odd_verdict": "keep", "odd_reason": "r"}, {"odd_verdict": "drop", "odd_reason": "r"},
        {"odd_verdict": "undecided", "odd_reason": "r"},
    ]  # fmt: skip
    assert [kept.process_single({Fields.stats: stats}) for stats in made[Fields.stats]] == [True, False, False]
    assert kept.process_single({Fields.stats: {}}) is False


def test_batches_and_rows() -> None:
    assert to_rows({}) == [] and to_rows({"a": [1, 2], "b": "xy"}) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    assert replace_rows({"a": [1]}, iter([{"b": 2, "c": 3}]), ["b"]) == {"b": [2]}
    samples: dict[str, Any] = {}
    set_column(samples, "a", (1, 2))
    assert samples == {"a": [1, 2]}
