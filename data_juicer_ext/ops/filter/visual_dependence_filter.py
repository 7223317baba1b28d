"""Keeps questions that can't be answered without the figure."""

import asyncio
from typing import Any

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.models.types import Failure
from data_juicer_ext.ops.base.model_filter import ModelFilter
from data_juicer_ext.ops.base.option_choice import mapped_back
from data_juicer_ext.ops.base.outcome import Outcome
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS, count
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.prompts import request
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.option_order import shown
from data_juicer_ext.qa.verdicts import Draw, blind_check

OP_NAME = "visual_dependence_filter"
OWN_OPERATORS.append(OP_NAME)


@OPERATORS.register_module(OP_NAME)
class VisualDependenceFilter(ModelFilter):
    """Keeps a question if a model that sees only the caption does NOT find its answer.

    Input: QA rows. `blind_draws` calls a row, without the figure and without citing text. List it
    twice, with a text model and then a vision model, for the paper's cascade; give each listing a
    `tag` of its own and spell out every parameter in both. Source: VeriSciQA, V_vis_dep.
    """

    template = "verisciqa/visual_dependence"
    fields = ("domain", "caption", "question", "options")

    def __init__(
        self,
        api_model: str = "offline",
        api_endpoint: str | None = None,
        model_params: dict[str, Any] | None = None,
        sampling_params: dict[str, Any] | None = None,
        blind_draws: int = 1,
        blind_hits: int = 1,
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

        :param api_model: the model's name at its endpoint, `offline` for the embedded one; may be
            `${NAME}` or `${NAME:-default}`.
        :param api_endpoint: the path behind the base URL; chat completions where empty.
        :param model_params: endpoint settings (base_url, api_key_env, max_concurrency, timeout,
            ...; see docs/models.md).
        :param sampling_params: sent to the provider as they are (temperature, max_tokens, ...).
        :param blind_draws: how often the model is asked, 1 to 25.
        :param blind_hits: how many of the draws have to choose the answer for the question to be
            refused, 1 to `blind_draws`.
        :param permute_options: show each draw the options in an order of its own (seeded by the
            row), so that a preferred position is no hit.
        :param max_cost: US dollars that all runs into the run folder may spend on model calls; when
            they are spent no new call goes out, and the rest is undecided. 0: no limit.
        :param max_calls: the same in calls. 0: no limit.
        :param run_dir: the run folder.
        :param tag: the name of this listing in ledger and stats; where empty, the operator's without
            `_mapper` or `_filter`.
        """
        try:
            self.blind_draws = count("blind_draws", blind_draws, 1, 25)
            self.blind_hits = count("blind_hits", blind_hits, 1, blind_draws)
        except ConfigError as error:
            stop(f"{OP_NAME}: {error}")
        self.permute_options = permute_options
        common = (api_model, api_endpoint, model_params, sampling_params, max_cost, max_calls, run_dir, tag)
        super().__init__(*common, *args, **kwargs)

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One QA row to its verdict."""
        draws = await asyncio.gather(*(self._draw(row, draw, calls) for draw in range(self.blind_draws)))
        decision = blind_check(draws, row["answer"], self.blind_hits)
        failure = next((draw for draw in draws if isinstance(draw, Failure)), None)
        if decision.verdict == "undecided":
            unread = "no option could be read from the model's answer, even when it was asked again"
            decision.detail["message"] = failure.message if failure else unread
        return self.outcome(row, decision)

    async def _draw(self, row: dict[str, Any], draw: int, calls: Calls) -> Draw:
        order = self.order(row, draw, self.permute_options)
        options = shown(row["options"], order)
        asked = request(self.template, self.sampling, draw=draw, domain=spelled_out(row["domain"]),
                        caption=row["caption"], question=row["question"], options=options)  # fmt: skip
        answer = await self.ask_letter(calls, asked, options)
        return answer if isinstance(answer, Failure) else mapped_back(answer[0], order)
