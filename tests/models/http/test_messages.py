"""Requests in the chat format, and data URLs encoded once."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import threading
import time
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, ImagePart, UnreachableImageError, prepare
from data_juicer_ext.models.http import messages
from data_juicer_ext.models.http.messages import DataUrls, SentImage, chat_messages, image_files, prompt_tokens
from data_juicer_ext.models.types import Message, Request
from data_juicer_ext.storage import file_access
from tests.s3_server import S3
from tests.storage.down import take_down

LIMITS = ImageLimits()


@pytest.fixture
def png(tmp_path: Path) -> str:
    path = tmp_path / "a.png"
    Image.new("RGB", (8, 8), "red").save(path)
    return str(path)


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that were really encoded."""
    paths: list[str] = []
    original = prepare

    def counting(path: str, limits: ImageLimits) -> ImagePart:
        paths.append(path)
        return original(path, limits)

    monkeypatch.setattr(messages, "prepare", counting)
    return paths


def test_chat_format_has_images_before_the_text() -> None:
    request = Request((Message("system", "s"), Message("user", "u", ("a", "b", "a"))), "task")
    assert image_files(request) == ["a", "b"]
    assert chat_messages(request, {"a": "data:1", "b": "data:2"}) == [
        {"role": "system", "content": "s"},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "data:1"}},
                {"type": "image_url", "image_url": {"url": "data:2"}},
                {"type": "image_url", "image_url": {"url": "data:1"}},
                {"type": "text", "text": "u"},
            ],
        },
    ]


def test_estimate_counts_text_and_images() -> None:
    text = Request((Message("user", "x" * 400),), "task")
    image = Request((Message("user", "x" * 400, ("a",)),), "task")
    assert prompt_tokens(text) == 101
    assert prompt_tokens(image) == 101 + messages.IMAGE_TOKENS


def test_a_file_is_encoded_once_even_when_asked_for_at_once(png: str, encoded: list[str]) -> None:
    async def main() -> list[str]:
        urls = DataUrls()
        return [*await asyncio.gather(*[urls.get(png, LIMITS) for _ in range(5)]), await urls.get(png, LIMITS)]

    assert len(set(asyncio.run(main()))) == 1
    assert encoded == [png]


def test_a_changed_file_is_encoded_again(tmp_path: Path, encoded: list[str]) -> None:
    path = tmp_path / "a.bmp"  # of the same size whatever its colour

    async def main() -> tuple[str, str]:
        urls = DataUrls()
        Image.new("RGB", (8, 8), "red").save(path)
        before = await urls.get(str(path), LIMITS)
        Image.new("RGB", (8, 8), "blue").save(path)
        os.utime(path, ns=(1, 1))
        return before, await urls.get(str(path), LIMITS)

    before, after = asyncio.run(main())
    assert before != after
    assert len(encoded) == 2


def test_the_least_recently_used_go_when_it_is_full(tmp_path: Path, encoded: list[str]) -> None:
    paths = [str(tmp_path / f"{n}.png") for n in range(3)]
    for path in paths:
        Image.new("RGB", (8, 8), "red").save(path)
    one, two, three = paths

    async def main() -> None:
        size = len(await DataUrls().get(one, LIMITS))
        encoded.clear()
        urls = DataUrls(capacity=2 * size)
        for path in (one, two, one, three, one, two):
            await urls.get(path, LIMITS)

    asyncio.run(main())
    assert encoded == [one, two, three, two]


def test_a_bad_image_raises_for_each_who_asks(tmp_path: Path) -> None:
    path = str(tmp_path / "no.png")

    async def main() -> list[str | BaseException]:
        urls = DataUrls()
        return await asyncio.gather(*[urls.get(path, LIMITS) for _ in range(2)], return_exceptions=True)

    assert [type(error) for error in asyncio.run(main())] == [ImageError] * 2


def test_one_who_gives_up_leaves_the_others_their_image(png: str) -> None:
    async def main() -> str:
        urls = DataUrls()
        first, second = (asyncio.ensure_future(urls.get(png, LIMITS)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert asyncio.run(main()).startswith("data:image/png;base64,")


def test_the_digest_is_that_of_the_bytes_sent(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    Image.new("RGB", (40, 30), "red").save(path)
    sent = asyncio.run(DataUrls().sent(str(path), ImageLimits(max_side=32)))
    assert sent.digest == hashlib.sha256(base64.b64decode(sent.url.partition(",")[2])).hexdigest()


def test_what_was_done_to_images_is_told_once_each(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.png", "b.png", "c.png")]
    for path, mode, size in zip(paths, ("RGBA", "RGB", "RGBA"), ((40, 30), (8, 8), (8, 8)), strict=True):
        Image.new(mode, size).save(path)

    async def main() -> list[messages.SentImage]:
        urls = DataUrls()
        return [await urls.sent(str(path), ImageLimits(max_side=32, min_text_height=0)) for path in paths]

    images = asyncio.run(main())
    assert [image.flags for image in images] == [("flattened", "scaled_down"), (), ("flattened",)]
    assert messages.flags_of(images) == ("flattened", "scaled_down")


# ---- object storage


def test_an_object_is_sent_as_the_file_is_and_fetched_once(s3: S3, png: str, encoded: list[str]) -> None:
    file_access.write(s3.at("run/images/a.png"), Path(png).read_bytes())

    async def main() -> list[str]:
        urls = DataUrls()
        both = await asyncio.gather(*[urls.get(place, LIMITS) for place in (s3.at("run/images/a.png"), png) * 3])
        file_access.delete([s3.at("run/images/a.png")])
        return [*both, await urls.get(s3.at("run/images/a.png"), LIMITS)]

    assert len(set(asyncio.run(main()))) == 1
    assert sorted(encoded) == sorted([png, s3.at("run/images/a.png")])


def test_a_failure_of_storage_is_not_remembered(s3: S3, png: str) -> None:
    async def main() -> None:
        urls = DataUrls()
        with pytest.MonkeyPatch.context() as patch:
            take_down(patch)
            with pytest.raises(UnreachableImageError, match="can't be read at the moment"):
                await urls.get(s3.at("a.png"), LIMITS)
        with pytest.raises(ImageError, match="no such file"):
            await urls.get(s3.at("a.png"), LIMITS)
        file_access.write(s3.at("a.png"), Path(png).read_bytes())
        assert await urls.get(s3.at("a.png"), LIMITS) == await urls.get(png, LIMITS)

    asyncio.run(main())


def test_few_images_are_prepared_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, at_once, most = threading.Lock(), [0], [0]

    def prepared(path: str, limits: ImageLimits) -> SentImage:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.02)
        with lock:
            at_once[0] -= 1
        return SentImage("data:", "", ())

    monkeypatch.setattr(messages, "_encode", prepared)
    urls = DataUrls()

    async def main() -> None:
        await asyncio.gather(*(urls.get(str(tmp_path / f"{number}.png"), ImageLimits()) for number in range(12)))

    asyncio.run(main())
    assert most[0] <= messages.PREPARING_AT_ONCE
