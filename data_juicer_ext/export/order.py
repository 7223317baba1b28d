"""What is asked of an export: its form, its rows, its splits."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

FORMATS = ("hf", "ms-swift", "llava", "openai", "parquet", "jsonl")
DIALOGUES = ("ms-swift", "llava", "openai")
"""The formats that hold a question and its answer as a dialogue."""

PAIRS, RATED, SCORED = "pairs", "rated images", "scored figures"
KINDS = {"pairs": PAIRS, "rated": RATED, "scored": SCORED}
"""The kinds of rows that can be exported, by the name that `--kind` takes."""

DEFAULT_SPLITS = "train=0.8,validation=0.1,test=0.1"
Splits = tuple[tuple[str, float], ...]
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")


@dataclass(frozen=True)
class Order:
    """An export as asked for.

    `kind` is one of `KINDS`' values, "" to know it by the columns. `accepted`: only what reviewers accepted.
    `licences` are names of `ingest.licences`, () for any. `splits` are names with shares that sum to 1.
    `max_per_figure`: rows of one figure at most, 0 for any number.
    """

    format: str
    kind: str = ""
    accepted: bool = False
    licences: tuple[str, ...] = ()
    splits: Splits = (("train", 0.8), ("validation", 0.1), ("test", 0.1))
    seed: int = 0
    max_per_figure: int = 0


def read_splits(text: str) -> Splits:
    """The splits that "train=0.8,test=0.2" names. Raises ValueError for anything else, or shares that are not 1."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = (word.strip() for word in part.partition("="))
        try:
            number = float(share)
        except ValueError:
            number = math.nan
        if not _NAME.fullmatch(name) or name in found or not 0 < number <= 1:
            raise ValueError(f"--splits {text}: write names, each once, with shares above 0, such as {DEFAULT_SPLITS}")
        found[name] = number
    if not math.isclose(sum(found.values()), 1, abs_tol=1e-6):
        raise ValueError(f"--splits {text}: the shares sum to {sum(found.values()):g}, not to 1")
    return tuple(found.items())
