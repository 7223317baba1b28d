"""Which dimensions of a figure can be scored, and the mean over those (SciFigQual, section 3.1 and appendix A.2).

Missing text is never scored as low quality: its dimension is null, and does not enter the mean.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from data_juicer_ext.errors import UsageError

DIMENSIONS = ("VC", "SL", "C", "CTX", "MR")
"""Visual clarity, structure and layout, caption consistency, context consistency, misleading risk (10: lowest)."""

CAPTION, CONTEXT = "caption", "context"

# What a text dimension rests on; the others rest on the image.
_RESTS_ON = {"C": CAPTION, "CTX": CONTEXT}
_SPELLINGS = {
    **dict.fromkeys(("caption", "c"), CAPTION),
    **dict.fromkeys(("context", "T", "citing", "citing_text", "citing_paragraphs"), CONTEXT),
}
_FROM_IMAGE = frozenset({"image", "figure", "I"})
_BARE_CUE = re.compile(r"fig(?:ure|\.)?\s{0,3}[A-Z]?[\d.]{0,8}[a-z]?\s{0,3}[.:|)–—-]{0,3}", re.I)


def evidence_of(caption: str, paragraphs: Collection[str]) -> frozenset[str]:
    """What there is to judge a figure by beside its image: of "caption" and "context".

    A caption that is blank or a bare number ("Figure 3.") is none; `paragraphs` are those that count.
    """
    found = set()
    if caption.strip() and not _BARE_CUE.fullmatch(caption.strip()):
        found.add(CAPTION)
    if any(paragraph.strip() for paragraph in paragraphs):
        found.add(CONTEXT)
    return frozenset(found)


def dimensions_on(evidence: Collection[str]) -> tuple[str, ...]:
    """The dimensions that `evidence` (of "caption" and "context") lets be scored; () where there is neither.

    The gate: with both all five; without a caption no C; without citing text no CTX; without either
    the figure is excluded.
    """
    if CAPTION not in evidence and CONTEXT not in evidence:
        return ()
    return tuple(name for name in DIMENSIONS if _RESTS_ON.get(name) in (None, *evidence))


def available_dimensions(available: Collection[str]) -> tuple[str, ...]:
    """The dimensions that are on, from a set of evidence or of dimensions.

    Evidence: "caption" (or "c") and "context" (or "T", "citing"), beside which "image" says nothing new.
    Dimensions: those of `DIMENSIONS` that are on; where only C and CTX are named, VC, SL and MR are on as
    well, as the gate never closes them alone. An empty set excludes the figure: (). Raises UsageError for
    other names, and for evidence and dimensions in one set.
    """
    names = set(available)
    if names and names <= set(DIMENSIONS):
        text_alone = names <= set(_RESTS_ON)
        return tuple(name for name in DIMENSIONS if name in names or (text_alone and name not in _RESTS_ON))
    if unknown := names - set(_SPELLINGS) - _FROM_IMAGE:
        raise UsageError(
            f"available: {', '.join(sorted(map(str, unknown)))} is neither evidence (caption, context) "
            f"nor, without evidence beside it, a dimension ({', '.join(DIMENSIONS)})"
        )
    return dimensions_on({_SPELLINGS[name] for name in names if name in _SPELLINGS})


def gated_mean(scores: Mapping[str, Any]) -> float | None:
    """The mean of the dimensions that are not null; None where all are (other keys do not count)."""
    given = [float(scores[name]) for name in DIMENSIONS if scores.get(name) is not None]
    return sum(given) / len(given) if given else None
