"""A request is made ready once, whatever becomes of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, ImagePart, prepare
from data_juicer_ext.models import prepared_request
from data_juicer_ext.models.client import Client, RunPlace
from data_juicer_ext.models.event_loop import run
from data_juicer_ext.models.http import messages
from data_juicer_ext.models.http.messages import IMAGE_TOKENS, DataUrls
from data_juicer_ext.models.prepared_request import PreparedRequest, prepare_request
from tests.fake_openai import FakeServer, Reply
from tests.models.calling import answered, config_for, in_turn, question

LIMITS = ImageLimits(max_side=32, min_text_height=0)


@pytest.fixture
def figure(tmp_path: Path) -> str:
    path = tmp_path / "figure.png"
    Image.new("RGBA", (40, 30)).save(path)
    return str(path)


def test_images_stand_in_the_messages_and_their_digests_in_those_of_the_key(figure: str) -> None:
    prepared = asyncio.run(prepare_request(question("Which?", figure), LIMITS))
    image = prepared.images[figure]
    sent, named = ([part.get("image_url") for part in said[1]["content"]] for said in
                   (prepared.messages, prepared.messages_by_digest))  # fmt: skip
    assert sent == [{"url": image.url}, None]
    assert named == [{"url": f"sha256:{image.digest}"}, None]
    assert prepared.image_flags == ("flattened", "scaled_down")
    assert prepared.prompt_tokens == len("Be brief.Which?") // 4 + IMAGE_TOKENS + 1


def test_messages_without_images_are_made_once_for_key_and_tries() -> None:
    prepared = PreparedRequest(question())
    assert prepared.messages is prepared.messages_by_digest is prepared.messages


def test_an_image_that_is_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"no\.png"):
        asyncio.run(prepare_request(question("Which?", str(tmp_path / "no.png")), LIMITS))


def test_key_and_all_tries_share_one_preparation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = [str(tmp_path / name) for name in ("a.png", "b.png")]
    for figure in figures:
        Image.new("RGB", (8, 8)).save(figure)
    encoded: list[str] = []

    def counting(path: str, limits: ImageLimits) -> ImagePart:
        encoded.append(path)
        return prepare(path, limits)

    monkeypatch.setattr(messages, "prepare", counting)
    # As where so many images are in progress that none stays in the cache until its call gets a slot: it holds one.
    monkeypatch.setattr(prepared_request, "shared", lambda key, make: DataUrls(capacity=0))
    with FakeServer(in_turn(Reply("boom", status=500), Reply("boom", status=500), "B")) as server:
        client = Client(config_for(server), RunPlace(str(tmp_path / "run")))
        assert answered(run(client.ask(question("Which?", *figures)))).tries == 3
    assert encoded == figures
