"""Limits by provider, and numbers of one's own above them."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.figures.image_preparation import MIME, prepare
from data_juicer_ext.models.config.endpoint import ConfigError, EndpointConfig, parse_model_params
from data_juicer_ext.models.config.image_profiles import PROFILES


def config(**params: object) -> EndpointConfig:
    return parse_model_params("m", None, params)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_gives_the_limits(profile: str) -> None:
    assert config(image_profile=profile).image_limits == PROFILES[profile]
    assert set(PROFILES[profile].formats) <= set(MIME)


def test_numbers_of_ones_own_go_before_the_profile() -> None:
    limits = config(image_profile="local", max_image_side=700, min_text_height=5).image_limits
    assert (limits.max_side, limits.max_bytes, limits.min_text_height) == (700, PROFILES["local"].max_bytes, 5)


def test_the_default_is_openai() -> None:
    assert config() == config(image_profile="openai") == EndpointConfig("m")


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"image_profile: 'anthropic' is unknown, allowed: openai, openai-tiles, dashscope"
    ):
        config(image_profile="anthropic")


@pytest.mark.parametrize(
    ("profile", "form", "mime"),
    [
        ("openai", "webp", "image/webp"),
        ("local", "webp", "image/png"),
        ("dashscope", "bmp", "image/bmp"),
        ("openai", "bmp", "image/png"),
        ("openai", "gif", "image/png"),
    ],
)
def test_formats_that_go_out_as_they_are(tmp_path: Path, profile: str, form: str, mime: str) -> None:
    path = tmp_path / f"figure.{form}"
    Image.new("RGB", (40, 30), "white").save(path)
    part = prepare(path, PROFILES[profile])
    assert part.mime == mime
    assert (part.data == path.read_bytes()) == (mime != "image/png")


@pytest.mark.parametrize(
    ("profile", "width", "height", "factor"),
    [
        ("openai", 1800, 2400, 0.603),  # the example of OpenAI's page, before it rounds to whole patches
        ("openai", 1024, 1024, 1.0),
        ("openai-tiles", 1024, 2048, 0.75),  # the example of the page for tiles
        ("dashscope", 2000, 2000, 0.501),
        ("anthropic-compatible", 1092, 1092, 0.982),
        ("anthropic-compatible", 784, 1568, 0.967),
        ("gemini", 3000, 3000, 1.0),
        ("local", 1536, 1536, 1.0),
    ],
)
def test_how_far_a_provider_scales_down_what_it_is_sent(profile: str, width: int, height: int, factor: float) -> None:
    assert PROFILES[profile].shown(width, height) == pytest.approx(factor, abs=0.001)


@pytest.mark.parametrize(("profile", "most"), [("dashscope", 10_485_760), ("anthropic-compatible", 5_242_880)])
def test_the_largest_file_is_within_the_limit_as_base64(profile: str, most: int) -> None:
    assert len(base64.b64encode(bytes(PROFILES[profile].max_bytes))) + len("data:image/jpeg;base64,") <= most


def test_an_animation_never_goes_out_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "figure.webp"
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green")]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert prepare(path, PROFILES["openai"]).mime == "image/png"
