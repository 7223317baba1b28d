"""The recipe that every shard is run by: the user's, with its outputs led into the run folder."""

import copy
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from data_juicer_ext.errors import UsageError
from data_juicer_ext.models.config.endpoint import expand_environment
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR
from data_juicer_ext.ops.host.running_recipe import steps
from data_juicer_ext.runs.shard_cutting import ShardLayout
from data_juicer_ext.storage.addresses import is_remote
from data_juicer_ext.storage.yaml_mapping import read_mapping

# Led into the run folder, or set shard by shard.
_OUTPUTS = (
    "dataset", "dataset_path", "export_path", "export_type", "export_shard_size", "export_in_parallel",
    "work_dir", "job_id", "event_log_dir", "ds_cache_dir",
)  # fmt: skip
# Say where and how fast a recipe runs, and how much it may spend, but not what it decides.
_MANNER = frozenset(
    (*_OUTPUTS, "project_name", "executor_type", "ray_address", "np", "num_proc", "batch_size", "run_dir",
     "export_extra_args", "use_cache", "open_monitor", "temp_dir", "base_url", "api_key_env", "max_concurrency",
     "requests_per_minute", "tokens_per_minute", "timeout", "deadline", "max_tries", "backoff", "max_cost",
     "max_calls", "mode", "hedge")
)  # fmt: skip


def load(path: Path) -> dict[str, Any]:
    """A recipe as a dict. Raises UsageError if it is missing or no YAML mapping."""
    return read_mapping(path, UsageError)


def run_dir_of(config: dict[str, Any]) -> str:
    """The run folder that a recipe names in its operators, else the default one."""
    named = (str(given["run_dir"]) for _, given in steps(config.get("process") or []) if given.get("run_dir"))
    return next(named, DEFAULT_RUN_DIR)


def complaints(config: dict[str, Any]) -> Iterator[str]:
    """What only runs in shards can't do, each with what to do instead."""
    if config.get("dataset"):
        yield "dataset: a run in shards takes a file or folder; write `dataset_path`, or name it by --dataset"
    if config.get("encrypt_before_export"):
        yield "encrypt_before_export: a run in shards joins its exports, which it could not read; leave it out"


def derive(config: dict[str, Any], run_dir: str | Path, executor: str, ours: Sequence[str]) -> dict[str, Any]:
    """The recipe for shards on `executor`, into the run folder at a path or an address.

    `ours` are the operators that keep a ledger.
    """
    derived = {key: copy.deepcopy(value) for key, value in config.items() if key not in _OUTPUTS}
    for step in derived["process"]:
        for name, given in step.items():
            if name in ours:
                step[name] = {**(given or {}), "run_dir": str(run_dir)}
    derived |= {"executor_type": executor, "use_cache": False, "export_extra_args": {"mode": "overwrite"}}
    if executor == "ray" and is_remote(run_dir):
        derived["export_extra_args"] |= _endpoint_of_storage()
    if executor == "ray":
        derived.setdefault("ray_address", "local")
    else:
        # A shard is one file: worker processes for loading it cost more than they gain.
        derived["load_dataset_kwargs"] = {"num_proc": 1, **(derived.get("load_dataset_kwargs") or {})}
    return derived


def _endpoint_of_storage() -> dict[str, str]:
    """What Data-Juicer has to be told where object storage is not Amazon's."""
    address = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    return {"endpoint_url": address} if address else {}


class _Plain(yaml.SafeDumper):
    """Writes what anchors stand for."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def dump(config: dict[str, Any]) -> str:
    """A recipe as YAML text, without anchors."""
    return str(yaml.dump(config, Dumper=_Plain, sort_keys=False, allow_unicode=True))


def layout(config: dict[str, Any]) -> ShardLayout:
    """What the shard files of a recipe need so that Data-Juicer reads them in full."""
    keys = config.get("text_keys") or "text"
    media = (("image_key", "images"), ("audio_key", "audios"), ("video_key", "videos"))
    return ShardLayout((keys,) if isinstance(keys, str) else tuple(keys), tuple(config.get(k) or d for k, d in media))


def fingerprint(config: dict[str, Any]) -> str:
    """The same for recipes that decide the same, wherever, however fast and for how much they run.

    Environment variables in it count by their values. Raises ConfigError if one is not set.
    """
    text = json.dumps(_what(config), sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _what(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _what(item) for key, item in value.items() if key not in _MANNER}
    if isinstance(value, list):
        return [_what(item) for item in value]
    return expand_environment(value) if isinstance(value, str) and "${" in value else value
