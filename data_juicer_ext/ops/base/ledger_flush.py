"""Has every method of an operator that takes rows end with what it recorded about them written down.

On object storage lines wait in memory: rows that went on without theirs would be lost to the ledger where their process
ends.
"""

import contextlib
import functools
from collections.abc import Callable
from typing import Any

_ROW_METHODS = ("process_batched", "compute_stats_batched", "process_single", "compute_stats_single")


def write_down(operator: type[Any]) -> None:
    """Wrap the methods of an operator class, which has `run_info` once it takes part in a run, and `unwritable`."""
    for name in _ROW_METHODS:
        if method := _own_method(operator, name):
            setattr(operator, name, _written_down(method))


def _own_method(operator: type[Any], name: str) -> Callable[..., Any] | None:
    """A method of an operator that is not the host's, and does not write down what it recorded yet."""
    for kind in operator.__mro__:
        if name in vars(kind):
            method: Callable[..., Any] = vars(kind)[name]
            is_hosts = kind.__module__.partition(".")[0] == "data_juicer"
            return None if is_hosts or getattr(method, "writes_down", False) else method
    return None


def _written_down(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            done = method(self, *args, **kwargs)
        except BaseException:
            with contextlib.suppress(AttributeError, OSError):  # what ends the run goes before
                self.run_info.flush()
            raise
        if hasattr(self, "run_info"):
            try:
                self.run_info.flush()
            except OSError as error:
                self.unwritable(error)
        return done

    whole.writes_down = True  # type: ignore[attr-defined]
    return whole
