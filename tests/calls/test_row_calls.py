"""The calls of one row to a model that answers as a test has it: what is asked, and what is counted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.calls.row_calls import Calls, get_model
from data_juicer_ext.models import client
from data_juicer_ext.models.client import Client
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.types import Answer, Failure, Message, Request, Result, Usage
from data_juicer_ext.offline import OfflineModel
from data_juicer_ext.prompts import add_folder
from data_juicer_ext.runs.ledger import Spending

REQUEST = Request((Message("system", "s"), Message("user", "q")), "t")
SEER, OTHER = EndpointConfig(model="seer"), EndpointConfig(model="other")


class Says:
    """A model that gives the results in their order, and keeps what it was asked."""

    name = "said"

    def __init__(self, *results: Result) -> None:
        self.results, self.asked = list(results), list[Request]()

    async def ask(self, request: Request) -> Result:
        self.asked.append(request)
        return self.results.pop(0)


@pytest.fixture(autouse=True)
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A token of `seer` costs ten cents, one of another model nobody knows what."""
    path = tmp_path / "prices.yaml"
    path.write_text(yaml.safe_dump({"models": {"seer": {"input": 100_000, "output": 100_000}}}))
    monkeypatch.setenv("DJ_EXT_PRICES", str(path))
    client._prices.cache_clear()
    yield
    client._prices.cache_clear()


def answer(text: str = "B", model: str = "seer", tokens: int = 3, **more: Any) -> Answer:
    return Answer(text, model, usage=Usage(tokens, 1), **more)


def asked(calls: Calls, times: int = 1) -> list[Result]:
    async def all_of_them() -> list[Result]:
        return [await calls.ask(REQUEST) for _ in range(times)]

    return asyncio.run(all_of_them())


def test_an_answer_that_was_paid_counts_with_tries_tokens_money_and_seconds() -> None:
    calls = Calls(Says(answer(tries=3, seconds=0.12345), answer(seconds=1.0)), SEER)
    assert [result.text for result in asked(calls, 2) if isinstance(result, Answer)] == ["B", "B"]
    assert calls.spending == Spending(calls=2, tries=4, prompt_tokens=6, completion_tokens=2, cost=0.8, seconds=1.1235)
    assert calls.worth == Spending(calls=2, prompt_tokens=6, completion_tokens=2, cost=0.8)
    assert calls.model_name == "seer" and calls.not_stored == ""


def test_an_answer_out_of_the_store_is_worth_what_it_cost_and_costs_nothing() -> None:
    calls = Calls(Says(answer(from_store=True, tries=0, seconds=9.0)), SEER)
    asked(calls)
    assert calls.spending == Spending(calls=1, store_hits=1)
    assert calls.worth == Spending(calls=1, prompt_tokens=3, completion_tokens=1, cost=0.4)


@pytest.mark.parametrize(("tries", "made"), [(0, 0), (1, 1), (4, 1)])
def test_a_failure_counts_as_a_call_where_something_went_out(tries: int, made: int) -> None:
    failure = Failure("budget", "the budget is reached", False, tries=tries, seconds=0.5)
    calls = Calls(Says(failure), SEER)
    assert asked(calls) == [failure]
    assert calls.spending == Spending(calls=made, tries=tries, seconds=0.5) and calls.worth.calls == made
    assert calls.model_name == "" and calls.not_stored == ""


def test_why_an_answer_could_not_be_stored_is_known_of_any_model() -> None:
    calls = Calls(Says(answer()), SEER)
    other = calls.beside(Says(Failure("store", "disk full", False)), OTHER)
    asked(calls)
    assert calls.not_stored == ""
    asked(other)
    assert calls.not_stored == other.not_stored == "disk full"


def test_calls_of_an_unknown_price_are_counted_so() -> None:
    calls = Calls(Says(answer(model="nobody-knows")), OTHER)
    asked(calls)
    assert (calls.spending.cost, calls.spending.unpriced, calls.worth.unpriced) == (0.0, 1, 1)


def test_a_second_model_counts_into_the_same_row_and_is_told_apart() -> None:
    calls = Calls(Says(answer(), answer()), SEER)
    other = calls.beside(Says(answer(model="other-2024", tokens=10)), OTHER)
    asked(calls)
    assert calls.by_model() == {}, "only one has been asked"
    asked(calls)
    asked(other)
    assert other.spending is calls.spending and other.worth is calls.worth and calls.spending.calls == 3
    parts = calls.by_model()
    assert {name: (part.calls, part.prompt_tokens) for name, part in parts.items()} == {
        "seer": (2, 6), "other-2024": (1, 10),
    }  # fmt: skip
    assert parts == other.by_model()


def test_a_model_that_never_answered_goes_by_the_name_that_it_was_asked_by() -> None:
    calls = Calls(Says(answer()), SEER)
    other = calls.beside(Says(Failure("timeout", "late", True)), OTHER)
    asked(calls)
    asked(other)
    assert set(calls.by_model()) == {"seer", "other"}


@pytest.fixture(scope="module")
def repair(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A template that tells a model of a problem."""
    folder = tmp_path_factory.mktemp("prompts")
    (folder / "row_calls_tests").mkdir()
    (folder / "row_calls_tests" / "repair.jinja").write_text("Wrong: {{ problem }}. Again.")
    add_folder(folder)
    return "row_calls_tests/repair"


def parsed(calls: Calls, repair: str) -> Any:
    return asyncio.run(calls.ask_parsed(REQUEST, str.lower, lambda text: "" if text == "b" else f"no {text}", repair))


def test_an_answer_that_can_be_read_is_asked_for_once(repair: str) -> None:
    model = Says(answer("B"))
    calls = Calls(model, SEER)
    assert parsed(calls, repair) == ("b", answer("B")) and model.asked == [REQUEST] and calls.spending.calls == 1


def test_a_model_is_told_what_was_wrong_and_asked_once_more(repair: str) -> None:
    model = Says(answer("X"), answer("B"))
    calls = Calls(model, SEER)
    assert parsed(calls, repair) == ("b", answer("B")) and calls.spending.calls == 2
    follow_up = model.asked[1]
    assert follow_up.messages == (*REQUEST.messages, Message("assistant", "X"), Message("user", "Wrong: no x. Again."))


def test_the_second_answer_is_taken_as_it_is(repair: str) -> None:
    model = Says(answer("X"), answer("Y"))
    assert parsed(Calls(model, SEER), repair) == ("y", answer("Y")) and len(model.asked) == 2


@pytest.mark.parametrize("before", [(), (answer("X"),)])
def test_a_failure_of_either_call_is_the_result(repair: str, before: tuple[Answer, ...]) -> None:
    failure = Failure("timeout", "late", True)
    assert parsed(Calls(Says(*before, failure), SEER), repair) is failure


def test_equal_endpoints_share_a_model_and_offline_is_the_embedded_one() -> None:
    made = get_model(EndpointConfig(model="seer", base_url="http://x/v1"))
    assert isinstance(made, Client) and made is get_model(EndpointConfig(model="seer", base_url="http://x/v1"))
    assert made is not get_model(EndpointConfig(model="other", base_url="http://x/v1"))
    assert isinstance(get_model(EndpointConfig(model="offline")), OfflineModel)
