"""Describes good and bad quality of an image along SIQA's dimensions."""

import asyncio
from typing import Any

from data_juicer_ext.ops.authoring import Calls, Failure, ModelMapper, Outcome, operator, request, undecided
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.rows import to_json
from data_juicer_ext.siqa.descriptions import PARSER_VERSION, DescriptionParse, parse_description, told
from data_juicer_ext.siqa.dimensions import DIMENSIONS, some_of

OP_NAME = "siqa_description_mapper"


@operator(OP_NAME)
class SiqaDescriptionMapper(ModelMapper):
    """Describes an image as it looks where it does well along a dimension, and where it does badly.

    One vision call per dimension. A dimension whose answer can't be read twice is left out, and named in the ledger; an
    image for which none can be read is left out.

    Input columns: figure rows.
    Output columns: the same rows with `descriptions` (JSON: by dimension `good` and `bad`).
    Source: SIQA, section 3.2, stage 1.
    """

    needs = ("row_id", "images", "caption", "domain")
    makes = ("descriptions", "provenance")
    template = "siqa/description"
    repair_template = "siqa/repair"
    fields = ("dimensions", "domain", "caption")
    parser_version = PARSER_VERSION

    def __init__(self, dimensions: list[str] | None = None, *args: Any, **kwargs: Any):
        """
        :param dimensions: the dimensions to describe; where empty, all: scientific_validity,
            scientific_completeness, cognitive_clarity, disciplinary_conformity.
        """
        with self.checked_parameters():
            self.dimensions = some_of("dimensions", dimensions, DIMENSIONS)
        super().__init__(*args, **kwargs)

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One figure row to its descriptions."""
        if not any(row["images"]):
            return Outcome("drop", "no_image", message="there is no image to describe")
        answers = await asyncio.gather(*(self._describe(row, dimension, calls) for dimension in self.dimensions))
        failure = next((answer for answer in answers if isinstance(answer, Failure)), None)
        if failure is not None:
            return undecided(failure)
        parses = dict(zip(self.dimensions, answers, strict=True))
        problems = {name: p.problem for name, p in parses.items() if isinstance(p, DescriptionParse) and p.problem}
        found = {
            name: parse.description for name, parse in parses.items()
            if isinstance(parse, DescriptionParse) and parse.description
        }  # fmt: skip
        if not found:
            return Outcome("drop", "unparsable", detail={"problems": problems})
        detail = {"problems": problems} if problems else {}
        return self.kept(row, "described", detail, descriptions=to_json(told(found)))

    async def _describe(self, row: dict[str, Any], dimension: str, calls: Calls) -> DescriptionParse | Failure:
        asked = request(self.template, self.sampling, tuple(row["images"]), dimensions=[dimension],
                        domain=spelled_out(row["domain"]), caption=row["caption"])  # fmt: skip
        answer = await calls.ask_parsed(asked, parse_description, lambda parse: parse.problem, self.repair_template)
        return answer if isinstance(answer, Failure) else answer[0]
