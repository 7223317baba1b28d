"""A new operator in a package of the user's own, which is made with the first one."""

import re
from pathlib import Path

from data_juicer_ext import __version__
from data_juicer_ext.errors import UsageError
from data_juicer_ext.scaffold.names import OperatorName, package_name
from data_juicer_ext.scaffold.new_files import NewFiles
from data_juicer_ext.scaffold.operator_kinds import Variant, operator_files, text

_ENTRY = re.compile(
    r"""^\[project\.entry-points\.["']data_juicer\.ops["']\]\s*\n[^\[\n]*?=\s*["']([a-z_0-9]+)["']""", re.M
)


def package_in(folder: Path) -> str:
    """The package of operators that stands in a folder, "" where the folder has no pyproject.toml.

    Raises UsageError for another project's folder.
    """
    project = folder / "pyproject.toml"
    if not project.is_file():
        return ""
    entry = _ENTRY.search(project.read_text(encoding="utf-8", errors="replace"))
    if entry is None:
        raise UsageError(
            f'{project} names no package in [project.entry-points."data_juicer.ops"]; add it there, or name another '
            "folder by --to"
        )
    if not (folder / entry[1] / "__init__.py").is_file():
        raise UsageError(f"{project} names the package {entry[1]}, and {folder / entry[1]} is none")
    return entry[1]


def draft(operator: OperatorName, variant: Variant, folder: Path) -> NewFiles:
    """What is to be written to `folder` for an operator. Raises UsageError where that folder can't take it."""
    there = package_in(folder)
    package = there or package_name(folder)
    name, task = operator.name, f"{package}/{operator.stem}"
    own_import = f"\nfrom {package}.{name} import {variant.exports}\n"
    fields = {
        **vars(variant), "further": variant.further, "name": name, "stem": operator.stem, "package": package,
        "class_name": operator.class_name, "task": task, "depth": 1, "in_plugin": own_import, "in_checkout": "",
        "gap": "",
        "distribution": package.replace("_", "-"), "version": __version__,
    }  # fmt: skip
    places = {
        "code": f"{package}/{name}.py", "prompt": f"{package}/prompts/{task}.jinja",
        "test": f"tests/test_{name}.py", "recipe": f"recipes/{name}.yaml",
    }  # fmt: skip
    made = NewFiles(folder, operator_files(variant, fields, places))
    made.shared["examples/figures.jsonl"] = text("figures.jsonl", fields)
    if there:
        made.appended["README.md"] = text("operator.md", fields)
    else:
        made.new["pyproject.toml"] = text("pyproject.toml", fields)
        made.new[f"{package}/__init__.py"] = text("plugin_init.py", fields)
        made.new["README.md"] = text("readme.md", fields) + text("operator.md", fields)
    return made
