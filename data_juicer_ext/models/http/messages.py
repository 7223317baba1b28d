"""Requests in the form of OpenAI's chat interface, with their images as data URLs."""

import asyncio
import base64
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.figures.image_preparation import ImageLimits, prepare
from data_juicer_ext.models.types import Message, Request
from data_juicer_ext.storage.addresses import as_path, is_remote

CACHE_CHARACTERS = 128 * 1024 * 1024
PREPARING_AT_ONCE = 2  # a decoded image may take hundreds of megabytes
# Without a tokenizer: English prose and LaTeX come to about four characters per token, and the
# providers' formulas for an image of our size to several hundred up to 1,500 tokens.
CHARACTERS_PER_TOKEN = 4
IMAGE_TOKENS = 1000


def chat_messages(request: Request, urls: Mapping[str, str]) -> list[dict[str, Any]]:
    """The `messages` of a chat request; `urls` maps each image file to its data URL.

    A message's images go before its text: questions about the same figure then share the longest
    possible prefix, which providers' prompt caches reward.
    """
    return [_chat_message(message, urls) for message in request.messages]


def _chat_message(message: Message, urls: Mapping[str, str]) -> dict[str, Any]:
    if not message.images:
        return {"role": message.role, "content": message.text}
    images = [{"type": "image_url", "image_url": {"url": urls[path]}} for path in message.images]
    return {"role": message.role, "content": [*images, {"type": "text", "text": message.text}]}


def image_files(request: Request) -> list[str]:
    """The image files of a request, each once, in order."""
    return list(dict.fromkeys(path for message in request.messages for path in message.images))


def prompt_tokens(request: Request) -> int:
    """An estimate of the tokens of a request's messages."""
    characters = sum(len(message.text) for message in request.messages)
    images = sum(len(message.images) for message in request.messages)
    return characters // CHARACTERS_PER_TOKEN + images * IMAGE_TOKENS + 1


@dataclass(frozen=True)
class SentImage:
    """An image as it is sent: its data URL, the SHA-256 of the bytes in it, and its `ImagePart.flags`."""

    url: str
    digest: str
    flags: tuple[str, ...] = ()


def flags_of(images: Iterable[SentImage]) -> tuple[str, ...]:
    """The flags of some images, each once, in order."""
    return tuple(dict.fromkeys(flag for image in images for flag in image.flags))


class DataUrls:
    """Data URLs of image files, each file encoded once; the least recently used ones go first.

    A file is known by its path, time of change and size, an object by its address. Lives on one event loop; the
    decoding runs in threads beside it.
    """

    def __init__(self, capacity: int = CACHE_CHARACTERS) -> None:
        self._capacity = capacity
        self._held = 0
        self._entries: OrderedDict[tuple[object, ...], SentImage] = OrderedDict()
        self._under_way: dict[tuple[object, ...], asyncio.Task[SentImage]] = {}
        self._preparing = asyncio.Semaphore(PREPARING_AT_ONCE)

    async def get(self, path: str, limits: ImageLimits) -> str:
        """The data URL of the image at `path` within `limits`. Raises ImageError."""
        return (await self.sent(path, limits)).url

    async def sent(self, path: str, limits: ImageLimits) -> SentImage:
        """The image at `path` within `limits`, as it is sent. Raises ImageError."""
        key = _identity(path, limits)
        if key in self._entries:
            self._entries.move_to_end(key)
            return self._entries[key]
        if key not in self._under_way:
            task = asyncio.ensure_future(self._make(key, path, limits))
            self._under_way[key] = task
            task.add_done_callback(lambda done: self._finished(key, done))
        return await asyncio.shield(self._under_way[key])

    def _finished(self, key: tuple[object, ...], task: asyncio.Task[SentImage]) -> None:
        del self._under_way[key]
        if not task.cancelled():
            task.exception()  # seen: whoever waits gets it, and it may be that nobody waits any more

    async def _make(self, key: tuple[object, ...], path: str, limits: ImageLimits) -> SentImage:
        async with self._preparing:
            image = await asyncio.to_thread(_encode, path, limits)
        self._entries[key] = image
        self._held += len(image.url)
        while self._held > self._capacity and len(self._entries) > 1:
            self._held -= len(self._entries.popitem(last=False)[1].url)
        return image


def _identity(path: str, limits: ImageLimits) -> tuple[object, ...]:
    if is_remote(path):  # a run's images are named by content; to ask would take one request per call
        return (path, limits)
    try:
        status = as_path(path).stat()
    except (OSError, ValueError):
        return (path, limits)  # `prepare` says what is wrong with it
    return (path, limits, status.st_mtime_ns, status.st_size)


def _encode(path: str, limits: ImageLimits) -> SentImage:
    part = prepare(path, limits)
    url = f"data:{part.mime};base64,{base64.b64encode(part.data).decode('ascii')}"
    return SentImage(url, part.sha256, part.flags)
