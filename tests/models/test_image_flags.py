"""What was done to images on their way travels with the answer, and is no part of what is stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.models.client import Client, RunPlace
from data_juicer_ext.models.event_loop import run
from data_juicer_ext.models.store.interface import answer_from_json, answer_to_json
from data_juicer_ext.models.types import Answer
from tests.fake_openai import FakeServer, Reply
from tests.models.calling import answered, config_for, failed, question


@pytest.fixture
def figure(tmp_path: Path) -> str:
    path = tmp_path / "figure.png"
    Image.new("RGBA", (400, 300), (255, 0, 0, 100)).save(path)
    return str(path)


def test_flags_come_with_a_new_answer_and_with_a_stored_one(tmp_path: Path, figure: str) -> None:
    with FakeServer(lambda body: "B") as server:
        for max_image_side, flags in ((200, ("flattened", "scaled_down")), (2000, ("flattened",))):
            config = config_for(server, max_image_side=max_image_side)
            client = Client(config, RunPlace(str(tmp_path / "run")))
            for stored in (False, True):
                answer = answered(run(client.ask(question("Which?", figure))))
                assert (answer.image_flags, answer.from_store) == (flags, stored)
        assert answered(run(client.ask(question("Which?")))).image_flags == ()
        assert len(server.requests) == 3


def test_a_failure_has_none(tmp_path: Path, figure: str) -> None:
    with FakeServer(lambda body: Reply("no", status=400)) as server:
        client = Client(config_for(server), RunPlace(str(tmp_path / "run")))
        assert failed(run(client.ask(question("Which?", figure)))).kind == "bad_request"


def test_they_are_not_stored() -> None:
    answer = Answer("B", "m", image_flags=("small_text",))
    assert "small_text" not in answer_to_json(answer) and "image_flags" not in answer_to_json(answer)


def test_an_answer_stored_before_there_were_flags_is_read() -> None:
    old = {"text": "B", "model": "m", "finish_reason": "stop", "usage": {}, "seconds": 0.1, "tries": 1}
    assert answer_from_json(old).image_flags == ()
