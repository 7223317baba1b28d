"""`dj-ext new-operator`: what it writes runs as it stands, in a package of the user's own and in this checkout."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext import testing
from data_juicer_ext.cli.main import main
from data_juicer_ext.ops import authoring
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.scaffold.checkout import is_checkout
from tests.docs.blocks import blocks_of
from tests.host import REPO
from tests.scaffold.plugins import DJ_PROCESS, installed, run

PAGE = REPO / "docs" / "writing-an-operator.md"
OPERATORS = {
    "caption_topic_mapper": [], "caption_alone_filter": ["--model"], "caption_length_mapper": ["--no-model"],
    "long_caption_filter": ["--no-model"],
}  # fmt: skip


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one operator of each kind."""
    folder = tmp_path_factory.mktemp("plugin") / "my_operators"
    for name, further in OPERATORS.items():
        assert main(["new-operator", name, *further, "--to", str(folder)]) == 0
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, str]:
    """The text of every file below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


def test_each_operator_has_code_prompt_test_recipe_and_docs(plugin: Path) -> None:
    made = contents(plugin)
    for name in OPERATORS:
        assert {f"my_operators/{name}.py", f"tests/test_{name}.py", f"recipes/{name}.yaml"} <= set(made)
        assert f"## {name}\n" in made["README.md"] and f"dj-process --config recipes/{name}.yaml" in made["README.md"]
    prompts = {path for path in made if path.endswith(".jinja")}
    folder = "my_operators/prompts/my_operators"
    assert prompts == {f"{folder}/caption_topic.jinja", f"{folder}/caption_alone.jinja"}
    assert len([path for path in made if path.endswith(".jsonl")]) == 1
    assert not any("$" in text.replace("${DJ_EXT_TEXT_MODEL:-offline}", "") for text in made.values())


def test_the_page_shows_the_very_files_that_are_written(plugin: Path) -> None:
    made = contents(plugin)
    shown = [block for block in blocks_of(PAGE, PAGE.name) if block.file]
    assert [block.file for block in shown if block.text == made[block.file]] == [
        "my_operators/caption_topic_mapper.py", "my_operators/prompts/my_operators/caption_topic.jinja",
    ]  # fmt: skip
    assert len(shown) == 4 and all(block.text in made[block.file] for block in shown)


def test_the_page_names_all_that_authors_may_rely_on() -> None:
    promised = PAGE.read_text(encoding="utf-8").partition("## What stays")[2]
    assert [name for name in (*authoring.__all__, *testing.__all__) if f"`{name}`" not in promised] == []


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]])
def test_the_code_is_in_good_form(plugin: Path, command: list[str]) -> None:
    (plugin.parent / "ruff.toml").write_text(
        'line-length = 120\ntarget-version = "py310"\nlint.select = ["E", "F", "I", "UP", "B", "SIM", "RUF", "C4"]\n'
    )
    config = str(plugin.parent / "ruff.toml")
    run(sys.executable, "-m", "ruff", *command, "--no-cache", "--config", config, ".", cwd=plugin)


def test_the_tests_that_come_along_pass_without_an_installation(plugin: Path) -> None:
    said = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=plugin)
    assert "36 passed" in said


@pytest.fixture(scope="module")
def python(plugin: Path) -> Path:
    """The Python of an environment that the package is installed into, as its README says."""
    return installed(plugin)


@pytest.mark.host
def test_the_installed_package_runs_its_recipe_as_printed(plugin: Path, python: Path) -> None:
    run(python, "-c", DJ_PROCESS, "--config", "recipes/caption_topic_mapper.yaml", cwd=plugin)
    rows = list(read_rows(plugin / "outputs" / "caption_topic_mapper" / "rows.jsonl"))
    assert [row["caption_topic"] for row in rows] == [
        "Yield of the reaction", "The set-up.", "Selectivity over ten cycles;",
    ]  # fmt: skip
    [step] = json.loads(rows[0]["provenance"])["steps"]
    assert step["model"] == "offline" and step["prompt"].startswith("my_operators/caption_topic@")
    summary = run(python, "-m", "data_juicer_ext.cli", "summary", "outputs/caption_topic_mapper/run", cwd=plugin)
    assert "kept rows: 3" in summary and "no_caption 1" in summary and "caption_topic: The set-up." in summary
    [ledger] = [block for block in blocks_of(PAGE, PAGE.name) if "ledger.decisions" in block.text]
    said = run(python, "-c", ledger.text, cwd=plugin)
    assert "caption_topic keep named 1 {'caption_topic': 'The set-up.'}" in said
    listed = run(python, "-m", "data_juicer_ext.cli", "ops", cwd=plugin)
    assert all(f"\n{name} " in f"\n{listed}" for name in OPERATORS)


def on_ray(plugin: Path) -> Path:
    """A recipe with all four operators."""
    steps = [yaml.safe_load((plugin / "recipes" / f"{name}.yaml").read_text())["process"][0] for name in OPERATORS]
    for step in steps:
        for parameters in step.values():
            parameters["run_dir"] = "outputs/ray/run"
    recipe: dict[str, Any] = yaml.safe_load((plugin / "recipes" / "caption_topic_mapper.yaml").read_text())
    recipe |= {"process": steps, "export_path": "outputs/ray/rows", "executor_type": "ray", "ray_address": "local"}
    path = plugin / "ray.yaml"
    path.write_text(yaml.safe_dump(recipe, sort_keys=False))
    return path


@pytest.mark.host
@pytest.mark.ray
@pytest.mark.slow
def test_all_four_run_together_on_ray_and_do_as_they_do_without(plugin: Path, python: Path) -> None:
    run(python, "-c", DJ_PROCESS, "--config", on_ray(plugin), cwd=plugin)
    rows = sorted(read_rows(plugin / "outputs" / "ray" / "rows"), key=lambda row: str(row["row_id"]))
    assert [(row["row_id"], row["caption_topic"], row["caption_length"]) for row in rows] == [
        ("sample-1", "Yield of the reaction", 9), ("sample-3", "Selectivity over ten cycles;", 12),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["caption_topic"], "has to end in _mapper or _filter"),
        (["CaptionTopic_mapper"], "lower case words joined by _"),
        (["caption-topic_mapper"], "lower case words joined by _"),
        (["1st_mapper"], "lower case words joined by _"),
        (["_mapper"], "lower case words joined by _"),
        (["../evil_mapper"], "lower case words joined by _"),
        (["caption_topic_mapper", "--kind", "filter"], "--kind says filter"),
        (["caption_mapper"], "rows have such a column already"),
        (["x" * 60 + "_mapper"], "longer than 60 characters"),
        (["vision_vote_filter"], "is an operator already, in data_juicer_ext.ops.filter.vision_vote_filter"),
        (["text_length_filter"], "is an operator already, in data_juicer.ops.filter.text_length_filter"),
        (["caption_topic_mapper", "--to", "json"], "a package 'json' is there already"),
        (["caption_topic_mapper", "--to", "tests"], "a package 'tests' is there already"),
        (["caption_topic_mapper", "--to", "123"], "gives no name for a package"),
        (["caption_topic_mapper", "--to", "import"], "gives no name for a package"),
    ],
)
def test_a_name_that_can_not_be_is_refused_with_nothing_written(
    arguments: list[str], says: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new-operator", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert list(here.iterdir()) == []


def test_the_kind_may_be_told_apart(here: Path) -> None:
    assert main(["new-operator", "caption_topic", "--kind", "filter", "--no-model"]) == 0
    assert (here / "my_operators" / "my_operators" / "caption_topic_filter.py").is_file()


def test_nothing_is_ever_overwritten_and_nothing_written_by_halves(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = here / "mine"
    assert main(["new-operator", "caption_topic_mapper", "--to", "mine"]) == 0
    before = contents(folder)
    assert main(["new-operator", "caption_topic_mapper", "--to", "mine"]) == 2
    assert "mine/caption_topic_mapper.py" in capsys.readouterr().err and contents(folder) == before
    (folder / "tests" / "test_caption_alone_filter.py").write_text("mine")
    before = contents(folder)
    assert main(["new-operator", "caption_alone_filter", "--to", "mine"]) == 2
    assert "tests/test_caption_alone_filter.py" in capsys.readouterr().err and contents(folder) == before


def test_a_second_operator_goes_to_the_folder_one_stands_in(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["new-operator", "caption_topic_mapper", "--to", "My Ops"]) == 0
    folder = here / "My Ops"
    (folder / "examples" / "figures.jsonl").write_text("{}\n")
    monkeypatch.chdir(folder)
    assert main(["new-operator", "long_caption_filter", "--no-model"]) == 0
    assert (folder / "my_ops" / "long_caption_filter.py").is_file() and not (folder / "my_operators").exists()
    assert (folder / "README.md").read_text().count("\n## ") == 2
    assert (folder / "examples" / "figures.jsonl").read_text() == "{}\n"


@pytest.mark.parametrize(
    ("project", "says"),
    [
        ('[project]\nname = "other"\n', "names no package in"),
        ('[project.entry-points."data_juicer.ops"]\nother = "other"\n', "names the package other"),
    ],
)
def test_another_project_is_left_alone(project: str, says: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "pyproject.toml").write_text(project)
    assert main(["new-operator", "caption_topic_mapper", "--to", "."]) == 2
    assert says in capsys.readouterr().err and [path.name for path in here.iterdir()] == ["pyproject.toml"]


@pytest.mark.slow
def test_in_this_checkout_the_files_go_where_ours_stand(tmp_path: Path) -> None:
    top = tmp_path / "checkout"
    for name in ("data_juicer_ext", "prompts", "recipes", "examples", "docs", "tests"):
        shutil.copytree(REPO / name, top / name, ignore=shutil.ignore_patterns("__pycache__", "pdfs", "pictures"))
    shutil.copy(REPO / "pyproject.toml", top)
    assert is_checkout(top) and not is_checkout(tmp_path)
    cli = (sys.executable, "-m", "data_juicer_ext.cli")
    run(*cli, "new-operator", "caption_topic_mapper", cwd=top, PYTHONPATH=str(top))
    made = (
        "data_juicer_ext/ops/mapper/caption_topic_mapper.py", "prompts/general/caption_topic.jinja",
        "recipes/caption_topic_mapper.yaml", "tests/ops/mapper/test_caption_topic_mapper.py", "examples/figures.jsonl",
    )  # fmt: skip
    assert all((top / path).is_file() for path in made)
    reference = (top / "docs" / "operators.md").read_text()
    section = reference.partition("## caption_topic_mapper")[2].partition("\n## ")[0]
    assert "| `max_words` | int | `6` |" in section and "| `run_dir` |" in section
    assert reference == run(*cli, "ops", "--markdown", cwd=top, PYTHONPATH=str(top))
    run(sys.executable, "-m", "ruff", "check", "--no-cache", *made[:1], *made[3:4], cwd=top)
    tests = ("tests/ops/mapper/test_caption_topic_mapper.py", "tests/ops/base/test_run_op.py")
    said = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *tests, cwd=top, PYTHONPATH=str(top))
    assert "passed" in said
