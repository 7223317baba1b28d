"""A command that asks a model, without a recipe: with the response store, ledger and budget of a run folder."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.diagrams.criteria_drafting import AskDraft, DraftingCall
from data_juicer_ext.judging.judge_reports import parse_report
from data_juicer_ext.judging.protocols import NoReport
from data_juicer_ext.models.budget.prices import load_prices
from data_juicer_ext.models.client import RunPlace
from data_juicer_ext.models.config.endpoint import (
    EndpointConfig,
    parse_model_params,
    parse_sampling_params,
    require_key,
)
from data_juicer_ext.models.event_loop import run as run_on_loop
from data_juicer_ext.models.types import Failure
from data_juicer_ext.prompts import check, fingerprint, request
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry, Spending, spent_before

T = TypeVar("T")


@dataclass(frozen=True)
class ModelRun:
    """What a command was told of its model; `model_params` and `sampling_params` as a recipe has them.

    `operator` is the command's name in the ledger. `templates` are those that it renders, with their fields.
    """

    operator: str
    api_model: str
    model_params: Mapping[str, Any] | None
    sampling_params: Mapping[str, Any] | None
    run_dir: Path
    max_cost: float
    templates: Mapping[str, tuple[str, ...]]
    repair: str
    spending: Spending = field(default_factory=Spending)

    @property
    def endpoint(self) -> EndpointConfig:
        """Where the model is. Raises ConfigError."""
        return parse_model_params(self.api_model, None, self.model_params)

    def do(self, work: Callable[[AskDraft], Coroutine[Any, Any, T]]) -> T:
        """Do some work that is given a way to ask. Raises ConfigError, PromptError or PriceError before any call."""
        endpoint = self.endpoint
        sampling = parse_sampling_params(self.sampling_params)
        require_key(endpoint)
        load_prices()
        for name, fields in self.templates.items():
            check(name, fields)
        run = run_records.begin(self.run_dir, {"recipe": [], "executor": "", "dataset_path": "", "export_path": ""})
        try:
            return run_on_loop(work(self._asking(endpoint, sampling, run)))
        finally:
            run_records.mark_ended(run)

    def _asking(self, endpoint: EndpointConfig, sampling: dict[str, Any], run: run_records.Run) -> AskDraft:
        # Here, as this imports the host: it takes seconds, which a wrong setting should not wait for.
        from data_juicer_ext.calls.row_calls import Calls

        spent = spent_before(run.run_dir, run.run_id)
        model = get_model(endpoint, RunPlace(str(run.run_dir), self.max_cost, 0, *spent))

        async def ask(question: DraftingCall) -> BaseModel | NoReport:
            calls = Calls(model, endpoint)
            asked = request(question.template, sampling, question.images, question.draw, **question.fields)
            answer = await calls.ask_parsed(
                asked, lambda text: parse_report(text, question.model), lambda parse: parse.problem, self.repair
            )
            if isinstance(answer, Failure):
                found: BaseModel | NoReport = NoReport(f"call_failed:{answer.kind}", answer.message)
            else:
                found = answer[0].report or NoReport("unparsable", answer[0].problem)
            self.spending.add_up(vars(calls.spending))
            run.ledger.record(
                self._entry(question, found, calls.model_name or endpoint.model, sampling, calls.spending)
            )
            return found

        return ask

    def _entry(
        self,
        question: DraftingCall,
        found: BaseModel | NoReport,
        model: str,
        sampling: dict[str, Any],
        spending: Spending,
    ) -> Entry:
        missed = isinstance(found, NoReport)
        return Entry(
            row_id=question.name, operator=self.operator, tag=self.operator,
            verdict="undecided" if missed else "keep",
            reason=found.reason if isinstance(found, NoReport) else "answered",
            model=model, prompt=f"{question.template}@{fingerprint(question.template)}", sampling=sampling,
            spending=spending, made=int(not missed),
            detail={"message": found.message} if isinstance(found, NoReport) else {"answer": found.model_dump()},
        )  # fmt: skip

    def told(self) -> str:
        """What the work took, on one line."""
        spent = self.spending
        unpriced = f" and {spent.unpriced} calls of unknown price" if spent.unpriced else ""
        stored = f", {spent.store_hits} of them stored before" if spent.store_hits else ""
        return f"{spent.calls} calls{stored}; {spent.cost:.4f} US dollars{unpriced}"
