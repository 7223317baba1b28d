"""What mappers share that have a model add columns to rows: rows it drops or can't decide are left out."""

from typing import Any

from data_juicer.ops.base_op import Mapper

from data_juicer_ext.ops.batches import replace_rows, to_rows
from data_juicer_ext.ops.model_op import ModelOp, Outcome


class ModelMapper(ModelOp, Mapper):
    """A mapper whose kept rows go on with the columns of `makes` added; its `decide` uses `kept`.

    Rows whose call failed are undecided: neither kept nor refused, and written to `undecided.jsonl` in the run folder.
    """

    _batched_op = True

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of rows, those that are kept with their new columns; where it `replaces`, the rows that were made."""
        columns = self.makes if self.replaces else tuple(dict.fromkeys((*samples, *self.makes)))
        outcomes = self.outcomes(to_rows(samples))
        return replace_rows(samples, (row for outcome in outcomes for row in outcome.made), columns)

    def kept(self, row: dict[str, Any], reason: str, detail: dict[str, Any], **columns: Any) -> Outcome:
        """The outcome of a row that goes on with `columns` set."""
        made = {**row, "provenance": row.get("provenance") or "{}", **columns}
        return Outcome("keep", reason, [made], detail=detail)
