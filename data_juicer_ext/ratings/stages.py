"""Answers to the stages of a row, where a form reveals it step by step: `<run_dir>/review/stages.jsonl`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_juicer_ext.ratings.line_file import LineFile, append_line, number_in
from data_juicer_ext.ratings.rating_file import RatingKey, now


@dataclass(frozen=True)
class StageAnswer:
    """What was said at one stage."""

    values: dict[str, int]
    reason: str
    seconds: float


class StagesFile:
    """The answers to stages by annotator, form and row, kept up with a file that others may write to as well."""

    def __init__(self, path: Path) -> None:
        self._path, self._lines = path, LineFile(path)
        self._answers: dict[RatingKey, dict[str, list[StageAnswer]]] = {}

    def of(self, key: RatingKey) -> dict[str, list[StageAnswer]]:
        """The answers about a row by stage, oldest first."""
        anew, lines = self._lines.fresh()
        if anew:
            self._answers.clear()
        for line in lines:
            self._take(line)
        return self._answers.get(key, {})

    def append(self, key: RatingKey, stage: str, answer: StageAnswer) -> None:
        """Write an answer down, on disk when this returns. Raises OSError."""
        names = dict(zip(("annotator", "form", "row_id"), key, strict=True))
        append_line(self._path, {"time": now(), **names, "stage": stage, **vars(answer)})

    def _take(self, line: Mapping[str, Any]) -> None:
        values = line.get("values")
        if not isinstance(values, dict):
            return
        key = str(line.get("annotator")), str(line.get("form")), str(line.get("row_id"))
        answer = StageAnswer(
            {name: value for name, value in values.items() if type(value) is int}, str(line.get("reason") or ""),
            number_in(line, "seconds") or 0.0,
        )  # fmt: skip
        self._answers.setdefault(key, {}).setdefault(str(line.get("stage")), []).append(answer)
