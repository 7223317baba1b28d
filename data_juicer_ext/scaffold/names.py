"""The names of a new operator and of the package it goes to, checked before anything is written."""

import importlib.util
import keyword
import re
from dataclasses import dataclass
from pathlib import Path

from data_juicer_ext.errors import UsageError
from data_juicer_ext.rows import FIGURE_ROW

KINDS = ("mapper", "filter")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_LONGEST = 60


@dataclass(frozen=True)
class OperatorName:
    """An operator's name, such as caption_topic_mapper, and what is made of it."""

    name: str

    @property
    def kind(self) -> str:
        """`mapper` or `filter`."""
        return self.name.rpartition("_")[2]

    @property
    def stem(self) -> str:
        """The name without its kind: that of its prompt, and of the column that it makes."""
        return self.name.rpartition("_")[0]

    @property
    def class_name(self) -> str:
        """CaptionTopicMapper for caption_topic_mapper."""
        return "".join(part.capitalize() for part in self.name.split("_"))


def operator_name(name: str, kind: str = "") -> OperatorName:
    """The checked name; `kind` is added where the name does not end in one. Raises UsageError."""
    suffix = next((known for known in KINDS if name.endswith(f"_{known}")), "")
    if not suffix and not kind:
        raise UsageError(f"NAME: {name!r} has to end in _mapper or _filter, or tell which by --kind")
    if suffix and kind and suffix != kind:
        raise UsageError(f"NAME: {name!r} is a {suffix} by its name, and --kind says {kind}")
    full = name if suffix else f"{name}_{kind}"
    if not _SNAKE.fullmatch(full):
        raise UsageError(f"NAME: {name!r} has to be lower case words joined by _, such as caption_topic_mapper")
    if len(full) > _LONGEST:
        raise UsageError(f"NAME: {name!r} is longer than {_LONGEST} characters")
    found = OperatorName(full)
    if found.kind == "mapper" and found.stem in (*FIGURE_ROW, "text"):
        raise UsageError(f"NAME: {found.stem!r} would be the column that it makes, and rows have such a column already")
    return found


def package_name(folder: Path) -> str:
    """The name of the package in a new folder of operators, made of the folder's. Raises UsageError."""
    name = re.sub(r"[^a-z0-9]+", "_", folder.resolve().name.lower()).strip("_")
    if not _SNAKE.fullmatch(name) or keyword.iskeyword(name):
        raise UsageError(f"--to: {folder} gives no name for a package; name a folder such as my_operators")
    if name in ("tests", "recipes", "examples", "prompts", "outputs") or importlib.util.find_spec(name) is not None:
        raise UsageError(f"--to: a package {name!r} is there already; name another folder")
    return name
