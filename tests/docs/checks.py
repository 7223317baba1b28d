"""What is checked of a block that is not run: commands by their parsers, recipes by `dj-ext check`, parameters by
the operators that take them."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import yaml

from data_juicer_ext.cli.main import _parser
from data_juicer_ext.estimate.assumptions import load_assumptions
from data_juicer_ext.models.config.endpoint import parse_model_params
from data_juicer_ext.ops.host.running_recipe import trying
from data_juicer_ext.ops.recipe.operator_reference import own_classes
from data_juicer_ext.ops.recipe.recipe_check import check
from tests.docs.blocks import commands
from tests.host import REPO

# Programs that pages may name beside ours.
OTHERS = (
    "cd", "cp", "mkdir", "chmod", "export", "source", "pip", "python", "python3", "ray", "git", "vllm", "ssh", "docker",
    "kubectl",
)  # fmt: skip


def command_problem(words: list[str], recipes: Collection[str] = ()) -> str:
    """What is wrong with a command that is not run; "" for nothing. `recipes` are there beside the shipped ones."""
    name, arguments = words[0].rpartition("/")[2], words[1:]
    if name == "dj-ext":
        return _unparsable(arguments)
    if name == "dj-process":
        recipe = arguments[arguments.index("--config") + 1] if "--config" in arguments[:-1] else ""
        return (
            ""
            if recipe in recipes or (recipe and (REPO / recipe).is_file())
            else f"there is no recipe {recipe or '(--config)'}"
        )
    if name == "make":
        targets = re.findall(r"^([\w-]+):", (REPO / "Makefile").read_text(encoding="utf-8"), re.M)
        return "" if set(arguments) <= set(targets) else f"the Makefile has no {' '.join(arguments)}"
    return "" if name in OTHERS else f"{name} is no command that is known here"


def script_problems(script: str, recipes: Collection[str] = ()) -> list[str]:
    """What is wrong with the commands of a script that is not run."""
    return [problem for words in commands(script) if (problem := command_problem(words, recipes))]


def _unparsable(arguments: list[str]) -> str:
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            _parser().parse_args(arguments)
    except SystemExit as end:
        if end.code:
            return f"dj-ext {' '.join(arguments)}: {said.getvalue().strip().splitlines()[-1]}"
    return ""


def json_problem(text: str) -> str:
    """What is wrong with a block of JSON: one value, or one per line."""
    try:
        json.loads(text)
    except ValueError:
        try:
            [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            return f"no JSON: {error}"
    return ""


def yaml_problems(text: str, folder: Path) -> list[str]:
    """What is wrong with a block of YAML: a recipe, a part of its `process`, parameters, or assumptions.

    Files that it names are looked for in the current folder; `folder` is for files of this check's own.
    """
    value = yaml.safe_load(re.sub(r": \*(\w+)", r": \1", text))
    if isinstance(value, dict) and "process" in value:
        path = folder / "recipe.yaml"
        path.write_text(text, encoding="utf-8")
        return check(path)
    if isinstance(value, list):
        return [problem for step in value for problem in _step_problems(step)]
    if isinstance(value, dict) and set(value) & {"api_model", "model_params", "sampling_params"}:
        return _raised(parse_model_params, value.get("api_model", "m"), None, value.get("model_params"))
    if isinstance(value, dict) and set(value) & {"claims_per_figure", "keep"}:
        path = folder / "assumptions.yaml"
        path.write_text(text, encoding="utf-8")
        return _raised(load_assumptions, path)
    if isinstance(value, dict) and set(value) <= set(own_classes()):
        return _step_problems(value)
    return ["YAML of an unknown kind; say in a comment before it why it is not checked"]


def _step_problems(step: dict[str, Any]) -> list[str]:
    """What operators say about their parameters."""
    ours = own_classes()
    problems = []
    for name, parameters in step.items():
        if name not in ours:
            problems.append(f"{name} is no operator of ours")
            continue
        with trying():
            problems += _raised(ours[name], **(parameters or {}))
    return problems


def _raised(call: Any, *arguments: Any, **named: Any) -> list[str]:
    try:
        call(*arguments, **named)
    except (TypeError, ValueError) as error:
        return [str(error)]
    return []
