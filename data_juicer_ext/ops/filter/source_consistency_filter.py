"""Keeps questions that the source text answers as stated."""

import json
from typing import Any

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.models.types import Failure
from data_juicer_ext.ops.model_filter import ModelFilter
from data_juicer_ext.ops.model_op import Calls, Outcome, undecided
from data_juicer_ext.ops.own_op import DEFAULT_RUN_DIR, OWN_OPERATORS
from data_juicer_ext.prompts import request
from data_juicer_ext.qa.domains import spelled_out
from data_juicer_ext.qa.verdicts import source_consistency

OP_NAME = "source_consistency_filter"
OWN_OPERATORS.append(OP_NAME)


@OPERATORS.register_module(OP_NAME)
class SourceConsistencyFilter(ModelFilter):
    """Keeps a question if the citing paragraphs alone lead a model to exactly its answer.

    Input: QA rows. One text call a row, without figure and caption. Source: VeriSciQA, V_src.
    """

    template = "verisciqa/source_consistency"

    def __init__(
        self,
        api_model: str = "offline",
        api_endpoint: str | None = None,
        model_params: dict[str, Any] | None = None,
        sampling_params: dict[str, Any] | None = None,
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "source_consistency",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param api_model: the model's name at its endpoint, `offline` for the embedded one; may be
            `${NAME}` or `${NAME:-default}`.
        :param api_endpoint: the path behind the base URL; chat completions where empty.
        :param model_params: endpoint settings (base_url, api_key_env, max_concurrency, timeout,
            ...; see docs/models.md).
        :param sampling_params: sent to the provider as they are (temperature, max_tokens, ...).
        :param run_dir: the run folder.
        :param tag: the name of this listing in stats and ledger.
        """
        super().__init__(*args, **kwargs)
        self.set_up_model(api_model, api_endpoint, model_params, sampling_params, kwargs)
        self.join_run(run_dir, tag, kwargs.get("ray_execution_mode"))

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
