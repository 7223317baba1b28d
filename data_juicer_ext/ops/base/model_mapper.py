"""What mappers share that have a model add columns to rows: rows it drops or can't decide are left out."""

from typing import Any

from data_juicer_ext.ops.base.host_results import RowMapper
from data_juicer_ext.ops.base.model_op import ModelOp
from data_juicer_ext.ops.base.outcome import Outcome


class ModelMapper(ModelOp, RowMapper):
    """A mapper whose kept rows go on with the columns of `makes` added; its `decide` uses `kept`.

    Rows whose call failed are undecided: neither kept nor refused, and written to `undecided.jsonl` in the run folder.
    """

    def kept(self, row: dict[str, Any], reason: str, detail: dict[str, Any], **columns: Any) -> Outcome:
        """The outcome of a row that goes on with `columns` set."""
        made = {**row, "provenance": row.get("provenance") or "{}", **columns}
        return Outcome("keep", reason, [made], detail=detail)
