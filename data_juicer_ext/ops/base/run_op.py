"""What all operators of this package share: their run, their tag, and how the host runs them."""

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.models.config.endpoint import ConfigError, expand_environment
from data_juicer_ext.models.types import Verdict
from data_juicer_ext.ops.base import end_of_run
from data_juicer_ext.ops.base.ledger_flush import write_down
from data_juicer_ext.ops.base.registration import EXTENSION_OPERATORS
from data_juicer_ext.ops.base.reported import Reported, words_of
from data_juicer_ext.ops.host import exports, ray_blocks, ray_nodes
from data_juicer_ext.ops.host.running_recipe import (
    RecipeError,
    clear_empty_export,
    export_problem,
    is_on_ray,
    literal_keys,
    only_trying,
    running,
    shared_tags,
    stop,
    storage_secrets,
    tag_of,
    unwritable_export,
)
from data_juicer_ext.ops.host.stopped_run import in_worker
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.folder_lock import BusyError, hold
from data_juicer_ext.runs.ledger import Entry
from data_juicer_ext.runs.operator_words import note_words
from data_juicer_ext.runs.remote_lock import hold_remote
from data_juicer_ext.storage.addresses import is_remote, under, wrong_address

DEFAULT_RUN_DIR = "./dj_ext_run"
HOST_BATCH_SIZE = 1000  # Data-Juicer's, where a recipe names none

# One run a process and run folder, whatever the number of operators.
_RUNS: dict[str, run_records.Run] = {}
# The locks of their folders: two runs at once would both write the export, and each other's undecided rows.
_HELD: dict[str, Any] = {}
# The folders that the nodes of a cluster were asked for; once is enough for many shards.
_ASKED: set[str] = set()


def current_run(run_dir: str) -> run_records.Run:
    """The run of this process in `run_dir`, begun on first use and closed when the process ends.

    Raises RecipeError if the folder can't be written.
    """
    place = run_place(run_dir)
    if place not in _RUNS:
        _RUNS[place] = _begin(place, running())
        end_of_run.at_exit(_RUNS[place])
    elif place not in _ASKED and is_on_ray(running()):
        if problem := unwritable_export(running()):
            raise RecipeError(problem)
        _ask_nodes(running(), _RUNS[place])
    return _RUNS[place]


def _begin(place: str, config: Mapping[str, Any]) -> run_records.Run:
    recipe = [str(path) for path in config.get("config") or []]
    about = {"recipe": recipe, "executor": str(config.get("executor_type", "")),
             "dataset_path": str(config.get("dataset_path") or ""),
             "export_path": str(config.get("export_path") or "")}  # fmt: skip
    if problem := unwritable_export(config) or exports.unreachable(config):
        raise RecipeError(problem)
    if is_on_ray(config):
        exports.install()
        ray_blocks.install()
    try:
        clear_empty_export(config)
        if place not in _HELD:  # a second lock of this process would, when closed, end the first
            _HELD[place] = hold_remote(place) if is_remote(place) else hold(Path(place))
        begun = run_records.begin(place, about)
    except BusyError as error:
        raise RecipeError(f"run_dir: {error}") from error
    except OSError as error:
        raise RecipeError(f"run_dir: {place} can't be written ({error.strerror or error})") from error
    try:
        if is_on_ray(config):
            _ask_nodes(config, begun)
    except RecipeError:
        run_records.forget(begun)
        raise
    return begun


def _ask_nodes(config: Mapping[str, Any], run: run_records.Run) -> None:
    ray_nodes.check_shared(config, run.place, under(run.place, f"runs/{run.run_id}.json"))
    _ASKED.add(run.place)


def run_place(run_dir: str) -> str:
    """The absolute path that a `run_dir` parameter stands for, or the address of object storage.

    Raises ConfigError if a variable is not set.
    """
    named = expand_environment(run_dir)
    if problem := wrong_address(named):
        raise ConfigError(f"run_dir: {problem}")
    if is_remote(named):
        return named.rstrip("/")
    return os.path.abspath(named.removeprefix("file://"))  # noqa: PTH100 - must not follow links


def run_folder(run_dir: str) -> Path:
    """The absolute path of a run folder, for what can't do with one on object storage.

    Raises ConfigError if a variable is not set, or where it is an address.
    """
    place = run_place(run_dir)
    if is_remote(place):
        raise ConfigError(
            f"run_dir: {place} is on object storage, where only dj-process and dj-ext run work; name a folder"
        )
    return Path(place)


@contextlib.contextmanager
def taking_part(run: run_records.Run) -> Iterator[None]:
    """Within it operators made for the run folder of `run` take part in it; who began it ends it.

    So several runs can follow each other in one process.
    """
    _RUNS[run.place] = run
    try:
        yield
    finally:
        del _RUNS[run.place]


