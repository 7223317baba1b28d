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


@pytest.mark.parametrize(
    ("feature", "dimension", "steps"),
    [
        ("edge_sharpness", "VC", [(0.039, 5), (0.04, 8), (None, 8)]),
        ("pixel_count", "VC", [(119_999, 6), (120_000, 7), (399_999, 7), (400_000, 8)]),
        ("ocr_mean_confidence", "VC", [(0.59, 6), (0.6, 7), (0.79, 7), (0.8, 8), (0.94, 8), (0.95, 9), (None, 8)]),
        ("text_region_share", "SL", [(0.25, 8), (0.26, 7), (0.4, 7), (0.41, 6), (None, 8)]),
        ("edge_density", "SL", [(0.25, 8), (0.26, 7)]),
        ("panel_label_count", "SL", [(1, 8), (2, 9)]),
        ("caption_ocr_token_overlap", "C", [(0.09, 6), (0.1, 7), (0.24, 7), (0.25, 8), (0.49, 8), (0.5, 9)]),
        ("caption_ocr_numeric_overlap", "C", [(0.5, 8), (0.49, 7)]),
    ],
)
def test_each_step_of_a_rule(image: str, feature: str, dimension: str, steps: list[tuple[Any, int]]) -> None:
    assert [(value, sidecar(image, **{feature: value})[dimension]) for value, _ in steps] == steps


def test_scores_say_what_moved_them(image: str) -> None:
    told = ask("sidecar", image, features={**SHARP, "edge_sharpness": 0.01, "pixel_count": 100})
    assert told["VC"]["score"] == 3
    assert told["VC"]["reason"].startswith("by rule, from 8: -3 blurred edges, sharpness 0.01; -2 pixels: 100")
    assert told["SL"]["reason"] == "by rule, from 8: nothing measured speaks against it"
    assert told["MR"]["reason"] == "by rule, from [7, 9]: blurred edges, sharpness 0.01"


@pytest.mark.parametrize(
    ("text", "score"),
    [("10 20 30 40", 7), ("10 20 30", 8), ("0 10 20 30", 8), ("0.0 10 20 30", 8), (" ", 6), ("words", 8)],
)
def test_the_band_goes_by_the_numbers_that_can_be_read(image: str, text: str, score: int) -> None:
    assert sidecar(image, readable_text=text)["MR"] == score


@pytest.mark.parametrize(("caption", "score"), [("one two three four five", 5), ("one two three four five six", 8)])
def test_a_caption_of_fewer_than_six_words_is_short(image: str, caption: str, score: int) -> None:
    assert ask("sidecar", image, caption=caption)["C"]["score"] == score
    low = ask("sidecar", image, caption=caption, features={**SHARP, "caption_ocr_token_overlap": 0,
                                                           "caption_ocr_numeric_overlap": 0})  # fmt: skip
    assert low["C"]["score"] == 5 and "words" not in low["C"]["reason"].replace("caption's words", "")


def looked(image: str, **features: Any) -> Any:
    return ask("agent_vision", image, features={**SHARP, **features})


@pytest.mark.parametrize(
    ("text", "kind"),
    [("1 2 3 4", "plot"), ("1 2 3", "diagram"), ("Encoder", "diagram"), (" ", "other"), (None, "other")],
)
def test_the_vision_stage_tells_what_it_sees(image: str, text: str | None, kind: str) -> None:
    seen = looked(image, readable_text=text)
    assert seen["figure_type"] == kind and (seen["VC"]["score"], seen["SL"]["score"]) == (8, 8)
    assert seen["facts"]["content"] == (text or "") and seen["risk_band"][1] - seen["risk_band"][0] == 2


def test_the_vision_stage_shows_so_much_and_no_more(image: str) -> None:
    seen = looked(image, readable_text="\n".join(map(str, range(100, 300))))
    facts = seen["facts"]
    assert len(facts["content"]) == 300 and len(facts["axes"]) == len(facts["groups"]) == 12
    assert facts["axes"][0] == "100"


def language(*snippets: tuple[str, str], caption: str = "", dimensions: tuple[str, ...] = ("C", "CTX", "MR")) -> Any:
    listed = [{"section": "", "text": text, "kind": kind} for text, kind in snippets]
    return ask("agent_language", caption=caption, snippets=listed, dimensions=list(dimensions))


def test_the_language_stage_tells_claims_trends_and_caps() -> None:
    said = language(("It rises clearly.", "trend"), ("See it.", "bare"), caption="One. Two three four five six seven.")
    assert said["caps"] == {"C": None, "CTX": None, "MR": None}
    assert said["severity"] == "minor" and "It rises clearly." in said["severity_reason"]
    assert said["caption"] == {"claims": ["One.", "Two three four five six seven."], "names_metric": None,
                               "names_groups": None}  # fmt: skip
    assert said["context"] == {"claims": ["It rises clearly.", "See it."], "trends": ["It rises clearly."],
                               "bare_reference": False}  # fmt: skip
    calm = language(("It rises clearly by 5 here.", "plain"))
    assert calm["severity"] == "none" and calm["severity_reason"] == "by rule: no strong word without a number"
    many = language(*[(f"It is {n}.", "trend") for n in range(9)], caption="A b. " * 9)
    assert len(many["context"]["claims"]) == len(many["caption"]["claims"]) == 6 and len(many["context"]["trends"]) == 9
    assert "caption" not in language(dimensions=("MR",)) and "context" not in language(dimensions=("MR",))
    assert len(language(("x" * 400, "trend"))["context"]["trends"][0]) == 300


def fused(image: str, *snippets: tuple[str, str], caption: str, **features: Any) -> Any:
    vision, said = looked(image, **features), language(*snippets, caption=caption)
    return ask("agent_fusion", vision=json.dumps(vision), language=json.dumps(said), dimensions=["C", "CTX", "MR"])


def test_the_fusion_joins_what_both_stages_saw(image: str) -> None:
    caption = "Accuracy of the encoder after many training steps."
    found = fused(image, ("It rises.", "trend"), caption=caption, readable_text="accuracy encoder training steps")
    assert (found["C"]["score"], found["CTX"]["score"], found["MR"]["score"]) == (9, 8, 8)
    assert found["severity"] == "none"
    other = fused(image, ("See it.", "bare"), caption=caption, readable_text="", edge_sharpness=0.01)
    assert (other["C"]["score"], other["CTX"]["score"], other["MR"]["score"]) == (6, 5, 5)
    assert fused(image, ("It is.", "plain"), caption="Too short.")["CTX"]["score"] == 7
