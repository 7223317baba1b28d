from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.ops.base.model_op import BATCH_SIZE
from data_juicer_ext.ops.host import ray_blocks
from data_juicer_ext.ops.host.ray_blocks import FEWEST_ROWS, MODEL_CPUS, ROWS_PER_BLOCK, stages

TEXT = EndpointConfig("text-model", max_concurrency=64)
VISION = EndpointConfig("vision-model", max_concurrency=256)


@dataclass
class Op:
    endpoint: EndpointConfig | None = None
    num_cpus: float | None = None


@dataclass
class Reader(Op):
    rows_per_block: int = 8


def test_operators_that_wait_for_the_same_thing_share_a_stage() -> None:
    listed = [Reader(), Op(), Op(TEXT), Op(replace(TEXT)), Op(VISION), Op(), Op(TEXT)]
    found = stages(listed)
    assert [found.index(stage) for stage in found] == [0, 0, 2, 2, 4, 5, 2]
    reading, text, vision, after = found[0], found[2], found[4], found[5]
    assert (reading.rows, reading.even, reading.cpus, reading.tasks) == (8, False, None, None)
    assert (text.rows, text.even, text.cpus, text.tasks) == (64, True, MODEL_CPUS, 2)
    assert (vision.rows, vision.even, vision.cpus, vision.tasks) == (128, True, MODEL_CPUS, 4)
    assert after.rows == 0  # it takes the blocks of the stage before it as they are


def test_blocks_hold_enough_calls_for_a_small_and_a_large_endpoint() -> None:
    for slots in (1, 8, 64, 200, 1000, 5000):
        [stage] = stages([Op(EndpointConfig("m", max_concurrency=slots))])
        assert stage.tasks and stage.rows >= FEWEST_ROWS
        assert stage.tasks * stage.rows >= 2 * slots


def test_the_offline_model_and_operators_without_a_model_wait_for_the_processor() -> None:
    found = stages([Op(), Op(EndpointConfig("offline")), Op()])
    assert {stage.waits_for for stage in found} == {""} and found[0].rows == ROWS_PER_BLOCK


def test_batches_of_a_provider_are_made_by_one_task_whatever_the_endpoint() -> None:
    found = stages([Op(replace(TEXT, mode="batch")), Op(replace(VISION, mode="batch"))])
    assert found[0] == found[1] and found[0].tasks == 1
    assert found[0].rows == BATCH_SIZE and found[0].even  # as on the default executor


def test_what_a_recipe_says_of_cpus_holds_for_the_stage() -> None:
    assert [stage.cpus for stage in stages([Op(TEXT, num_cpus=0.5), Op(TEXT), Op(num_cpus=2)])] == [0.5, 0.5, 2]


def test_nothing_has_no_stages() -> None:
    assert stages([]) == []


class Steps:
    """A Ray dataset that notes what its steps ask for."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.name = "rows"

    def map_batches(self, function: Any, **given: Any) -> Steps:
        """Note what is asked for."""
        self.asked.append(given)
        return self


def test_steps_ask_for_what_their_stage_takes_where_they_name_nothing() -> None:
    from ray.data import ActorPoolStrategy, TaskPoolStrategy

    ray_dataset = Steps()
    actors = ActorPoolStrategy(size=2)
    for stage in (ray_blocks.Stage(cpus=0.5, tasks=3), ray_blocks.Stage(cpus=2, tasks=0)):
        steps = ray_blocks._Steps(ray_dataset, stage)
        steps.map_batches(len).map_batches(len, num_cpus=4, compute=actors).map_batches(len, num_cpus=None)
        assert steps.name == "rows"
    cpus = [given["num_cpus"] for given in ray_dataset.asked]
    assert cpus == [0.5, 4, 0.5, 2, 4, 2]
    first, second, third, *others = (given.get("compute") for given in ray_dataset.asked)
    assert isinstance(first, TaskPoolStrategy) and first.size == 3 and second is actors
    assert isinstance(third, TaskPoolStrategy) and others == [None, actors, None]
    pool = ray_blocks._Steps(ray_dataset, ray_blocks.Stage(cpus=1, tasks=3))
    pool.map_batches(len, compute=TaskPoolStrategy(size=9))
    assert ray_dataset.asked[-1]["compute"].size == 3
