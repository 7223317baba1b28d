from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.estimate.image_tokens import rule_for, sent_size
from data_juicer_ext.models.config.endpoint import parse_model_params
from data_juicer_ext.models.config.image_profiles import PROFILES


def tokens(model: str, width: int, height: int, sampling: dict[str, bool] | None = None, **params: str) -> float:
    return rule_for(parse_model_params(model, None, params), sampling).rule(width, height)


# What the providers' own pages have as examples, and what was measured there.
@pytest.mark.parametrize(
    ("model", "size", "expected"),
    [
        ("gpt-4o", (1024, 1024), 765),
        ("gpt-4o", (2048, 4096), 1105),
        ("gpt-4.1-2025-04-14", (2400, 1800), 765),
        ("gpt-4o-mini", (512, 512), 2833 + 5667),
        ("o3", (128, 64), 225),
        ("gpt-5", (1024, 1024), 70 + 4 * 140),
        ("o4-mini", (1024, 1024), 1024 * 1.72),
        ("gpt-4.1-mini", (1800, 2400), 1452 * 1.62),
        ("openai/gpt-5-nano", (32, 32), 2.46),
        ("gemini-2.5-flash", (384, 300), 258),
        ("gemini-2.5-pro", (960, 540), 6 * 258),
        ("gemini-3-pro-preview", (4000, 3000), 1120),
        ("anthropic/claude-sonnet-4-5", (1092, 1092), 1533),
        ("qwen2.5-vl-32b-instruct", (280, 280), 102),
        ("qwen2.5-vl-32b-instruct", (110, 30), 6),
        ("qwen2.5-vl-32b-instruct", (28, 28), 6),
        ("qwen3-vl-plus", (320, 320), 102),
    ],
)
def test_examples_of_the_providers(model: str, size: tuple[int, int], expected: float) -> None:
    assert tokens(model, *size) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("size", [(1, 1), (3000, 1), (7, 2048), (2048, 2048), (3072, 3072)])
def test_every_profile_counts_every_size_within_reason(profile: str, size: tuple[int, int]) -> None:
    found = rule_for(parse_model_params("some-model", None, {"image_profile": profile}))
    assert 0 < found.rule(*size) <= 16_400
    assert "some-model" in found.assumed and profile in found.assumed


def test_known_models_are_no_assumption() -> None:
    assert rule_for(parse_model_params("o4-mini")).assumed == ""


def test_patches_never_exceed_their_number() -> None:
    for width, height in ((5000, 40), (2048, 1537), (33, 2048), (1599, 1601)):
        assert tokens("o4-mini", width, height) <= 1536 * 1.72


def test_qwen_shows_all_where_it_is_told_to_or_runs_here() -> None:
    usual = tokens("qwen2.5-vl-7b", 2000, 2000, image_profile="dashscope")
    assert usual <= 1282
    assert tokens("qwen2.5-vl-7b", 2000, 2000, {"vl_high_resolution_images": True}) > 5000
    assert tokens("Qwen/Qwen2.5-VL-7B-Instruct", 1400, 1400, image_profile="local") == 50 * 50 + 2


def test_an_image_is_counted_in_the_size_in_which_it_is_sent(tmp_path: Path) -> None:
    Image.new("RGB", (4000, 1000)).save(tmp_path / "wide.png")
    assert sent_size(str(tmp_path / "wide.png"), 2048) == (2048, 512)
    assert sent_size(str(tmp_path / "wide.png"), 8000) == (4000, 1000)


def test_what_is_no_image_has_no_size(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n not really")
    assert sent_size(str(tmp_path / "bad.png"), 2048) is None
    assert sent_size(str(tmp_path / "gone.png"), 2048) is None


def test_an_image_of_a_format_that_is_not_sent_has_no_size(tmp_path: Path) -> None:
    Image.new("RGB", (40, 10)).save(tmp_path / "f.tga")
    assert sent_size(str(tmp_path / "f.tga"), 2048) is None
