"""How many tokens a provider counts for an image of a given size.

The rules are the providers' own; each names where it stands. A model that is not among them is
counted by the rule of its `image_profile`, and said to be.
"""

import io
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from data_juicer_ext.figures.decoding import strict_decoding
from data_juicer_ext.figures.image_preparation import FORMATS, MAX_FILE_BYTES
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import is_remote
from data_juicer_ext.storage.file_access import opened

TokenRule = Callable[[int, int], float]
"""Tokens of an image, from its width and height in pixels as it is sent."""

QWEN_HIGH = "vl_high_resolution_images"


def patches_of_32(width: int, height: int, factor: float = 1.0, most: int = 1536) -> float:
    """OpenAI: squares of 32 pixels, scaled down to `most` of them, times the model's factor.

    1800 x 2400 pixels are 1,452 of them. Source: developers.openai.com/api/docs/guides/images-vision.
    """
    across, down = math.ceil(width / 32), math.ceil(height / 32)
    if across * down > most:
        scale = math.sqrt(32 * 32 * most / (width * height))
        wide, high = width * scale / 32, height * scale / 32
        scale *= min(math.floor(wide) / wide, math.floor(high) / high) if min(wide, high) >= 1 else 1.0
        across, down = (max(1, math.ceil(side * scale / 32 - 1e-9)) for side in (width, height))
    return min(across * down, most) * factor


def tiles_of_512(width: int, height: int, base: int = 85, tile: int = 170) -> float:
    """OpenAI: within 2048 x 2048, then 768 on the shorter side, in tiles of 512 pixels.

    1024 x 1024 pixels are 765 tokens of GPT-4o. Source: as for `patches_of_32`; what gpt-4o-mini and o1 are charged
    was measured in community.openai.com/t/1262691.
    """
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    across, down = (math.ceil(side * scale / 512 - 1e-9) for side in (width, height))
    return float(base + tile * across * down)


def qwen_patches(width: int, height: int, side: int = 28, most: int = 1280) -> float:
    """Qwen-VL: squares of `side` pixels, 4 to `most`, and two marks.

    Source: help.aliyun.com/zh/model-studio/vision (32 pixels for Qwen3-VL, 28 for Qwen2.5-VL).
    """
    across, down = (max(1, round(length / side)) for length in (width, height))
    if across * down > most:
        scale = math.sqrt(width * height / (most * side * side))
        across, down = (max(1, math.floor(length / scale / side)) for length in (width, height))
    elif across * down < 4:
        scale = math.sqrt(4 * side * side / (width * height))
        across, down = (math.ceil(length * scale / side) for length in (width, height))
    return float(across * down + 2)


def gemini_tiles(width: int, height: int) -> float:
    """Gemini up to 2.5: 258 a tile, one for up to 384 x 384; a tile's side is two thirds of the shorter, 256 to 768.

    Source: ai.google.dev/gemini-api/docs/image-understanding.
    """
    if max(width, height) <= 384:
        return 258.0
    side = min(768, max(256, math.floor(min(width, height) / 1.5)))
    return 258.0 * math.ceil(width / side) * math.ceil(height / side)


def gemini_fixed(width: int, height: int) -> float:
    """Gemini 3: 1,120 an image, whatever its size. Source: ai.google.dev/gemini-api/docs/media-resolution."""
    return 1120.0


def claude_pixels(width: int, height: int) -> float:
    """Claude: a token for 750 pixels, scaled down to 1568 on the longer side and 1.15 million pixels.

    Source: platform.claude.com/docs/en/build-with-claude/vision.
    """
    scale = min(1.0, 1568 / max(width, height), math.sqrt(1_150_000 / (width * height)))
    return math.ceil(width * scale * height * scale / 750)


def _patches(factor: float) -> TokenRule:
    return lambda width, height: patches_of_32(width, height, factor)


def _tiles(base: int, tile: int) -> TokenRule:
    return lambda width, height: tiles_of_512(width, height, base, tile)


def _qwen(side: int) -> TokenRule:
    return lambda width, height: qwen_patches(width, height, side)


# By the model's name, without a provider before it and a date behind it; the first that fits counts.
_MODELS: tuple[tuple[str, TokenRule], ...] = (
    (r"(?:gpt-4\.1-mini|gpt-5-mini)\b", _patches(1.62)), (r"(?:gpt-4\.1-nano|gpt-5-nano)\b", _patches(2.46)),
    (r"o4-mini\b", _patches(1.72)), (r"gpt-4o-mini\b", _tiles(2833, 5667)),
    (r"(?:gpt-4o|gpt-4\.1)\b", _tiles(85, 170)), (r"gpt-5(?:-chat.*|-20.*)?$", _tiles(70, 140)),
    (r"(?:o1|o3)(?!-mini)\b", _tiles(75, 150)), (r"qwen3(?:\.\d)?-vl", _qwen(32)),
    (r"(?:qwen2(?:\.5)?-vl|qwen-vl|qvq)", _qwen(28)), (r"gemini-3", gemini_fixed), (r"gemini-", gemini_tiles),
    (r"claude-", claude_pixels),
)  # fmt: skip
_PROFILES: dict[str, tuple[TokenRule, str]] = {
    "openai": (_patches(1.0), "32 x 32 pixels per token, at most 1,536"),
    "openai-tiles": (_tiles(85, 170), "85 tokens, and 170 a tile of 512 pixels"),
    "dashscope": (_qwen(28), "28 x 28 pixels per token, at most 1,280"),
    "gemini": (gemini_tiles, "258 a tile"),
    "anthropic-compatible": (claude_pixels, "750 pixels per token"),
    "local": (lambda w, h: qwen_patches(w, h, 28, 16384), "28 x 28 pixels per token"),
}


@dataclass(frozen=True)
class ImageRule:
    """How images are counted for one endpoint. `assumed` says what was taken for granted, "" if nothing."""

    rule: TokenRule
    assumed: str = ""


def rule_for(endpoint: EndpointConfig, sampling: Mapping[str, Any] | None = None) -> ImageRule:
    """The rule for the model of `endpoint`, else that of its image profile."""
    name = endpoint.model.lower().rpartition("/")[2]
    found = next((rule for pattern, rule in _MODELS if re.match(pattern, name)), None)
    if "qwen" in name and (endpoint.image_profile == "local" or (sampling or {}).get(QWEN_HIGH)):
        side = 32 if name.startswith("qwen3") else 28
        return ImageRule(lambda width, height: qwen_patches(width, height, side, 16384))
    if found is not None:
        return ImageRule(found)
    by_profile, words = _PROFILES[endpoint.image_profile]
    told = f"images for {endpoint.model}: {words}, as its image_profile {endpoint.image_profile} has it"
    return ImageRule(by_profile, told)


def sent_size(path: str, longest: int) -> tuple[int, int] | None:
    """Width and height in pixels in which an image file is sent; None for one that can't be read.

    Only the header of a file is read, of an object all of it. What is scaled down further to fit the bytes is not
    foreseen. Raises StorageError where object storage fails.
    """
    from PIL import Image

    try:
        with strict_decoding(), _file(path) as file, Image.open(file, formats=FORMATS) as image:
            width, height = image.size
    except papers.StorageError:
        raise
    except Exception:  # decoders raise whatever a broken file leads them to; the run will name the file
        return None
    scale = min(1.0, longest / max(width, height, 1))
    return max(1, round(width * scale)), max(1, round(height * scale))


def _file(path: str) -> BinaryIO:
    return io.BytesIO(papers.read(path, MAX_FILE_BYTES)) if is_remote(path) else opened(path)
