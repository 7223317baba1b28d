"""Scores the quality of a figure."""

from typing import Any

from pydantic import BaseModel

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.judging.citing_text import MAX_CONTEXT_TOKENS
from data_juicer_ext.judging.evidence_gating import DIMENSIONS
from data_juicer_ext.judging.judge_inputs import Case, PayloadLimits, case_of
from data_juicer_ext.judging.judge_reports import PARSER_VERSION, parse_report
from data_juicer_ext.judging.protocols import CALLS, TEMPLATES, JudgeCall, Judgement, NoReport, judge, rehearsed_stages
from data_juicer_ext.ops.authoring import (
    Calls,
    Failure,
    ModelMapper,
    Outcome,
    count,
    one_of,
    operator,
    request,
    undecided,
)
from data_juicer_ext.ops.base.dry_run import filler
from data_juicer_ext.ops.base.model_op import checked_endpoint
from data_juicer_ext.prompts import fingerprint
from data_juicer_ext.rows import to_json

OP_NAME = "figure_quality_mapper"

_REPORT_CHARACTERS = 1600  # of a stage's report in an estimate
_FLAT = ("quality_overall", *(f"quality_{name}" for name in DIMENSIONS))


@operator(OP_NAME)
class FigureQualityMapper(ModelMapper):
    """Scores a figure on five dimensions, 1 to 10, as far as there is evidence for them.

    Figures with neither caption nor citing text are left out, reason `no_text_evidence` in the ledger. Calls a
    figure: `direct` and `sidecar` 1, `agent` 3.

    Input columns: figure rows; optional columns `features` (for `sidecar` and `agent`), `figure_map`, `venue` and
        `year`.
    Output columns: the same rows with `quality` (JSON: scores and reasons by dimension, overall, gate, reports of the
        stages, caps, severity) and `quality_overall`, `quality_VC`, `quality_SL`, `quality_C`, `quality_CTX`,
        `quality_MR` (0: gated, never low).
    Source: SciFigQual, sections 3.4 and appendix C.
    """

    funnel_label = "figures scored"
    needs = ("row_id", "images", "caption", "number", "labels", "context_places")
    makes = ("quality", *_FLAT, "provenance")
    repair_template = "scifigqual/repair"
    parser_version = PARSER_VERSION

    def __init__(
        self,
        protocol: str = "direct",
        text_api_model: str = "",
        text_model_params: dict[str, Any] | None = None,
        json_schema: bool = False,
        max_context_tokens: int = MAX_CONTEXT_TOKENS,
        figure_map: bool = True,
        run_id: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param protocol: `direct`: one vision call on image, caption and citing text. `sidecar`: the same
            with OCR and image features. `agent`: vision, language and fusion stages, then the Runner.
        :param text_api_model: the model of the agent's language and fusion stages; where empty, the vision model.
        :param text_model_params: endpoint settings of that model; where empty, `model_params`.
        :param json_schema: send the JSON schema of the answer as `response_format`; for endpoints that
            take it. It holds no gated dimension.
        :param max_context_tokens: the most tokens of a figure's citing text that are looked at (four
            characters per token), 50 to 100,000. Of these the prompt gets at most two snippets of 500 characters.
        :param figure_map: show the numbers and shortened captions of the paper's other figures, where the
            rows have the column `figure_map`.
        :param run_id: the name of this configuration in each scored row ("F3"); where empty, the
            protocol and the models.
        """
        with self.checked_parameters():
            one_of("protocol", protocol, tuple(CALLS))
            count("max_context_tokens", max_context_tokens, 50, 100_000)
            text_params = text_model_params or kwargs.get("model_params")
            text = checked_endpoint(text_api_model, kwargs.get("api_endpoint"), text_params) if text_api_model else None
        self.protocol, self.json_schema, self.show_map = protocol, json_schema, figure_map
        self.limits = PayloadLimits(max_context_tokens=max_context_tokens)
        self.template, self.fields = next(iter(TEMPLATES[protocol].items()))
        super().__init__(*args, **kwargs)
        self.text_endpoint = text or self.endpoint
        asked = (self.endpoint.model, self.text_endpoint.model) if protocol == "agent" else (self.endpoint.model,)
        self.models = list(dict.fromkeys(asked))
        self.run_id = run_id or ":".join((protocol, *self.models))

    def asked_templates(self) -> dict[str, tuple[str, ...]]:
        """The templates of the protocol's stages."""
        return {**TEMPLATES[self.protocol], self.repair_template: ("problem",)}

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One figure row to its scores."""
        case = case_of(row if self.show_map else {**row, "figure_map": ""}, self.limits)
        if not case.dimensions:
            return Outcome("drop", "no_text_evidence", message="neither caption nor citing text: excluded, not scored")
        if not case.images:
            return Outcome("drop", "no_image", message="there is no image to score")
        judged = await judge(case, self.protocol, self._asking(calls))
        if isinstance(judged, NoReport):
            return Outcome("undecided", judged.reason, message=judged.message)
        told = self._told(case, judged)
        flat = {"quality_overall": judged.overall}
        flat |= {f"quality_{name}": float(score or 0) for name, score in judged.scores.items()}
        made = {**row, "quality": to_json(told), **flat, "provenance": row.get("provenance") or "{}"}
        kept = {name: told[name] for name in ("scores", "overall", "severity", "caps", "flags")}
        return Outcome("keep", "scored", [made], detail=kept)

    async def rehearse(self, row: dict[str, Any], calls: Calls) -> None:
        """Ask what each stage would; texts stand for the reports that the agent's last one reads."""
        case = case_of(row if self.show_map else {**row, "figure_map": ""}, self.limits)
        if case.dimensions and case.images:
            for stage in rehearsed_stages(case, self.protocol, filler(_REPORT_CHARACTERS)):
                await calls.ask(request(stage.template, self.sampling, stage.images, **stage.fields))

    def _asking(self, calls: Calls) -> Any:
        """What makes the calls of a figure's stages; those without an image go to the text model."""
        text = calls.beside(get_model(self.text_endpoint, self.place), self.text_endpoint)

        async def ask(stage: JudgeCall) -> BaseModel | NoReport:
            asked = request(stage.template, self._sampling(stage), stage.images, **stage.fields)
            through = calls if stage.images else text
            answer = await through.ask_parsed(
                asked, lambda answer: parse_report(answer, stage.model), lambda parse: parse.problem,
                self.repair_template,
            )  # fmt: skip
            if isinstance(answer, Failure):
                failed = undecided(answer)
                return NoReport(failed.reason, f"{stage.name}: {failed.message}")
            parsed, _ = answer
            return parsed.report or NoReport("unparsable", f"{stage.name}: {parsed.problem}")

        return ask

    def _sampling(self, stage: JudgeCall) -> dict[str, Any]:
        if not self.json_schema:
            return self.sampling
        schema = {"name": stage.name, "schema": stage.model.model_json_schema()}
        return {"response_format": {"type": "json_schema", "json_schema": schema}, **self.sampling}

    def _told(self, case: Case, judged: Judgement) -> dict[str, Any]:
        gated = [name for name in DIMENSIONS if name not in case.dimensions]
        return {
            "protocol": self.protocol, "run_id": self.run_id, "models": self.models,
            "call_budget": CALLS[self.protocol],
            "gate": {"evidence": sorted(case.evidence), "gated": gated, "citing_paragraphs": case.context_size},
            **vars(judged),
        }  # fmt: skip

    def _prompt(self) -> str:
        return "+".join(f"{name}@{fingerprint(name)}" for name in TEMPLATES[self.protocol])
