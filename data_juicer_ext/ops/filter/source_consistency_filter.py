"""Keeps questions that the source text answers as stated."""

import json
from typing import Any

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.types import Failure
from data_juicer_ext.ops.base.model_filter import ModelFilter
from data_juicer_ext.ops.base.outcome import Outcome, undecided
from data_juicer_ext.ops.base.run_op import OWN_OPERATORS
from data_juicer_ext.prompts import request
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.verdicts import source_consistency

OP_NAME = "source_consistency_filter"
OWN_OPERATORS.append(OP_NAME)


@OPERATORS.register_module(OP_NAME)
class SourceConsistencyFilter(ModelFilter):
    """Keeps a question if the citing paragraphs alone lead a model to exactly its answer.

    Input: QA rows. One text call a row, without figure and caption. Source: VeriSciQA, V_src.
    """

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
