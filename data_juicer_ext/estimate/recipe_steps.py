"""The steps of a recipe as an estimate sees them: what is free before the first call, and what follows it."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

from data_juicer_ext.estimate.uncertain_amounts import Range
from data_juicer_ext.models.config.endpoint import NO_KEY, OFFLINE, EndpointConfig
from data_juicer_ext.ops.base.model_op import ModelOp
from data_juicer_ext.ops.host.running_recipe import steps, trying
from data_juicer_ext.ops.recipe.operator_reference import own_classes

# Nobody answers here (the discard port): an operator that is made to be looked at has nowhere to send anything.
_NOWHERE = "http://127.0.0.1:9/v1"
_ENDPOINTS = {"model_params": "api_model", "text_model_params": "text_api_model"}


@dataclass(frozen=True)
class RecipeStep:
    """One listing of a recipe, from the first that calls a model on.

    `op` is the operator itself, made to be asked about its prompts and never to send any; None for
    one that is not this package's, of which nothing is known but its name. `frugal`: its votes stop when
    they are certain (`op` itself makes all draws).
    """

    operator: str
    tag: str
    op: Any = None
    frugal: bool = False

    @property
    def endpoint(self) -> EndpointConfig | None:
        """The model's endpoint, but for its address and key; None where the step calls no model."""
        return self.op.endpoint if isinstance(self.op, ModelOp) else None

    @property
    def endpoints(self) -> list[EndpointConfig]:
        """The endpoints of all models that a row is put to alike, the step's own the first of them."""
        several: list[EndpointConfig] | None = getattr(self.op, "endpoints", None)
        return several or ([self.endpoint] if self.endpoint is not None else [])

    @property
    def model(self) -> str:
        """The model's name, "" where there is none."""
        return self.endpoint.model if self.endpoint is not None else ""

    @property
    def several(self) -> tuple[str, str] | None:
        """The assumption that says how many rows it makes of one, and what these are; None where it has none."""
        return self.op.rows_assumption if isinstance(self.op, ModelOp) else None

    @property
    def rows_expected(self) -> Range | None:
        """The rows that go on from one row, as the operator says it; None where it does not."""
        given = self.op.rows_expected if isinstance(self.op, ModelOp) else None
        return Range(*map(float, given)) if given else None

    @property
    def answer_tokens(self) -> Range | None:
        """The tokens of one answer, as the operator says it; None where it does not."""
        given = self.op.answer_tokens if isinstance(self.op, ModelOp) else None
        return Range(*map(float, given)) if given else None

    @property
    def is_free(self) -> bool:
        """Whether it costs nothing for certain: no model, or the embedded one."""
        return self.op is not None and all(endpoint.model == OFFLINE for endpoint in self.endpoints)


@dataclass(frozen=True)
class Plan:
    """The parts of a recipe's `process`: `free` comes before the first step that calls a model."""

    free: tuple[Mapping[str, Any], ...]
    paid: tuple[Mapping[str, Any], ...]
    steps: tuple[RecipeStep, ...]

    @property
    def known(self) -> list[RecipeStep]:
        """The steps that are this package's."""
        return [step for step in self.steps if step.op is not None]

    @property
    def foreign(self) -> list[str]:
        """The names of operators that are not, from the first call on."""
        return [step.operator for step in self.steps if step.op is None]


def plan(config: Mapping[str, Any]) -> Plan:
    """The plan of a recipe that has passed `dj-ext check`; without any `steps` where no model is called."""
    ours, process = own_classes(), list(config["process"])
    calling = [i for i, (name, _) in enumerate(steps(process)) if name in ours and issubclass(ours[name], ModelOp)]
    first = calling[0] if calling else len(process)
    listed = [_step(name, given, ours) for name, given in steps(process[first:])]
    return Plan(tuple(process[:first]), tuple(process[first:]), tuple(listed))


def _step(name: str, given: dict[str, Any], ours: Mapping[str, type[Any]]) -> RecipeStep:
    if name not in ours:
        return RecipeStep(name, name)
    if issubclass(ours[name], ModelOp):
        given = _without(given, api_key_env=NO_KEY, base_url=_NOWHERE)
    with trying():
        op = ours[name](**given)
    frugal = isinstance(op, ModelOp) and op.draw_all()  # every draw is asked for, though no answer comes
    return RecipeStep(name, str(op.tag), op, frugal)


def foreign_callers(process: Iterable[Mapping[str, Any]]) -> list[str]:
    """The operators of others in a `process` that may call a model by an interface that costs money."""
    from data_juicer.ops import OPERATORS

    ours = own_classes()
    names = [name for name, _ in steps(list(process)) if name not in ours and name in OPERATORS.modules]
    return [name for name in names if any(map(_takes_an_interface, OPERATORS.modules[name].__mro__))]


def _takes_an_interface(kind: type[Any]) -> bool:
    made = vars(kind).get("__init__")
    return made is not None and any(name.startswith("api_") for name in signature(made).parameters)


def keyless(config: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe with endpoints that need no key: what an estimate that sends nothing can be checked by."""
    ours = own_classes()
    changed = copy.deepcopy(dict(config))
    process = changed.get("process")
    for item in process if isinstance(process, Sequence) else ():
        for name in list(item) if isinstance(item, dict) and len(item) == 1 else ():
            given = item[name]
            if name in ours and issubclass(ours[name], ModelOp) and isinstance(given or {}, Mapping):
                item[name] = _without(dict(given or {}), api_key_env=NO_KEY)
    return changed


def _without(given: dict[str, Any], **settings: str) -> dict[str, Any]:
    """An operator's parameters with settings of its endpoints replaced; what is no mapping is left as it is."""
    changed = dict(given)
    for params, model in _ENDPOINTS.items():
        named = params == "model_params" or given.get(model)
        if named and isinstance(given.get(params) or {}, Mapping):
            changed[params] = {**(given.get(params) or given.get("model_params") or {}), **settings}
    several = given.get("models")
    if isinstance(several, list) and all(isinstance(model, Mapping) for model in several):
        changed["models"] = [
            {**model, "model_params": {**(model.get("model_params") or {}), **settings}} for model in several
        ]
    return changed
