"""How an operator becomes known: to Data-Juicer by its name, and to the commands of this package as one of its own."""

import importlib
import pkgutil
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.errors import UsageError

Operator = TypeVar("Operator", bound=type[Any])

KINDS = ("mapper", "filter")

# The operators of this package and of those that stand on it, by name, in the order in which they came.
EXTENSION_OPERATORS: list[str] = []


def operator(name: str) -> Callable[[Operator], Operator]:
    """Decorates the class of an operator: `name` is what recipes call it.

    Data-Juicer has it registered then, and `dj-ext check`, `run`, `estimate` and `ops` know it as one of theirs.
    Raises UsageError for a name that does not end in the kind, or that another operator has.
    """
    if not name.endswith(tuple(f"_{kind}" for kind in KINDS)):
        raise UsageError(f"operator {name!r}: the name has to end in _mapper or _filter")

    def register(cls: Operator) -> Operator:
        there = OPERATORS.modules.get(name)
        if there is not None and (there.__module__, there.__qualname__) != (cls.__module__, cls.__qualname__):
            raise UsageError(f"operator {name!r} is there already, in {there.__module__}; choose another name")
        if name not in EXTENSION_OPERATORS:
            EXTENSION_OPERATORS.append(name)
        OPERATORS.register_module(name, cls, force=True)
        return cls

    return register


def import_operators(package: str) -> None:
    """Import each module `*_mapper` and `*_filter` of a package, which registers its operators."""
    for found in pkgutil.iter_modules(sys.modules[package].__path__):
        if found.name.endswith(tuple(f"_{kind}" for kind in KINDS)):
            importlib.import_module(f"{package}.{found.name}")
