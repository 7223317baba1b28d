"""`make test-power`: which faults it puts in, and what it says of the tests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cosmic_ray.mutating import mutate_code

from benchmarks.power.faults import diff, faults_in
from benchmarks.power.operators import OURS, Replacement

PRODUCT = """\
def is_small(value: int) -> bool:
    return value < 10


def is_large(value: int) -> bool:
    return value > 90


NAMED = {"small": is_small}["small"]
MOST = 100
"""
TESTS = """\
from data_juicer_ext.sizes.limits import MOST, is_small

assert MOST == 100


def test_small():
    assert is_small(9) and not is_small(10)
"""


@pytest.mark.parametrize("operator", OURS)
def test_every_operator_of_ours_does_what_its_example_says(operator: type[Replacement]) -> None:
    [example] = operator.examples()
    assert mutate_code(example.pre_mutation_code, operator(), 0) == example.post_mutation_code
    assert mutate_code(example.pre_mutation_code, operator(), 1) is None


def changes(source: str) -> set[str]:
    """The lines that any fault makes of a module."""
    applied = [fault.applied(source) for faults in faults_in(source).values() for fault in faults]
    return {line[1:] for text in applied if text for line in diff(source, text).splitlines() if line[0] == "+"}


@pytest.mark.parametrize(
    "source, expected",
    [
        ("if a < b: pass", {"if a <= b: pass", "if a >= b: pass", "if not (a < b): pass"}),
        ("if a: pass\nelif b: pass", {"if not (a): pass", "elif not (b): pass"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if not (a)]"}),
        ("x = a not in b", {"x = a in b"}),
        ("x = a and not b", {"x = a or not b", "x = a and  b"}),
        ("x = 3, True", {"x = 4, True", "x = 2, True", "x = 3, False"}),
        ("try: a\nexcept (A, b.C): pass", {"except (ArithmeticError, b.C): pass", "except (A, ArithmeticError): pass"}),
        ("raise Wrong('x')", {"raise ArithmeticError('x')"}),
        ("async def f():\n    async with lock:\n        g()", {"    if True:", "        pass"}),
        ("with open(a) as b: c = b", set()),
        ("x = row.get('id')", {"x = row.get('id_renamed')"}),
        ("x = f(a, timeout=b)", {"x = f(a, **{})"}),
        ("a += b", {"pass"}),
    ],
)
def test_what_is_changed(source: str, expected: set[str]) -> None:
    assert changes(source + "\n") == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""One of 3."""',
        "def f(x: Literal[1]) -> Literal[True]: ...",
        "x: Literal['a']",
        "__all__ = ['a', *b[1:]]",
        "if TYPE_CHECKING:\n    import a",
        "assert a < b",
        "log.info('so many: %d', a + 1)",
        "logging.getLogger('a').warning(x, stacklevel=2)",
        "@dataclass(frozen=True)\nclass A: pass",
        "x = zip(a, b, strict=True)",
        "x = a + 4096",
        "raise NotImplementedError",
    ],
)
def test_what_is_left_alone(source: str) -> None:
    assert changes(source + "\n") == set()


def measured(tree: Path, out: Path) -> tuple[str, list[dict[str, str]]]:
    """What the tool prints, and the lines that it writes."""
    command = [sys.executable, "-m", "benchmarks.power", "--tree", str(tree), "--per-package", "4", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout, [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_what_the_tests_notice_is_told_apart_and_the_checkout_is_left_alone(tmp_path: Path) -> None:
    tree, out = tmp_path / "tree", tmp_path / "results.jsonl"
    files = {"data_juicer_ext/sizes/limits.py": PRODUCT, "tests/sizes/test_limits.py": TESTS}
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True)
        (tree / name).write_text(text)
        for folder in list((tree / name).relative_to(tree).parents)[:-1]:
            (tree / folder / "__init__.py").touch()

    printed, results = measured(tree, out)

    outcomes = {(result["line"], result["outcome"]) for result in results}
    assert outcomes == {(2, "caught"), (6, "survived"), (9, "incompetent"), (10, "caught")}
    assert {result["by"] for result in results if result["line"] == 2} == {"tests/sizes/test_limits.py::test_small"}
    assert "survived: data_juicer_ext/sizes/limits.py:6" in printed
    assert "sizes                        2     3     67%   1 incompetent" in printed
    assert {name: (tree / name).read_text() for name in files} == files

    again, same = measured(tree, out)
    assert same == results and again[again.index("survived:") :] == printed[printed.index("survived:") :]
    assert "caught" in printed.partition("survived:")[0] and "caught" not in again
