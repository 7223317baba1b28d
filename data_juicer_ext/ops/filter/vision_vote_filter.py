"""Keeps questions that a vision model answers right from the figure, by majority vote."""

import asyncio
from typing import Any

from data_juicer_ext.ops.authoring import Answer, Calls, Failure, ModelFilter, Outcome, count, one_of, operator, request
from data_juicer_ext.ops.base.model_kinds import mapped_back
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.letter_answers import LetterParse, parse_rationale
from data_juicer_ext.qa.majority_vote import first_agreeing, vote
from data_juicer_ext.qa.option_order import shown
from data_juicer_ext.qa.verdicts import INCORRECTLY_GROUNDED, OUTSIDE_KNOWLEDGE, Draw, draw_label
from data_juicer_ext.rows import add_flags

OP_NAME = "vision_vote_filter"


@operator(OP_NAME)
class VisionVoteFilter(ModelFilter):
    """Keeps a question if the majority of independent draws, figure in view, choose its answer.

    Up to `draws` vision calls per row, with figure, caption and question, without citing text. The rationale of the
    first draw that agrees goes to the column `rationale`, and what was done to the figure's images to send them
    (`scaled_down`, `small_text`, ...) to `image_flags`.

    Input columns: QA rows.
    Output columns: those of the input, `rationale` and `image_flags` filled in; stats `<tag>_verdict` and
        `<tag>_reason`.
    Source: VeriSciQA, V_vis_con.
    """

    table_1_line = "After vision-based filtering"
    # A vote can't tell a wrong answer from one that the figure does not show.
    error_kinds = (INCORRECTLY_GROUNDED, OUTSIDE_KNOWLEDGE)
    kept_if = "a vote of a vision model with the figure found it"
    template = "verisciqa/vision_vote"
    fields = ("domain", "caption", "question", "options")

    def __init__(
        self,
        draws: int = 3,
        majority: int = 2,
        vote_mode: str = "fast",
        permute_options: bool = False,
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param draws: how many draws a vote has, 1 to 25.
        :param majority: how many draws have to choose the answer, 1 to `draws`.
        :param vote_mode: `fast` makes all draws at once; `frugal` one after the other, and stops
            when the verdict is certain. The verdicts are the same.
        :param permute_options: show each draw the options in an order of its own (seeded by the row).
        """
        with self.checked_parameters():
            self.draws = count("draws", draws, 1, 25)
            self.majority = count("majority", majority, 1, draws)
            one_of("vote_mode", vote_mode, ("fast", "frugal"))
        self.vote_mode, self.permute_options = vote_mode, permute_options
        super().__init__(*args, **kwargs)

    def draw_all(self) -> bool:
        """Make all draws at once from now on; whether a vote would else stop when it is certain."""
        frugal, self.vote_mode = self.vote_mode == "frugal", "fast"
        return frugal

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
        order = self.order(row, draw, self.permute_options)
        options = shown(row["options"], order)
        asked = request(self.template, self.sampling, images=tuple(row["images"]), draw=draw,
                        domain=spelled_out(row["domain"]), caption=row["caption"],
                        question=row["question"], options=options)  # fmt: skip
        answer: tuple[LetterParse, Answer] | Failure = await self.ask_letter(calls, asked, options)
        if isinstance(answer, Failure):
            return answer, None
        return mapped_back(answer[0], order), answer[1]
