"""What an operator recorded about rows is written down when the method that took them ends."""

from __future__ import annotations

from typing import Any

import pytest
from data_juicer.ops.base_op import Mapper

from data_juicer_ext.ops.base.ledger_flush import write_down


class Run:
    """Counts how often what was recorded is written down; fails where it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.flushed, self.error = 0, error

    def flush(self) -> None:
        self.flushed += 1
        if self.error:
            raise self.error


class Operator:
    """One with a method of each kind; `unwritable` is what a run is ended with."""

    def __init__(self, run: Run | None = None, error: BaseException | None = None) -> None:
        self.error, self.told = error, list[OSError]()
        if run is not None:
            self.run_info = run

    def process_batched(self, rows: Any, more: int = 1) -> Any:
        """Give back what came, or raise."""
        if self.error:
            raise self.error
        return rows, more

    def compute_stats_single(self, row: Any) -> Any:
        """Give back what came."""
        return row

    def unwritable(self, error: OSError) -> None:
        """Note the error."""
        self.told.append(error)


write_down(Operator)


def test_each_method_ends_with_what_was_recorded_written_down() -> None:
    run = Run()
    operator = Operator(run)
    assert operator.process_batched(3, more=2) == (3, 2) and run.flushed == 1
    assert operator.compute_stats_single(4) == 4 and run.flushed == 2
    assert Operator.process_batched.__doc__ == "Give back what came, or raise."
    assert Operator().process_batched(3) == (3, 1), "it takes part in no run"


def test_once_is_enough() -> None:
    write_down(Operator)

    class Other(Operator):
        pass

    write_down(Other)
    run = Run()
    Other(run).process_batched(1)
    assert run.flushed == 1


def test_the_host_s_own_methods_are_left_alone() -> None:
    class Plain(Mapper):
        pass

    write_down(Plain)
    assert not set(vars(Plain)) & {"process_batched", "process_single", "compute_stats_batched"}


def test_a_ledger_that_can_not_be_written_ends_the_run() -> None:
    operator = Operator(Run(error := OSError("full")))
    operator.process_batched(1)
    assert operator.told == [error]


@pytest.mark.parametrize("error", [KeyError("x"), KeyboardInterrupt()])
@pytest.mark.parametrize("at_the_end", [None, OSError("full")])
def test_what_ends_the_run_goes_before(error: BaseException, at_the_end: Exception | None) -> None:
    run = Run(at_the_end)
    operator = Operator(run, error)
    with pytest.raises(type(error)):
        operator.process_batched(1)
    assert run.flushed == 1 and not operator.told
    with pytest.raises(type(error)):
        Operator(None, error).process_batched(1)


def test_another_error_of_writing_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        Operator(Run(ZeroDivisionError()), KeyError("x")).process_batched(1)
