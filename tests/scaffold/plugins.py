"""Packages of operators of somebody else's: installed into an environment of their own, and run there."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from tests.host import REPO

DJ_PROCESS = "import sys; from data_juicer.tools.process_data import main; sys.exit(main())"


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    """What a command prints, in an environment with `env` added; it has to succeed."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False,
        timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout


def installed(plugin: Path) -> Path:
    """The Python of a new environment that the package in the folder `plugin` is installed into."""
    home = plugin.parent / "venv"
    venv.create(home, with_pip=False)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{REPO}\n")
    python = home / "bin" / "python"
    run(
        sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-build-isolation",
        "-e", plugin, cwd=plugin,
    )  # fmt: skip
    return python
