"""What mappers share that have a model add columns, and what filters share whose verdict a model decides."""

from collections.abc import Sequence
from typing import Any

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.types import Answer, Failure, Request
from data_juicer_ext.ops.base.host_results import RowMapper, VerdictFilter
from data_juicer_ext.ops.base.model_op import ModelOp
from data_juicer_ext.ops.base.option_choice import ask_letter, order_of
from data_juicer_ext.ops.base.outcome import Outcome
from data_juicer_ext.qa.letter_answers import PARSER_VERSION, LetterParse
from data_juicer_ext.qa.verdicts import Decision
from data_juicer_ext.rows import QA_ROW


class ModelFilter(ModelOp, VerdictFilter):
    """A filter whose verdict comes from a model's choice among the options.

    Writes `<tag>_verdict` and `<tag>_reason` into the row's stats. Rows whose call failed are
    undecided: not kept, not refused, and written to `undecided.jsonl` in the run folder.
    """

    needs = QA_ROW
    parser_version = PARSER_VERSION

    async def ask_letter(
        self, calls: Calls, request: Request, options: Sequence[str]
    ) -> tuple[LetterParse, Answer] | Failure:
        """One call and the option it chooses, asked for again once where none can be read."""
        return await ask_letter(calls, request, options, self.repair_template)

    def order(self, row: dict[str, Any], draw: int, permute: bool) -> tuple[int, ...]:
        """The order in which a draw shows the options: position -> index of the option."""
        return order_of(row, self.tag, draw, permute)

    def outcome(self, row: dict[str, Any], decision: Decision, **columns: Any) -> Outcome:
        """A decision as an outcome that also notes this filter's part in the row's provenance."""
        return Outcome(decision.verdict, decision.reason, columns={"provenance": row["provenance"], **columns},
                       detail=decision.detail, message=str(decision.detail.get("message", "")))  # fmt: skip


class ModelMapper(ModelOp, RowMapper):
    """A mapper whose kept rows go on with the columns of `makes` added; its `decide` uses `kept`.

    Rows whose call failed are undecided: neither kept nor refused, and written to `undecided.jsonl` in the run folder.
    """

    def kept(self, row: dict[str, Any], reason: str, detail: dict[str, Any], **columns: Any) -> Outcome:
        """The outcome of a row that goes on with `columns` set."""
        made = {**row, "provenance": row.get("provenance") or "{}", **columns}
        return Outcome("keep", reason, [made], detail=detail)
