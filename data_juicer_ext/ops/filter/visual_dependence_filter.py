"""Keeps questions that can't be answered without the figure."""

import asyncio
from typing import Any

from data_juicer_ext.ops.authoring import Calls, Failure, ModelFilter, Outcome, count, operator, request
from data_juicer_ext.ops.base.model_kinds import mapped_back
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.option_order import shown
from data_juicer_ext.qa.verdicts import NON_VISUAL, Draw, blind_check

OP_NAME = "visual_dependence_filter"


@operator(OP_NAME)
class VisualDependenceFilter(ModelFilter):
    """Keeps a question if a model that sees only the caption does NOT find its answer.

    `blind_draws` calls per row, without the figure and without citing text. List it twice, with a text model and then
    a vision model, for the paper's cascade; give each listing a `tag` of its own and spell out every parameter in
    both.

    Input columns: QA rows.
    Output columns: those of the input; stats `<tag>_verdict` and `<tag>_reason`.
    Source: VeriSciQA, V_vis_dep.
    """

    table_1_line = "After text-based filtering"
    error_kinds = (NON_VISUAL,)
    kept_if = "models without the figure did not find the answer"
    template = "verisciqa/visual_dependence"
    fields = ("domain", "caption", "question", "options")

    def __init__(
        self, blind_draws: int = 1, blind_hits: int = 1, permute_options: bool = False, *args: Any, **kwargs: Any
    ):
        """
        :param blind_draws: how often the model is asked, 1 to 25.
        :param blind_hits: how many of the draws have to choose the answer for the question to be
            refused, 1 to `blind_draws`.
        :param permute_options: show each draw the options in an order of its own (seeded by the
            row), so that a preferred position is no hit.
        """
        with self.checked_parameters():
            self.blind_draws = count("blind_draws", blind_draws, 1, 25)
            self.blind_hits = count("blind_hits", blind_hits, 1, blind_draws)
        self.permute_options = permute_options
        super().__init__(*args, **kwargs)

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
