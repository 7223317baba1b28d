"""How a batch of outcomes becomes what the host expects: the rows of a mapper, the stats of a filter.

Both are mixed in behind `ModelOp` or `RuleOp`, whose `outcomes` they use.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from data_juicer.ops.base_op import Filter, Mapper
from data_juicer.utils.constant import Fields

from data_juicer_ext.ops.base.outcome import Outcome


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


class RowMapper(Mapper):
    """A mapper that goes on with the rows that its outcomes made."""

    _batched_op = True
    makes: tuple[str, ...]
    replaces: bool

    def outcomes(self, rows: Sequence[dict[str, Any]]) -> list[Outcome]:
        """Decide all rows, in order."""
        raise NotImplementedError

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of rows, those that are kept with their new columns; where it `replaces`, the rows that were made."""
        columns = self.makes if self.replaces else tuple(dict.fromkeys((*samples, *self.makes)))
        outcomes = self.outcomes(to_rows(samples))
        return replace_rows(samples, (row for outcome in outcomes for row in outcome.made), columns)


class VerdictFilter(Filter):
    """A filter that writes `<tag>_verdict` and `<tag>_reason` into a row's stats; only `keep` stays."""

    _batched_op = True
    tag: str

    def outcomes(self, rows: Sequence[dict[str, Any]]) -> list[Outcome]:
        """Decide all rows, in order."""
        raise NotImplementedError

    def compute_stats_batched(self, samples: dict[str, Any], context: bool = False) -> dict[str, Any]:
        """Decide a batch; sets stats and the columns that the filter writes."""
        for index, outcome in enumerate(self.outcomes(to_rows(samples))):
            stats = dict(samples[Fields.stats][index] or {})
            stats[f"{self.tag}_verdict"], stats[f"{self.tag}_reason"] = outcome.verdict, outcome.reason
            samples[Fields.stats][index] = stats
            for column, value in outcome.columns.items():
                samples[column][index] = value
        return samples

    def process_single(self, sample: dict[str, Any]) -> bool:
        """True for `keep` alone."""
        return bool(sample[Fields.stats].get(f"{self.tag}_verdict") == "keep")
