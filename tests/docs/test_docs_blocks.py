"""Every command, program, recipe and row that the pages print works as printed.

The commands of a page run in order in one folder of their own (`place.py`), recipes on the offline model.
A block with `<!-- not run: why -->` before it is only checked; their number is stated below.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.blocks import LANGUAGES, SHOWN, Block, blocks_of
from tests.docs.checks import json_problem, script_problems, yaml_problems
from tests.docs.place import EXAMPLES, OFFLINE, all_rows, furnish, samples
from tests.fake_openai import FakeServer
from tests.forks import programs
from tests.host import REPO
from tests.scripted import TEXT_MODEL, VISION_MODEL, ScriptedModels

PAGES = [REPO / "README.md", REPO / "CONTRIBUTING.md", *sorted((REPO / "docs").glob("*.md"))]
BLOCKS = {str(page.relative_to(REPO)): blocks_of(page, str(page.relative_to(REPO))) for page in PAGES}
ALL = [block for blocks in BLOCKS.values() for block in blocks]
RUN = ("bash", "python")

# How many blocks of each page are not run.
NOT_RUN = {
    "CONTRIBUTING.md": 5,
    "README.md": 4, "docs/cluster.md": 3, "docs/evaluation.md": 2, "docs/models.md": 1, "docs/review.md": 1,
    "docs/scidiag.md": 4, "docs/writing-an-operator.md": 2,
}  # fmt: skip
# Pages whose blocks take longer than the others: they run with `make test-cluster`.
SLOW = ("docs/annotation.md", "docs/evaluation.md", "docs/scidiag.md", "docs/scifigqual.md", "docs/siqa.md")


# What no test may do; a block with one of these is marked as not run.
NEVER = "\n".join(
    f'{name}() {{ echo "{name} in a block that is run" >&2; exit 99; }}'
    for name in ("pip", "make", "sudo", "curl", "ssh")
)


def ids(blocks: list[Block]) -> list[str]:
    return [block.place for block in blocks]


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script as a reader's shell would, on the offline model and without the network."""
    env = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    script = f"{NEVER}\n{script}"
    env |= {"PATH": f"{programs()}:/usr/bin:/bin", "OMP_NUM_THREADS": "1", "HOME": str(folder), "PYTHONPATH": str(REPO)}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False,
        errors="replace", timeout=280,
    )  # fmt: skip


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the demo leaves (`outputs/`), and the run folder of a run that an endpoint has answered (`dj_ext_run/`)."""
    folder = tmp_path_factory.mktemp("demo")
    samples(folder)
    done = shell("dj-process --config recipes/quickstart.yaml", folder)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = (json.dumps({**row, "paper_path": str(EXAMPLES / row["paper_path"])}) for row in all_rows("papers"))
    (folder / "all.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with FakeServer(ScriptedModels()) as server:
        models = f"OPENAI_BASE_URL={server.base_url} DJ_EXT_TEXT_MODEL={TEXT_MODEL} DJ_EXT_VISION_MODEL={VISION_MODEL}"
        command = "dj-process --config recipes/verisciqa.yaml --dataset_path all.jsonl"
        done = shell(f"{models} {command}", folder)
    assert done.returncode == 0, done.stderr[-3000:]
    # Rows that the offline model can work on further: those of the scripted models are of no sense.
    shutil.copy(folder / "outputs" / "quickstart" / "pairs.jsonl", folder / "outputs" / "verisciqa" / "pairs.jsonl")
    return folder


def script_of(blocks: list[Block], folder: Path) -> str:
    """The blocks of a page as one script, so that what one exports holds for the next.

    Commands meet the offline model whatever was exported; a here-document or a comment stays as it is.
    """
    forced = " ".join(f"{key}={value}" for key, value in OFFLINE.items())
    lines = [f'{name}() {{ env {forced} {name} "$@"; }}' for name in ("dj-ext", "dj-process", "python")]
    lines.append("export OPENAI_API_KEY=none")
    for block in blocks:
        lines.append(f"echo {shlex.quote(block.place)} > {shlex.quote(str(folder / '.at'))}")
        if block.language == "python":
            program = folder / f"block_{block.line}.py"
            program.write_text(block.text, encoding="utf-8")
            lines.append(f"python {shlex.quote(str(program))}")
        else:
            lines.append(block.text)
    return "\n".join(lines)


def end_of(text: str) -> str:
    """The last lines of an output, each cut to a length."""
    return "\n".join(line[:200] for line in text.splitlines()[-12:])


def runnable(page: str) -> list[Block]:
    return [block for block in BLOCKS[page] if block.language in RUN and not block.not_run + block.file]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.host, *([pytest.mark.slow] if page in SLOW else [])])
        for page in BLOCKS
        if runnable(page)
    ],
)
def test_the_commands_and_programs_of_a_page_run(page: str, demo: Path, tmp_path: Path) -> None:
    folder = furnish(tmp_path / "place", demo)
    done = shell(script_of(runnable(page), folder), folder)
    at = (folder / ".at").read_text().strip() if (folder / ".at").exists() else page
    assert done.returncode == 0, f"{at} ends with {done.returncode}:\n{end_of(done.stdout)}\n{end_of(done.stderr)}"
    assert "UNDECIDED" not in done.stderr, end_of(done.stderr)


NOT_EXECUTED = [block for block in ALL if block.language == "bash" and block.not_run]
JSON = [block for block in ALL if block.language == "json" and not block.not_run]
YAML = [block for block in ALL if block.language == "yaml" and not block.not_run]


@pytest.mark.parametrize("block", NOT_EXECUTED, ids=ids(NOT_EXECUTED))
def test_commands_that_are_not_run_are_at_least_right(block: Block) -> None:
    written = re.findall(r"dj-ext new-operator (\w+)", "\n".join(other.text for other in BLOCKS[block.page]))
    assert script_problems(block.text, [f"recipes/{name}.yaml" for name in written]) == []


@pytest.mark.parametrize("block", JSON, ids=ids(JSON))
def test_rows_are_json(block: Block) -> None:
    assert json_problem(block.text) == ""


@pytest.mark.parametrize("block", YAML, ids=ids(YAML))
def test_recipes_and_parts_of_them_are_taken(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", *re.findall(r"api_key_env: (\w+)", block.text)):
        monkeypatch.setenv(name, "none")
    samples(tmp_path)
    shutil.copy(REPO / "prompts" / "scidiag" / "criteria.yaml", tmp_path / "my_criteria.yaml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "litellm", ModuleType("litellm"))
    assert yaml_problems(block.text, tmp_path) == []


def test_as_many_blocks_are_not_run_as_stated_each_with_a_reason() -> None:
    found = [block for block in ALL if block.not_run]
    assert Counter(block.page for block in found) == NOT_RUN
    assert all(len(re.findall(r"\w+", block.not_run)) >= 2 for block in found)


def test_every_block_says_its_language_and_outputs_have_none() -> None:
    assert [block.place for block in ALL if block.language not in (*LANGUAGES, *SHOWN)] == []
    assert not [block.place for block in ALL if block.language in SHOWN and re.match(r"(dj-|make |pip )", block.text)]
