"""What the page is made from comes along in the wheel."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.host import REPO


@pytest.mark.host
def test_the_wheel_has_template_and_style(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)],
        cwd=REPO, check=True, capture_output=True,
    )  # fmt: skip
    [wheel] = tmp_path.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if "/report/templates/" in name}
    assert {Path(name).name for name in names} == {"report.html", "report.css"}
