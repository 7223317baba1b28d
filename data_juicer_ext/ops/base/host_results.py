"""How a batch of outcomes becomes what the host expects: the rows of a mapper, the stats of a filter.

Both are mixed in behind `ModelOp` or `RuleOp`, whose `outcomes` they use.
"""

from collections.abc import Sequence
from typing import Any

from data_juicer.ops.base_op import Filter, Mapper
from data_juicer.utils.constant import Fields

from data_juicer_ext.ops.base.column_batches import replace_rows, to_rows
from data_juicer_ext.ops.base.outcome import Outcome


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
