"""Has a model under test answer questions."""

from collections.abc import Mapping
from typing import Any

from data_juicer_ext.annotation.question_check import question_problem
from data_juicer_ext.ops.authoring import Calls, Failure, ModelMapper, Outcome, operator, request, undecided
from data_juicer_ext.ops.base.model_kinds import images_of, mapped_back, order_of
from data_juicer_ext.qa.letter_answers import PARSER_VERSION, parse_letter
from data_juicer_ext.qa.option_order import shown
from data_juicer_ext.rows import add_flags, scrub

OP_NAME = "mcq_answer_mapper"


@operator(OP_NAME)
class MCQAnswerMapper(ModelMapper):
    """Has a model under test answer the questions of a finished set: zero-shot, greedy, one letter.

    One call per question and no second try: an answer whose option can't be told counts as wrong, and its kind says so.
    A row whose call failed is undecided, not wrong.

    Input columns: QA rows, SIQA's included.
    Output columns: the same rows with `model_answer` (a letter or ""), `answer_kind` (letter, none, several,
        declined, unparsable), `answer_correct` (1 or 0), `answer_model` (the name that it answered by) and
        `answer_text`.
    Source: VeriSciQA, section 5; SIQA, section 3.4.
    """

    needs = ("row_id", "question", "options", "answer")
    makes = ("model_answer", "answer_kind", "answer_correct", "answer_model", "answer_text", "provenance")
    template = "annotation/answer"
    repair_template = "annotation/repair"
    fields = ("caption", "question", "options", "with_image")
    parser_version = PARSER_VERSION
    default_sampling: Mapping[str, Any] = {"temperature": 0}

    def __init__(
        self,
        with_image: bool = True,
        with_caption: bool = True,
        permute_options: bool = False,
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param with_image: show the images; without, the rows need none.
        :param with_caption: show the caption, where a row has one.
        :param permute_options: show the options in an order of each row's own; `model_answer` and `answer` stay
            letters of the row's order.
        """
        self.with_image, self.with_caption, self.permute_options = with_image, with_caption, permute_options
        super().__init__(*args, **kwargs)

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One question to the model's answer."""
        images = images_of(row) if self.with_image else ()
        if problem := question_problem(row, needs_answer=True):
            return Outcome("drop", "bad_question", message=problem)
        if self.with_image and not images:
            return Outcome("drop", "no_image", message="there is no image to show; or write `with_image: false`")
        order = order_of(row, self.tag, 0, self.permute_options)
        options = shown(row["options"], order)
        caption = str(row.get("caption") or "") if self.with_caption else ""
        answer = await calls.ask(
            request(self.template, self.sampling, images, caption=caption, question=row["question"], options=options,
                    with_image=self.with_image)
        )  # fmt: skip
        if isinstance(answer, Failure):
            return undecided(answer)
        parse = mapped_back(parse_letter(answer.text, options), order)
        letter = parse.letters[0] if parse.kind == "letter" else ""
        columns: dict[str, Any] = {
            "model_answer": letter, "answer_kind": parse.kind, "answer_correct": int(letter == row["answer"]),
            "answer_model": scrub(answer.model), "answer_text": scrub(answer.text),
        }  # fmt: skip
        if answer.image_flags and "image_flags" in row:
            columns["image_flags"] = add_flags(row["image_flags"], answer.image_flags)
        detail = {"answer": row["answer"], "letters": list(parse.letters), "kind": parse.kind, "quote": parse.quote}
        return self.kept(row, "answered", detail, **columns)
