"""Keeps questions that the source text answers as stated."""

import json
from typing import Any

from data_juicer_ext.ops.authoring import Calls, Failure, ModelFilter, Outcome, operator, request, undecided
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.verdicts import INCORRECTLY_GROUNDED, source_consistency

OP_NAME = "source_consistency_filter"


@operator(OP_NAME)
class SourceConsistencyFilter(ModelFilter):
    """Keeps a question if the citing paragraphs alone lead a model to exactly its answer.

    One text call per row, without figure and caption.

    Input columns: QA rows.
    Output columns: those of the input; stats `<tag>_verdict` and `<tag>_reason`.
    Source: VeriSciQA, V_src.
    """

    table_1_line = "After text-based filtering"
    error_kinds = (INCORRECTLY_GROUNDED,)
    kept_if = "what the paper says of the figure confirms the answer"
    template = "verisciqa/source_consistency"
    fields = ("domain", "label", "labels", "paragraphs", "question", "options")

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One QA row to its verdict."""
        paragraphs = [place["paragraph"] for place in json.loads(row["context_places"])]
        asked = request(
            self.template, self.sampling, domain=spelled_out(row["domain"]), label=row["label"],
            labels=json.loads(row["labels"]), paragraphs=paragraphs,
            question=row["question"], options=list(row["options"]),
        )  # fmt: skip
        answer = await self.ask_letter(calls, asked, row["options"])
        if isinstance(answer, Failure):
            return undecided(answer)
        parsed, _ = answer
        return self.outcome(row, source_consistency(parsed, row["answer"]))
