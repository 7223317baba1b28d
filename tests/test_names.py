"""What names promise: one class name, one thing; one base of all errors."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from pathlib import Path

import data_juicer_ext

ROOT = Path(data_juicer_ext.__file__).parent
BUILT_IN = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)}


def classes() -> dict[str, dict[str, set[str]]]:
    """By class name and module: the names of the bases."""
    found: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(base).split("[")[0].rsplit(".", 1)[-1] for base in node.bases}
                found[node.name][path.relative_to(ROOT).as_posix()] = bases
    return found


def errors() -> dict[str, set[str]]:
    """The exception classes by name, with the names of all their bases."""
    bases = {name: set().union(*places.values()) for name, places in classes().items()}

    def above(name: str) -> set[str]:
        return {base for direct in bases.get(name, ()) for base in {direct, *above(direct)}}

    return {name: above(name) for name in bases if above(name) & BUILT_IN}


def test_all_errors_have_one_base() -> None:
    found = errors()
    assert len(found) > 40
    assert {name for name, bases in found.items() if "DjExtError" not in bases} == {"DjExtError"}


def test_errors_are_called_errors() -> None:
    assert [name for name in errors() if not name.endswith("Error")] == []
    assert [name for name in classes() if name.endswith(("Problem", "Exception"))] == []


def test_one_class_name_is_one_thing() -> None:
    assert {name: sorted(places) for name, places in classes().items() if len(places) > 1} == {}
