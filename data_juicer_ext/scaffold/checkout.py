"""A new operator among this project's own, in a checkout of it."""

import re
from pathlib import Path

from data_juicer_ext.scaffold.names import OperatorName
from data_juicer_ext.scaffold.new_files import NewFiles
from data_juicer_ext.scaffold.operator_kinds import Variant, operator_files, text

_NAME = re.compile(r"""^name = ["']data-juicer-ext["']\s*$""", re.M)
SYSTEM = "general"  # the folder of prompts/ for operators that belong to none of the systems


def is_checkout(folder: Path) -> bool:
    """Whether `folder` is the top of a checkout of this project."""
    project = folder / "pyproject.toml"
    return project.is_file() and _NAME.search(project.read_text(encoding="utf-8", errors="replace")) is not None


def draft(operator: OperatorName, variant: Variant, folder: Path) -> NewFiles:
    """What is to be written to the checkout for an operator; docs/operators.md is generated afterwards."""
    name, task = operator.name, f"{SYSTEM}/{operator.stem}"
    module = f"data_juicer_ext.ops.{operator.kind}.{name}"
    fields = {
        **vars(variant), "name": name, "stem": operator.stem, "class_name": operator.class_name, "task": task,
        "depth": 3, "in_plugin": "", "gap": "\n", "in_checkout": f"from {module} import {variant.exports}\n",
    }  # fmt: skip
    code = f"{module.replace('.', '/')}.py"
    places = {
        "code": code, "prompt": f"prompts/{task}.jinja", "recipe": f"recipes/{name}.yaml",
        "test": f"tests/ops/{operator.kind}/test_{name}.py",
    }  # fmt: skip
    made = NewFiles(folder, operator_files(variant, fields, places))
    made.shared["examples/figures.jsonl"] = text("figures.jsonl", fields)
    return made
