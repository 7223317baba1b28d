"""The recipe that Data-Juicer is running, seen from an operator: what can't work, said at the start."""

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.ops.host.stopped_run import RunStoppedError, in_worker

STORAGE_SECRETS = ("aws_secret_access_key", "aws_session_token")


class RecipeError(DjExtError, ValueError):
    """Something in a recipe that would stop a run or spoil it; the message says what to write instead."""


# Set while operators are made only to hear what they say about their parameters.
_trying = False


@contextlib.contextmanager
def trying() -> Iterator[None]:
    """Within it operators begin no run, and `stop` raises RecipeError instead of ending the process."""
    global _trying
    _trying = True
    try:
        yield
    finally:
        _trying = False


def only_trying() -> bool:
    """Whether operators are made just to be checked."""
    return _trying


def stop(message: str) -> NoReturn:
    """End the run with a plain message.

    Data-Juicer swallows the text of a SystemExit and wraps any other exception in a stack trace,
    so the message goes straight to the terminal. A worker leaves that to the driver (see `stopped_run`).
    """
    if _trying:
        raise RecipeError(message)
    if in_worker():
        raise RunStoppedError(" ".join(message.split()))
    print(f"\ndata_juicer_ext: {message}\n", file=sys.__stderr__, flush=True)
    raise SystemExit(2)


def running() -> Mapping[str, Any]:
    """The configuration of the run in this process; empty outside of one."""
    module = sys.modules.get("data_juicer.config.config")
    config = getattr(module, "global_cfg", None)
    return dict(config) if config is not None else {}


def steps(process: Sequence[Any]) -> list[tuple[str, dict[str, Any]]]:
    """The (operator, parameters) pairs of a recipe's `process` list."""
    found = []
    for item in process or []:
        if isinstance(item, Mapping) and len(item) == 1:
            [(name, parameters)] = item.items()
            if isinstance(parameters or {}, Mapping):
                found.append((str(name), dict(parameters or {})))
    return found


def tag_of(name: str, tag: str = "") -> str:
    """What a listing is called in ledger and stats: its tag, else the operator's name without its kind."""
    return tag or name.removesuffix("_mapper").removesuffix("_filter")


def shared_tags(process: Sequence[Any], ours: Sequence[str]) -> list[str]:
    """Complaints about operators listed twice with one tag: they would overwrite each other's verdicts."""
    listed = [(name, tag_of(name, str(parameters.get("tag") or ""))) for name, parameters in steps(process)]
    return [
        f"{name} is listed {count} times with the tag {tag!r}; give each listing a `tag` of its own, "
        "and spell out every parameter in each (Data-Juicer fills gaps from the first)"
        for (name, tag), count in Counter(listed).items()
        if count > 1 and name in ours
    ]


def literal_keys(process: Sequence[Any]) -> list[str]:
    """Complaints about keys written into the recipe, which Data-Juicer copies into its logs."""
    complaints = []
    for name, parameters in steps(process):
        # An operator that asks several models has a list of them, each with settings of its own.
        several = parameters["models"] if isinstance(parameters.get("models"), Sequence) else ()
        models = [parameters, *(model for model in several if isinstance(model, Mapping))]
        settings = [model.get(part) or () for model in models for part in ("model_params", "sampling_params")]
        if any("api_key" in given for given in settings):
            complaints.append(
                f"{name}: a key does not belong in a recipe, which is copied into logs; put it into an "
                "environment variable and name that variable as `api_key_env` (and change this key: it was shown)"
            )
    return complaints


def storage_secrets(config: Mapping[str, Any]) -> list[str]:
    """Complaints about secrets of object storage written into the recipe, where Data-Juicer takes them."""
    dataset = config.get("dataset")
    sources = dataset.get("configs") if isinstance(dataset, Mapping) else None
    places = {"export_extra_args": [config.get("export_extra_args")], "dataset": sources or []}
    return [
        f"{place}: {name} does not belong in a recipe, which is copied into logs; put it into the environment variable "
        f"{name.upper()} (and change it: it was shown)"
        for place, given in places.items()
        for one in given
        if isinstance(one, Mapping)
        for name in STORAGE_SECRETS
        if one.get(name)
    ]


def is_on_ray(config: Mapping[str, Any]) -> bool:
    """Whether a configuration runs on Ray."""
    return str(config.get("executor_type", "")).startswith("ray")


def export_problem(config: Mapping[str, Any]) -> str:
    """Why the export would fail, after every call has been paid for; "" if it would not.

    The default executor writes a file, Ray a folder.
    """
    name = str(config.get("export_path") or "")
    if not name or "://" in name:
        return ""
    on_ray, path = is_on_ray(config), Path(name)
    if on_ray and path.is_file() and path.stat().st_size > 0:
        return f"export_path: {name} is a file, and on Ray the export is a folder; name another path"
    if not on_ray and path.is_dir():
        return f"export_path: {name} is a folder, and without Ray the export is a file; name one ending in .jsonl"
    return ""


def unwritable_export(config: Mapping[str, Any]) -> str:
    """Why the folder of a local export can't be made, "" once it is there."""
    name = str(config.get("export_path") or "")
    if not name or "://" in name:
        return ""
    try:
        Path(name).absolute().parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"export_path: {name} can't be written ({error.strerror or error})"
    return ""


def clear_empty_export(config: Mapping[str, Any]) -> None:
    """Remove the 0-byte file that a run on Ray without surviving rows leaves where its folder belongs."""
    path = Path(str(config.get("export_path") or "."))
    if is_on_ray(config) and path.is_file() and path.stat().st_size == 0:
        path.unlink()
