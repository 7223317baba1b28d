"""What operators share that read papers: where a paper is, the check of the dataset, what is noted of a paper."""

import errno
from collections.abc import Mapping
from typing import Any, NoReturn

from data_juicer.ops.base_op import Mapper

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.models.config.endpoint import ConfigError, expand_environment
from data_juicer_ext.ops.base.host_results import set_column, to_rows
from data_juicer_ext.ops.base.run_op import RunOp
from data_juicer_ext.ops.host.dataset_check import look, missing_columns, repeated_ids
from data_juicer_ext.ops.host.running_recipe import RecipeError, is_on_ray, only_trying, running, stop
from data_juicer_ext.rows import content_id, scrub
from data_juicer_ext.storage.addresses import is_remote, wrong_address
from data_juicer_ext.storage.file_access import unreachable
from data_juicer_ext.storage.papers import StorageError, root_folder


def root(name: str, given: str) -> str:
    """The absolute path or the address that the parameter `name` stands for.

    Raises ConfigError if a variable is not set, or nothing can be read at the address: else all rows would be refused.
    """
    named = expand_environment(given)
    if problem := wrong_address(named):
        raise ConfigError(f"{name}: {problem}")
    place = root_folder(named)
    if is_remote(place) and (problem := unreachable(place, listing=False)):
        raise ConfigError(f"{name}: {place} can't be read: {problem}")
    return place


_BAD_STORAGE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


class PaperOp(RunOp):
    """Mixed in before Mapper or Filter by operators that open the files of papers."""

    def __init__(
        self,
        paper_root: str = ".",
        paper_id_key: str = "paper_id",
        paper_path_key: str = "paper_path",
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param paper_root: the folder that relative paths of papers start from, or an address of object storage
            (s3://...); may be `${NAME}` or `${NAME:-default}`.
        :param paper_id_key: the column with the paper's id.
        :param paper_path_key: the column with the path of the paper's file or folder.
        """
        with self.checked_parameters():
            self.paper_root = root("paper_root", paper_root)
        self.paper_id_key, self.paper_path_key = paper_id_key, paper_path_key
        super().__init__(*args, **kwargs)

    def storage_failed(self, error: StorageError) -> NoReturn:
        """End the run where the papers' storage fails, which is no reason to refuse a paper."""
        stop(f"{self._name}: {error}; put the storage in order, and run the same command again")


class PaperMapper(PaperOp, Mapper):
    """Reads whole papers into columns of their rows; an operator brings `read`.

    A paper that can't be read keeps its row, with `unread` in its columns and the reason in `paper_error`.
    """

    _batched_op = True
    # A paper takes up to seconds: small batches keep all processes busy and lose little when one dies.
    rows_per_batch = rows_per_ray_batch = rows_per_block = 8

    # The parameters that name the columns which say where a paper is, with their defaults.
    paper_columns: tuple[tuple[str, str], ...] = (("paper_path_key", "paper_path"),)
    # What `read` raises for a paper that can't be read.
    refusal: type[Exception]
    # The columns of such a paper, beside `paper_error`.
    unread: Mapping[str, Any]
    # What the dataset lacks if it has none of the columns that say where a paper is.
    missing_hint = ""

    def __init__(self, figures_key: str = "figures", *args: Any, **kwargs: Any):
        """
        :param figures_key: the column that the figures are written to.
        """
        self.figures_key = figures_key
        super().__init__(*args, **kwargs)
        self._note_lines_without_id()

    def source_keys(self) -> tuple[str, ...]:
        """The columns that say where a paper is."""
        return (self.paper_path_key,)

    def read(self, row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The columns of one paper, figures under "figures", and what the ledger notes. Raises `refusal`."""
        raise NotImplementedError

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of paper rows, each with its figures."""
        papers = [self._columns(row) for row in to_rows(samples)]
        for column in ("figures", "paper_error", *(name for name in self.unread if name != "figures")):
            name = self.figures_key if column == "figures" else column
            set_column(samples, name, [paper[column] for paper in papers])
        return samples

    def _columns(self, row: dict[str, Any]) -> dict[str, Any]:
        try:
            if problem := self._no_id(row):
                raise PaperWithoutIdError(problem)
            columns, detail = self.read(row)
        except StorageError as error:
            self.storage_failed(error)
        except Exception as error:  # a paper that breaks the reader must cost this paper only
            message = scrub(self._why_unread(row, error))
            reason = getattr(error, "reason", "") if isinstance(error, self.refusal) else ""
            self._note(row, False, reason or "unreadable_paper", {"message": message})
            return {**self.unread, "paper_error": message}
        self._note(row, True, "read" if detail["figures"] else "no_figures", detail)
        return {**columns, "paper_error": ""}

    def _join_run(self, run_dir: str, tag: str, ray_execution_mode: str | None) -> None:
        with self.checked_parameters():
            self._check_dataset()
        super()._join_run(run_dir, tag, ray_execution_mode)

    def _check_dataset(self) -> None:
        """Raise RecipeError if the dataset has no column that says where a paper is, or an id twice."""
        config, keys = running(), self.source_keys()
        self._lines_without_id: list[int] = []
        found = look(str(config.get("dataset_path") or ""), self.paper_id_key) if config else None
        if found is None:
            return
        if problem := missing_columns(found.columns, *((), keys) if len(keys) == 1 else (keys,)):
            raise RecipeError(f"{problem}{self.missing_hint}")
        if problem := repeated_ids(found, self.paper_id_key):
            raise RecipeError(problem)
        if not is_on_ray(config):  # the default executor's loader drops these rows without a word
            self._lines_without_id = found.without_id

    def _note_lines_without_id(self) -> None:
        for line in [] if only_trying() else self._lines_without_id:
            message = f"line {line} of the dataset has no {self.paper_id_key}; give each paper an id of its own"
            self.record(f"line-{line}", "drop", "unreadable_paper", {"message": message})

    def _no_id(self, row: dict[str, Any]) -> str:
        if row.get(self.paper_id_key):
            return ""
        place = str(row.get(self.source_keys()[0]) or "")[:200]
        return f"the row has no {self.paper_id_key} (path: {place or 'none'}); give each paper an id of its own"

    def _why_unread(self, row: dict[str, Any], error: Exception) -> str:
        """Why a paper could not be read, for its row and the ledger; ends the run where nothing can be written."""
        if isinstance(error, OSError) and error.errno in _BAD_STORAGE:
            self.unwritable(error)
        paper = f"paper {row.get(self.paper_id_key) or '(no paper_id)'}"
        if isinstance(error, self.refusal | PaperWithoutIdError | OSError):
            return f"{paper}: {error}"
        return f"{paper}: {type(error).__name__} while reading it: {str(error)[:300]}"

    def _note(self, row: dict[str, Any], is_read: bool, reason: str, detail: dict[str, Any]) -> None:
        paper_id = str(row.get(self.paper_id_key) or "")
        where = next((str(row[key]) for key in self.source_keys() if row.get(key)), "")
        row_id = paper_id or content_id("paper", where)
        self.record(row_id, "keep" if is_read else "drop", reason, detail, paper_id)


class PaperWithoutIdError(DjExtError):
    """A row names no paper."""
