"""The rooms of the package: what stands on what, what each is for, and that none has grown too large."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

import data_juicer_ext

ROOT = Path(data_juicer_ext.__file__).parent
MODULES = sorted(path for path in ROOT.rglob("*.py") if "shipped" not in path.parts)
ROOMS = sorted(path.parent for path in MODULES if path.name == "__init__.py" and path.parent != ROOT)
MOST_LINES = 300
MOST_MODULES = 20  # side by side in one room


def test_arrows_run_downwards_only_and_in_no_circle(repo: Path) -> None:
    assert lint_imports(config_filename=str(repo / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(ROOT)))
def test_a_room_begins_with_the_question_that_it_answers(room: Path) -> None:
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert "?" in said.splitlines()[0]


def test_no_module_is_long_and_no_room_crowded() -> None:
    lines = {path.relative_to(ROOT): path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}
    crowds = {room.relative_to(ROOT): len(list(room.glob("*.py"))) - 1 for room in ROOMS}
    allowed = {Path("cli"), Path("ops/mapper")}  # one file per command, and one per operator
    assert {room: count for room, count in crowds.items() if count > MOST_MODULES and room not in allowed} == {}


def test_the_core_needs_neither_data_juicer_nor_ray() -> None:
    """Imported in a process of its own, all modules but those that the host, the models' actors and the page need."""
    apart = ("cli", "estimate", "ops", "runner", "testing")
    core = [
        ".".join(("data_juicer_ext", *path.relative_to(ROOT).with_suffix("").parts))
        for path in MODULES
        if path.name != "__init__.py" and path.relative_to(ROOT).parts[0].removesuffix(".py") not in apart
    ]
    code = f"""
import importlib, sys
for name in {core!r}:
    importlib.import_module(name)
print(*sorted({{"data_juicer", "ray", "torch"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_picture_of_the_rooms_shows_every_package(repo: Path) -> None:
    picture = (repo / "docs" / "pictures" / "rooms.svg").read_text(encoding="utf-8")
    shown = set(re.findall(r'font-weight="bold"[^>]*>(\w+)<', picture))
    packages = {path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()}
    assert shown == packages | {path.stem for path in ROOT.glob("*.py") if path.stem != "__init__"}
