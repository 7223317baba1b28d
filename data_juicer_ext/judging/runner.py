"""The Runner: what the code decides, whatever the judges' stages propose (SciFigQual, algorithm 1, v5)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.judging.evidence_gating import DIMENSIONS, available_dimensions, gated_mean

SEVERITIES = ("none", "minor", "moderate", "severe", "contradiction")
"""How badly the text misstates the figure, from mild to worst."""

CAPPED = ("C", "CTX", "MR")
CONTRADICTION_CAP = 2  # a citation that turns the trend around is worth 1 or 2 on CTX
LOWEST, HIGHEST = 1, 10
_BAND_KEY = re.compile(r"band|risk", re.I)
_NUMBER = re.compile(r"\d{1,9}")


def fuse_misleading_risk(low: int, high: int, severity: str, cap: int | None = None) -> int:
    """The misleading-risk score (1 to 10, 10: lowest risk) from the visual band and the text's severity.

    `low` and `high` bound the band that the vision stage read off the image, 1 <= low <= high <= 10;
    `severity` is one of `SEVERITIES`; `cap` (1 to 10) bounds the result from above. Halves are rounded
    to the even neighbour: 6.5 gives 6, 4.5 gives 4. Raises UsageError for anything else.
    """
    if not LOWEST <= low <= high <= HIGHEST:
        raise UsageError(f"risk band [{low}, {high}]: expected 1 <= low <= high <= 10")
    fused = max(LOWEST, min(HIGHEST, round(_risk(low, high, severity))))
    return fused if cap is None else min(fused, _whole("cap", cap))


def _risk(low: int, high: int, severity: str) -> float:
    middle = (low + high) / 2
    if severity == "none":
        return middle
    if severity == "minor":
        return max(low, middle - 1)
    if severity == "moderate":
        return middle if high <= 5 else 6.5
    if severity == "severe":
        return middle if high <= 3 else 4.5
    if severity == "contradiction":
        return 2
    raise UsageError(f"severity: {severity!r} is not one of {', '.join(SEVERITIES)}")


def apply_runner(
    scores: dict[str, Any], vision: dict[str, Any], language: dict[str, Any], available: set[str]
) -> dict[str, Any]:
    """The final scores of a figure from the reports of the agent's three stages.

    `scores`: what the fusion stage proposes: `C` and `CTX`, `severity` (optional), and an `MR` that is
    not read, as the fusion formula makes it. `VC` and `SL` in it are not read either.
    `vision`: `VC`, `SL` and the visual risk band, `risk_band: [low, high]` (also another key that holds
    "band" or "risk", "6-8" as text, or `low` and `high`, `l` and `h`, by themselves).
    `language`: `severity` (optional) and the caps, `caps: {"C": 6, "CTX": null, "MR": null}` (also
    `cap_C` or `C_cap` and so on by themselves); a cap that is null or missing is not set.
    A score is a whole number from 1 to 10, or an object that holds one as `score`.
    `available`: the evidence that there is, {"caption", "context"}, or the dimensions that are on
    (see `available_dimensions`).

    The severity that counts is the worse one of the two stages': fusion may raise what the language
    stage found, never lower it. Where it is `contradiction`, CTX is capped at 2.

    Returns `VC`, `SL`, `C`, `CTX`, `MR` (None where gated) and `overall`, the mean of those that are not
    None, unrounded (None, like all others, for an excluded figure). Raises UsageError for a score that is on
    but missing, or out of range.
    """
    on = available_dimensions(available)
    severity, caps = severity_of(scores, language), caps_of(language)
    final: dict[str, Any] = dict.fromkeys(DIMENSIONS)
    for name in on:
        if name in ("VC", "SL"):
            final[name] = _score("vision", vision, name)
        elif name == "MR":
            final[name] = fuse_misleading_risk(*band_of(vision), severity, caps["MR"])
        else:
            final[name] = min(_score("scores", scores, name), caps[name] or HIGHEST)
    if severity == "contradiction" and final["CTX"] is not None:
        final["CTX"] = min(final["CTX"], CONTRADICTION_CAP)
    return {**final, "overall": gated_mean(final)}


def severity_of(scores: Mapping[str, Any], language: Mapping[str, Any]) -> str:
    """The worse severity of the fusion and the language stage; "none" where neither says one."""
    said = [report["severity"] for report in (scores, language) if report.get("severity") is not None]
    if unknown := [word for word in said if word not in SEVERITIES]:
        raise UsageError(f"severity: {unknown[0]!r} is not one of {', '.join(SEVERITIES)}")
    return max(said, key=SEVERITIES.index, default=SEVERITIES[0])


def caps_of(language: Mapping[str, Any]) -> dict[str, int | None]:
    """The caps that the language stage sets on C, CTX and MR, None for those that it does not."""
    nested = language.get("caps") or {}
    given = {
        name: _first(nested, name, f"cap_{name}") or _first(language, f"cap_{name}", f"{name}_cap") for name in CAPPED
    }
    return {name: None if cap is None else _whole(f"cap of {name}", cap) for name, cap in given.items()}


def band_of(vision: Mapping[str, Any]) -> tuple[int, int]:
    """The visual risk band (low, high) of the vision stage. Raises UsageError where there is none."""
    named = next((value for key, value in vision.items() if _BAND_KEY.search(key) and value is not None), vision)
    if isinstance(named, Mapping):
        band: Sequence[Any] = (_first(named, "low", "l"), _first(named, "high", "h"))
    else:
        band = [int(number) for number in _NUMBER.findall(named)] if isinstance(named, str) else list(named)
    if len(band) != 2:
        raise UsageError(f"risk band {named!r}: expected two numbers, [low, high]")
    return _whole("risk band, low", band[0]), _whole("risk band, high", band[1])


def _first(report: Mapping[str, Any], *names: str) -> Any:
    return next((report[name] for name in names if report.get(name) is not None), None)


def _score(where: str, report: Mapping[str, Any], name: str) -> int:
    value = report.get(name)
    return _whole(f"{where}: {name}", value.get("score") if isinstance(value, Mapping) else value)


def _whole(what: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise UsageError(f"{what}: {value!r} is not a whole number from 1 to 10")
    if not LOWEST <= value <= HIGHEST:
        raise UsageError(f"{what}: {value!r} is not from 1 to 10")
    return int(value)
