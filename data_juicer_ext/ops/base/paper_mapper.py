"""What the mappers that read whole papers share: the check of the dataset, and what is noted of a paper."""

import errno
from typing import Any

from data_juicer_ext.models.types import Verdict
from data_juicer_ext.ops.base.run_op import OwnOp
from data_juicer_ext.ops.host.dataset_check import look, missing_columns, repeated_ids
from data_juicer_ext.ops.host.running_recipe import RecipeError, is_on_ray, only_trying, running
from data_juicer_ext.rows import content_id

_BAD_STORAGE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


class PaperMapper(OwnOp):
    """Mixed in before Mapper; `__init__` sets `paper_id_key` and `source_keys` (columns that say where a paper is)."""

    rows_a_block = 8  # a paper takes up to seconds

    paper_id_key: str
    source_keys: tuple[str, ...]
    _lines_without_id: list[int]

    def check_dataset(self, hint: str = "") -> None:
        """Raise RecipeError if the dataset has none of the columns `source_keys` (`hint` says more) or an id twice."""
        config = running()
        self._lines_without_id = []
        found = look(str(config.get("dataset_path") or ""), self.paper_id_key) if config else None
        if found is None:
            return
        alone = len(self.source_keys) == 1
        if problem := missing_columns(found.columns, *((), self.source_keys) if alone else (self.source_keys,)):
            raise RecipeError(f"{problem}{hint}")
        if problem := repeated_ids(found, self.paper_id_key):
            raise RecipeError(problem)
        if not is_on_ray(config):  # the default executor's loader drops these rows without a word
            self._lines_without_id = found.without_id

    def note_lines_without_id(self) -> None:
        """Record the lines of the dataset that the host leaves out for want of an id."""
        for line in [] if only_trying() else self._lines_without_id:
            message = f"line {line} of the dataset has no {self.paper_id_key}; give each paper an id of its own"
            self.record(f"line-{line}", "drop", "unreadable_paper", {"message": message})

    def no_id(self, row: dict[str, Any]) -> str:
        """What is wrong with a row that names no paper; "" for one that does."""
        if row.get(self.paper_id_key):
            return ""
        place = str(row.get(self.source_keys[0]) or "")[:200]
        return f"the row has no {self.paper_id_key} (path: {place or 'none'}); give each paper an id of its own"

    def why_unread(self, row: dict[str, Any], error: Exception) -> str:
        """Why a paper could not be read, for its row and the ledger; ends the run where nothing can be written."""
        if isinstance(error, OSError) and error.errno in _BAD_STORAGE:
            self.unwritable(error)
        paper = f"paper {row.get(self.paper_id_key) or '(no paper_id)'}"
        if isinstance(error, OSError):
            return f"{paper}: {error}"
        return f"{paper}: {type(error).__name__} while reading it: {str(error)[:300]}"

    def note(self, row: dict[str, Any], verdict: Verdict, reason: str, detail: dict[str, Any]) -> None:
        """Record what became of a paper."""
        paper_id = str(row.get(self.paper_id_key) or "")
        where = next((str(row[key]) for key in self.source_keys if row.get(key)), "")
        self.record(paper_id or content_id("paper", where), verdict, reason, detail, paper_id)
