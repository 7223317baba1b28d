"""The calls that one row makes, to which model, and what they took."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TypeVar

from data_juicer_ext.models.client import Client, RunPlace, cost_of
from data_juicer_ext.models.config.endpoint import OFFLINE, EndpointConfig
from data_juicer_ext.models.types import Answer, Failure, Message, Model, Request, Result
from data_juicer_ext.prompts import render
from data_juicer_ext.runs.ledger import Spending

Parse = TypeVar("Parse")


class Calls:
    """The calls of one row: asks the model, repairs once, and counts what it took.

    `spending` is what this run paid, `worth` what the answers have cost whenever they were paid for.
    Where a row asks a second model, `beside` makes that one's calls.
    """

    def __init__(self, model: Model, endpoint: EndpointConfig) -> None:
        self.model, self.endpoint = model, endpoint
        self.spending, self.worth = Spending(), Spending()
        self.unstored = ""  # why an answer could not be stored
        self.model_name = ""
        self._own = Spending()  # of `spending`, what went to this model
        self._all = [self]

    def beside(self, model: Model, endpoint: EndpointConfig) -> "Calls":
        """The calls of the same row to another model; the row's spending and worth count them too."""
        other = Calls(model, endpoint)
        other.spending, other.worth, other._all = self.spending, self.worth, self._all
        self._all.append(other)
        return other

    @property
    def not_stored(self) -> str:
        """Why an answer to this row, of any model, could not be stored; "" where all were."""
        return next((calls.unstored for calls in self._all if calls.unstored), "")

    def by_model(self) -> dict[str, Spending]:
        """What this run paid by model, for rows that asked more than one; else empty."""
        paid: dict[str, Spending] = {}
        for calls in self._all:
            if calls._own.calls:
                paid.setdefault(calls.model_name or calls.endpoint.model, Spending()).add_up(vars(calls._own))
        return paid if len(paid) > 1 else {}

    async def ask(self, request: Request) -> Result:
        """One call; failures come back as `Failure`."""
        result = await self.model.ask(request)
        self._count(result)
        return result

    async def ask_parsed(
        self, request: Request, parse: Callable[[str], Parse], problem: Callable[[Parse], str], repair: str
    ) -> tuple[Parse, Answer] | Failure:
        """One call and its parse; where `problem` finds one, the model is told so and asked once more.

        `repair` names the template of the follow-up (field: problem).
        """
        result = await self.ask(request)
        if isinstance(result, Failure):
            return result
        parsed = parse(result.text)
        found = problem(parsed)
        if not found:
            return parsed, result
        follow_up = (*request.messages, Message("assistant", result.text), *render(repair, problem=found))
        second = await self.ask(replace(request, messages=follow_up))
        if isinstance(second, Failure):
            return second
        return parse(second.text), second

    def _count(self, result: Result) -> None:
        cost = cost_of(result, self.endpoint)
        stored = isinstance(result, Answer) and result.from_store
        made = stored or result.tries > 0  # else nothing went out: a budget, a dead endpoint
        self.worth.calls += made
        self.worth.add(result.usage, cost)
        for spent in (self.spending, self._own):
            spent.calls += made
            spent.store_hits += stored
            if not stored:
                spent.tries += result.tries
                spent.seconds = round(spent.seconds + result.seconds, 4)
                spent.add(result.usage, cost)
        if isinstance(result, Answer):
            self.model_name = result.model
        elif result.kind == "store":
            self.unstored = result.message


@cache
def get_model(config: EndpointConfig, place: RunPlace | None = None) -> Model:
    """The model for `config` in a run folder, the same object for equal ones within a process."""
    if config.model == OFFLINE:
        from data_juicer_ext.offline import OfflineModel

        return OfflineModel()
    return Client(config, place)
