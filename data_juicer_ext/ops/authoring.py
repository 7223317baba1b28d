"""What an author of operators needs, in one place that stays: see docs/writing-an-operator.md.

    @operator("caption_topic_mapper")
    class CaptionTopicMapper(ModelMapper): ...

A package of operators declares itself in the entry point group `data_juicer.ops` and calls `plug_in(__name__)`.
"""

import sys
from pathlib import Path

from data_juicer.ops.base_op import Filter, Mapper

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.models.types import Answer, Failure, Request
from data_juicer_ext.offline.plugin_rules import offline_rule
from data_juicer_ext.ops.base.host_results import replace_rows, to_rows
from data_juicer_ext.ops.base.model_kinds import ModelFilter, ModelMapper
from data_juicer_ext.ops.base.model_op import ModelOp
from data_juicer_ext.ops.base.outcome import Outcome, undecided
from data_juicer_ext.ops.base.registration import import_operators, operator
from data_juicer_ext.ops.base.rule_op import RuleFilter, RuleMapper
from data_juicer_ext.ops.base.run_op import RunOp, between, count, one_of
from data_juicer_ext.prompts import add_folder, request
from data_juicer_ext.qa.json_answer import parse_json_object

__all__ = [
    "Answer", "Calls", "ConfigError", "Failure", "Filter", "Mapper", "ModelFilter", "ModelMapper", "ModelOp",
    "Outcome", "Request", "RuleFilter", "RuleMapper", "RunOp", "between", "count", "offline_rule", "one_of",
    "operator", "parse_json_object", "plug_in", "replace_rows", "request", "to_rows", "undecided",
]  # fmt: skip


def plug_in(package: str) -> None:
    """Take a package's part: its folder `prompts/`, where it has one, and each of its modules `*_mapper`, `*_filter`.

    Called by the package's `__init__` with `__name__`. Raises PromptError for prompts whose folder has the name of
    another package's, and whatever the modules raise.
    """
    for place in map(Path, sys.modules[package].__path__):
        if (place / "prompts").is_dir():
            add_folder(place / "prompts")
    import_operators(package)
