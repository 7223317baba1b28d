"""What operators share that decide by a rule: verdicts, ledger and errors are those of operators with a model."""

from collections.abc import Sequence
from typing import Any

from data_juicer_ext.ops.base.host_results import RowMapper, VerdictFilter
from data_juicer_ext.ops.base.outcome import Outcome, defect
from data_juicer_ext.ops.base.run_op import RunOp


class RuleOp(RunOp):
    """Mixed in before Mapper or Filter; an operator brings `decide`."""

    in_driver = True

    def decide(self, row: dict[str, Any]) -> Outcome:
        """The operator's own part: one row to its outcome."""
        raise NotImplementedError

    def outcomes(self, rows: Sequence[dict[str, Any]]) -> list[Outcome]:
        """Decide all rows, in order. Each is in the ledger as soon as it is decided.

        A row whose rule raises is undecided. Ends the run with a plain message if the run folder can't be written.
        """
        return [self._decided(row) for row in rows]

    def _decided(self, row: dict[str, Any]) -> Outcome:
        try:
            outcome = self.decide(row)
        except Exception as error:  # a defect or a malformed row must cost this row only
            outcome = defect(error)
        row_id, paper_id, figure_id = self.ids(row, outcome)
        detail = {**outcome.detail, **({"message": outcome.message} if outcome.message else {})}
        made = 0 if outcome.verdict != "keep" else len(outcome.made) or 1
        self.record(row_id, outcome.verdict, outcome.reason, detail, paper_id, figure_id, made, row)
        return outcome

    def ids(self, row: dict[str, Any], outcome: Outcome) -> tuple[str, str, str]:
        """What the ledger calls a row: its own id, its paper's and its figure's."""
        row_id, paper_id, figure_id = (str(row.get(name) or "") for name in ("row_id", "paper_id", "figure_id"))
        return row_id, paper_id, figure_id


class RuleMapper(RuleOp, RowMapper):
    """A mapper whose kept rows go on with the columns of `makes` added; its `decide` uses `kept`."""

    def kept(self, row: dict[str, Any], reason: str, detail: dict[str, Any], **columns: Any) -> Outcome:
        """The outcome of a row that goes on with `columns` set."""
        return Outcome("keep", reason, [{**row, **columns}], detail=detail)


class RuleFilter(RuleOp, VerdictFilter):
    """A filter by a rule. Writes `<tag>_verdict` and `<tag>_reason` into the row's stats; only `keep` stays."""
