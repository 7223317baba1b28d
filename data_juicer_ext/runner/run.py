"""`dj-ext run`: a recipe over a dataset, shard by shard, until all is done, enough is kept, or it is stopped."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

from data_juicer_ext.ops.base.run_op import run_place
from data_juicer_ext.ops.host import stopped_run
from data_juicer_ext.runner import progress_texts, shard_recipe
from data_juicer_ext.runner.console import Console
from data_juicer_ext.runner.executor import Host
from data_juicer_ext.runner.interrupts import Stops
from data_juicer_ext.runner.one_shard import ShardError, run_shard, undecided_file
from data_juicer_ext.runner.shard_plan import ChangedError, RunRequest, open_plan
from data_juicer_ext.runs.dataset import DatasetError
from data_juicer_ext.runs.exported_rows import Merged
from data_juicer_ext.runs.folder_lock import BusyError
from data_juicer_ext.runs.ledger import read_lines
from data_juicer_ext.runs.shard_manifest import Manifest, ManifestError, ShardEntry
from data_juicer_ext.runs.sharded_folder import ShardedFolder

FOUND, BUDGET = 1, 3  # exit codes, beside 0, 2 (stopped by an operator) and those of `stops`
FAILURES_IN_A_ROW = 2
# Joining all exports anew may take one part in so many of a run's time, however many there are.
MERGE_SHARE = 20


def run(order: RunRequest, say: Callable[[str], None], console: Console | None = None) -> int:
    """Do what `order` asks and return the exit code.

    0: all shards are run, or the target is reached; 1: something stands in the way, or shards failed;
    2: an operator stopped the run; 3: a budget is reached; 130 and 143: stopped by SIGINT and SIGTERM. `say`
    gets what the user should read, line by line; `console`, which takes what libraries print, gets its file in
    the run folder. Raises ValueError for a recipe that is none, and OSError where files can't be read or written.
    """
    config = shard_recipe.load(order.recipe)
    if order.ray_address:
        config |= {"executor_type": "ray", "ray_address": order.ray_address}
    complaints = _complaints(order, config)
    if complaints:
        for complaint in complaints:
            say(f"- {complaint}")
        say(f"{order.recipe}: {len(complaints)} problems, nothing was run")
        return FOUND
    kept = ShardedFolder(run_place(order.run_dir or shard_recipe.run_dir_of(config)))
    try:
        with kept.held():
            manifest = open_plan(order, config, kept)
            if console is not None:
                console.into(kept.run_dir / "work" / "console.txt")
            return _Work(order, config, kept, manifest, say).do()
    except (DatasetError, ChangedError, BusyError, ManifestError) as error:
        say(str(error))
        return FOUND


def _complaints(order: RunRequest, config: dict[str, Any]) -> list[str]:
    from data_juicer_ext.ops.recipe.recipe_check import check

    found = [*check(order.recipe, order.dataset), *shard_recipe.complaints(config)]
    if order.target < 0:
        found.append(f"--target: {order.target} will not do; it is a number of kept pairs, or 0 for all")
    if order.shard_size is not None and order.shard_size < 1:
        found.append(f"--shard: {order.shard_size} will not do; it is a number of papers, at least 1")
    if order.ray_address and order.executor == "default":
        found.append("--ray-address: the default executor joins no cluster; leave out --executor default")
    if "{" in order.run_dir.replace("${", ""):
        found.append("--run-dir: Data-Juicer can't work in a folder with a brace in its name")
    return found


class _Work:
    """One run over the open shards of a manifest."""

    def __init__(
        self,
        order: RunRequest,
        config: dict[str, Any],
        kept: ShardedFolder,
        manifest: Manifest,
        say: Callable[[str], None],
    ) -> None:
        self.order, self.kept, self.manifest, self.say = order, kept, manifest, say
        self.run_dir = run_dir = kept.run_dir
        self.executor = order.executor or ("ray" if config.get("executor_type") == "ray" else "default")
        self.config = config
        self.pairs = Merged(run_dir / "pairs.jsonl", bool(config.get("keep_stats_in_res_ds")))
        self.undecided = Merged(run_dir / "undecided.jsonl")
        self.run_ids: list[str] = []
        self.stale, self.merged, self.merge_seconds = False, 0.0, 0.0

    def do(self) -> int:
        """Run what is to be run; the exit code."""
        self._merge_all()
        todo = [] if self._enough() else self.manifest.open
        self.say(progress_texts.opening(self.manifest, todo, self.kept.place, self.executor))
        code = self._shards(todo) if todo else 0
        if todo:
            self._merge_all()
        self.kept.send_joined()
        decisions = (line for run_id in self.run_ids for line in read_lines(self.run_dir / "ledger", run_id))
        self.say(progress_texts.closing(self.manifest, self.kept, self.pairs.count, decisions))
        self.say(progress_texts.why_ended(code, self.manifest, self.order.target, self.pairs.count))
        return code

    def _shards(self, todo: list[ShardEntry]) -> int:
        failed = 0
        with Stops(self.say) as stopping, self._host() as host:
            for entry in todo:
                first_time = not entry.whole_run_id
                try:
                    over_budget = run_shard(entry, self.manifest, self.kept, host, stopping)
                except (ShardError, KeyboardInterrupt, SystemExit) as error:
                    if stopping.asked:
                        return stopping.exit_code
                    if not isinstance(error, ShardError):
                        return stopped_run.EXIT_CODE
                    self.say(str(error))
                    failed += 1
                    if failed == FAILURES_IN_A_ROW:
                        return FOUND
                    continue
                failed = 0
                code = self._ran(entry, over_budget, first_time)
                if code is not None:
                    return code
                if stopping.asked:
                    return stopping.exit_code
        return FOUND if any(entry.error for entry in todo) else 0

    def _ran(self, entry: ShardEntry, over_budget: bool, first_time: bool) -> int | None:
        self.pairs.add(self.run_dir / entry.export)
        self.undecided.add(undecided_file(self.run_dir, entry))
        self.stale |= not first_time
        if self.stale and (self._enough() or time.monotonic() - self.merged > MERGE_SHARE * self.merge_seconds):
            self._merge_all()
        self.run_ids.append(entry.run_id)
        self.say(progress_texts.progress(entry, len(self.manifest.shards), self.pairs.count))
        if over_budget:
            return BUDGET
        return 0 if self._enough() else None

    def _merge_all(self) -> None:
        """Make the joined files anew: what a shard that was run again no longer holds is gone from them."""
        started, whole = time.monotonic(), self.manifest.whole
        self.pairs.rebuild(self.run_dir / entry.export for entry in whole)
        self.undecided.rebuild(undecided_file(self.run_dir, entry) for entry in whole)
        self.merged, self.stale = time.monotonic(), False
        self.merge_seconds = self.merged - started

    def _enough(self) -> bool:
        return 0 < self.order.target <= self.pairs.count

    @contextlib.contextmanager
    def _host(self) -> Iterator[Host]:
        from data_juicer_ext.ops.recipe.operator_reference import own_classes

        recipe = self.run_dir / "recipe.yaml"
        derived = shard_recipe.derive(self.config, self.kept.place, self.executor, list(own_classes()))
        recipe.write_text(shard_recipe.dump(derived), encoding="utf-8")
        host = Host(recipe, self.executor, self.run_dir / "work")
        with host.at_work():
            yield host
