"""What is asked of an export: its format, its rows, its splits."""

import math
import re
from dataclasses import dataclass

from data_juicer_ext.errors import UsageError

FORMATS = ("hf", "ms-swift", "llava", "openai", "parquet", "jsonl")
DIALOGUES = ("ms-swift", "llava", "openai")
"""The formats that hold a question and its answer as a dialogue."""

COPY, EMBED = "copy", "embed"
IMAGES = {
    "hf": (EMBED,), "parquet": (EMBED, COPY), "ms-swift": (COPY, EMBED), "llava": (COPY,), "openai": (EMBED,),
    "jsonl": (COPY, EMBED),
}  # fmt: skip
"""How each format can hold images, the usual way first."""

_NO_WAY = {
    ("hf", COPY): "the feature Image of a Parquet file needs the bytes",
    ("llava", EMBED): "LLaVA reads image files",
    ("openai", COPY): "a path on this machine means nothing to the API",
}

DEFAULT_SPLITS = "train=0.8,validation=0.1,test=0.1"
Splits = tuple[tuple[str, float], ...]
# What `datasets` takes for a split, short enough for a file's name.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
NEAR_QUESTIONS = 0.9


@dataclass(frozen=True)
class ExportOptions:
    """An export as asked for.

    `kind` is one of `kinds.KINDS`, "" to know it by the columns. `images` is COPY or EMBED, "" for the format's usual
    way. `splits` are names with shares that sum to 1. `near_questions`: two questions about a figure that are as
    like as this (0 to 1) are one; 0 for not looking. `max_per_figure`: rows of one figure at most, 0 for any number.
    `licences` are patterns such as "cc-by-4.0" or "cc-by*", () for any. `accepted`: only what reviewers accepted.
    `shuffle_options`: new orders of the options, so that the answers spread over the letters. `caption`, `rationale`:
    put these into the dialogues of pairs.
    """

    format: str
    kind: str = ""
    images: str = ""
    splits: Splits = (("train", 0.8), ("validation", 0.1), ("test", 0.1))
    seed: int = 0
    near_questions: float = NEAR_QUESTIONS
    max_per_figure: int = 0
    licences: tuple[str, ...] = ()
    accepted: bool = False
    shuffle_options: bool = False
    caption: bool = False
    rationale: bool = False

    def __post_init__(self) -> None:
        """Raises UsageError for what no export can be."""
        if self.format not in FORMATS:
            raise UsageError(f"--format {self.format}: choose one of {', '.join(FORMATS)}")
        if self.images and self.images not in IMAGES[self.format]:
            why = _NO_WAY.get((self.format, self.images), f"choose one of {', '.join(IMAGES[self.format])}")
            raise UsageError(f"--images {self.images} is not for --format {self.format}: {why}")
        if not 0 <= self.near_questions <= 1:
            raise UsageError(f"--near-questions {self.near_questions:g}: write a number from 0 (do not look) to 1")
        if self.max_per_figure < 0:
            raise UsageError(f"--max-per-figure {self.max_per_figure}: write a number from 1 on, or 0 for all")

    @property
    def embeds(self) -> bool:
        """Whether images go into the files instead of beside them."""
        return (self.images or IMAGES[self.format][0]) == EMBED

    @property
    def split_names(self) -> list[str]:
        """The names of the splits in their order."""
        return [name for name, _ in self.splits]


def read_splits(text: str) -> Splits:
    """The splits that "train=0.8,test=0.2" names. Raises UsageError for anything else, or shares that are not 1."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = (word.strip() for word in part.partition("="))
        try:
            number = float(share)
        except ValueError:
            number = math.nan
        if not _NAME.fullmatch(name) or name in found or not 0 < number <= 1:
            raise UsageError(f"--splits {text}: write names, each once, with shares above 0, such as {DEFAULT_SPLITS}")
        if name == "all":
            raise UsageError(f"--splits {text}: to `datasets` the name all means all splits; take another")
        found[name] = number
    if not math.isclose(sum(found.values()), 1, abs_tol=1e-6):
        raise UsageError(f"--splits {text}: the shares sum to {sum(found.values()):g}, not to 1")
    return tuple(found.items())
