"""Names the type of a question."""

from typing import Any

from data_juicer_ext.annotation.class_answers import ClassParse
from data_juicer_ext.annotation.question_check import option_text
from data_juicer_ext.annotation.question_types import parse_question_type
from data_juicer_ext.ops.authoring import Request, operator, request
from data_juicer_ext.ops.base.model_kinds import ClassMapper

OP_NAME = "question_type_mapper"


@operator(OP_NAME)
class QuestionTypeMapper(ClassMapper):
    """Names what a question asks of its reader: Descriptive, Comparative, Relational, Compositional or Structural.

    One text call per question, with options and answer, without the figure; answered as JSON, `{"primary_type": ...}`.
    A row whose type can't be read, after one repair, is undecided.

    Input columns: QA rows.
    Output columns: the same rows with `question_type`.
    Source: VeriSciQA, appendices B.7 and C.2.
    """

    needs = ("row_id", "question", "options", "answer")
    makes = ("question_type", "provenance")
    template = "annotation/question_type"
    fields = ("question", "options", "answer")
    column = "question_type"
    sees_images = False

    def asked(self, row: dict[str, Any]) -> Request:
        """The request about one question."""
        options = list(row["options"])
        return request(self.template, self.sampling, question=row["question"], options=options,
                       answer=option_text(options, row["answer"]))  # fmt: skip

    def parse(self, text: str) -> ClassParse:
        """How an answer is read."""
        return parse_question_type(text)
