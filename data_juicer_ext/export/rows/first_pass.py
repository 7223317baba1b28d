"""One pass over an export: every row is set aside on disk, and what choices are made by is kept of it.

So a hundred thousand rows take tens of megabytes of memory, whatever is in them.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from types import TracebackType
from typing import Any

from data_juicer_ext.annotation.balanced_sample import images_in
from data_juicer_ext.annotation.question_check import index_of
from data_juicer_ext.errors import UsageError
from data_juicer_ext.export.rows.columns import Columns, in_order
from data_juicer_ext.export.rows.left_out import LeftOut
from data_juicer_ext.export.rows.path_cleaning import Cleaner
from data_juicer_ext.export.rows.row_kinds import FIGURES, KINDS, RowKind, exported_kind, fits, not_exportable, released
from data_juicer_ext.rows import scrub, to_json

_READ = 2000  # characters of a question and of an answer that are compared with others


@dataclass
class RowEntry:
    """What is known of a row without reading it again.

    `images` are as the row names them. `asked` and `answered` are the question and the right option, "" where the
    row asks nothing.
    """

    row_id: str
    digest: bytes
    kind: str
    offset: int
    length: int
    paper: str
    figure: str
    licence: str
    images: tuple[str, ...]
    asked: str = ""
    answered: str = ""


@dataclass
class Taken:
    """Rows that are whole and of one kind, by id."""

    kind: RowKind
    entries: dict[str, RowEntry] = field(default_factory=dict)


class Intake:
    """Rows set aside in an unnamed file of `folder`, without machine paths; a context that gives the space back.

    `columns` are those of all rows of the kind that was taken.
    """

    def __init__(self, folder: Path, cleaner: Cleaner, left_out: LeftOut) -> None:
        self.columns = Columns()
        self._cleaner, self._left_out = cleaner, left_out
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - this is the context

    def __enter__(self) -> "Intake":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def take(self, rows: Iterable[Mapping[str, Any]], kind_name: str) -> Taken:
        """Set all rows aside; returns those of the kind (named, or else the only one that there is).

        Raises UsageError where rows are of no kind, or of several and none is named.
        """
        named = KINDS.get(kind_name)
        entries: dict[str, RowEntry] = {}
        stranger: Mapping[str, Any] | None = None
        for row in rows:
            name = kind_name if named and fits(row, named) else "" if named else exported_kind(row)
            if not row.get("row_id"):
                self._left_out.add("no_row_id", "", "a row without row_id")
            elif name:
                self._set_aside(row, KINDS[name], entries)
            else:
                stranger = stranger or row
                self._left_out.add("other_kind", str(row["row_id"]), "")
        kind = named or _only({entry.kind for entry in entries.values()})
        if kind is None or not entries:
            raise UsageError(_none_taken(named, stranger, self._left_out))
        return Taken(kind, entries)

    def row(self, entry: RowEntry) -> dict[str, Any]:
        """A row, read again."""
        self._file.seek(entry.offset)
        return dict(json.loads(self._file.read(entry.length)))

    def _set_aside(self, row: Mapping[str, Any], kind: RowKind, entries: dict[str, RowEntry]) -> None:
        row_id = scrub(str(row["row_id"]))
        problem = kind.problem(row)
        if problem or row.get("undecided"):
            self._left_out.add("undecided" if row.get("undecided") else "not_whole", row_id, problem)
            return
        try:
            cleaned = {**self._cleaner.row(row), "row_id": row_id}
            if kind is FIGURES:
                cleaned = released(cleaned)
            line = to_json({name: cleaned[name] for name in in_order(cleaned)}).encode("utf-8")
        except RecursionError:
            self._left_out.add("not_whole", row_id, "a value is nested too deeply")
            return
        images = tuple(map(intern, images_in(row)))
        digest = hashlib.sha256("\x1f".join((*images, "")).encode("utf-8", "replace") + line).digest()
        self.columns.add(cleaned)
        before = entries.get(row_id)
        if before is not None:
            # Whatever the order of the rows, the same one of two that differ is taken.
            if before.digest != digest:
                self._left_out.add("same_row_id", row_id, "another row has the same row_id")
            if before.digest <= digest:
                return
        offset = self._file.seek(0, 2)
        self._file.write(line)
        entries[row_id] = _entry(cleaned, row_id, digest, kind, offset, len(line), images)


def _entry(
    row: Mapping[str, Any], row_id: str, digest: bytes, kind: RowKind, offset: int, length: int, images: tuple[str, ...]
) -> RowEntry:
    paper, figure, licence = (intern(str(row.get(name) or "")) for name in ("paper_id", "figure_id", "licence"))
    entry = RowEntry(row_id, digest, kind.name, offset, length, paper, figure, licence, images)
    if kind.asks:
        place = index_of(str(row["answer"]), len(row["options"])) or 0
        entry.asked, entry.answered = str(row["question"])[:_READ], str(row["options"][place])[:_READ]
    return entry


def _only(names: set[str]) -> RowKind | None:
    if len(names) > 1:
        raise UsageError(f"the rows are of several kinds: {', '.join(sorted(names))}; choose one by --kind")
    return KINDS[names.pop()] if names else None


def _none_taken(named: RowKind | None, stranger: Mapping[str, Any] | None, left_out: LeftOut) -> str:
    if stranger is None:
        return f"no row is left to export: {left_out.in_words() or 'the run kept none'}"
    if named is None:
        return not_exportable(stranger)
    return f"--kind {named.name}: no row has the columns that it needs ({', '.join(named.columns)})"
