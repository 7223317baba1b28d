from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.models.types import Answer, Failure, Message, Request
from data_juicer_ext.offline import OfflineModel

SHARP: dict[str, Any] = {"edge_sharpness": 0.3, "pixel_count": 900_000, "ocr_mean_confidence": 0.9, "edge_density": 0.1,
                         "text_region_share": 0.1, "panel_label_count": 0, "readable_text": "0 10 20 30 accuracy",
                         "caption_ocr_token_overlap": 0.3}  # fmt: skip
FIELDS: dict[str, Any] = {
    "dimensions": ["VC", "SL", "C", "CTX", "MR"], "caption": "Accuracy of two methods over training steps.",
    "snippets": [{"section": "", "text": "Accuracy rises with steps.", "kind": "trend"}], "features": SHARP,
}  # fmt: skip


def ask(task: str, image: str = "", **fields: Any) -> Any:
    message = Message("user", "text", (image,) if image else ())
    answer = asyncio.run(OfflineModel().ask(Request((message,), f"scifigqual/{task}", {**FIELDS, **fields})))
    return json.loads(answer.text) if isinstance(answer, Answer) else answer


@pytest.fixture
def image(tmp_path: Path) -> str:
    path = tmp_path / "figure.png"
    Image.new("RGB", (300, 200), "white").save(path)
    return str(path)


def sidecar(image: str, **features: Any) -> dict[str, int]:
    answer = ask("sidecar", image, features={**SHARP, **features})
    return {name: scored["score"] for name, scored in answer.items()}


def test_the_stated_rules_from_features(image: str) -> None:
    usual = sidecar(image)
    assert usual == {"VC": 8, "SL": 8, "C": 8, "CTX": 8, "MR": 8}
    assert sidecar(image, edge_sharpness=0.01) == {**usual, "VC": 5, "MR": 7}
    assert sidecar(image, pixel_count=50_000)["VC"] == 6 and sidecar(image, pixel_count=200_000)["VC"] == 7
    assert sidecar(image, ocr_mean_confidence=0.5)["VC"] == 6 and sidecar(image, ocr_mean_confidence=0.99)["VC"] == 9
    assert sidecar(image, text_region_share=0.5)["SL"] == 6 and sidecar(image, panel_label_count=3)["SL"] == 9
    assert (
        sidecar(image, caption_ocr_token_overlap=0.6)["C"] == 9
        and sidecar(image, caption_ocr_token_overlap=0)["C"] == 6
    )
    assert sidecar(image, readable_text="")["MR"] == 6 and sidecar(image, readable_text="40 50 60 70")["MR"] == 7


@pytest.mark.parametrize(("kind", "score"), [("bare", 5), ("plain", 7), ("trend", 8)])
def test_context_goes_by_the_kind_of_the_citing_text(image: str, kind: str, score: int) -> None:
    snippets = [{"section": "", "text": "x", "kind": "bare"}, {"section": "", "text": "x", "kind": kind}]
    assert ask("sidecar", image, snippets=snippets)["CTX"]["score"] == score


def test_only_what_is_asked_for_is_scored(image: str) -> None:
    assert set(ask("direct", image, dimensions=["VC", "SL", "MR"])) == {"VC", "SL", "MR"}


def test_a_short_caption_is_vague_and_capped(image: str) -> None:
    assert ask("sidecar", image, caption="An overview.")["C"]["score"] == 5
    language = ask("agent_language", caption="An overview.", dimensions=["C", "MR"])
    assert language["caps"] == {"C": 6, "MR": None} and language["caption"]["names_metric"] is False


def test_the_language_stage_finds_pointers_and_strong_words() -> None:
    bare = ask(
        "agent_language", dimensions=["CTX", "MR"], snippets=[{"section": "", "text": "See Figure 3.", "kind": "bare"}]
    )
    assert bare["caps"]["CTX"] == 6 and bare["context"]["bare_reference"] is True and "caption" not in bare
    strong = [{"section": "", "text": "It significantly outperforms B.", "kind": "trend"}]
    assert ask("agent_language", snippets=strong, dimensions=["CTX", "MR"])["severity"] == "minor"
    told = [{"section": "", "text": "It significantly outperforms B by 3 points.", "kind": "trend"}]
    assert ask("agent_language", snippets=told, dimensions=["CTX", "MR"])["severity"] == "none"


def test_features_are_measured_where_the_request_brings_none(image: str) -> None:
    answer = ask("direct", image, features={})
    assert answer["VC"]["score"] == 6 and "pixels: 60000" in answer["VC"]["reason"]


def test_an_image_that_is_missing_or_broken_is_a_failure(tmp_path: Path) -> None:
    for task in ("direct", "sidecar", "agent_vision"):
        assert isinstance(ask(task), Failure) and ask(task).kind == "bad_image"
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no image")
    found = ask("direct", str(broken), features={})
    assert isinstance(found, Failure) and found.kind == "bad_image"
