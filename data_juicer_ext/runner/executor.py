"""Data-Juicer, run many times in one process: its start-up is paid once, and what a run leaves is undone.

After a run its logger still writes into that run's file, `sys.stdout` is still replaced, and the
variable that says "on Ray" is still set (which is why a process keeps to one executor).
"""

import contextlib
import gc
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data_juicer_ext.ops.host import host_log
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.ops.host.stopped_run import message_of

_ON_RAY = "RAY_JOB"
_used_executors: set[str] = set()


class Host:
    """One recipe on one executor; job folders go to `work`.

    Raises ValueError if this process has worked on the other executor.
    """

    def __init__(self, recipe: Path, executor: str, work: Path) -> None:
        _used_executors.add(executor)
        if len(_used_executors) > 1:
            raise ValueError("a process can't run on two executors; start another for the second")
        self.recipe, self.executor, self.work = recipe, executor, work
        self._streams = sys.stdout, sys.stderr

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Within it shards can be run; afterwards streams and environment are as before."""
        self._streams, on_ray = (sys.stdout, sys.stderr), os.environ.get(_ON_RAY)
        try:
            yield
        finally:
            host_log.end()
            sys.stdout, sys.stderr = self._streams
            os.environ.pop(_ON_RAY, None)
            if on_ray is not None:
                os.environ[_ON_RAY] = on_ray

    def run(self, dataset: Path, export: str, work_dir: Path, job_id: str) -> None:
        """Run the recipe over one file of rows; kept rows go to `export`. Raises what Data-Juicer raises.

        Where an operator has to end the run, whichever process noticed, that is SystemExit.
        """
        self._reset()
        from data_juicer.config import init_configs

        cache = self.work / "cache"
        settings = {
            "config": self.recipe, "dataset_path": shlex.quote(str(dataset)), "export_path": export,
            "work_dir": work_dir, "job_id": job_id, "ds_cache_dir": cache,
        }  # fmt: skip
        try:
            config = init_configs([text for key, value in settings.items() for text in (f"--{key}", str(value))])
            self._executor(config).run(skip_return=True)
        except Exception as error:
            if said := message_of(error):  # a worker could not go on, nor would it with the next shard
                stop(said)
            raise
        finally:
            shutil.rmtree(cache, ignore_errors=True)
            _drop_intermediate_tables()

    def _reset(self) -> None:
        from data_juicer.utils import logger_utils

        sys.stdout, sys.stderr = self._streams
        logger_utils.LOGGER_SETUP = False
        os.environ.pop(_ON_RAY, None)

    def _executor(self, config: Any) -> Any:
        if self.executor == "default":
            from data_juicer.core import DefaultExecutor

            return DefaultExecutor(config)
        from data_juicer.core.executor.ray_executor import RayExecutor

        from data_juicer_ext.ops.host import exports, ray_blocks

        exports.install()
        ray_blocks.install()
        executor = RayExecutor(config)
        if not config.get("override_num_blocks"):
            # One file is one block, and one block keeps one worker busy.
            config.override_num_blocks = _cpus()
        return executor


def _cpus() -> int:
    from data_juicer.utils.ray_utils import ray_cpu_count

    return max(1, int(ray_cpu_count()))


def _drop_intermediate_tables() -> None:
    """Delete the tables between operators, which `datasets` keeps until the process ends."""
    from datasets import fingerprint

    gc.collect()
    folder = getattr(fingerprint, "_TEMP_DIR_FOR_TEMP_CACHE_FILES", None)
    if folder is not None:
        for path in Path(folder.name).glob("*.arrow"):
            path.unlink(missing_ok=True)
