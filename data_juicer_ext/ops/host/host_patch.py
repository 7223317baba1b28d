"""Functions of Data-Juicer and Ray that are wrapped in ours: each wrapper once, and in any order."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

_WRAPPED_BY = "_dj_ext_wrapped_by"


def wrap(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Have `wrapper(original, *args, **kwargs)` called where `owner.name(*args, **kwargs)` was.

    `owner` is a module or a class. Wrappers of one function compose, whichever comes first; one that is there already,
    known by its module and name, is not put there again.
    """
    original = getattr(owner, name)
    there = getattr(original, _WRAPPED_BY, ())
    own = f"{wrapper.__module__}.{wrapper.__qualname__}"
    if own in there:
        return

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return wrapper(original, *args, **kwargs)

    setattr(wrapped, _WRAPPED_BY, (*there, own))
    is_static = isinstance(inspect.getattr_static(owner, name), staticmethod)
    setattr(owner, name, staticmethod(wrapped) if is_static else wrapped)
