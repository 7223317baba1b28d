"""Rules of other packages for the offline model: what it answers to tasks that it does not know itself."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from data_juicer_ext.models.types import Failure

Rule: TypeAlias = Callable[[Mapping[str, Any], tuple[str, ...]], str | Failure]
"""What a template was rendered with and the image files of the request, to the text of an answer or a failure."""

_rules: dict[str, Rule] = {}


def offline_rule(task: str) -> Callable[[Rule], Rule]:
    """Decorates the function that answers `task`, the name of a prompt template, where `api_model` is `offline`.

    Equal requests have to get equal answers. It lets a recipe run without an endpoint, and is no judgement.
    """

    def add(rule: Rule) -> Rule:
        _rules[task] = rule
        return rule

    return add


def rule_for(task: str) -> Rule | None:
    """The rule that was added for a task, None where there is none."""
    return _rules.get(task)


@contextlib.contextmanager
def instead(task: str, rule: Rule) -> Iterator[None]:
    """Within it `rule` answers the task, whatever did before."""
    before = _rules.get(task)
    _rules[task] = rule
    try:
        yield
    finally:
        if before is None:
            del _rules[task]
        else:
            _rules[task] = before
