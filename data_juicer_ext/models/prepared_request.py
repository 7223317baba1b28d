"""A request made ready once for all that needs it: its key, its pace, and each of its tries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from data_juicer_ext.figures.image_preparation import ImageLimits
from data_juicer_ext.models.event_loop import shared
from data_juicer_ext.models.http.messages import (
    DataUrls,
    SentImage,
    chat_messages,
    flags_of,
    image_files,
    prompt_tokens,
)
from data_juicer_ext.models.types import Request


@dataclass(frozen=True)
class PreparedRequest:
    """A request with its images as they are sent, by their files. What is made of it is made once, on first use."""

    request: Request
    images: Mapping[str, SentImage] = field(default_factory=dict)

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        """The messages in chat format, with images as data URLs. Not to be changed: all tries share them."""
        return chat_messages(self.request, {path: image.url for path, image in self.images.items()})

    @cached_property
    def messages_by_digest(self) -> list[dict[str, Any]]:
        """As `messages`, with "sha256:" and the digest of its bytes in place of each image: what the key holds."""
        if not self.images:
            return self.messages
        return chat_messages(self.request, {path: f"sha256:{image.digest}" for path, image in self.images.items()})

    @cached_property
    def prompt_tokens(self) -> int:
        """An estimate of the tokens of the messages."""
        return prompt_tokens(self.request)

    @property
    def image_flags(self) -> tuple[str, ...]:
        """What was done to the images to send them, each flag of `ImagePart` once."""
        return flags_of(self.images.values())


async def prepare_request(request: Request, limits: ImageLimits) -> PreparedRequest:
    """`request` with its images within `limits`, each file encoded once per process. Raises ImageError."""
    files = image_files(request)
    if not files:
        return PreparedRequest(request)
    urls = shared("data_urls", DataUrls)
    return PreparedRequest(request, {path: await urls.sent(path, limits) for path in files})