class RunOp(Reported):
    """Mixed in before Mapper or Filter: takes part in the run of its process.

    An operator checks its own parameters within `checked_parameters`, then calls `super().__init__(*args, **kwargs)`.
    """

    # Columns that the operator reads and writes; "@key" is the column that parameter `key` names.
    # One that `replaces` leaves no other column behind.
    needs: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    replaces = False
    # Parameters of a base class that mean nothing to the operator.
    without_parameters: tuple[str, ...] = ()
    # Rows in a batch where the recipe names no number, on the default executor and on Ray; None is what the host takes:
    # 1000, or on Ray a block, whatever its size.
    rows_per_batch: int | None = None
    rows_per_ray_batch: int | None = None
    # On Ray, the most rows that one task takes at once where they come from the dataset.
    rows_per_block = ray_blocks.ROWS_PER_BLOCK
    # On the default executor, work in the driver's process: no fork per step, none after threads.
    in_driver = False

    _name: str
    tag: str
    run_info: run_records.Run
    batch_size: int | None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        write_down(cls)

    def __init__(self, run_dir: str = DEFAULT_RUN_DIR, tag: str = "", *args: Any, **kwargs: Any):
        """
        :param run_dir: the run folder: what outlives the run (ledger, answers, images).
        :param tag: the name of this listing in the ledger and in stats; where empty, the operator's without
            `_mapper` or `_filter`.
        """
        # An operator of ours raises only where the run has to end; the host, told to skip errors,
        # would go on without the rows of the batch.
        super().__init__(*args, **{**kwargs, "skip_op_error": False})
        if self.in_driver:
            self.num_proc = None
            self.auto_op_parallelism = False
        if kwargs.get("batch_size") in (None, HOST_BATCH_SIZE):
            on_ray = is_on_ray(running())
            self.batch_size = self.rows_per_ray_batch if on_ray else self.rows_per_batch or HOST_BATCH_SIZE
        self._join_run(run_dir, tag, kwargs.get("ray_execution_mode"))

    @contextlib.contextmanager
    def checked_parameters(self) -> Iterator[None]:
        """Within it a wrong value, and a template or price file that can't be used, stops the run plainly."""
        try:
            yield
        except DjExtError as error:
            stop(f"{self._name}: {error}")

    def _join_run(self, run_dir: str, tag: str, ray_execution_mode: str | None) -> None:
        with self.checked_parameters():
            self._check_recipe()
            if ray_execution_mode == "actor":
                raise RecipeError("ray_execution_mode: this operator runs as Ray tasks; leave the parameter out")
            if not only_trying():
                self.run_info = current_run(run_dir)
                self._note_words()
        self.tag = tag_of(self._name, tag)

    def _note_words(self) -> None:
        if in_worker():
            return
        listed = words_of(running().get("process") or [])
        try:
            note_words(self.run_info, listed if self._name in listed else {self._name: self.words().as_json()})
        except OSError as error:
            self.unwritable(error)

    def _check_recipe(self) -> None:
        config = running()
        process = config.get("process") or []
        complaints = (*shared_tags(process, EXTENSION_OPERATORS), *literal_keys(process), *storage_secrets(config))
        for complaint in (*complaints, export_problem(config)):
            if complaint:
                raise RecipeError(complaint)

    def _fingerprint_bytes(self) -> bytes:
        # A cached result would be replayed without its ledger lines, or with the undecided rows
        # of a time when an endpoint was down: never the same fingerprint twice.
        return secrets.token_bytes(16)

    def record(
        self,
        row_id: str,
        verdict: Verdict,
        reason: str,
        detail: dict[str, Any],
        paper_id: str = "",
        figure_id: str = "",
        made: int | None = None,
        row: dict[str, Any] | None = None,
    ) -> None:
        """Write a decision that took no model into the ledger; `made` rows go on from it, one where it is kept.

        An undecided `row` is written out as a whole. Ends the run if that can't be written: the host would go on
        without the rows of the batch.
        """
        made = int(verdict == "keep") if made is None else made
        entry = Entry(row_id, self._name, self.tag, verdict, reason, paper_id, figure_id, made=made, detail=detail)
        try:
            self.run_info.ledger.record(entry)
            if verdict == "undecided" and row is not None:
                self.set_aside({**row, "row_id": row_id}, entry)
        except OSError as error:
            self.unwritable(error)

    def unwritable(self, error: OSError) -> NoReturn:
        """End the run because its folder can't be written (a full disk, a lost right)."""
        stop(f"{self._name}: {end_of_run.unwritable_words(self.run_info.place, error)}")

    def set_aside(self, row: dict[str, Any], entry: Entry) -> None:
        """Write an undecided row out as a whole row."""
        about = {"operator": entry.operator, "tag": entry.tag, "reason": entry.reason,
                 "message": str(entry.detail.get("message", ""))}  # fmt: skip
        plain = {key: value for key, value in row.items() if not key.startswith("__dj__")}
        self.run_info.undecided.write({**plain, "undecided": about})


def one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """Raise ConfigError unless `value` is one of `allowed`."""
    if value not in allowed:
        raise ConfigError(f"{name}: {value!r} is not one of {', '.join(allowed)}")


def between(name: str, value: float, low: float, high: float) -> None:
    """Raise ConfigError unless `low` <= `value` <= `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise ConfigError(f"{name}: {value!r} is not a number from {low:g} to {high:g}")


def count(name: str, value: int, low: int, high: int) -> int:
    """`value`, a whole number from `low` to `high`. Raises ConfigError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"{name}: {value!r} is not a whole number from {low} to {high}")
    return value
