"""Many calls at once against a real HTTP server: order, limits, outages, loops and processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import random
import socket
import sys
from dataclasses import replace
from multiprocessing.connection import Connection
from types import ModuleType

import pytest

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.client import Client
from data_juicer_ext.models.config.endpoint import EndpointConfig, parse_model_params
from data_juicer_ext.models.event_loop import drive, run
from data_juicer_ext.models.limits import circuit_breaker
from data_juicer_ext.models.limits.circuit_breaker import FAILURES
from data_juicer_ext.models.types import Answer, Result
from tests.fake_openai import FakeServer, Reply, text_of
from tests.models.calling import answered, ask, config_for, failed, in_turn, question, reraise


def test_retry_after_is_kept_by_every_call(server: FakeServer) -> None:
    wait = 0.3
    model = get_model(config_for(server))
    answered(run(model.ask(question())))  # a process's first call is slow, and the others would overtake it
    server.requests.clear()
    server.responder = in_turn(Reply("slow", status=429, headers={"Retry-After": str(wait)}), "B")

    async def later(number: int) -> Result:
        await asyncio.sleep(0.1 * number)  # the second and third begin while the first is told to wait
        return await model.ask(question())

    results = drive(range(3), later, reraise)
    assert all(isinstance(result, Answer) for result in results)
    first, *others = (sent.arrived for sent in server.requests)
    assert len(others) == 3
    assert all(arrived - first >= wait - 0.01 for arrived in others)


def test_an_overloaded_server_is_given_the_time_it_asks_for(server: FakeServer) -> None:
    server.responder = in_turn(Reply("overloaded", status=503, headers={"Retry-After": "0.25"}), "B")
    answered(ask(server))
    first, second = (sent.arrived for sent in server.requests)
    assert second - first >= 0.24


def test_a_retry_goes_before_calls_that_have_not_begun(server: FakeServer) -> None:
    server.responder = in_turn(Reply("boom", status=500), "B")
    model = get_model(config_for(server, max_concurrency=1, backoff=0))
    drive(range(4), lambda number: model.ask(question(f"q{number}")), reraise)
    assert [sent.user_text for sent in server.requests] == ["q0", "q1", "q0", "q2", "q3"]


def test_a_wait_beyond_the_deadline_fails_at_once_for_all(server: FakeServer) -> None:
    server.responder = lambda body: Reply("slow", status=429, headers={"Retry-After": "3600"})
    results = [failed(ask(server)) for _ in range(3)]
    assert [result.kind for result in results] == ["rate_limit"] * 3
    assert all(result.retryable for result in results)
    assert len(server.requests) == 1


def test_order_is_kept_under_random_delays(server: FakeServer) -> None:
    rng = random.Random(1)
    server.responder = lambda body: Reply(text_of(body, "user"), delay=rng.uniform(0, 0.02))
    model = get_model(config_for(server))
    results = drive(range(150), lambda number: model.ask(question(f"q{number}")), reraise)
    assert [answered(result).text for result in results] == [f"q{number}" for number in range(150)]


def test_concurrency_is_kept_and_reached(server: FakeServer) -> None:
    server.responder = lambda body: Reply("B", delay=0.02)
    model = get_model(config_for(server, max_concurrency=7))
    drive(range(60), lambda _: model.ask(question()), reraise)
    assert (server.in_flight_peak, server.count) == (7, 60)


def test_requests_a_minute(server: FakeServer) -> None:
    model = get_model(config_for(server, requests_per_minute=3000))
    drive(range(20), lambda _: model.ask(question()), reraise)
    arrived = [sent.arrived for sent in server.requests]
    assert arrived[-1] - arrived[0] >= 19 / 50 - 0.05


def test_tokens_a_minute(server: FakeServer) -> None:
    server.responder = lambda body: Reply("B", usage={"prompt_tokens": 300, "completion_tokens": 100})
    model = get_model(config_for(server, tokens_per_minute=400 * 60 * 20, max_concurrency=1))
    drive(range(10), lambda _: model.ask(question("x" * 1200)), reraise)
    arrived = [sent.arrived for sent in server.requests]
    assert arrived[-1] - arrived[1] >= 8 / 20 - 0.1


def test_tokens_a_minute_follow_what_was_really_used(server: FakeServer) -> None:
    server.responder = lambda body: Reply("B", usage={"prompt_tokens": 2000, "completion_tokens": 0})
    model = get_model(config_for(server, tokens_per_minute=60 * 20_000, max_concurrency=1))
    drive(range(5), lambda _: model.ask(question()), reraise)
    arrived = [sent.arrived for sent in server.requests]
    assert arrived[-1] - arrived[0] >= 4 * 0.1 - 0.05


def test_a_dead_endpoint_is_given_up_and_comes_back(server: FakeServer) -> None:
    server.responder = lambda body: Reply("boom", status=500)
    model = get_model(config_for(server, deadline=0.7))
    first = drive(range(FAILURES), lambda _: model.ask(question()), reraise)
    assert {failed(result).kind for result in first} <= {"server", "timeout"}  # the latter on a busy machine
    server.clear()
    run(asyncio.sleep(0.7))  # the last tries may end a little before the deadline
    rest = [failed(result) for result in drive(range(200), lambda _: model.ask(question()), reraise)]
    assert len(server.requests) < 10
    assert all(result.retryable for result in rest)
    assert {result.kind for result in rest} <= {"server", "timeout"}
    assert "given up after" in rest[-1].message
    server.responder = lambda body: "B"

    async def until_well() -> Answer:
        while True:
            result = await model.ask(question())
            if isinstance(result, Answer):
                return result
            await asyncio.sleep(0.01)

    assert run(asyncio.wait_for(until_well(), 5)).text == "B"
    for result in drive(range(10), lambda _: model.ask(question()), reraise):
        answered(result)


# Answers take a moment: a refusal that came before the first of them is not met after it.
@pytest.mark.parametrize("status", [502, 503])
def test_an_endpoint_that_is_away_costs_no_call_before_its_deadline(server: FakeServer, status: int) -> None:
    model = get_model(config_for(server, max_tries=2, deadline=30))
    answered(run(model.ask(question())))
    server.responder = in_turn(*[Reply("no backend", status=status)] * 100, Reply("B", delay=0.3))
    results = [answered(result) for result in drive(range(20), lambda _: model.ask(question()), reraise)]
    assert sum(result.tries for result in results) == 120 and max(result.tries for result in results) > 2


@pytest.mark.parametrize("status", [502, 503])
def test_an_endpoint_that_is_not_up_yet_costs_no_call_in_the_first_minute(server: FakeServer, status: int) -> None:
    server.responder = in_turn(*[Reply("loading the model", status=status)] * 100, Reply("B", delay=0.3))
    model = get_model(config_for(server, max_tries=2, deadline=30))
    results = [answered(result) for result in drive(range(20), lambda _: model.ask(question()), reraise)]
    assert sum(result.tries for result in results) == 120


def test_an_address_that_has_answered_for_one_model_is_waited_for_by_another(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "FIRST_PATIENCE_S", 0.0)
    text, vision = (get_model(replace(config_for(server, max_tries=2, deadline=30), model=name)) for name in "tv")
    server.responder = lambda body: Reply("no backend", status=503)
    assert failed(run(vision.ask(question()))).tries == 2
    server.responder = lambda body: "B"
    answered(run(text.ask(question())))
    server.responder = in_turn(*[Reply("no backend", status=503)] * 100, Reply("B", delay=0.3))
    results = [answered(result) for result in drive(range(20), lambda _: vision.ask(question()), reraise)]
    assert max(result.tries for result in results) > 2


def test_an_endpoint_that_never_answers_is_given_up_after_a_minute(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "FIRST_PATIENCE_S", 0.5)
    server.responder = lambda body: Reply("no backend", status=503)
    model = get_model(config_for(server, max_tries=2, deadline=60))
    results = [failed(result) for result in drive(range(8), lambda _: model.ask(question()), reraise)]
    assert {(result.kind, result.retryable) for result in results} == {("server", True)}
    assert all(0.4 < result.seconds < 30 for result in results)


def test_a_request_that_finds_nobody_while_others_are_answered_is_tried_so_many_times(server: FakeServer) -> None:
    server.responder = lambda body: Reply("no", status=503) if "bad" in text_of(body, "user") else "B"
    model = get_model(config_for(server, max_tries=6, deadline=30, max_concurrency=4))
    texts = ["bad", *map(str, range(400))]
    bad, *good = drive(texts, lambda text: model.ask(question(text)), reraise)
    assert failed(bad).tries == 6 and all(answered(result) for result in good)


def test_nobody_there() -> None:
    with socket.socket() as taken:  # bound, so that nobody else gets the port, and not listening
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        model = get_model(parse_model_params("m", None, {"base_url": url, "deadline": 0.1, "backoff": 0.01}))
        failure = failed(run(model.ask(question())))
    assert (failure.kind, failure.retryable) == ("network", True)
    assert "could not be reached" in failure.message


def test_an_interrupted_call_gives_its_slot_back(server: FakeServer) -> None:
    server.responder = lambda body: Reply(hang=True)
    model = get_model(config_for(server, max_concurrency=1))

    async def given_up() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(model.ask(question()), 0.05)

    run(given_up())
    server.responder = lambda body: "B"
    answered(run(model.ask(question())))


def test_two_event_loops_share_the_limits(server: FakeServer) -> None:
    server.responder = lambda body: Reply("B", delay=0.01)
    model = get_model(config_for(server, max_concurrency=3))

    async def many() -> list[Result]:
        return await asyncio.gather(*[model.ask(question()) for _ in range(12)])

    for results in (asyncio.run(many()), asyncio.run(many()), run(many())):
        assert all(isinstance(result, Answer) for result in results)
    assert server.in_flight_peak == 3


def _ask_in_child(config: EndpointConfig, pipe: Connection) -> None:
    pipe.send(run(get_model(config).ask(question())))
    pipe.close()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_makes_calls_of_its_own(server: FakeServer) -> None:
    config = config_for(server)
    answered(run(get_model(config).ask(question())))
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_ask_in_child, args=(config, there))
    child.start()
    assert here.poll(10), "the child hangs"
    assert answered(here.recv()).text == "B"
    child.join(10)
    answered(run(get_model(config).ask(question())))


def test_one_model_a_configuration(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert get_model(config_for(server)) is get_model(config_for(server))
    assert get_model(config_for(server)) is not get_model(config_for(server, timeout=9))
    copy = pickle.loads(pickle.dumps(get_model(config_for(server))))
    assert isinstance(copy, Client)
    answered(run(copy.ask(question())))


def test_offline_is_the_embedded_model(monkeypatch: pytest.MonkeyPatch) -> None:
    class Embedded:
        name = "offline"

    module = ModuleType("data_juicer_ext.offline")
    module.OfflineModel = Embedded  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "data_juicer_ext.offline", module)
    get_model.cache_clear()
    try:
        assert get_model(parse_model_params("offline")).name == "offline"
    finally:
        get_model.cache_clear()
