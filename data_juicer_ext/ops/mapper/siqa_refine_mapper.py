"""Refines SIQA's questions, so that neither the answer Yes nor a letter is worth a guess."""

from typing import Any

from data_juicer_ext.models.types import Verdict
from data_juicer_ext.ops.authoring import (
    Calls,
    Failure,
    Mapper,
    ModelOp,
    Outcome,
    count,
    operator,
    replace_rows,
    request,
    to_rows,
    undecided,
)
from data_juicer_ext.ops.base import progress
from data_juicer_ext.runs.ledger import Spending
from data_juicer_ext.siqa.refine import (
    PARSER_VERSION,
    REFINED,
    NegationParse,
    check_yes_no,
    parse_negation,
    shuffled,
    with_negation,
)

OP_NAME = "siqa_refine_mapper"


@operator(OP_NAME)
class SiqaRefineMapper(ModelOp, Mapper):
    """Turns half of the Yes/No questions around and shuffles the options of What questions.

    yes_no: one text call for the negated question, without the image; half of the rows (by row_id and seed) then ask
    it, with their label turned. A negation that is the same text, or whose answer would be, is asked for once more; a
    row without one keeps its question, and its `question_negated` is "". what: options in an order seeded by the row,
    the letter moves along; options that mean something only where they stand stay. how and all other rows stay as
    they are.

    Input columns: QA rows with `question_type`.
    Output columns: the same rows with `question_plain`, `question_negated` and `negated`.
    Source: SIQA, section 3.2.
    """

    _batched_op = True
    needs = ("row_id", "question", "options", "answer", "question_type")
    makes = ("question", "options", "answer", *REFINED, "provenance")
    template = "siqa/negation"
    repair_template = "siqa/repair"
    fields = ("question",)
    parser_version = PARSER_VERSION

    def __init__(self, seed: int = 0, *args: Any, **kwargs: Any):
        """
        :param seed: another choice of the questions to turn around, and other orders of options.
        """
        with self.checked_parameters():
            self.seed = count("seed", seed, 0, 2**31)
        super().__init__(*args, **kwargs)

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of question rows, refined; undecided ones, and those that are broken, are left out."""
        columns = list(dict.fromkeys((*samples, *REFINED)))
        rows = to_rows(samples)
        outcomes = iter(self.outcomes([row for row in rows if row["question_type"] == "yes_no"]))
        made = [next(outcomes).made if row["question_type"] == "yes_no" else self._without_model(row) for row in rows]
        return replace_rows(samples, (row for several in made for row in several), columns)

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One Yes/No row with its negated question, turned around if it is one of those chosen."""
        check_yes_no(row)

        def parse(text: str) -> NegationParse:
            return parse_negation(text, row["question"])

        asked = request(self.template, self.sampling, question=row["question"])
        answer = await calls.ask_parsed(asked, parse, lambda parsed: parsed.problem, self.repair_template)
        if isinstance(answer, Failure):
            return undecided(answer)
        parsed, _ = answer
        made = with_negation(row, parsed.question, self.seed)
        reason = "no_negation" if not parsed.question else "turned" if made["negated"] == "yes" else "plain"
        detail = {name: made[name] for name in ("question_plain", "question_negated", "answer")}
        return Outcome("keep", reason, [made], detail={**detail, "problem": parsed.problem})

    def _without_model(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """A What row shuffled, any other as it was; none for a What row whose answer is none of its options."""
        made = {**row, "question_plain": "", "question_negated": "", "negated": "no"}
        verdict: Verdict = "keep"
        reason, detail = "untouched", dict[str, Any]()
        if row["question_type"] == "what":
            try:
                made = shuffled(made, self.seed)
                reason = "in_place" if made["options"] == list(row["options"]) else "shuffled"
                detail = {"options": made["options"], "answer": made["answer"]}
            except (ValueError, TypeError) as error:
                verdict, reason, detail = "drop", "bad_question", {"message": str(error)[:300]}
        about = (str(row.get("paper_id") or ""), str(row.get("figure_id") or ""))
        self.record(str(row["row_id"]), verdict, reason, detail, *about)
        if (watch := progress.of(self.tag)) is not None:
            watch.decided(verdict, Spending())
        return [made] if verdict == "keep" else []
