"""What mappers share that have a model add columns, and what filters share whose verdict a model decides."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from data_juicer_ext.annotation.class_answers import PARSER_VERSION as CLASS_PARSER_VERSION
from data_juicer_ext.annotation.class_answers import ClassParse
from data_juicer_ext.annotation.figure_types import FigureTypeParse
from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.types import Answer, Failure, Request
from data_juicer_ext.ops.base.host_results import RowMapper, VerdictFilter
from data_juicer_ext.ops.base.model_op import ModelOp
from data_juicer_ext.ops.base.outcome import Outcome, undecided
from data_juicer_ext.qa.letter_answers import PARSER_VERSION, LetterParse, parse_letter
from data_juicer_ext.qa.option_order import original_letters, permutation
from data_juicer_ext.qa.verdicts import Decision
from data_juicer_ext.rows import QA_ROW


async def ask_letter(
    calls: Calls, request: Request, options: Sequence[str], repair: str
) -> tuple[LetterParse, Answer] | Failure:
    """One call and the option it chooses, asked for again by the template `repair` once where none can be read."""

    def parse(text: str) -> LetterParse:
        return parse_letter(text, options)

    def problem(parsed: LetterParse) -> str:
        return "no option could be read from it" if parsed.kind == "unparsable" else ""

    return await calls.ask_parsed(request, parse, problem, repair)


def order_of(row: Mapping[str, Any], tag: str, draw: int, permute: bool) -> tuple[int, ...]:
    """The order in which a draw of a listing shows the options of a row: position -> index of the option."""
    if not permute:
        return tuple(range(len(row["options"])))
    return permutation(row["options"], (row["row_id"], tag), draw)


def mapped_back(parse: LetterParse, order: Sequence[int]) -> LetterParse:
    """A parse of permuted options with the letters that the row itself gives them."""
    return replace(parse, letters=original_letters(parse.letters, order))


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


class ClassMapper(ModelMapper):
    """Sets `column` to the class that a model names; asks once more where none can be read.

    A row for which that fails too, or whose call failed, is undecided. Equal requests are sent once per process, and
    come from the store afterwards: of all questions about a figure one pays for the figure's class.
    """

    repair_template = "annotation/repair"
    parser_version = CLASS_PARSER_VERSION
    column = ""
    sees_images = True

    def asked(self, row: dict[str, Any]) -> Request:
        """The request about one row."""
        raise NotImplementedError

    def parse(self, text: str) -> ClassParse | FigureTypeParse:
        """How an answer is read."""
        raise NotImplementedError

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One row to its class."""
        if self.sees_images and not images_of(row):
            return Outcome("drop", "no_image", message="there is no image to look at")
        answer = await calls.ask_parsed(self.asked(row), self.parse, lambda parse: parse.problem, self.repair_template)
        if isinstance(answer, Failure):
            return undecided(answer)
        parse, _ = answer
        if parse.problem:
            return Outcome("undecided", "unparsable", message=f"the answer could not be read: {parse.problem}")
        told = {key: value for key, value in vars(parse).items() if value and key != "name"}
        return self.kept(row, "classified", {self.column: parse.name, **told}, **{self.column: parse.name})


def images_of(row: dict[str, Any]) -> tuple[str, ...]:
    """The image files of a row, none for one that has only an empty name."""
    return tuple(image for image in row.get("images") or () if image)
