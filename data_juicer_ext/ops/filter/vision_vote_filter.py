"""Keeps questions that a vision model answers right from the figure, by majority vote."""

import asyncio
from typing import Any

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.models.types import Answer, Failure
from data_juicer_ext.ops.base.model_filter import ModelFilter
from data_juicer_ext.ops.base.option_choice import mapped_back
from data_juicer_ext.ops.base.outcome import Outcome
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS, count, one_of
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.prompts import request
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.letter_answers import LetterParse, parse_rationale
from data_juicer_ext.qa.option_order import shown
from data_juicer_ext.qa.verdicts import Draw, draw_label
from data_juicer_ext.qa.votes import first_agreeing, vote
from data_juicer_ext.rows import add_flags

OP_NAME = "vision_vote_filter"
OWN_OPERATORS.append(OP_NAME)


@OPERATORS.register_module(OP_NAME)
class VisionVoteFilter(ModelFilter):
    """Keeps a question if the majority of independent draws, figure in view, choose its answer.

    Input: QA rows. Up to `draws` vision calls a row, with figure, caption and question, without
    citing text. The rationale of the first draw that agrees goes to the column `rationale`, and what
    was done to the figure's images to send them (`scaled_down`, `small_text`, ...) to `image_flags`.
    Source: VeriSciQA, V_vis_con.
    """

    template = "verisciqa/vision_vote"
    fields = ("domain", "caption", "question", "options")

    def __init__(
        self,
        api_model: str = "offline",
        api_endpoint: str | None = None,
        model_params: dict[str, Any] | None = None,
        sampling_params: dict[str, Any] | None = None,
        draws: int = 3,
        majority: int = 2,
        vote_mode: str = "fast",
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
        :param draws: how many draws a vote has, 1 to 25.
        :param majority: how many draws have to choose the answer, 1 to `draws`.
        :param vote_mode: `fast` makes all draws at once; `frugal` one after the other, and stops
            when the verdict is certain. The verdicts are the same.
        :param permute_options: show each draw the options in an order of its own (seeded by the row).
        :param max_cost: US dollars that all runs into the run folder may spend on model calls; when
            they are spent no new call goes out, and the rest is undecided. 0: no limit.
        :param max_calls: the same in calls. 0: no limit.
        :param run_dir: the run folder.
        :param tag: the name of this listing in ledger and stats; where empty, the operator's without
            `_mapper` or `_filter`.
        """
        try:
            self.draws = count("draws", draws, 1, 25)
            self.majority = count("majority", majority, 1, draws)
            one_of("vote_mode", vote_mode, ("fast", "frugal"))
        except ConfigError as error:
            stop(f"{OP_NAME}: {error}")
        self.vote_mode, self.permute_options = vote_mode, permute_options
        common = (api_model, api_endpoint, model_params, sampling_params, max_cost, max_calls, run_dir, tag)
        super().__init__(*common, *args, **kwargs)

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One QA row to its verdict."""
        if self.vote_mode == "fast":
            drawn = list(await asyncio.gather(*(self._draw(row, draw, calls) for draw in range(self.draws))))
        else:
            drawn = await self._one_by_one(row, calls)
        parses = [parse for parse, _ in drawn]
        decision = vote(parses, self.draws, self.majority, row["answer"])
        assert decision is not None, "a vote with all draws made has a verdict"
        decision.detail["letters"] = [draw_label(parse) for parse in parses]
        failure = next((parse for parse in parses if isinstance(parse, Failure)), None)
        if decision.verdict == "undecided" and failure is not None:
            decision.detail["message"] = failure.message
        agreeing = first_agreeing(parses, row["answer"]) if decision.verdict == "keep" else None
        answer = drawn[agreeing][1] if agreeing is not None else None
        flags = next((answer.image_flags for _, answer in drawn if answer is not None), ())
        if flags:
            decision.detail["image_flags"] = list(flags)
        return self.outcome(row, decision, rationale=parse_rationale(answer.text) if answer else "",
                            image_flags=add_flags(row["image_flags"], flags))  # fmt: skip

    async def _one_by_one(self, row: dict[str, Any], calls: Calls) -> list[tuple[Draw, Answer | None]]:
        drawn: list[tuple[Draw, Answer | None]] = []
        for draw in range(self.draws):
            drawn.append(await self._draw(row, draw, calls))
            if vote([parse for parse, _ in drawn], self.draws, self.majority, row["answer"]) is not None:
                break
        return drawn

    async def _draw(self, row: dict[str, Any], draw: int, calls: Calls) -> tuple[Draw, Answer | None]:
        """How one draw is read, and its answer."""
        order = self.order(row, draw, self.permute_options)
        options = shown(row["options"], order)
        asked = request(self.template, self.sampling, images=tuple(row["images"]), draw=draw,
                        domain=spelled_out(row["domain"]), caption=row["caption"],
                        question=row["question"], options=options)  # fmt: skip
        answer: tuple[LetterParse, Answer] | Failure = await self.ask_letter(calls, asked, options)
        if isinstance(answer, Failure):
            return answer, None
        return mapped_back(answer[0], order), answer[1]
