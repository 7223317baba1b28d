"""The client against a real HTTP server: what is sent, what comes back, what is tried again."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models import dispatcher
from data_juicer_ext.models.client import Client, RunPlace
from data_juicer_ext.models.event_loop import run
from data_juicer_ext.models.http.messages import prompt_tokens
from data_juicer_ext.models.ongoing_call import PAID_TRIES
from data_juicer_ext.models.store.sqlite import SqliteStore
from data_juicer_ext.models.types import Message, Model, Request, Usage
from tests.fake_openai import FakeServer, Reply
from tests.models.calling import answered, ask, config_for, failed, in_turn, question


def test_one_call(server: FakeServer) -> None:
    server.responder = lambda body: Reply(" B\n", model="the-model-0125")
    answer = answered(ask(server, question(temperature=1.0, seed=7, max_tokens=50)))
    assert (answer.text, answer.model, answer.tries) == ("B", "the-model-0125", 1)
    assert answer.usage == Usage(11, 7)
    assert server.requests[0].body == {
        "model": "the-model",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which?"}],
        "temperature": 1.0,
        "seed": 7,
        "max_tokens": 50,
    }
    assert isinstance(get_model(config_for(server)), Model)


def test_images_arrive_as_they_are(server: FakeServer, tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    Image.effect_noise((40, 30), 50).convert("RGB").save(path)
    answered(ask(server, question("Which?", str(path))))
    (sent,) = server.requests[0].images
    assert sent.mime == "image/png"
    assert sent.data == path.read_bytes()
    assert Image.open(io.BytesIO(sent.data)).size == (40, 30)
    assert server.requests[0].user_text == "Which?"


def test_image_limits_of_the_endpoint(server: FakeServer, tmp_path: Path) -> None:
    path = tmp_path / "figure.jpg"
    Image.new("RGB", (200, 100), "blue").save(path)
    answered(ask(server, question("Which?", str(path)), max_image_side=50))
    (sent,) = server.requests[0].images
    assert sent.mime == "image/jpeg"
    assert Image.open(io.BytesIO(sent.data)).size == (50, 25)


def test_a_bad_image_is_said_and_nothing_sent(server: FakeServer, tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"no image at all")
    failure = failed(ask(server, question("Which?", str(path))))
    assert (failure.kind, failure.retryable, failure.tries) == ("bad_image", False, 1)
    assert "figure.png" in failure.message
    assert server.requests == []


@pytest.mark.parametrize(
    "bad",
    [
        Reply("boom", status=500),
        Reply("later", status=503),
        Reply(reset=True),
        Reply(hang=True),
        Reply(raw=""),
        Reply(raw='{"id": "x", "choi'),
        Reply(""),
        Reply(None),
        Reply("<think>so ...</think>"),
        Reply("slow down", status=429, headers={"Retry-After-Ms": "5"}),
    ],
    ids=lambda reply: f"{reply.status}-{reply.raw or reply.content}",
)
def test_transient_trouble_is_retried(server: FakeServer, bad: Reply) -> None:
    server.responder = in_turn(bad, bad, "C")
    answer = answered(ask(server, timeout=0.4))
    assert (answer.text, answer.tries, len(server.requests)) == ("C", 3, 3)


@pytest.mark.parametrize(
    ("reply", "kind", "retryable"),
    [
        (Reply("no", status=400), "bad_request", False),
        (Reply("no", status=401), "auth", True),
        (Reply("no", status=403), "auth", True),
        (Reply("no", status=404), "bad_request", False),
        (Reply("no", status=422), "bad_request", False),
        (Reply("no", status=400, code="context_length_exceeded"), "bad_request", False),
        (Reply("no", status=400, code="content_filter"), "content_filter", False),
        (Reply("half", finish_reason="content_filter"), "content_filter", False),
        (Reply("no", status=429, code="insufficient_quota"), "rate_limit", True),
    ],
    ids=lambda value: value.code or str(value.status) if isinstance(value, Reply) else None,
)
def test_what_no_retry_cures_is_asked_once(server: FakeServer, reply: Reply, kind: str, retryable: bool) -> None:
    server.responder = lambda body: reply
    failure = failed(ask(server))
    assert (failure.kind, failure.retryable, failure.tries, len(server.requests)) == (kind, retryable, 1, 1)


def test_errors_for_ever_end_at_the_deadline(server: FakeServer) -> None:
    server.responder = lambda body: Reply("boom", status=500)
    failure = failed(ask(server, deadline=0.8, max_tries=1000))
    assert (failure.kind, failure.retryable) == ("server", True)
    assert failure.tries == len(server.requests) > 2
    assert failure.seconds < 30
    host = server.base_url.removeprefix("http://").removesuffix("/v1")
    assert failure.message == f"endpoint {host} answered 500: boom"


def test_errors_for_ever_end_after_so_many_tries(server: FakeServer) -> None:
    server.responder = lambda body: Reply("boom", status=500)
    failure = failed(ask(server, max_tries=3, deadline=60))
    assert (failure.kind, failure.retryable, failure.tries, len(server.requests)) == ("server", True, 3, 3)


def test_waiting_for_a_rate_limit_is_no_try(server: FakeServer) -> None:
    replies = [Reply("slow down", status=429, headers={"Retry-After": "0.01"}) for _ in range(5)]
    server.responder = lambda body: replies.pop() if replies else "B"
    assert answered(ask(server, max_tries=2, deadline=60)).tries == 6


def test_hanging_for_ever_ends_at_the_deadline(server: FakeServer) -> None:
    server.responder = lambda body: Reply(hang=True)
    failure = failed(ask(server, timeout=0.1, deadline=0.7, max_tries=1000))
    assert (failure.kind, failure.retryable) == ("timeout", True)
    assert failure.tries >= 3


def test_no_try_outlasts_the_deadline(server: FakeServer) -> None:
    server.responder = lambda body: Reply(hang=True)
    failure = failed(ask(server, timeout=60, deadline=0.2))
    assert (failure.kind, failure.tries) == ("timeout", 1)
    assert failure.seconds < 30


@pytest.mark.parametrize(
    ("reply", "kind"), [(Reply(""), "empty"), (Reply(raw="{"), "cut_off")], ids=["empty", "cut JSON"]
)
def test_useless_answers_are_not_bought_without_end(server: FakeServer, reply: Reply, kind: str) -> None:
    server.responder = lambda body: reply
    failure = failed(ask(server))
    assert (failure.kind, failure.retryable, failure.tries) == (kind, True, PAID_TRIES)
    assert len(server.requests) == PAID_TRIES


def test_what_was_paid_for_in_vain_is_counted(server: FakeServer) -> None:
    server.responder = in_turn(Reply(""), "C")
    assert answered(ask(server)).usage == Usage(22, 14)
    server.responder = lambda body: Reply("", finish_reason="content_filter")
    assert failed(ask(server)).usage == Usage(11, 7)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_cut_off_answer_gets_one_more_try_with_twice_the_tokens(server: FakeServer, name: str) -> None:
    server.responder = in_turn(Reply("A. The", finish_reason="length"), "A")
    assert answered(ask(server, question(**{name: 100}))).text == "A"
    assert [sent.body[name] for sent in server.requests] == [100, 200]
    server.clear()
    server.responder = lambda body: Reply("A. The", finish_reason="length")
    failure = failed(ask(server, question(**{name: 100})))
    assert (failure.kind, failure.retryable, len(server.requests)) == ("cut_off", False, 2)


def test_a_cut_off_answer_without_a_limit_of_ours_is_final(server: FakeServer) -> None:
    server.responder = lambda body: Reply("A. The", finish_reason="length")
    assert failed(ask(server)).kind == "cut_off"
    assert len(server.requests) == 1


def test_thinking_is_no_part_of_the_answer(server: FakeServer) -> None:
    server.responder = lambda body: Reply("<think>A or B?</think>\n\nB", reasoning="hm")
    assert answered(ask(server)).text == "B"


def test_text_is_scrubbed(server: FakeServer) -> None:
    server.responder = lambda body: "a\x00b\ud83d\r\nc"
    assert answered(ask(server)).text == "ab\nc"


def test_usage_is_estimated_where_the_provider_gives_none(server: FakeServer) -> None:
    server.responder = lambda body: Reply("x" * 40, usage=None)
    usage = answered(ask(server)).usage
    assert usage == Usage(prompt_tokens(question()), 10, estimated=True)


def test_no_key_in_a_failure_or_a_log(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key = "Zq81-very-secret"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    caplog.set_level(logging.DEBUG)
    for reply in (
        Reply(f"wrong key {key}", status=401),
        Reply(f"Bearer {key}", status=500),
        Reply(raw=f"<html>{key}"),
        Reply(reset=True),
    ):
        server.responder = lambda body, reply=reply: reply  # type: ignore[misc]
        model = get_model(config_for(server, deadline=0.05))
        result = run(model.ask(question()))
        assert key not in repr(result) + repr(model) + repr(model.__dict__)
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"
    assert key not in caplog.text


def test_a_defect_is_a_failure_and_costs_no_slot(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("a defect")

    with monkeypatch.context() as patch:
        patch.setattr(dispatcher, "read_completion", broken)
        failure = failed(ask(server, max_concurrency=1))
    assert (failure.kind, failure.retryable) == ("internal", False)
    assert "a defect" in failure.message
    answered(ask(server, max_concurrency=1))


def test_a_request_that_is_no_request_is_a_failure(server: FakeServer) -> None:
    assert failed(ask(server, Request((Message("user", None),), "task"))).kind == "internal"  # type: ignore[arg-type]
    assert failed(ask(server, question(strange=object()))).kind == "internal"


def test_what_a_stored_answer_was_asked_for_is_stored_with_it(server: FakeServer, tmp_path: Path) -> None:
    config = config_for(server)
    asked = Request((Message("user", "Which?"),), "verisciqa/vision_vote", sampling={"seed": 7}, prompt_version="abc")
    answered(run(Client(config, RunPlace(str(tmp_path))).ask(asked)))
    (stored,) = SqliteStore(tmp_path / "store" / "responses.sqlite").entries()
    assert stored.about == {
        "task": "verisciqa/vision_vote", "prompt_version": "abc", "endpoint": config.endpoint, "model": "the-model",
        "sampling": {"seed": 7},
    }  # fmt: skip
