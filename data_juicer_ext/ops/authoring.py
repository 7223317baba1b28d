"""What an author of operators needs, in one place that stays: see docs/writing-an-operator.md.

    @operator("caption_topic_mapper")
    class CaptionTopicMapper(ModelMapper): ...

A package of operators declares itself in the entry point group `data_juicer.ops` and calls `plug_in(__name__)`.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from data_juicer.ops.base_op import OPERATORS, Filter, Mapper

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.errors import UsageError
from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.models.types import Answer, Failure, Request
from data_juicer_ext.offline.plugin_rules import offline_rule
from data_juicer_ext.ops.base.column_batches import replace_rows, to_rows
from data_juicer_ext.ops.base.model_filter import ModelFilter
from data_juicer_ext.ops.base.model_mapper import ModelMapper
from data_juicer_ext.ops.base.model_op import ModelOp
from data_juicer_ext.ops.base.outcome import Outcome, undecided
from data_juicer_ext.ops.base.rule_op import RuleFilter, RuleMapper
from data_juicer_ext.ops.base.run_op import OWN_OPERATORS, OwnOp, between, count, one_of
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.prompts import add_folder, request
from data_juicer_ext.qa.json_answer import parse_json_object

__all__ = [
    "Answer",
    "Calls",
    "ConfigError",
    "Failure",
    "Filter",
    "Mapper",
    "ModelFilter",
    "ModelMapper",
    "ModelOp",
    "Outcome",
    "OwnOp",
    "Request",
    "RuleFilter",
    "RuleMapper",
    "between",
    "count",
    "offline_rule",
    "one_of",
    "operator",
    "parse_json_object",
    "plug_in",
    "replace_rows",
    "request",
    "stop",
    "to_rows",
    "undecided",
]

Operator = TypeVar("Operator", bound=type[Any])

KINDS = ("mapper", "filter")


def operator(name: str) -> Callable[[Operator], Operator]:
    """Decorates the class of an operator: `name` is what recipes call it.

    Data-Juicer has it registered then, and `dj-ext check`, `run`, `estimate` and `ops` know it as they know ours.
    Raises UsageError for a name that does not end in the kind, or that another operator has.
    """
    if not name.endswith(tuple(f"_{kind}" for kind in KINDS)):
        raise UsageError(f"operator {name!r}: the name has to end in _mapper or _filter")

    def register(cls: Operator) -> Operator:
        there = OPERATORS.modules.get(name)
        if there is not None and (there.__module__, there.__qualname__) != (cls.__module__, cls.__qualname__):
            raise UsageError(f"operator {name!r} is there already, in {there.__module__}; choose another name")
        if name not in OWN_OPERATORS:
            OWN_OPERATORS.append(name)
        OPERATORS.register_module(name, cls, force=True)
        return cls

    return register


def plug_in(package: str) -> None:
    """Take a package's part: its folder `prompts/`, where it has one, and each of its modules `*_mapper`, `*_filter`.

    Called by the package's `__init__` with `__name__`. Raises PromptError for prompts whose folder has the name of
    another package's, and whatever the modules raise.
    """
    module = sys.modules[package]
    for place in map(Path, module.__path__):
        if (place / "prompts").is_dir():
            add_folder(place / "prompts")
    for found in pkgutil.iter_modules(module.__path__):
        if found.name.endswith(tuple(f"_{kind}" for kind in KINDS)):
            importlib.import_module(f"{package}.{found.name}")
