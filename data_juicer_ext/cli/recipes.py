"""`dj-ext recipes`: the recipes that come along, and a folder to try them in, with the prompts and samples."""

import argparse
import filecmp
import shutil
from collections.abc import Iterator
from pathlib import Path

from data_juicer_ext.errors import UsageError
from data_juicer_ext.prompts import shipped_folder

_FOLDERS = ("recipes", "prompts", "examples")
_NAMED = 5  # files that differ, before they are only counted


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    recipes = commands.add_parser("recipes", help="list the recipes that come along, or copy them with the samples")
    recipes.add_argument("--to", type=Path, metavar="FOLDER", help="copy recipes, prompts and samples into this folder")
    recipes.set_defaults(run=_recipes)


def _recipes(given: argparse.Namespace) -> int:
    if given.to is None:
        for path in sorted(shipped_folder("recipes").glob("*.yaml")):
            print(path)
        return 0
    if given.to.exists() and not given.to.is_dir():
        raise UsageError(f"--to {given.to} is a file; name a folder, which may be new")
    differing: list[Path] = []
    for name in _FOLDERS:
        copied, same, others = _copied(shipped_folder(name), given.to / name)
        differing += others
        print(f"{given.to / name}: {copied} files" + (f", {same} were there already" if same else ""))
    return _told(differing)


def _copied(source: Path, target: Path) -> tuple[int, int, list[Path]]:
    """Copy what is not there yet: how many files were copied, were there, and those there with another content."""
    copied, same, others = 0, 0, []
    for path in _files(source):
        place = target / path.relative_to(source)
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
            copied += 1
        elif place.is_file() and filecmp.cmp(path, place, shallow=False):
            same += 1
        else:
            others.append(place)
    return copied, same, others


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def _told(differing: list[Path]) -> int:
    if not differing:
        return 0
    more = f" and {len(differing) - _NAMED} more" if len(differing) > _NAMED else ""
    named = ", ".join(map(str, differing[:_NAMED]))
    print(f"{named}{more}: left as they are, with another content than the shipped ones")
    print("For all of the shipped files name another folder.")
    return 1
