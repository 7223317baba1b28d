"""Makes a multiple-choice question from a claim."""

import json
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.ops.authoring import Calls, Failure, ModelMapper, Outcome, operator, request, undecided
from data_juicer_ext.ops.base.dry_run import filler
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.mcq import MCQParse, leak_problem, parse_mcq
from data_juicer_ext.rows import CLAIM_ROW, QA_ROW, qa_row

OP_NAME = "mcq_generator_mapper"

_OPTIONS = 4  # of a question in an estimate


@operator(OP_NAME)
class MCQGeneratorMapper(ModelMapper):
    """Turns a claim into a single-choice question with 2 to 4 options, one of them right.

    One text call per claim, without the figure. A question that quotes the label, the caption or the text is asked for
    once more and then refused.

    Input columns: claim rows.
    Output columns: QA rows, none for a claim that is too vague.
    Source: VeriSciQA, Eq. 3.
    """

    funnel_label = "questions"
    table_1_line = "QA pairs generated"
    needs = CLAIM_ROW
    makes = QA_ROW
    replaces = True
    template = "verisciqa/mcq_generation"
    fields = ("domain", "label", "caption", "paragraphs", "claim")

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One claim to its question."""
        labels = json.loads(row["labels"])
        paragraphs = [place["paragraph"] for place in json.loads(row["context_places"])]

        def problem(parsed: MCQParse) -> str:
            if parsed.kind == "unparsable":
                return parsed.problem or "no question with options and an answer was found"
            if parsed.mcq is None:
                return ""
            return leak_problem(parsed.mcq, row["label"], labels, row["caption"], row["context"])

        asked = request(self.template, self.sampling, domain=spelled_out(row["domain"]), label=row["label"],
                        caption=row["caption"], paragraphs=paragraphs, claim=row["claim"])  # fmt: skip
        answer = await calls.ask_parsed(asked, parse_mcq, problem, self.repair_template)
        if isinstance(answer, Failure):
            return undecided(answer)
        parsed, _ = answer
        if parsed.mcq is None:
            return Outcome("drop", "too_vague" if parsed.kind == "none" else "unparsable",
                           detail={"problem": parsed.problem} if parsed.problem else {})  # fmt: skip
        mcq = parsed.mcq
        told = {"question": mcq.question, "options": list(mcq.options), "answer": mcq.answer}
        leak = problem(parsed)
        if leak:
            return Outcome("drop", "quotes_source", detail={**told, "problem": leak})
        made = qa_row(row, mcq.question, mcq.options, mcq.answer)
        return Outcome("keep", "question", [made], detail={"made": made["row_id"], **told})

    def row_after(self, row: dict[str, Any], characters: Mapping[str, int]) -> dict[str, Any]:
        """A question row with options of an assumed length."""
        options = [f"{number} {filler(characters['option'] - 2)}" for number in range(_OPTIONS)]
        return qa_row(row, filler(characters["question"]), options, "A")
