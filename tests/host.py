"""Runs recipes in Data-Juicer: in this process for many short runs, in a fork, or as `dj-process` itself."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.forks import programs

REPO = Path(__file__).resolve().parent.parent
SHARED_PAPERS = REPO.parent / "shared" / "cases" / "latex" / "papers"


def recipe(name: str) -> dict[str, Any]:
    """A shipped recipe as a dict of its own."""
    return dict(yaml.safe_load((REPO / "recipes" / f"{name}.yaml").read_text(encoding="utf-8")))


def with_parameters(process: list[dict[str, Any]], **parameters: Any) -> list[dict[str, Any]]:
    """A process list with the parameters set in every operator that has them (or `run_dir`, always)."""
    process = copy.deepcopy(process)
    for step in process:
        for given in step.values():
            for key, value in parameters.items():
                if key == "run_dir" or key in given:
                    given[key] = {**given[key], **value} if isinstance(value, dict) else value
    return process


def run_here(rows: list[dict[str, Any]], process: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run operators over rows on the default executor's data set, in this process; the rows left."""
    from data_juicer.core.data import NestedDataset
    from data_juicer.ops import load_ops

    dataset = NestedDataset.from_list(rows)
    return list(dataset.process(load_ops(copy.deepcopy(process)), open_monitor=False).to_list())


def dj_process(
    config: dict[str, Any],
    folder: Path,
    *arguments: str,
    env: dict[str, str] | None = None,
    timeout: float = 240,
    afresh: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run `dj-process` on a recipe in `folder`, in a process of its own, with keys taken away.

    It is the fork of one that has imported Data-Juicer, or one that is started `afresh`, as users do.
    """
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    clean = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY") and not k.startswith("OPENAI_")}
    commands = Path(sys.executable).parent if afresh else programs((env or {}).get("RAY_AUTH_MODE", ""))
    return subprocess.run(
        [str(commands / "dj-process"), "--config", str(path), *arguments],
        cwd=folder, env={**clean, **(env or {})}, capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Rows as a JSON Lines file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
