"""What the mappers share that have a model name the class of a thing."""

from typing import Any

from data_juicer_ext.annotation.class_answers import PARSER_VERSION, ClassParse
from data_juicer_ext.annotation.figure_types import FigureTypeParse
from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.types import Failure, Request
from data_juicer_ext.ops.base.model_kinds import ModelMapper
from data_juicer_ext.ops.base.outcome import Outcome, undecided


class ClassMapper(ModelMapper):
    """Sets `column` to the class that a model names; asks once more where none can be read.

    A row for which that fails too, or whose call failed, is undecided. Equal requests are sent once per process, and
    come from the store afterwards: of all questions about a figure one pays for the figure's class.
    """

    repair_template = "annotation/repair"
    parser_version = PARSER_VERSION
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
