"""What goes into the wheel and the source distribution."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.host import REPO

pytestmark = pytest.mark.host


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both."""
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run([*command, "--target", "wheel", "--target", "sdist"], cwd=REPO, check=True, capture_output=True)
    return folder


def names_below(folder: str) -> set[str]:
    paths = (path for path in (REPO / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(REPO)) for path in paths}


def test_the_wheel_brings_recipes_prompts_and_samples(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("recipes", "prompts", "examples"):
        assert {f"data_juicer_ext/shipped/{name}" for name in names_below(folder)} <= names
    assert not {name for name in names if "__pycache__" in name or name.startswith(("tests", "docs"))}
    assert wheel.stat().st_size < 3_000_000


def test_the_source_distribution_is_whole(built: Path) -> None:
    [source] = built.glob("*.tar.gz")
    with tarfile.open(source) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    for folder in ("data_juicer_ext", "recipes", "prompts", "examples", "docs", "tests", "benchmarks"):
        assert names_below(folder) <= names, folder
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "pyproject.toml"} <= names
    assert not {name for name in names if "__pycache__" in name or name.startswith(("outputs", "dj_ext_run"))}
