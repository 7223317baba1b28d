"""Lets the stages of a recipe stream into each other on Ray, in blocks of a size that keeps all busy.

Ray joins the steps of a recipe into one task a block, so that a block waits for its text model while nobody asks the
vision model. Here steps are joined only as long as they wait for the same thing: the processor, or one endpoint. Such
stages run side by side, and Ray hands blocks from one to the next as they come.

- Before a stage that calls a model rows are dealt into blocks of a fixed number: a paper becomes some figures, a
  figure some questions, and a filter leaves a part of them. A block holds enough calls to fill its share of the
  endpoint, and no more, as the next stage waits for the whole of it.
- Tasks that call a model wait for most of their time. They take a part of a CPU, and there are as many of them as it
  takes to fill the endpoint, whatever the number of CPUs.
- Papers are read a few a task: one file is else one task, and one worker does it all.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.models.config.endpoint import OFFLINE, EndpointConfig
from data_juicer_ext.ops.host.host_patch import wrap

ROWS_PER_BLOCK = 256  # of an operator that says nothing else
BATCH_ROWS = 10_000  # in a block whose calls go out as batches: as many as in a batch of rows of the default executor
FEWEST_ROWS = 32  # in a block of a model stage: each costs some 30 ms beside its calls
SLOTS_PER_TASK = 64  # of an endpoint: what one process keeps in flight without trouble
FEWEST_TASKS = 2  # one is busy while the other waits for its last calls
MODEL_CPUS = 0.25
DEALING_CPUS = 0.05


@dataclass(frozen=True)
class Stage:
    """Steps that Ray may join, and what a task of them takes.

    `waits_for` is an endpoint, "batches" for the providers' batch interfaces, or "" for the processor. `rows` is the
    most rows in a block that comes in, 0 for any number; `even`: as many in every block, from several if need be.
    `cpus` and `tasks` (at once) are None where Ray decides.
    """

    waits_for: EndpointConfig | str = ""
    rows: int = 0
    even: bool = False
    cpus: float | None = None
    tasks: int | None = None


def install() -> None:
    """Let Data-Juicer run recipes on Ray in stages."""
    from data_juicer.core.data import ray_dataset

    # Data-Juicer asks for 1,000 rows per batch in the steps that it adds itself (the column for stats, the rows that a
    # filter keeps), for which Ray would bundle blocks again.
    ray_dataset.DEFAULT_BATCH_SIZE = None
    wrap(ray_dataset.RayDataset, "process", _all_steps)
    wrap(ray_dataset.RayDataset, "_run_single_op", _one_step)


def _all_steps(process: Any, self: Any, operators: Any, **given: Any) -> Any:
    listed = operators if isinstance(operators, list) else [operators] if operators is not None else []
    self._dj_ext_stages = {id(op): stage for op, stage in zip(listed, stages(listed), strict=True)}
    self._dj_ext_stage = None
    return process(self, operators, **given)


def _one_step(run_single_op: Any, self: Any, op: Any, *args: Any, **given: Any) -> Any:
    stage = getattr(self, "_dj_ext_stages", {}).get(id(op))
    if stage is None:
        return run_single_op(self, op, *args, **given)
    if stage != self._dj_ext_stage:
        self.data, self._dj_ext_stage = dealt(self.data, stage), stage
    self.data = _Steps(self.data, stage)
    try:
        return run_single_op(self, op, *args, **given)
    finally:
        self.data = self.data.dataset if isinstance(self.data, _Steps) else self.data


def stages(operators: Sequence[Any]) -> list[Stage]:
    """The stage of each operator. Operators that wait for the same thing and follow each other share one."""
    found: list[Stage] = []
    for waits_for, grouped in itertools.groupby(operators, _waits_for):
        joined = list(grouped)
        found += [_stage(waits_for, joined, first=not found)] * len(joined)
    return found


def _waits_for(op: Any) -> EndpointConfig | str:
    endpoint = getattr(op, "endpoint", None)
    if not isinstance(endpoint, EndpointConfig) or endpoint.model == OFFLINE:
        return ""
    return endpoint if endpoint.mode == "direct" else "batches"


def _stage(waits_for: EndpointConfig | str, joined: Sequence[Any], first: bool) -> Stage:
    cpus = max((op.num_cpus for op in joined if op.num_cpus is not None), default=None)
    if waits_for == "batches":  # a batch takes hours, whatever is in it, and one process at a time may use its folder
        return Stage(waits_for, BATCH_ROWS, True, MODEL_CPUS if cpus is None else cpus, tasks=1)
    if not isinstance(waits_for, EndpointConfig):
        rows = min(getattr(op, "rows_per_block", ROWS_PER_BLOCK) for op in joined) if first else 0
        return Stage(waits_for, rows, cpus=cpus)
    slots = waits_for.max_concurrency
    tasks = max(FEWEST_TASKS, math.ceil(slots / SLOTS_PER_TASK))
    rows = max(FEWEST_ROWS, math.ceil(FEWEST_TASKS * slots / tasks))
    return Stage(waits_for, rows, True, MODEL_CPUS if cpus is None else cpus, tasks)


def dealt(dataset: Any, stage: Stage) -> Any:
    """A Ray dataset with its rows in blocks as `stage` needs them."""
    if not stage.rows:
        return dataset
    dataset = dataset.repartition(target_num_rows_per_block=stage.rows, strict=stage.even)
    # It asks for a whole CPU for a task of milliseconds, and would wait for one while the stages before it are busy.
    dataset._logical_plan.dag.ray_remote_args["num_cpus"] = DEALING_CPUS
    return dataset


class _Steps:
    """A Ray dataset on which the steps that are added ask for what the stage's tasks take.

    Data-Juicer names nothing in the steps that it adds itself, and Ray joins only what asks for the same.
    """

    def __init__(self, dataset: Any, stage: Stage) -> None:
        self.dataset, self._stage = dataset, stage

    def map_batches(self, function: Any, **given: Any) -> "_Steps":
        """As a Ray dataset has it."""
        from ray.data import TaskPoolStrategy

        if given.get("num_cpus") is None:
            given["num_cpus"] = self._stage.cpus
        compute = given.get("compute")
        if self._stage.tasks and (compute is None or isinstance(compute, TaskPoolStrategy)):
            given["compute"] = TaskPoolStrategy(size=self._stage.tasks)
        return _Steps(self.dataset.map_batches(function, **given), self._stage)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dataset, name)
