"""`dj-ext new-operator`: an operator to start from, with its prompt, test, recipe, sample rows and docs."""

import argparse
import subprocess
import sys
from pathlib import Path

from data_juicer_ext.cli.output import log_warnings_only
from data_juicer_ext.errors import UsageError
from data_juicer_ext.scaffold import checkout, plugin
from data_juicer_ext.scaffold.names import KINDS, OperatorName, operator_name
from data_juicer_ext.scaffold.operator_kinds import variant_of

DEFAULT_FOLDER = Path("my_operators")


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    new = commands.add_parser("new-operator", help="write an operator, its prompt, test, recipe and docs, ready to run")
    new.add_argument("name", metavar="NAME", help="such as caption_topic_mapper or long_caption_filter")
    new.add_argument("--kind", choices=KINDS, default="", help="where the name does not end in it")
    new.add_argument("--model", action=argparse.BooleanOptionalAction, default=True, help="whether it calls a model")
    new.add_argument(
        "--to", type=Path, default=None, metavar="FOLDER",
        help="the package of operators to make or to add to (default: this folder, if it is one, else my_operators)",
    )  # fmt: skip
    new.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    operator = operator_name(given.name, given.kind)
    variant = variant_of(operator.kind, given.model)
    folder = _folder(given.to)
    in_checkout = checkout.is_checkout(folder)
    draft = (checkout if in_checkout else plugin).draft(operator, variant, folder)
    if home := _taken(operator.name):
        raise UsageError(f"NAME: {operator.name} is an operator already, in {home}; choose another name")
    for path in draft.write():
        print(folder / path)
    if in_checkout:
        print(_reference_written(folder))
    print(_next(operator, folder, in_checkout))
    return 0


def _folder(to: Path | None) -> Path:
    """The folder that was named, else this one if it holds operators, else `my_operators` in it."""
    if to is not None:
        return to
    here = Path()
    return here if checkout.is_checkout(here) or _holds_operators(here) else DEFAULT_FOLDER


def _holds_operators(folder: Path) -> bool:
    try:
        return bool(plugin.package_in(folder))
    except ValueError:
        return False


def _taken(name: str) -> str:
    log_warnings_only()
    from data_juicer.ops import OPERATORS

    found = OPERATORS.modules.get(name)
    return str(found.__module__) if found is not None else ""


def _reference_written(folder: Path) -> str:
    """Generate docs/operators.md anew, in a process that has not imported the operators yet."""
    command = [sys.executable, "-m", "data_juicer_ext.cli", "ops", "--markdown"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    path = folder / "docs" / "operators.md"
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        return f"{path} could not be generated anew: {said[0]}"
    path.write_text(done.stdout, encoding="utf-8")
    return str(path)


def _next(operator: OperatorName, folder: Path, in_checkout: bool) -> str:
    name = operator.name
    test = f"tests/ops/{operator.kind}/test_{name}.py" if in_checkout else f"tests/test_{name}.py"
    enter = "" if folder == Path() else f"  cd {folder}\n"
    install = "" if in_checkout else "  pip install -e . pytest\n"
    return (
        f"\nIt runs as it is. Try it:\n{enter}{install}  python -m pytest {test}\n"
        f"  dj-process --config recipes/{name}.yaml\n  dj-ext summary outputs/{name}/run"
    )
