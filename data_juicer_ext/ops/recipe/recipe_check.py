"""Everything about a recipe that would stop a run or spoil it, found before it starts."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from data_juicer_ext.models.config.endpoint import ConfigError, expand_environment
from data_juicer_ext.ops.base.paper_mapper import PaperMapper
from data_juicer_ext.ops.base.run_op import run_place
from data_juicer_ext.ops.host import exports
from data_juicer_ext.ops.host.dataset_check import Look, look, missing_columns, repeated_ids
from data_juicer_ext.ops.host.running_recipe import (
    RecipeError,
    export_problem,
    is_on_ray,
    literal_keys,
    shared_tags,
    steps,
    storage_secrets,
    trying,
)
from data_juicer_ext.ops.recipe.operator_reference import own_classes
from data_juicer_ext.storage.addresses import is_remote
from data_juicer_ext.storage.cache import cache_folder
from data_juicer_ext.storage.file_access import unreachable

_EXECUTORS = ("default", "ray", "ray_partitioned")
_SUFFIXES = (".jsonl", ".json", ".parquet")


def check(recipe: Path, dataset: str = "") -> list[str]:
    """Complaints about a recipe, each with what to do; an empty list means ready to run.

    `dataset` stands in for the recipe's `dataset_path`. Makes no call to a model and writes nothing.
    """
    try:
        config = yaml.safe_load(recipe.read_text(encoding="utf-8"))
    except OSError as error:
        return [f"{recipe} can't be read: {error.strerror or error}"]
    except (yaml.YAMLError, ValueError) as error:  # ValueError: no UTF-8, or a date that is none
        return [f"{recipe} is not YAML: {error}"]
    if not isinstance(config, dict) or not isinstance(config.get("process"), list) or not config["process"]:
        return [f"{recipe} has no list `process` of operators"]
    process, ours = config["process"], own_classes()
    path = dataset or str(config.get("dataset_path") or "")
    try:
        found = look(path, _reader(process, ours)[1].get("paper_id_key", "paper_id")) if path else None
        seen = list(_dataset(config, path, found, ours))
    except RecipeError as error:
        found, seen = None, [str(error)]
    return [
        *_host_settings(config), *seen, *shared_tags(process, list(ours)), *literal_keys(process),
        *storage_secrets(config), *_preflight(process), *_operators(process, ours), *_order(process, ours, found),
        *_run_folders(process),
    ]  # fmt: skip


def _reader(process: list[Any], ours: dict[str, type[Any]]) -> tuple[type[PaperMapper] | None, dict[str, Any]]:
    """The operator that reads papers, with its parameters; (None, {}) where there is none."""
    listed = ((ours[name], given) for name, given in steps(process) if name in ours)
    return next(((cls, given) for cls, given in listed if issubclass(cls, PaperMapper)), (None, {}))


def _host_settings(config: dict[str, Any]) -> Iterator[str]:
    if config.get("use_checkpoint"):
        yield "use_checkpoint: true loses undecided rows when the job is resumed; leave it out"
    if config.get("use_cache", True):
        yield "use_cache: must be false, or an old result may be replayed; write `use_cache: false`"
    extra = config.get("export_extra_args") or {}
    if not isinstance(extra, Mapping) or extra.get("mode") != "overwrite":
        yield "export_extra_args: without `{mode: overwrite}` a second run on Ray adds its rows to the first's"
    if not config.get("text_keys"):
        yield "text_keys is missing; write `text_keys: paper_id` (a column that no row leaves empty)"
    executor, workers = config.get("executor_type", "default"), config.get("np", 1)
    if executor not in _EXECUTORS:
        yield f"executor_type: {executor!r} is not one of default, ray"
    elif executor == "ray_partitioned":
        yield "executor_type: ray_partitioned repeats whole partitions after a stop; write `ray`"
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        yield f"np: {workers!r} is not a whole number from 1 on"
    yield from _export(config)


def _export(config: dict[str, Any]) -> Iterator[str]:
    path = str(config.get("export_path") or "")
    if not path:
        yield "export_path is missing; name the file (or, on Ray, the folder) for what is kept"
    elif problem := export_problem(config) or exports.unreachable(config):
        yield problem
    elif not is_on_ray(config) and Path(path).suffix not in _SUFFIXES:
        yield f"export_path: {path} must end in {', '.join(_SUFFIXES)}"


def _dataset(config: dict[str, Any], path: str, found: Look | None, ours: dict[str, type[Any]]) -> Iterator[str]:
    if not path and not config.get("dataset"):
        yield "dataset_path is missing; name a JSON Lines file with one row per paper"
    if path.startswith("s3://"):
        yield (
            f"dataset_path: {path} is an address, which Data-Juicer takes only as "
            f"`dataset: {{configs: [{{type: remote, source: s3, path: {path}}}]}}`; write that in its place"
        )
    if found is None:
        return
    keys = config.get("text_keys") or []
    lacking = [key for key in ([keys] if isinstance(keys, str) else keys) if key not in found.columns]
    if lacking:
        yield f"text_keys: {', '.join(lacking)} is no column of the dataset (it has: {', '.join(found.columns)})"
    cls, reader = _reader(config["process"], ours)
    if cls is not None:
        yield from _papers(cls, reader, found)


def _papers(cls: type[PaperMapper], reader: dict[str, Any], found: Look) -> Iterator[str]:
    id_key = str(reader.get("paper_id_key", "paper_id"))
    columns = tuple(str(reader.get(parameter, default)) for parameter, default in cls.paper_columns)
    if problem := missing_columns(found.columns, columns, (id_key,)):
        yield problem
    if found.without_id:
        lines = ", ".join(map(str, found.without_id[:5])) + (", ..." if len(found.without_id) > 5 else "")
        yield f"the dataset has no {id_key} in lines {lines}; give each paper an id of its own"
    if problem := repeated_ids(found, id_key):
        yield problem
    try:
        root = expand_environment(str(reader.get("paper_root") or "."))
    except ConfigError as error:
        yield f"paper_root: {error}"
        return
    if not is_remote(root) and not Path(root).is_dir():  # the operator itself looks for an address
        yield f"paper_root: there is no folder {root}"


def _preflight(process: list[Any]) -> Iterator[str]:
    from data_juicer.core.preflight import PipelineConfigError, pre_instantiation_check

    for item in process:
        if isinstance(item, dict) and len(item) == 1:
            [(name, parameters)] = item.items()
            if parameters is not None and not isinstance(parameters, dict):
                yield f"{name}: its parameters are {parameters!r}, not names with values"
                return
    try:
        pre_instantiation_check(process)
    except PipelineConfigError as error:
        yield from (str(entry) for entry in error.errors)


def _operators(process: list[Any], ours: dict[str, type[Any]]) -> Iterator[str]:
    """What each operator itself says about its parameters: it is made, and thrown away unused.

    What several say alike, such as that a key is missing, is said once, behind their names.
    """
    said: dict[str, list[str]] = {}
    for name, parameters in steps(process):
        if name in ours:
            try:
                with trying():
                    ours[name](**parameters)
            except (TypeError, ValueError) as error:
                said.setdefault(str(error).removeprefix(f"{name}: "), []).append(name)
    for complaint, names in said.items():
        yield f"{', '.join(dict.fromkeys(names))}: {complaint}"


def _order(process: list[Any], ours: dict[str, type[Any]], found: Look | None) -> Iterator[str]:
    """Operators of ours whose columns nothing before them makes. Others may make any, so they end the check."""
    columns = set(found.columns) if found is not None else set()
    known = found is not None
    for name, parameters in steps(process):
        if name not in ours:
            return
        needs, makes = (_named(names, parameters) for names in (ours[name].needs, ours[name].makes))
        lacking = [column for column in needs if column not in columns]
        if lacking and known:
            yield (
                f"{name} needs {', '.join(lacking)}, which no operator before it makes; "
                "the order is in docs/verisciqa.md"
            )
            return
        columns = set(makes) if ours[name].replaces else columns | set(makes)
        known |= ours[name].replaces


def _named(names: tuple[str, ...], parameters: dict[str, Any]) -> list[str]:
    """Columns by name, "@key" being the one that parameter `key` names."""
    usual = {"figures_key": "figures"}
    return [str(parameters.get(n[1:], usual[n[1:]])) if n.startswith("@") else n for n in names]


def _remote_folder(place: str) -> Iterator[str]:
    if problem := unreachable(place):
        yield f"run_dir: {place} can't be written: {problem}"
    try:
        cache_folder(place)
    except OSError as error:
        yield f"run_dir: {error.filename}: {error.strerror}"


def _run_folders(process: list[Any]) -> Iterator[str]:
    folders = {str(parameters["run_dir"]) for _, parameters in steps(process) if parameters.get("run_dir")}
    if len(folders) > 1:
        yield f"run_dir: {', '.join(sorted(folders))}: all operators of a run share one run folder"
    for folder in sorted(folders):
        try:
            place = run_place(folder)
        except ConfigError as error:
            yield f"run_dir: {str(error).removeprefix('run_dir: ')}"
            continue
        if is_remote(place):
            yield from _remote_folder(place)
            continue
        path = Path(place)
        nearest = next(parent for parent in (path, *path.parents) if parent.exists())
        if not nearest.is_dir() or not os.access(nearest, os.W_OK):
            yield f"run_dir: {path} can't be written"
