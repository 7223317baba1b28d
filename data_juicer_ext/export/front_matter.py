"""The YAML head of a dataset card, as the Hugging Face Hub reads it.

Keys and values: https://github.com/huggingface/hub-docs/blob/main/datasetcard.md
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from data_juicer_ext.export.contents import UNKNOWN, Contents
from data_juicer_ext.export.order import PAIRS, RATED

TASKS = {PAIRS: ["visual-question-answering", "multiple-choice"], RATED: ["image-classification"]}
_OTHER_TASKS = ["image-classification"]
_SIZES = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"),
)  # fmt: skip
_HUB = {
    *(f"cc-{kind}-{version}" for kind in ("by", "by-sa", "by-nc", "by-nd", "by-nc-sa", "by-nc-nd")
      for version in ("2.0", "2.5", "3.0", "4.0")),
    "cc0-1.0",
}  # fmt: skip
"""Licences that the Hub knows by the name that rows carry."""


def front_matter(contents: Contents) -> str:
    """The head, between its two lines of dashes."""
    import yaml

    head: dict[str, Any] = {
        **_licence(sorted(contents.licences)),
        "task_categories": TASKS.get(contents.kind, _OTHER_TASKS),
        "size_categories": [size_category(contents.rows)],
        "pretty_name": f"Scientific figures: {contents.kind}",
        "tags": ["scientific-figures"],
    }
    if contents.files:
        files = [{"split": split, "path": path} for split, path in contents.files.items()]
        head["configs"] = [{"config_name": "default", "data_files": files}]
    return f"---\n{yaml.safe_dump(head, sort_keys=False, allow_unicode=True)}---\n"


def size_category(rows: int) -> str:
    """The Hub's word for so many rows."""
    return next((name for limit, name in _SIZES if rows < limit), "1B<n<10B")


def _licence(licences: Iterable[str]) -> dict[str, Any]:
    """One known licence, several known ones as a list; else `unknown`, or `other` with a pointer to the card."""
    named = list(licences)
    if not named or named == [UNKNOWN]:
        return {"license": "unknown"}
    if all(name in _HUB for name in named):
        return {"license": named[0] if len(named) == 1 else named}
    return {"license": "other", "license_name": "by-source", "license_link": "README.md"}
