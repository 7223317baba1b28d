"""An operator of another package has its own words wherever a run is told of, and so where the package is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.cli.main import main
from data_juicer_ext.runs import run_records
from tests.export.made_runs import picture, row
from tests.host import write_rows
from tests.scaffold.plugins import DJ_PROCESS, installed, run

FILTER, MAPPER = "telling_caption_filter", "caption_gist_mapper"
FILTER_SAYS = """
    funnel_label = "questions with a telling caption"
    error_kinds: ClassVar = {"too_short": ("C1 caption says nothing", "C2 caption is cut")}
    kept_if = "its caption tells what is shown"
"""
MAPPER_SAYS = """
    funnel_label = "captions with a gist"
    rows_expected = (0.5, 0.75, 0.9)
    answer_tokens = (5, 7, 9)

    def row_after(self, row: dict[str, Any], characters: Mapping[str, int]) -> dict[str, Any]:
        return {**row, "caption": "x" * 4000}
"""


def says(code: Path, words: str, *imports: str) -> None:
    """Give the operator in a file its words."""
    text = code.read_text(encoding="utf-8")
    place = text.index("    needs = ")
    text = text[:place] + words.lstrip("\n") + text[place:]
    code.write_text(text.replace("from typing import Any\n", "".join(imports) or "from typing import Any\n"))


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with a filter and a mapper that say something of themselves."""
    folder = tmp_path_factory.mktemp("package") / "words_of_others"
    for name, *further in ((FILTER, "--no-model"), (MAPPER,)):
        assert main(["new-operator", name, *further, "--to", str(folder)]) == 0
    package = folder / "words_of_others"
    says(package / f"{FILTER}.py", FILTER_SAYS, "from typing import Any, ClassVar\n")
    says(package / f"{MAPPER}.py", MAPPER_SAYS)
    return folder


@pytest.fixture(scope="module")
def python(plugin: Path) -> Path:
    """The Python of an environment with the package."""
    return installed(plugin)


@pytest.fixture(scope="module")
def ran(plugin: Path, python: Path) -> Path:
    """The folder of a run of the filter over four questions, one with a caption that is too short."""
    questions = [row(n, picture(plugin / "figures", f"f{n}", n)) for n in range(3)]
    questions.append(row(3, questions[0]["images"][0], caption="Results."))
    recipe: dict[str, Any] = yaml.safe_load((plugin / "recipes" / f"{FILTER}.yaml").read_text())
    recipe["dataset_path"] = str(write_rows(plugin / "questions.jsonl", questions))
    recipe["process"] = [{FILTER: {"min_words": 2, "run_dir": "outputs/run"}}]
    recipe["export_path"] = "outputs/rows.jsonl"
    (plugin / "questions.yaml").write_text(yaml.safe_dump(recipe))
    run(python, "-c", DJ_PROCESS, "--config", "questions.yaml", cwd=plugin)
    return plugin / "outputs" / "run"


@pytest.mark.host
def test_its_words_are_in_summary_report_and_card_without_the_package(
    ran: Path, plugin: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [run_id] = run_records.run_ids(ran)
    assert list(run_records.about(ran, run_id)["operators"]) == [FILTER]
    monkeypatch.chdir(plugin)
    assert main(["summary", str(ran)]) == 0
    assert "questions with a telling caption" in capsys.readouterr().out
    assert main(["report", str(ran)]) == 0
    kinds = "C1 caption says nothing or C2 caption is cut"
    assert f"{kinds:<58}{1:>8}  telling_caption" in capsys.readouterr().out
    page = (ran / "report.html").read_text(encoding="utf-8")
    assert (
        kinds in page and "questions with a telling caption" in page and "the paper" not in page.split(kinds)[-1][:600]
    )
    assert main(["export", str(ran), "--format", "jsonl", "--out", "set"]) == 0
    card = (plugin / "set" / "README.md").read_text(encoding="utf-8")
    assert "A row was kept if its caption tells what is shown." in card
    assert "| questions with a telling caption | 4 | 3 |" in card


@pytest.mark.parametrize(
    "first", ["data_juicer.ops", "data_juicer_ext.ops.authoring", "data_juicer_ext.ops.base.registration"]
)
def test_it_is_known_whatever_is_imported_first(first: str, plugin: Path, python: Path) -> None:
    known = f"{{{FILTER!r}, {MAPPER!r}}} <= set(OPERATORS.modules)"
    code = f"import {first}; from data_juicer.ops import OPERATORS; print({known})"
    assert run(python, "-c", code, cwd=plugin).split()[-1] == "True"


@pytest.mark.host
def test_what_it_expects_is_in_an_estimate(plugin: Path, python: Path) -> None:
    recipe: dict[str, Any] = yaml.safe_load((plugin / "recipes" / f"{MAPPER}.yaml").read_text())
    [item] = recipe["process"]
    one, two = ({MAPPER: {**item[MAPPER], "tag": tag, "api_model": "gpt-4o-mini"}} for tag in ("first", "second"))
    (plugin / "twice.yaml").write_text(yaml.safe_dump({**recipe, "process": [one, two]}))
    said = run(python, "-m", "data_juicer_ext.cli", "estimate", "twice.yaml", "--json", "told.json", cwd=plugin)
    assert "first: keeps 75% (50% to 90%), 7 (5 to 9) tokens an answer" in said
    first, second = json.loads((plugin / "told.json").read_text(encoding="utf-8"))["steps"]
    assert second["prompt_tokens"]["likely"] > first["prompt_tokens"]["likely"] + 1000, (
        "the caption it leaves is longer"
    )
