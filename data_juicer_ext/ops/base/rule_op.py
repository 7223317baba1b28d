"""What operators share that decide by a rule: verdicts, ledger and errors are those of operators with a model."""

from collections.abc import Sequence
from typing import Any

from data_juicer_ext.ops.base.outcome import Outcome, defect
from data_juicer_ext.ops.base.row_ops import RowMapper, VerdictFilter
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OwnOp
from data_juicer_ext.runs.ledger import Entry


class RuleOp(OwnOp):
    """Mixed in before Mapper or Filter; an operator brings `decide`."""

    def __init__(self, run_dir: str = DEFAULT_RUN_DIR, tag: str = "", *args: Any, **kwargs: Any):
        """
        Initialization method.

        :param run_dir: the run folder.
        :param tag: the name of this listing in ledger and stats; where empty, the operator's without
            `_mapper` or `_filter`.
        """
        super().__init__(*args, **kwargs)
        self.run_in_process()
        self.join_run(run_dir, tag, kwargs.get("ray_execution_mode"))

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
        row_id, paper_id, figure_id = (str(row.get(name) or "") for name in ("row_id", "paper_id", "figure_id"))
        detail = {**outcome.detail, **({"message": outcome.message} if outcome.message else {})}
        made = 0 if outcome.verdict != "keep" else len(outcome.made) or 1
        entry = Entry(row_id, self._name, self.tag, outcome.verdict, outcome.reason, paper_id, figure_id,
                      made=made, detail=detail)  # fmt: skip
        try:
            self.run_info.ledger.record(entry)
            if outcome.verdict == "undecided":
                self.set_aside(row, entry)
        except OSError as error:
            self.unwritable(error)
        return outcome


class RuleMapper(RuleOp, RowMapper):
    """A mapper whose kept rows go on with the columns of `makes` added; its `decide` uses `kept`."""

    def kept(self, row: dict[str, Any], reason: str, detail: dict[str, Any], **columns: Any) -> Outcome:
        """The outcome of a row that goes on with `columns` set."""
        return Outcome("keep", reason, [{**row, **columns}], detail=detail)


class RuleFilter(RuleOp, VerdictFilter):
    """A filter by a rule. Writes `<tag>_verdict` and `<tag>_reason` into the row's stats; only `keep` stays."""
