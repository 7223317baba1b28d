"""What the tests of the client share: a server, requests for it, and results of the right kind."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.config.endpoint import EndpointConfig, parse_model_params
from data_juicer_ext.models.event_loop import run
from data_juicer_ext.models.types import Answer, Failure, Message, Request, Result
from tests.fake_openai import FakeServer, Reply


def config_for(server: FakeServer, **params: Any) -> EndpointConfig:
    given = {"base_url": server.base_url, "backoff": 0.002, "deadline": 5, **params}
    return parse_model_params("the-model", None, given)


def question(text: Any = "Which?", *images: str, **sampling: Any) -> Request:
    return Request((Message("system", "Be brief."), Message("user", text, images)), "task", sampling=sampling)


def ask(server: FakeServer, request: Request | None = None, **params: Any) -> Result:
    return run(get_model(config_for(server, **params)).ask(request or question()))


def answered(result: Result) -> Answer:
    assert isinstance(result, Answer), result
    return result


def failed(result: Result) -> Failure:
    assert isinstance(result, Failure), result
    return result


def in_turn(*replies: Reply | str) -> Callable[[dict[str, Any]], Reply | str]:
    """A responder that gives one reply after the other, and the last one for ever."""
    number = count()
    return lambda body: replies[min(next(number), len(replies) - 1)]


def reraise(_: Any, error: Exception) -> Any:
    raise error
