"""The one loop that every model-calling operator shares.

A batch of rows becomes one coroutine per row on the process's event loop, so that calls are in flight
across the whole batch. Each row ends as an `Outcome`; no row's error touches another row.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from data_juicer_ext.calls.row_calls import Calls, get_model
from data_juicer_ext.errors import DjExtError
from data_juicer_ext.models.budget.prices import load_prices
from data_juicer_ext.models.client import Client, RunPlace
from data_juicer_ext.models.config.endpoint import (
    ConfigError,
    EndpointConfig,
    parse_model_params,
    parse_sampling_params,
    require_key,
)
from data_juicer_ext.models.event_loop import drive, drive_width
from data_juicer_ext.models.governor.governor_actor import share_with_workers
from data_juicer_ext.models.store.run_store import start_for_workers
from data_juicer_ext.ops.base import progress, ray_progress
from data_juicer_ext.ops.base.dry_run import DryRun
from data_juicer_ext.ops.base.outcome import Outcome, defect
from data_juicer_ext.ops.base.run_op import RunOp, between, count, run_place
from data_juicer_ext.ops.host.running_recipe import is_on_ray, only_trying, running, stop
from data_juicer_ext.prompts import check as check_template
from data_juicer_ext.prompts import fingerprint
from data_juicer_ext.rows import to_json
from data_juicer_ext.runs.ledger import Entry, Spending, spent_before
from data_juicer_ext.storage.addresses import is_remote

# A batch ends in a wait for its slowest call, so it holds many times the concurrency. On Ray it is a block, whatever
# its size: any number would make Ray merge smaller blocks into one task, and leave other workers without any.
BATCH_SIZE = 10_000

# What of a `Spending` belongs to the run, not to the row.
_OF_THE_RUN = ("tries", "store_hits", "seconds")


class RecordError(DjExtError, OSError):
    """A decision could not be written down."""


class ModelOp(DryRun, RunOp):
    """Mixed in before Mapper or Filter by operators that call a model."""

    # The template that the operator renders, and the one for asking again.
    template: str
    repair_template = "verisciqa/repair"
    # What the template is given.
    fields: tuple[str, ...] = ()
    parser_version = ""
    # What is sent where a recipe does not say otherwise.
    default_sampling: Mapping[str, Any] = {}

    rows_per_batch = BATCH_SIZE
    in_driver = True

    endpoint: EndpointConfig
    sampling: dict[str, Any]
    place: RunPlace

    def __init__(
        self,
        api_model: str = "offline",
        api_endpoint: str | None = None,
        model_params: dict[str, Any] | None = None,
        sampling_params: dict[str, Any] | None = None,
        max_cost: float = 0.0,
        max_calls: int = 0,
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param api_model: the model's name at its endpoint, `offline` for the embedded one; may be
            `${NAME}` or `${NAME:-default}`.
        :param api_endpoint: the path behind the base URL; chat completions where empty.
        :param model_params: endpoint settings (base_url, api_key_env, max_concurrency, timeout,
            ...; see docs/models.md).
        :param sampling_params: sent to the provider as they are (temperature, max_tokens, ...).
        :param max_cost: US dollars that all runs into the run folder may spend on model calls; when
            they are spent no new call goes out, and the rest is undecided. 0: no limit.
        :param max_calls: the same in calls. 0: no limit.
        """
        with self.checked_parameters():
            self.endpoint = checked_endpoint(api_model, api_endpoint, model_params)
            self.sampling = {**self.default_sampling, **checked_sampling(sampling_params)}
            between("max_cost", max_cost, 0.0, 1e9)
            count("max_calls", max_calls, 0, 10**12)
            load_prices()
            for template, fields in self.asked_templates().items():
                check_template(template, fields)
        super().__init__(*args, **kwargs)
        if not only_trying():
            self._set_up_place(max_cost, max_calls)

    def asked_templates(self) -> dict[str, tuple[str, ...]]:
        """The templates that the operator renders, with what each is given."""
        return {self.template: self.fields, self.repair_template: ("problem",)}

    def _join_run(self, run_dir: str, tag: str, ray_execution_mode: str | None) -> None:
        if self.endpoint.mode == "batch" and _is_remote(run_dir):
            stop(
                f"{self._name}: model_params: mode: batch keeps in the run folder what was submitted, which takes a "
                f"file system: name a folder in place of {run_dir}, or leave mode out"
            )
        super()._join_run(run_dir, tag, ray_execution_mode)

    def _set_up_place(self, max_cost: float, max_calls: int) -> None:
        on_ray = is_on_ray(running())
        before = self._spent_before() if max_cost or max_calls else (0.0, 0)
        self.place = RunPlace(self.run_info.place, float(max_cost), max_calls, *before, on_ray=on_ray)
        if on_ray:
            self._start_store()
            ray_progress.follow(self.run_info)

    def _start_store(self) -> None:
        try:
            start_for_workers(self.run_info.place)
        except OSError as error:
            self.unwritable(error)

    def _spent_before(self) -> tuple[float, int]:
        try:
            self.run_info.bring("ledger")
        except OSError as error:
            self.unwritable(error)
        return spent_before(self.run_info.run_dir, self.run_info.run_id)

    def run(self, dataset: Any, **kwargs: Any) -> Any:
        """Run over a whole data set and show how far that is; the default executor's way in."""
        with progress.shown(self.tag, len(dataset)):
            return super().run(dataset, **kwargs)  # type: ignore[misc]

    def outcomes(self, rows: Sequence[dict[str, Any]]) -> list[Outcome]:
        """Decide all rows at once; in order. Each is in the ledger as soon as it is decided.

        Ends the run with a plain message if the run folder can't be written: rows without a
        ledger line would be lost silently, and answers that can't be stored would be paid for again.
        """
        try:
            model = get_model(self.endpoint, self.place)
            if isinstance(model, Client):
                model.refresh()
        except OSError as error:  # a StoreError, or a folder that can't be made
            stop(f"{self._name}: {error}")

        watch = progress.of(self.tag)
        if watch is not None:
            model = watch.watched(model, self.endpoint)

        async def one(row: dict[str, Any]) -> Outcome:
            calls = Calls(model, self.endpoint)
            try:
                outcome = await self.decide(row, calls)
            except Exception as error:  # a defect or a malformed row must cost this row only
                outcome = defect(error)
            self._record(row, outcome, calls)
            if watch is not None:
                watch.decided(outcome.verdict, calls.spending)
            if calls.not_stored:
                raise RecordError(calls.not_stored)
            return outcome

        def unrecorded(row: dict[str, Any], error: Exception) -> Outcome:
            raise RecordError(str(error)) from error

        try:
            # A batch of the provider's holds the rows that ask at once; and they cost little memory.
            direct = self.endpoint.mode == "direct"
            return drive(rows, one, unrecorded, drive_width(self.endpoint.max_concurrency) if direct else len(rows))
        except RecordError as error:
            self.unwritable(error)

    def _record(self, row: dict[str, Any], outcome: Outcome, calls: Calls) -> None:
        detail = {**outcome.detail, **({"message": outcome.message} if outcome.message else {})}
        entry = Entry(
            row_id=str(row.get("row_id", "")), operator=self._name, tag=self.tag,
            verdict=outcome.verdict, reason=outcome.reason,
            paper_id=str(row.get("paper_id", "")), figure_id=str(row.get("figure_id", "")),
            model=calls.model_name or self.endpoint.model, prompt=self._prompt(), parser=self.parser_version,
            sampling=self.sampling, spending=calls.spending, by_model=calls.by_model(), detail=detail,
            made=0 if outcome.verdict != "keep" else len(outcome.made) or 1,
        )  # fmt: skip
        self.run_info.ledger.record(entry)
        if outcome.verdict == "undecided":
            self.set_aside(row, entry)
        step = self._step(entry, calls.worth)
        for target in (*outcome.made, outcome.columns):
            if "provenance" in target:
                target["provenance"] = add_step(target["provenance"], step)

    def _prompt(self) -> str:
        return f"{self.template}@{fingerprint(self.template)}"

    def _step(self, entry: Entry, worth: Spending) -> dict[str, Any]:
        """What a kept row says about this operator's part in it.

        Nothing that differs between a run and the same run resumed: an export must not depend on that.
        """
        counted = {name: value for name, value in vars(worth).items() if name not in _OF_THE_RUN}
        several = {"models": sorted(entry.by_model)} if entry.by_model else {}
        return {"tag": entry.tag, "model": entry.model, **several, "prompt": entry.prompt, "parser": entry.parser,
                "sampling": entry.sampling, "reason": entry.reason, **counted}  # fmt: skip


def add_step(provenance: str, step: dict[str, Any]) -> str:
    """The `provenance` column with one more entry in its list `steps`."""
    known = json.loads(provenance or "{}")
    return to_json({**known, "steps": [*known.get("steps", []), step]})


def checked_endpoint(api_model: str, api_endpoint: str | None, model_params: dict[str, Any] | None) -> EndpointConfig:
    """The endpoint that an operator's parameters name, with its key known to all workers. Raises ConfigError."""
    endpoint = parse_model_params(api_model, api_endpoint, model_params)
    require_key(endpoint)
    if not only_trying():
        share_with_workers(endpoint)
    return endpoint


def checked_sampling(sampling: dict[str, Any] | None) -> dict[str, Any]:
    """Sampling parameters as requests take them. Raises ConfigError for what an operator sets itself."""
    sampling = parse_sampling_params(sampling)
    if "temperature" in sampling:
        between("sampling_params: temperature", sampling["temperature"], 0.0, 2.0)
    if "n" in sampling:
        raise ConfigError("sampling_params: n is set by the operator (see `draws`)")
    return sampling


def _is_remote(run_dir: str) -> bool:
    try:
        return is_remote(run_place(run_dir))
    except ConfigError:  # joining the run says so
        return False
