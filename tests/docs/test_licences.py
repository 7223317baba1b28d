"""The licences in docs/licences.md are those that the installed packages state."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path

from tests.docs.blocks import blocks_of
from tests.host import REPO

PAGE = REPO / "docs" / "licences.md"
# An extra that is not installed with the tests; and the package that is empty from Python 3.11 on.
ABSENT = ("litellm", *(("pymupdf-layout",) if sys.version_info < (3, 11) else ()))


def table() -> set[str]:
    """The rows of the table of direct dependencies."""
    below = PAGE.read_text(encoding="utf-8").partition("## All direct dependencies")[2].partition("\n## ")[0]
    return {
        line for line in below.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| package"))
    }


def test_the_table_is_what_the_program_on_the_page_prints(tmp_path: Path) -> None:
    [program] = [block.text for block in blocks_of(PAGE, PAGE.name) if block.language == "python"]
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    here = {line for line in done.stdout.splitlines() if not line.startswith(tuple(f"| {name} " for name in ABSENT))}
    shown = {line for line in table() if not line.startswith(tuple(f"| {name} " for name in ABSENT))}
    assert shown == here


def test_every_dependency_of_the_project_is_in_the_table() -> None:
    project = (REPO / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^(?:dependencies|litellm|eval|ocr|s3) = \[(.*?)\]$", project, re.M | re.S)
    needed = {name.lower() for part in lists for name in re.findall(r'"([\w-]+)(?=[><=\[;])', part)}
    assert len(lists) == 5 and needed == {line.split()[1] for line in table()}


def test_the_packages_under_a_copyleft_licence_are_told_apart() -> None:
    text = PAGE.read_text(encoding="utf-8")
    above = text.partition("## All direct dependencies")[0]
    copyleft = {line.split()[1] for line in table() if re.search(r"GPL", line)}
    assert copyleft == {"pymupdf", "krippendorff", "python-levenshtein"}
    assert all(re.search(rf"`{name}`", above, re.I) for name in copyleft)
    assert metadata("pymupdf")["License"] in text


def test_the_project_is_under_the_licence_that_its_file_holds() -> None:
    assert (REPO / "LICENSE").read_text(encoding="utf-8").split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert 'license = "Apache-2.0"' in (REPO / "pyproject.toml").read_text(encoding="utf-8")
