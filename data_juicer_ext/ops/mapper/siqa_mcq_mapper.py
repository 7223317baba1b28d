"""Asks SIQA's questions about a described image."""

import asyncio
import json
from typing import Any

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
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.mcq import MCQParse
from data_juicer_ext.rows import FIGURE_ROW
from data_juicer_ext.siqa.descriptions import Description, read_descriptions
from data_juicer_ext.siqa.dimensions import DIMENSIONS, QUESTION_TYPES, some_of
from data_juicer_ext.siqa.questions import (
    PARSER_VERSION,
    QUESTION_ROW,
    MadeQuestion,
    Wanted,
    different,
    parse_question,
    question_problem,
    question_row,
    wanted_questions,
)

OP_NAME = "siqa_mcq_mapper"


@operator(OP_NAME)
class SiqaMCQMapper(ModelOp, Mapper):
    """Asks for Yes/No, What and How questions about an image along SIQA's dimensions.

    One vision call for each dimension that is described, type and candidate. A question that can't be read, or quotes
    the caption, is asked for once more and then left out, as is one whose text is there already. The answer is the
    model's own and provisional: mcq_label_vote_mapper makes labels.

    Input columns: figure rows with `descriptions` (`siqa_description_mapper`).
    Output columns: one QA row per question, with `dimension` and `question_type` (yes_no, what, how), and without
        `descriptions`; other columns come along.
    Source: SIQA, section 3.2, stage 2.
    """

    _batched_op = True
    needs = (*FIGURE_ROW, "descriptions")
    makes = QUESTION_ROW
    template = "siqa/mcq"
    repair_template = "siqa/repair"
    fields = ("dimensions", "question_type", "good", "bad", "domain", "caption")
    parser_version = PARSER_VERSION

    def __init__(
        self,
        per_combination: int = 1,
        dimensions: list[str] | None = None,
        question_types: list[str] | None = None,
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param per_combination: candidates for each dimension and type, 1 to 20. More than one need a
            temperature above 0 to differ.
        :param dimensions: the dimensions to ask along; where empty, all: scientific_validity,
            scientific_completeness, cognitive_clarity, disciplinary_conformity.
        :param question_types: the types to ask for; where empty, all: yes_no, what, how.
        """
        with self.checked_parameters():
            self.per_combination = count("per_combination", per_combination, 1, 20)
            self.dimensions = some_of("dimensions", dimensions, DIMENSIONS)
            self.question_types = some_of("question_types", question_types, QUESTION_TYPES)
        super().__init__(*args, **kwargs)

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of described figure rows as question rows."""
        columns = [name for name in dict.fromkeys((*samples, *self.makes)) if name != "descriptions"]
        outcomes = self.outcomes(to_rows(samples))
        return replace_rows(samples, (row for outcome in outcomes for row in outcome.made), columns)

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One figure row to its questions."""
        descriptions = read_descriptions(json.loads(row["descriptions"] or "{}"))
        described = [name for name in self.dimensions if name in descriptions]
        wanted = wanted_questions(described, self.question_types, self.per_combination)
        if not wanted or not any(row["images"]):
            return Outcome("drop", "no_description" if not wanted else "no_image")
        asked = (self._ask(row, one, descriptions[one.dimension], calls) for one in wanted)
        parses = await asyncio.gather(*asked)
        failure = next((parse for parse in parses if isinstance(parse, Failure)), None)
        if failure is not None:
            return undecided(failure)
        read = {one: parse for one, parse in zip(wanted, parses, strict=True) if isinstance(parse, MCQParse)}
        return self._made(row, read, descriptions)

    def _made(self, row: dict[str, Any], read: dict[Wanted, MCQParse], descriptions: dict[str, Description]) -> Outcome:
        problems = {one: question_problem(parse, row["caption"]) for one, parse in read.items()}
        good = [MadeQuestion(one, parse.mcq) for one, parse in read.items() if parse.mcq and not problems[one]]
        kept = list(different(good))
        rows = [question_row(row, made, descriptions[made.wanted.dimension]) for made in kept]
        others = {name: value for name, value in row.items() if name != "descriptions"}
        detail = {
            "made": [made["row_id"] for made in rows],
            "none": sum(parse.kind == "none" for parse in read.values()),
            "duplicates": len(good) - len(kept),
            "problems": {"/".join(map(str, vars(one).values())): told for one, told in problems.items() if told},
        }
        if not rows:
            return Outcome("drop", "no_question", detail=detail)
        return Outcome("keep", "questions", [{**others, **made} for made in rows], detail=detail)

    async def _ask(
        self, row: dict[str, Any], wanted: Wanted, description: Description, calls: Calls
    ) -> MCQParse | Failure:
        asked = request(self.template, self.sampling, tuple(row["images"]), wanted.draw,
                        dimensions=[wanted.dimension], question_type=wanted.question_type,
                        domain=spelled_out(row["domain"]), caption=row["caption"], **vars(description))  # fmt: skip

        def parse(text: str) -> MCQParse:
            return parse_question(text, wanted.question_type)

        def problem(parsed: MCQParse) -> str:
            return question_problem(parsed, row["caption"])

        answer = await calls.ask_parsed(asked, parse, problem, self.repair_template)
        return answer if isinstance(answer, Failure) else answer[0]
