"""What is to be written for an operator, into a package of one's own and into this project."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import yaml

from data_juicer_ext import __version__
from data_juicer_ext.scaffold import checkout, plugin
from data_juicer_ext.scaffold.names import operator_name
from data_juicer_ext.scaffold.operator_kinds import VARIANTS, variant_of

PROJECT = '[project]\nname = "x"\n\n[project.entry-points."data_juicer.ops"]\nmine = "my_ops"\n'


def parsed(files: dict[str, str]) -> None:
    """Everything that is written is whole: Python compiles, YAML loads, no placeholder is left."""
    for path, text in files.items():
        assert "${" not in text.replace("${DJ_EXT", ""), path
        if path.endswith(".py"):
            ast.parse(text)
        if path.endswith(".yaml"):
            assert yaml.safe_load(text)


@pytest.mark.parametrize(("kind", "model"), [(k, m) for k in ("mapper", "filter") for m in (True, False)])
def test_the_first_operator_makes_the_package(tmp_path: Path, kind: str, model: bool) -> None:
    made = plugin.draft(operator_name(f"caption_topic_{kind}"), variant_of(kind, model), tmp_path / "my_ops")
    parsed(made.new)
    own = {
        f"my_ops/caption_topic_{kind}.py",
        f"tests/test_caption_topic_{kind}.py",
        f"recipes/caption_topic_{kind}.yaml",
    }
    prompt = {"my_ops/prompts/my_ops/caption_topic.jinja"} if model else set()
    assert set(made.new) == own | prompt | {"pyproject.toml", "my_ops/__init__.py", "README.md"}
    assert set(made.shared) == {"examples/figures.jsonl"} and made.appended == {}
    code = made.new[f"my_ops/caption_topic_{kind}.py"]
    assert f"class CaptionTopic{kind.capitalize()}(" in code and f'"caption_topic_{kind}"' in code
    assert f"from my_ops.caption_topic_{kind} import" in made.new[f"tests/test_caption_topic_{kind}.py"]
    assert "my-ops" in made.new["pyproject.toml"] and __version__ in made.new["pyproject.toml"]
    assert plugin._ENTRY.search(made.new["pyproject.toml"]), "what is written is what is read later"


def test_the_second_operator_is_added_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "my_ops").mkdir(parents=True)
    (folder / "my_ops" / "__init__.py").touch()
    (folder / "pyproject.toml").write_text(PROJECT)
    made = plugin.draft(operator_name("caption_topic_mapper"), variant_of("mapper", True), folder)
    assert set(made.appended) == {"README.md"} and "caption_topic_mapper" in made.appended["README.md"]
    assert set(made.new) == {
        "my_ops/caption_topic_mapper.py", "tests/test_caption_topic_mapper.py", "recipes/caption_topic_mapper.yaml",
        "my_ops/prompts/my_ops/caption_topic.jinja",
    }  # fmt: skip


def test_folders_of_other_projects_are_told(tmp_path: Path) -> None:
    assert plugin.package_in(tmp_path) == ""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    with pytest.raises(ValueError, match="names no package in"):
        plugin.package_in(tmp_path)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    with pytest.raises(ValueError, match=r"names the package my_ops, and .*my_ops is none"):
        plugin.package_in(tmp_path)
    (tmp_path / "my_ops").mkdir()
    (tmp_path / "my_ops" / "__init__.py").touch()
    assert plugin.package_in(tmp_path) == "my_ops"


@pytest.mark.parametrize("text", ['[project]\nname = "data-juicer-ext"\n', "name = 'data-juicer-ext'  \n"])
def test_a_checkout_is_known_by_the_name_of_its_project(tmp_path: Path, text: str) -> None:
    assert not checkout.is_checkout(tmp_path)
    (tmp_path / "pyproject.toml").write_text(text)
    assert checkout.is_checkout(tmp_path)
    (tmp_path / "pyproject.toml").write_text('name = "data-juicer-ext-plugin"\n')
    assert not checkout.is_checkout(tmp_path)


def test_an_operator_of_this_project_is_files_of_its_own_alone(tmp_path: Path) -> None:
    made = checkout.draft(operator_name("b_filter"), variant_of("filter", True), tmp_path)
    parsed(made.new)
    assert set(made.new) == {
        "data_juicer_ext/ops/filter/b_filter.py", "prompts/general/b.jinja", "recipes/b_filter.yaml",
        "tests/ops/filter/test_b_filter.py",
    }  # fmt: skip
    test = made.new["tests/ops/filter/test_b_filter.py"]
    assert "from data_juicer_ext.ops.filter.b_filter import" in test and "parents[3]" in test, "the checkout's top"


def test_each_kind_says_which_parameters_it_shares() -> None:
    assert set(VARIANTS) == {"model_mapper", "model_filter", "rule_mapper", "rule_filter"}
    assert {key: "api_model" in variant.further for key, variant in VARIANTS.items()} == {
        "model_mapper": True, "model_filter": True, "rule_mapper": False, "rule_filter": False,
    }  # fmt: skip
    assert variant_of("mapper", False).key == "rule_mapper" and variant_of("filter", True).key == "model_filter"
