"""Keeps Data-Juicer from installing torch in the middle of a run.

After every operator the default executor calls `torch.cuda.empty_cache()` through a lazy import
that runs `uv pip install torch` when torch is missing: gigabytes, or the end of the run without
a network. Where torch is not installed, an object that does nothing takes its place there.
"""

import importlib.util
from typing import Any


class _Cuda:
    def empty_cache(self) -> None:
        """Nothing to empty: no torch, no cache."""


class TorchStandIn:
    """As much of torch as `data_juicer.utils.model_utils.free_models` uses."""

    cuda = _Cuda()

    def __getattr__(self, name: str) -> Any:
        raise ModuleNotFoundError(
            f"torch.{name} is needed, but torch is not installed: pip install torch", name="torch"
        )


def install() -> None:
    """Put the stand-in where Data-Juicer looks for torch, unless torch is installed."""
    if importlib.util.find_spec("torch") is None:
        from data_juicer.utils import model_utils

        model_utils.torch = TorchStandIn()
