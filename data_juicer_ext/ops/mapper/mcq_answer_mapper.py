"""QA row to the same row with the answer of a model under test."""

from collections.abc import Mapping
from typing import Any

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.annotation.question_check import question_problem
from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.types import Failure
from data_juicer_ext.ops.base.class_mapper import images_of
from data_juicer_ext.ops.base.model_mapper import ModelMapper
from data_juicer_ext.ops.base.option_choice import mapped_back, order_of
from data_juicer_ext.ops.base.outcome import Outcome, undecided
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS
from data_juicer_ext.prompts import request
from data_juicer_ext.qa.letter_answers import PARSER_VERSION, parse_letter
from data_juicer_ext.qa.option_order import shown
from data_juicer_ext.rows import add_flags, scrub

OP_NAME = "mcq_answer_mapper"
OWN_OPERATORS.append(OP_NAME)

_GREEDY = {"temperature": 0}


@OPERATORS.register_module(OP_NAME)
class MCQAnswerMapper(ModelMapper):
    """Has a model under test answer the questions of a finished set: zero-shot, greedy, one letter.

    Input: QA rows, SIQA's included. Output: the same rows with `model_answer` (a letter or ""), `answer_kind` (letter,
    none, several, declined, unparsable), `answer_correct` (1 or 0), `answer_model` (the name that it answered by) and
    `answer_text`. One call a question and no second try: an answer whose option can't be told counts as wrong,
    and its kind says so. A row whose call failed is undecided, not wrong. Source: VeriSciQA, section 5; SIQA,
    section 3.4.
    """

    needs = ("row_id", "question", "options", "answer")
    makes = ("model_answer", "answer_kind", "answer_correct", "answer_model", "answer_text", "provenance")
    template = "annotation/answer"
    repair_template = "annotation/repair"
    fields = ("caption", "question", "options", "with_image")
    parser_version = PARSER_VERSION

    def __init__(
        self,
        api_model: str = "offline",
        api_endpoint: str | None = None,
        model_params: dict[str, Any] | None = None,
        sampling_params: dict[str, Any] | None = None,
        with_image: bool = True,
        with_caption: bool = True,
        permute_options: bool = False,
        max_cost: float = 0.0,
        max_calls: int = 0,
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param api_model: the name of the model under test at its endpoint, `offline` for the embedded one; may be
            `${NAME}` or `${NAME:-default}`.
        :param api_endpoint: the path behind the base URL; chat completions where empty.
        :param model_params: endpoint settings (base_url, api_key_env, max_concurrency, timeout,
            ...; see docs/models.md).
        :param sampling_params: sent to the provider as they are (max_tokens, seed, ...), with temperature 0 unless they
            name another.
        :param with_image: show the images; without, the rows need none.
        :param with_caption: show the caption, where a row has one.
        :param permute_options: show the options in an order of each row's own; `model_answer` and `answer` stay
            letters of the row's order.
        :param max_cost: US dollars that all runs into the run folder may spend on model calls; when
            they are spent no new call goes out, and the rest is undecided. 0: no limit.
        :param max_calls: the same in calls. 0: no limit.
        :param run_dir: the run folder.
        :param tag: the name of this listing in ledger and stats; where empty, the operator's without `_mapper`.
        """
        self.with_image, self.with_caption, self.permute_options = with_image, with_caption, permute_options
        if sampling_params is None or isinstance(sampling_params, Mapping):
            sampling_params = {**_GREEDY, **(sampling_params or {})}
        common = (api_model, api_endpoint, model_params, sampling_params, max_cost, max_calls, run_dir, tag)
        super().__init__(*common, *args, **kwargs)

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
