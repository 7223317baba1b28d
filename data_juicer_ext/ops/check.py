"""Everything about a recipe that would stop a run or spoil it, found before it starts."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from data_juicer_ext.models.endpoint import ConfigError, expand_environment
from data_juicer_ext.ops.listing import own_classes
from data_juicer_ext.ops.recipe import (
    RecipeError,
    export_problem,
    first_row,
    literal_keys,
    missing_columns,
    shared_tags,
    steps,
    trying,
)

_MODEL_FREE = "latex_figure_context_mapper"


def check(recipe: Path, dataset: str = "") -> list[str]:
    """Complaints about a recipe, each with what to do; an empty list means ready to run.

    `dataset` stands in for the recipe's `dataset_path`. Makes no call to a model and writes nothing.
    Raises OSError if the recipe can't be read.
    """
    try:
        config = yaml.safe_load(recipe.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        return [f"{recipe} is not YAML: {error}"]
    if not isinstance(config, dict) or not isinstance(config.get("process"), list):
        return [f"{recipe} has no list `process` of operators"]
    ours = own_classes()
    return [
        *_host_settings(config),
        *_dataset(config, dataset),
        *shared_tags(config["process"], list(ours)),
        *literal_keys(config["process"]),
        *_preflight(config["process"]),
        *_operators(config["process"], ours),
        *_run_folders(config["process"]),
    ]


def _host_settings(config: dict[str, Any]) -> Iterator[str]:
    if config.get("use_checkpoint"):
        yield "use_checkpoint: true loses undecided rows when the job is resumed; leave it out"
    if config.get("use_cache", True):
        yield "use_cache: must be false, or an old result may be replayed; write `use_cache: false`"
    if (config.get("export_extra_args") or {}).get("mode") != "overwrite":
        yield "export_extra_args: without `{mode: overwrite}` a second run on Ray adds its rows to the first's"
    if problem := export_problem(config):
        yield problem
    if not config.get("export_path"):
        yield "export_path is missing; name the file (or, on Ray, the folder) for what is kept"
    if not config.get("text_keys"):
        yield "text_keys is missing; write `text_keys: paper_id` (a column that no row leaves empty)"
    if config.get("executor_type") == "ray_partitioned":
        yield "executor_type: ray_partitioned repeats whole partitions after a stop; write `ray`"


def _dataset(config: dict[str, Any], dataset: str) -> Iterator[str]:
    path = dataset or str(config.get("dataset_path") or "")
    if not path:
        if not config.get("dataset"):
            yield "dataset_path is missing; name a JSON Lines file with a row a paper"
        return
    try:
        row = first_row(path)
    except RecipeError as error:
        yield str(error)
        return
    names = [name for name, _ in steps(config["process"])]
    if row is None or _MODEL_FREE not in names:
        return
    parameters = dict(steps(config["process"]))[_MODEL_FREE]
    columns = (str(parameters.get("paper_path_key", "paper_path")), str(parameters.get("latex_key", "text")))
    problem = missing_columns(row, columns, (str(parameters.get("paper_id_key", "paper_id")),))
    if problem:
        yield problem


def _preflight(process: list[Any]) -> Iterator[str]:
    from data_juicer.core.preflight import PipelineConfigError, pre_instantiation_check

    try:
        pre_instantiation_check(process)
    except PipelineConfigError as error:
        yield from (str(entry) for entry in error.errors)


def _operators(process: list[Any], ours: dict[str, type[Any]]) -> Iterator[str]:
    """What each operator itself says about its parameters: it is made, and thrown away unused."""
    for name, parameters in steps(process):
        if name in ours:
            try:
                with trying():
                    ours[name](**parameters)
            except (TypeError, ValueError) as error:
                yield str(error) if str(error).startswith(name) else f"{name}: {error}"


def _run_folders(process: list[Any]) -> Iterator[str]:
    folders = {str(parameters["run_dir"]) for _, parameters in steps(process) if parameters.get("run_dir")}
    if len(folders) > 1:
        yield f"run_dir: {', '.join(sorted(folders))}: all operators of a run share one run folder"
    for folder in sorted(folders):
        try:
            path = Path(expand_environment(folder)).absolute()
        except ConfigError as error:
            yield f"run_dir: {error}"
            continue
        nearest = next(parent for parent in (path, *path.parents) if parent.exists())
        if not nearest.is_dir() or not os.access(nearest, os.W_OK):
            yield f"run_dir: {path} can't be written"
