"""The provider's batch interface: submitted once, resumed after a kill, and every request accounted for."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.models.batch import batch_client as batch_module
from data_juicer_ext.models.batch.batch_client import BatchClient
from data_juicer_ext.models.batch.openai_api import BatchApi
from data_juicer_ext.models.event_loop import run
from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.types import Message, Request, Result, Usage
from tests.fake_openai import FakeServer, Reply, images_of, text_of
from tests.models.calling import answered, config_for, failed, question


def key_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def questions(number: int, **sampling: Any) -> dict[str, Request]:
    return {key_of(f"q{n}"): question(f"q{n}", **sampling) for n in range(number)}


def ask_all(server: FakeServer, folder: Path, requests: Mapping[str, Request], **params: Any) -> Mapping[str, Result]:
    config = config_for(server, mode="batch", **params)
    return run(BatchClient(config, folder, poll=0.01).answer_many(requests))


@pytest.fixture
def echo(server: FakeServer) -> FakeServer:
    server.responder = lambda body: text_of(body, "user").upper()
    return server


def test_each_request_gets_its_answer(echo: FakeServer, tmp_path: Path) -> None:
    echo.batches.looks = 3
    results = ask_all(echo, tmp_path, questions(25, temperature=0.5))
    assert {key: answered(result).text for key, result in results.items()} == {
        key_of(f"q{n}"): f"Q{n}" for n in range(25)
    }
    one = answered(results[key_of("q0")])
    assert (one.usage, one.tries, one.seconds, one.model) == (Usage(11, 7), 1, 60.0, "the-model")
    (batch,) = echo.batches.made
    assert batch.requests[key_of("q3")] == {
        "model": "the-model",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "q3"}],
        "temperature": 0.5,
    }
    assert echo.requests == []


def test_nothing_to_ask(server: FakeServer, tmp_path: Path) -> None:
    assert ask_all(server, tmp_path, {}) == {}
    assert server.batches.made == []


def test_a_key_in_the_environment_is_sent_and_not_kept(
    echo: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "Zq81-very-secret")
    echo.responder = lambda body: Reply("bad key Zq81-very-secret", status=401)
    (result,) = ask_all(echo, tmp_path, questions(1)).values()
    assert "secret" not in repr(result)
    assert all(b"secret" not in path.read_bytes() for path in tmp_path.iterdir())


def test_images_go_along(echo: FakeServer, tmp_path: Path) -> None:
    picture = tmp_path / "figure.png"
    Image.new("RGB", (30, 20), "blue").save(picture)
    requests = {"a" * 64: question("seen", str(picture)), "b" * 64: question("gone", str(tmp_path / "none.png"))}
    results = ask_all(echo, tmp_path / "run", requests)
    assert answered(results["a" * 64]).text == "SEEN"
    assert failed(results["b" * 64]).kind == "bad_image"
    (sent,) = echo.batches.made[0].requests.values()
    assert images_of(sent)[0].data == picture.read_bytes()


def test_large_sets_are_cut(echo: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_module, "MAX_REQUESTS", 4)
    assert len(ask_all(echo, tmp_path / "a", questions(10))) == 10
    assert [len(batch.requests) for batch in echo.batches.made] == [4, 4, 2]
    echo.batches.made.clear()
    echo.batches.files.clear()
    monkeypatch.setattr(batch_module, "MAX_BYTES", 800)
    assert len(ask_all(echo, tmp_path / "b", questions(6))) == 6
    assert len(echo.batches.made) > 1
    assert all(len(data) <= 800 for data in echo.batches.files.values() if b'"method"' in data)


def test_an_error_of_one_request_is_its_failure(server: FakeServer, tmp_path: Path) -> None:
    replies = {
        "q0": Reply("B"),
        "q1": Reply("no", status=400, code="context_length_exceeded"),
        "q2": Reply("no", status=400, code="content_filter"),
        "q3": Reply("boom", status=500),
        "q4": Reply("", usage={"prompt_tokens": 3, "completion_tokens": 9}),
        "q5": Reply("half", finish_reason="length"),
    }
    server.responder = lambda body: replies[text_of(body, "user")]
    results = ask_all(server, tmp_path, questions(6))
    assert answered(results[key_of("q0")]).text == "B"
    failures = [failed(results[key_of(f"q{n}")]) for n in range(1, 6)]
    kinds = [(failure.kind, failure.retryable) for failure in failures]
    assert kinds == [
        ("bad_request", False),
        ("content_filter", False),
        ("server", True),
        ("empty", True),
        ("cut_off", False),
    ]
    assert failures[3].usage == Usage(3, 9)
    assert len(server.batches.made) == 1


def test_answers_are_fetched_again_and_failures_are_asked_again(server: FakeServer, tmp_path: Path) -> None:
    server.responder = lambda body: Reply("boom", status=500) if text_of(body, "user") == "q1" else Reply("B")
    first = ask_all(server, tmp_path, questions(3))
    assert failed(first[key_of("q1")]).retryable
    server.responder = lambda body: "C"
    second = ask_all(server, tmp_path, questions(3))
    assert [answered(second[key_of(f"q{n}")]).text for n in range(3)] == ["B", "C", "B"]
    assert [set(batch.requests) for batch in server.batches.made] == [set(questions(3)), {key_of("q1")}]


def test_an_expired_batch_is_submitted_once_more(echo: FakeServer, tmp_path: Path) -> None:
    echo.batches.ends = ["expired"]
    results = ask_all(echo, tmp_path, questions(10))
    assert sorted(answered(result).tries for result in results.values()) == [1] * 5 + [2] * 5
    assert [len(batch.requests) for batch in echo.batches.made] == [10, 5]


def test_what_expires_again_is_undecided(echo: FakeServer, tmp_path: Path) -> None:
    echo.batches.ends = ["expired", "expired"]
    results = list(ask_all(echo, tmp_path, questions(8)).values())
    failures = [result for result in results if not hasattr(result, "text")]
    assert len(failures) == 2
    assert all(failed(failure).retryable and failed(failure).tries == 2 for failure in failures)
    assert len(echo.batches.made) == 2
    assert all(answered(result) for result in ask_all(echo, tmp_path, questions(8)).values())
    assert [len(batch.requests) for batch in echo.batches.made] == [8, 4, 2]


@pytest.mark.parametrize(
    ("end", "kind", "retryable"),
    [
        ("failed: invalid_json_line", "bad_request", False),
        ("failed: token_limit_exceeded", "rate_limit", True),
        ("cancelled", "server", True),
    ],
)
def test_a_batch_that_comes_to_nothing(echo: FakeServer, tmp_path: Path, end: str, kind: str, retryable: bool) -> None:
    echo.batches.ends = [end]
    results = [failed(result) for result in ask_all(echo, tmp_path, questions(3)).values()]
    assert [(result.kind, result.retryable) for result in results] == [(kind, retryable)] * 3
    assert end.split(": ")[0] in results[0].message
    assert all(answered(result) for result in ask_all(echo, tmp_path, questions(3)).values())


def test_parameters_are_learned_from_refusals(server: FakeServer, tmp_path: Path) -> None:
    def strict(body: dict[str, Any]) -> Reply:
        if "max_tokens" in body:
            return Reply("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", status=400)
        if "temperature" in body:
            return Reply("Unsupported value: 'temperature' does not support 0.2", status=400)
        return Reply("B")

    server.responder = strict
    results = ask_all(server, tmp_path, questions(4, max_tokens=9, temperature=0.2))
    assert all(answered(result).text == "B" for result in results.values())
    assert len(server.batches.made) == 3
    assert server.batches.made[-1].requests[key_of("q0")]["max_completion_tokens"] == 9


def test_trouble_on_the_way_is_waited_out(echo: FakeServer, tmp_path: Path) -> None:
    echo.batches.trouble = {
        "POST /v1/files": [500, 429],
        "GET /v1/batches/": [503, 500],
        "GET /v1/files": [500],
    }
    assert all(answered(result) for result in ask_all(echo, tmp_path, questions(3)).values())
    assert len(echo.batches.made) == 1


def test_an_endpoint_without_batches_says_so_for_every_request(echo: FakeServer, tmp_path: Path) -> None:
    echo.batches.trouble = {"POST /v1/files": [404]}
    results = [failed(result) for result in ask_all(echo, tmp_path, questions(2)).values()]
    assert [result.kind for result in results] == ["bad_request"] * 2
    assert list(tmp_path.iterdir()) == []


def test_a_refused_creation_leaves_no_record(echo: FakeServer, tmp_path: Path) -> None:
    echo.batches.trouble = {"POST /v1/batches": [429]}
    results = [failed(result) for result in ask_all(echo, tmp_path, questions(2)).values()]
    assert [(result.kind, result.retryable) for result in results] == [("rate_limit", True)] * 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("answer", [{}, {"object": "batch"}])
def test_a_creation_that_names_no_batch_is_a_failure_of_its_requests(
    echo: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]
) -> None:
    async def create(self: BatchApi, file_id: str, metadata: Mapping[str, str]) -> dict[str, Any]:
        return answer

    monkeypatch.setattr(BatchApi, "create", create)
    results = [failed(result) for result in ask_all(echo, tmp_path, questions(2)).values()]
    assert len(results) == 2 and len(list(tmp_path.iterdir())) == 1, "it may have been made all the same"


def test_a_creation_whose_answer_was_lost_is_found_again(echo: FakeServer, tmp_path: Path) -> None:
    echo.batches.lose = True
    first = [failed(result) for result in ask_all(echo, tmp_path, questions(3)).values()]
    assert [(result.kind, result.retryable) for result in first] == [("network", True)] * 3
    assert all(answered(result) for result in ask_all(echo, tmp_path, questions(3)).values())
    assert len(echo.batches.made) == 1


def test_a_record_of_a_batch_that_never_was_is_dropped(echo: FakeServer, tmp_path: Path) -> None:
    keys = list(questions(3))
    record = {"token": "t", "endpoint": config_for(echo).endpoint, "keys": keys}
    (tmp_path / "t.json").write_text(json.dumps(record))
    assert all(answered(result) for result in ask_all(echo, tmp_path, questions(3)).values())
    assert len(echo.batches.made) == 1
    assert not (tmp_path / "t.json").exists()


def test_a_batch_that_the_provider_forgot_is_submitted_again(echo: FakeServer, tmp_path: Path) -> None:
    ask_all(echo, tmp_path, questions(3))
    echo.batches.made.clear()
    assert all(answered(result) for result in ask_all(echo, tmp_path, questions(3)).values())
    assert len(echo.batches.made) == 1


def test_a_broken_record_is_said(echo: FakeServer, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"keys": ')
    with pytest.raises(StoreError, match=r"x\.json does not read"):
        ask_all(echo, tmp_path, questions(1))
    assert echo.batches.made == []


def test_another_endpoint_has_batches_of_its_own(echo: FakeServer, tmp_path: Path) -> None:
    ask_all(echo, tmp_path, questions(2))
    with FakeServer(lambda body: "OTHER") as other:
        results = ask_all(other, tmp_path, questions(2))
        assert [answered(result).text for result in results.values()] == ["OTHER"] * 2


def test_a_cancelled_call_goes_on_with_the_same_batch(echo: FakeServer, tmp_path: Path) -> None:
    echo.batches.looks = 1_000_000
    client = BatchClient(config_for(echo), tmp_path, poll=0.01)

    async def given_up() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(client.answer_many(questions(4)), 0.3)

    run(given_up())
    assert len(echo.batches.made) == 1
    echo.batches.looks = 1
    assert all(answered(result) for result in run(client.answer_many(questions(6))).values())
    assert [len(batch.requests) for batch in echo.batches.made] == [4, 2]


KILLED = """
import sys
from pathlib import Path
from data_juicer_ext.models.batch.batch_client import BatchClient
from data_juicer_ext.models.batch.openai_api import BatchApi
from data_juicer_ext.models.config.endpoint import parse_model_params
from data_juicer_ext.models.event_loop import run
from tests.models.batch.test_batch_client import questions
config = parse_model_params("the-model", None, {"base_url": sys.argv[1], "mode": "batch"})
run(BatchClient(config, Path(sys.argv[2]), poll=0.01).answer_many(questions(20)))
"""


def test_a_killed_run_resumes_polling(echo: FakeServer, tmp_path: Path, repo: Path) -> None:
    echo.batches.looks = 1_000_000
    child = subprocess.Popen([sys.executable, "-c", KILLED, echo.base_url, str(tmp_path)], cwd=repo)
    give_up = time.monotonic() + 60
    while not echo.batches.looked and time.monotonic() < give_up:
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert len(echo.batches.made) == 1
    echo.batches.looks = 1
    results = ask_all(echo, tmp_path, questions(20))
    assert all(answered(result) for result in results.values())
    assert len(echo.batches.made) == 1


def test_a_request_that_can_not_be_made_costs_itself_alone(echo: FakeServer, tmp_path: Path) -> None:
    broken = Request((Message("user", "look", (str(tmp_path / "gone.png"),)),), "t")
    requests = {key_of("broken"): broken, **questions(2)}
    results = ask_all(echo, tmp_path / "records", requests)
    assert failed(results[key_of("broken")]).kind == "bad_image"
    assert [answered(results[key_of(f"q{n}")]).text for n in range(2)] == ["Q0", "Q1"]
