"""Figure row to the same row with good and bad quality described along SIQA's dimensions."""

import asyncio
from typing import Any

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.types import Failure
from data_juicer_ext.ops.base.model_mapper import ModelMapper
from data_juicer_ext.ops.base.outcome import Outcome, undecided
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.prompts import request
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.rows import to_json
from data_juicer_ext.siqa.descriptions import PARSER_VERSION, DescriptionParse, parse_description, told
from data_juicer_ext.siqa.dimensions import DIMENSIONS, some_of

OP_NAME = "siqa_description_mapper"
OWN_OPERATORS.append(OP_NAME)


@OPERATORS.register_module(OP_NAME)
class SiqaDescriptionMapper(ModelMapper):
    """Describes an image as it looks where it does well along a dimension, and where it does badly.

    Input: figure rows. Output: the same rows with `descriptions` (JSON: by dimension `good` and `bad`). One
    vision call a dimension. A dimension whose answer can't be read twice is left out, and named in the ledger;
    an image for which none can be read is left out. Source: SIQA, section 3.2, stage 1.
    """

    needs = ("row_id", "images", "caption", "domain")
    makes = ("descriptions", "provenance")
    template = "siqa/description"
    repair_template = "siqa/repair"
    fields = ("dimensions", "domain", "caption")
    parser_version = PARSER_VERSION

    def __init__(
        self,
        dimensions: list[str] | None = None,
        api_model: str = "offline",
        api_endpoint: str | None = None,
        model_params: dict[str, Any] | None = None,
        sampling_params: dict[str, Any] | None = None,
        max_cost: float = 0.0,
        max_calls: int = 0,
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param dimensions: the dimensions to describe; where empty, all: scientific_validity,
            scientific_completeness, cognitive_clarity, disciplinary_conformity.
        :param api_model: the model's name at its endpoint, `offline` for the embedded one; may be
            `${NAME}` or `${NAME:-default}`. It has to see images.
        :param api_endpoint: the path behind the base URL; chat completions where empty.
        :param model_params: endpoint settings (base_url, api_key_env, max_concurrency, timeout,
            ...; see docs/models.md).
        :param sampling_params: sent to the provider as they are (temperature, max_tokens, ...).
        :param max_cost: US dollars that all runs into the run folder may spend on model calls; when
            they are spent no new call goes out, and the rest is undecided. 0: no limit.
        :param max_calls: the same in calls. 0: no limit.
        :param run_dir: the run folder.
        :param tag: the name of this listing in ledger and stats; where empty, the operator's without `_mapper`.
        """
        try:
            self.dimensions = some_of("dimensions", dimensions, DIMENSIONS)
        except ValueError as error:
            stop(f"{OP_NAME}: {error}")
        common = (api_model, api_endpoint, model_params, sampling_params, max_cost, max_calls, run_dir, tag)
        super().__init__(*common, *args, **kwargs)

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
