"""Figure quality by rules: a baseline, no judgement. It sees features and words, not what a figure means.

Each dimension starts from a score that most figures get and moves by what was measured:

- VC from 8: -3 blurred edges; -2 or -1 few pixels; -2 or -1 where OCR reads with little confidence, +1 with much.
- SL from 8: -2 or -1 where text covers much of the image; -1 dense edges; +1 labelled panels.
- C from 6: +1, +2 or +3 the more of the caption's words stand in the figure; -1 where most of its numbers do
  not; at most 5 for a caption of fewer than six words.
- CTX: 5 where the citing text merely points, 7 where it states something, 8 where it compares or tells a trend.
- MR: the lower middle of the band 7 to 9; a band lower by 1 for blur, by 2 where no text can be read, by 1
  where the numbers in a plot hold no zero. Strong words without a number make the text's severity minor.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from data_juicer_ext.models.types import Failure
from data_juicer_ext.offline.text.sentences import sentences

_BLURRED, _FEW_PIXELS, _VERY_FEW_PIXELS = 0.04, 400_000, 120_000
_TEXT_BY_KIND = {"bare": 5, "plain": 7, "trend": 8}
_SHORT_CAPTION = 6  # words
_TEXT_CAP = 6
_STRONG = re.compile(r"\b(?:significantly|dramatically|drastically|clearly|remarkabl[ey]|massively)\b", re.I)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_CLAIMS, _SHOWN = 6, 300

Features = Mapping[str, Any]


def _scored(start: int, moves: Sequence[tuple[int, str]]) -> dict[str, Any]:
    score = max(1, min(10, start + sum(move for move, _ in moves)))
    told = "; ".join(f"{move:+d} {why}" for move, why in moves if move)
    return {"score": score, "reason": f"by rule, from {start}: {told or 'nothing measured speaks against it'}"}


def _steps(value: Any, steps: Sequence[tuple[Callable[[float], bool], int, str]]) -> list[tuple[int, str]]:
    """The first step whose condition a measured value meets; none where it was not measured."""
    if not isinstance(value, (int, float)):
        return []
    return next(([(move, f"{why} {value:g}")] for holds, move, why in steps if holds(value)), [])


def _clarity(features: Features) -> dict[str, Any]:
    pixels, confidence = "pixels:", "mean OCR confidence"
    return _scored(8, [
        *_steps(features.get("edge_sharpness"), [(lambda v: v < _BLURRED, -3, "blurred edges, sharpness")]),
        *_steps(features.get("pixel_count"), [(lambda v: v < _VERY_FEW_PIXELS, -2, pixels),
                                              (lambda v: v < _FEW_PIXELS, -1, pixels)]),
        *_steps(features.get("ocr_mean_confidence"), [(lambda v: v < 0.6, -2, confidence),
                                                      (lambda v: v < 0.8, -1, confidence),
                                                      (lambda v: v >= 0.95, 1, confidence)]),
    ])  # fmt: skip


def _layout(features: Features) -> dict[str, Any]:
    text, crowded = features.get("text_region_share"), "share of the image under text"
    return _scored(8, [
        *_steps(text, [(lambda v: v > 0.4, -2, crowded), (lambda v: v > 0.25, -1, crowded)]),
        *_steps(features.get("edge_density"), [(lambda v: v > 0.25, -1, "edge density")]),
        *_steps(features.get("panel_label_count"), [(lambda v: v >= 2, 1, "panel labels:")]),
    ])  # fmt: skip


def _caption(words: int, tokens: Any, numbers: Any) -> dict[str, Any]:
    share, missing = "share of the caption's words in the figure", "share of the caption's numbers in the figure"
    scored = _scored(6, [
        *_steps(tokens, [(lambda v: v >= 0.5, 3, share), (lambda v: v >= 0.25, 2, share),
                         (lambda v: v >= 0.1, 1, share)]),
        *_steps(numbers, [(lambda v: v < 0.5, -1, missing)]),
    ])  # fmt: skip
    if words < _SHORT_CAPTION and scored["score"] > 5:
        return {"score": 5, "reason": f"by rule: a caption of {words} words"}
    return scored


def _context(kinds: Sequence[str]) -> dict[str, Any]:
    best = max(kinds, key=lambda kind: _TEXT_BY_KIND[kind], default="bare")
    said = {"bare": "merely points at the figure", "plain": "states something", "trend": "compares or tells a trend"}
    return {"score": _TEXT_BY_KIND[best], "reason": f"by rule: the citing text {said[best]}"}


def _band(features: Features) -> tuple[list[int], str]:
    text, why, low = str(features.get("readable_text") or ""), list[str](), 7
    if (sharpness := features.get("edge_sharpness")) is not None and sharpness < _BLURRED:
        low, why = low - 1, [*why, f"blurred edges, sharpness {sharpness:g}"]
    numbers = _NUMBER.findall(text)
    if not text.strip():
        low, why = low - 2, [*why, "no text can be read"]
    elif len(numbers) >= 4 and not any(float(number) == 0 for number in numbers):
        low, why = low - 1, [*why, "the numbers in it hold no zero"]
    return [low, low + 2], f"by rule, from [7, 9]: {'; '.join(why) or 'nothing measured speaks against it'}"


def _measured(fields: Mapping[str, Any], images: tuple[str, ...]) -> Features:
    """The features that the request brings; else they are measured here, text where OCR is installed."""
    if fields.get("features"):
        return dict(fields["features"])
    from data_juicer_ext.figures.features.figure_features import figure_features
    from data_juicer_ext.figures.ocr import OcrMissingError

    caption = str(fields.get("caption") or "")
    try:
        return figure_features(images, caption)
    except OcrMissingError:
        return figure_features(images, caption, ocr=False)


def _judge(fields: Mapping[str, Any], images: tuple[str, ...]) -> Any:
    features, words = _measured(fields, images), len(str(fields["caption"]).split())
    band, why = _band(features)
    kinds = [snippet["kind"] for snippet in fields["snippets"]]
    tokens, numbers = features.get("caption_ocr_token_overlap"), features.get("caption_ocr_numeric_overlap")
    scored = {
        "VC": _clarity(features), "SL": _layout(features), "C": _caption(words, tokens, numbers),
        "CTX": _context(kinds), "MR": {"score": sum(band) // 2, "reason": why},
    }  # fmt: skip
    return {name: scored[name] for name in fields["dimensions"]}


def _look(fields: Mapping[str, Any], images: tuple[str, ...]) -> Any:
    features = _measured(fields, images)
    band, why = _band(features)
    text = str(features.get("readable_text") or "")
    numbers = _NUMBER.findall(text)
    return {
        "figure_type": "plot" if len(numbers) >= 4 else "diagram" if text.strip() else "other",
        "facts": {"content": text[:_SHOWN], "axes": numbers[:12], "groups": text.split("\n")[:12]},
        "VC": _clarity(features), "SL": _layout(features), "risk_band": band, "risk_reason": why,
    }  # fmt: skip


def _read(fields: Mapping[str, Any], images: tuple[str, ...]) -> Any:
    on, caption, snippets = fields["dimensions"], str(fields["caption"]), fields["snippets"]
    said = [sentence for snippet in snippets for sentence in sentences(snippet["text"])]
    strong = [sentence for sentence in said if _STRONG.search(sentence) and not _NUMBER.search(sentence)]
    short, bare = len(caption.split()) < _SHORT_CAPTION, {snippet["kind"] for snippet in snippets} == {"bare"}
    caps = {"C": _TEXT_CAP if short else None, "CTX": _TEXT_CAP if bare else None, "MR": None}
    report: dict[str, Any] = {
        "caps": {name: caps[name] for name in on}, "severity": "minor" if strong else "none",
        "severity_reason": f"by rule: {strong[0][:_SHOWN]!r}" if strong else "by rule: no strong word without a number",
    }  # fmt: skip
    if "C" in on:
        report["caption"] = {
            "claims": sentences(caption)[:_CLAIMS],
            "names_metric": False if short else None,
            "names_groups": None,
        }
    if "CTX" in on:
        trends = [snippet["text"][:_SHOWN] for snippet in snippets if snippet["kind"] == "trend"]
        report["context"] = {"claims": said[:_CLAIMS], "trends": trends, "bare_reference": bare}
    return report


def _fuse(fields: Mapping[str, Any], images: tuple[str, ...]) -> Any:
    from data_juicer_ext.figures.features.text import caption_overlap

    vision, language = json.loads(fields["vision"]), json.loads(fields["language"])
    claims = " ".join((language.get("caption") or {}).get("claims", []))
    seen = " ".join((vision["facts"]["content"], *vision["facts"]["axes"], *vision["facts"]["groups"]))
    shared, context = caption_overlap(claims, seen), language.get("context") or {}
    kind = "bare" if context.get("bare_reference") else "trend" if context.get("trends") else "plain"
    scored = {
        "C": _caption(len(claims.split()), shared.caption_ocr_token_overlap, shared.caption_ocr_numeric_overlap),
        "CTX": _context([kind]),
        "MR": {"score": sum(vision["risk_band"]) // 2, "reason": vision["risk_reason"]},
    }
    about = {name: language[name] for name in ("severity", "severity_reason")}
    return {**{name: scored[name] for name in fields["dimensions"]}, **about}


_RULES: dict[str, Callable[[Mapping[str, Any], tuple[str, ...]], Any]] = {
    "scifigqual/direct": _judge,
    "scifigqual/sidecar": _judge,
    "scifigqual/agent_vision": _look,
    "scifigqual/agent_language": _read,
    "scifigqual/agent_fusion": _fuse,
}


def _answering(task: str) -> Callable[[Mapping[str, Any], tuple[str, ...]], str | Failure]:
    rule, sees = _RULES[task], _RULES[task] in (_judge, _look)

    def answer(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
        from data_juicer_ext.figures.features.figure_features import FeatureError

        if sees and not images:
            return Failure("bad_image", "the request has no image", False)
        try:
            return json.dumps(rule(fields, images), ensure_ascii=False)
        except FeatureError as error:
            return Failure("bad_image", str(error), False)

    return answer


QUALITY_TASKS = {task: _answering(task) for task in _RULES}
"""The tasks of `prompts/scifigqual/` with the function that answers each, as JSON text."""
