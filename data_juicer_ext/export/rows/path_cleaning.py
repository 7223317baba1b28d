"""Rows without paths of the machine they were made on: made relative to the run, or cut down to the file's name.

In what papers and models wrote only the folders of this run, the current and the home folder are looked for: a path
that a paper prints stays. In everything else, nested values included, any absolute path goes.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from data_juicer_ext.rows import to_json

WRITTEN = frozenset({
    "question", "options", "rationale", "claim", "caption", "context", "context_places", "question_plain",
    "question_negated", "answer_text", "quality", "descriptions", "features", "figure_map", "judgement", "text",
    "sentence", "paragraph", "section", "description", "reason", "good", "bad",
})  # fmt: skip
"""Columns, and keys inside of columns, that hold what papers and models wrote."""

_LEFT_OUT = ("image", "images", "paper_path", "undecided")
_WHOLE = re.compile(r"(?:file://)?~?/(?:[^/\n<>{}$\\]+/)+[^/\n<>{}$\\]*")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/][^\n<>{}$|?*\"]+")
_INSIDE = re.compile(
    r"(?<![\w./:~-])~?/(?:[\w.@+~%=-]{1,255}/){1,64}[\w.@+~%=-]*"
    r"|(?<!\w)[A-Za-z]:\\(?:[\w.@+~ -]{1,255}\\){1,64}[\w.@+~-]*"
)


class Cleaner:
    """Takes the paths below `roots`, and any other absolute path in what nobody wrote, out of rows."""

    def __init__(self, roots: Iterable[Path]) -> None:
        long = {str(root) for root in roots if root.is_absolute() and len(root.parts) > 2}
        home = os.path.expanduser("~")  # noqa: PTH111 - does not raise: a user of a container may have no home
        self._long = _below(long | ({home} if home.count("/") > 1 else set()))
        self._roots = _below((long | {home}) - {"/", "~"})

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The columns of a row to export, without its images and without the host's own columns."""
        kept = {name: value for name, value in row.items() if name not in _LEFT_OUT and not name.startswith("__dj__")}
        return {name: self._written(value) if name in WRITTEN else self.value(value) for name, value in kept.items()}

    def value(self, value: Any) -> Any:
        """A value that nobody wrote; text that holds JSON is cleaned inside and otherwise left as it is."""
        if isinstance(value, str):
            nested = _nested(value)
            if nested is None:
                return self.path(value)
            cleaned = self._each(nested)
            return value if cleaned == nested else to_json(cleaned)
        return self._each(value)

    def path(self, text: str) -> str:
        """A text that nobody wrote, without absolute paths."""
        text = self._roots.sub("", text)
        if _WHOLE.fullmatch(text) or _WINDOWS.fullmatch(text):
            return _last(text)
        return _INSIDE.sub(lambda found: _last(found[0]), text)

    def _written(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._long.sub("", value)
        if isinstance(value, Mapping):
            return {key: self._written(item) for key, item in value.items()}
        return [self._written(item) for item in value] if isinstance(value, (list, tuple)) else value

    def _each(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.path(value)
        if isinstance(value, Mapping):
            return {
                self.path(str(key)): self._written(item) if key in WRITTEN else self._each(item)
                for key, item in value.items()
            }
        return [self._each(item) for item in value] if isinstance(value, (list, tuple)) else value


def _below(roots: Iterable[str]) -> re.Pattern[str]:
    """What stands before a path that is relative to one of the folders, the longest first."""
    ordered = "|".join(re.escape(root) for root in sorted(roots, key=lambda root: (-len(root), root)))
    return re.compile(rf"(?<![\w./~-])(?:file://)?(?:{ordered or '(?!)'})(?:/|(?![\w/.-]))")


def _last(path: str) -> str:
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


def _nested(text: str) -> Any:
    if not text.startswith(("{", "[")):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, (dict, list)) else None
