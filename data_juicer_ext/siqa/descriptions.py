"""How an image looks where it does well along a dimension, and where it does badly, read from an answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from data_juicer_ext.errors import UsageError
from data_juicer_ext.qa.answer_tags import find_tags, without_thinking
from data_juicer_ext.qa.option_forms import key
from data_juicer_ext.rows import visible

PARSER_VERSION = "description-1"
_TAGS = ("good", "bad")
_LONGEST = 2_000  # characters of one description


@dataclass(frozen=True)
class Description:
    """Good and bad quality along one dimension, as texts about one image."""

    good: str
    bad: str


@dataclass(frozen=True)
class DescriptionParse:
    """A description read, or None with `problem` saying what was wrong, as a repair prompt says it."""

    description: Description | None
    problem: str = ""


def parse_description(text: str) -> DescriptionParse:
    """Read <good> and <bad>; the last of each counts. Longer texts than 2,000 characters are cut."""
    shown = visible(without_thinking(text))
    parts = {tag.name: " ".join(tag.content(shown).split())[:_LONGEST] for tag in find_tags(shown, _TAGS)}
    missing = next((name for name in _TAGS if not any(map(str.isalpha, parts.get(name, "")))), "")
    if missing:
        return DescriptionParse(None, f"<{missing}> is missing or empty")
    if key(parts["good"]) == key(parts["bad"]):
        return DescriptionParse(None, "<good> and <bad> are the same")
    return DescriptionParse(Description(parts["good"], parts["bad"]))


def told(descriptions: Mapping[str, Description]) -> dict[str, dict[str, str]]:
    """The content of the column `descriptions`: by dimension `good` and `bad`."""
    return {dimension: {"good": found.good, "bad": found.bad} for dimension, found in descriptions.items()}


def read_descriptions(value: object) -> dict[str, Description]:
    """The descriptions in the decoded column. Raises UsageError, with what to do, for another shape."""
    if not isinstance(value, Mapping):
        raise UsageError("the column descriptions is no JSON object: run siqa_description_mapper first")
    found = {}
    for dimension, pair in value.items():
        if not isinstance(pair, Mapping) or not all(isinstance(pair.get(name), str) for name in _TAGS):
            raise UsageError(f"descriptions of {dimension} have no texts good and bad: run siqa_description_mapper")
        found[str(dimension)] = Description(pair["good"], pair["bad"])
    return found
