"""arXiv categories by name, for prompts ("cs.CL") and for counts ("cs").

Source: the category taxonomy that arXiv publishes; former archives are kept under today's names.
"""

from functools import cache
from pathlib import Path
from typing import Any

import yaml


@cache
def _taxonomy() -> dict[str, Any]:
    """`archives` by name, by archive the names of `categories`, and of `former` archives today's."""
    table: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("arxiv_categories.yaml").read_text("utf-8"))
    return table


def spelled_out(category: str) -> str:
    """ "cs.CL" as "computer science (computation and language)"; "" as "science".

    Of several categories (arXiv's metadata lists them with blanks between) the first is taken. What is
    no arXiv category is given back as it is.
    """
    known = _known(category)
    if not known:
        return category.strip() or "science"
    archive, _, code = known.partition(".")
    name, category = _taxonomy()["archives"][archive], _taxonomy()["categories"].get(archive, {}).get(code)
    return f"{name} ({category})" if category else str(name)


def archive(category: str) -> str:
    """The archive that a category is counted under: "cs" for "cs.CL", "hep-th" for itself."""
    known = _known(category)
    return known.partition(".")[0] if known else category.strip()


def _known(category: str) -> str:
    """The first category in today's form, or "" if arXiv has no such archive."""
    first = (category.split() or [""])[0]
    first = _taxonomy()["former"].get(first, first)
    return first if first.partition(".")[0] in _taxonomy()["archives"] else ""
