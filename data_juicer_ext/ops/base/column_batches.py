"""Batches of columns to rows and back, in the one way that works on both executors."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def to_rows(samples: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The rows of a batch of columns."""
    if not samples:
        return []
    return [dict(zip(samples, values, strict=True)) for values in zip(*samples.values(), strict=True)]


def replace_rows(samples: dict[str, Any], rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> dict[str, Any]:
    """The batch with `rows` instead of its own: exactly `columns`, whatever it had before.

    A 1-to-N mapper has to delete the keys of the batch that it was given: the default executor
    would else look for the old columns at their old length.
    """
    rows = list(rows)
    for key in list(samples):
        del samples[key]
    for column in columns:
        samples[column] = [row[column] for row in rows]
    return samples


def set_column(samples: dict[str, Any], column: str, values: Sequence[Any]) -> None:
    """Set one column of a batch."""
    samples[column] = list(values)
