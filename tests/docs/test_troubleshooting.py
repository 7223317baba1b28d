"""Every message that docs/troubleshooting.md quotes is one that the code can print."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from data_juicer_ext.models.types import FailureKind
from data_juicer_ext.ops.base import end_of_run
from tests.host import REPO

PAGE = (REPO / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
HOLE = "\0"  # what is filled in
LEAST = 9  # characters that have to be the same in one piece

_MESSAGE = re.compile(r"^\| (?:`(?:call_failed:\w+|unparsable|error:\.\.\.)` \| |any \| )?`([^`]+)` \|", re.M)


def section(title: str) -> str:
    """The text below a heading of the page."""
    return re.split(r"^## ", PAGE.partition(f"## {title}\n")[2], maxsplit=1, flags=re.M)[0]


def messages(text: str) -> list[str]:
    """The quoted messages of the tables."""
    return _MESSAGE.findall(text)


OWN = [m for title in re.findall(r"^## (.+)$", PAGE, re.M) if not title.startswith(("Exit codes", "Data-Juicer's"))
       for m in messages(section(title))]  # fmt: skip


def written(node: ast.AST) -> str | None:
    """The text of an expression, with `HOLE` for what is filled in; None for no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) or HOLE for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = written(node.left), written(node.right)
        return None if left is None and right is None else (left or HOLE) + (right or HOLE)
    return None


def texts(files: list[Path]) -> Iterator[str]:
    """All texts of some modules, docstrings left out."""
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body and isinstance(node.body[0], ast.Expr)
        }  # fmt: skip
        for node in ast.walk(tree):
            if id(node) not in docstrings and (text := written(node)):
                yield text


@cache
def ours() -> tuple[str, ...]:
    return tuple(texts(sorted((REPO / "data_juicer_ext").rglob("*.py"))))


def pattern(message: str) -> re.Pattern[str]:
    """A message as it may stand in the code: three dots are anything, the rest has no hole in it."""
    return re.compile(".*?".join(map(re.escape, pieces(message))), re.S)


def pieces(message: str) -> list[str]:
    """What of a message is always the same."""
    return [piece for piece in re.split(r"\.{3,}", message) if piece]


def said(message: str, among: tuple[str, ...]) -> bool:
    return any(map(pattern(message).search, among))


@pytest.mark.parametrize("message", OWN)
def test_a_quoted_message_is_in_the_code(message: str) -> None:
    assert any(len(piece) >= LEAST for piece in pieces(message)), "too short to be looked for"
    assert said(message, ours()), message


def test_messages_of_data_juicer_are_in_its_code_or_in_that_of_datasets() -> None:
    quoted = messages(section("Data-Juicer's own messages"))
    files = []
    for name, parts in (
        ("data_juicer", ("ops/__init__.py", "core/preflight.py", "core/data/dataset_builder.py")),
        ("datasets", ("table.py",)),
    ):
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None
        files += [Path(spec.origin).parent / part for part in parts]
    among = tuple(texts(files))
    assert quoted and [message for message in quoted if not said(message, among)] == []


def test_a_message_that_is_not_in_the_code_would_be_found_out() -> None:
    assert len(OWN) > 80 and not said("the run folder ... has been eaten by ...", ours())


def test_every_kind_of_failure_and_every_hint_is_there() -> None:
    told = set(re.findall(r"`call_failed:(\w+)`", section("Undecided rows")))
    assert told == set(get_args(FailureKind))
    assert {reason for reason in end_of_run._HINTS if f"`{reason}`" not in PAGE and reason not in told} <= {"both_zero"}


def test_the_exit_codes_are_those_of_the_running_page() -> None:
    running = (REPO / "docs" / "running.md").read_text(encoding="utf-8")
    codes = re.findall(r"^\| (\d+) \|", running.partition("## How it ends")[2], re.M)
    header = next(line for line in section("Exit codes").splitlines() if line.startswith("| command"))
    assert re.findall(r"\d+", header) == codes
