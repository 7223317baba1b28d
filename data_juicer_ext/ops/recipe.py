"""The recipe that Data-Juicer is running, seen from an operator: what can't work, said at the start."""

import contextlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

_TABLES = (".jsonl", ".json")


class RecipeError(ValueError):
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
    """End the run before its first row with a plain message.

    Data-Juicer swallows the text of a SystemExit and wraps any other exception in a stack trace,
    so the message goes straight to the terminal.
    """
    if _trying:
        raise RecipeError(message)
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
        model_params = parameters.get("model_params") or {}
        if isinstance(model_params, Mapping) and "api_key" in model_params:
            complaints.append(
                f"{name}: a key does not belong in a recipe, which is copied into logs; put it into an "
                "environment variable and name that variable as `api_key_env`"
            )
    return complaints


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


def clear_empty_export(config: Mapping[str, Any]) -> None:
    """Remove the 0-byte file that a run on Ray without surviving rows leaves where its folder belongs."""
    path = Path(str(config.get("export_path") or "."))
    if is_on_ray(config) and path.is_file() and path.stat().st_size == 0:
        path.unlink()


def first_row(dataset_path: str) -> dict[str, Any] | None:
    """The first row of a local JSON Lines file; None where it is another kind of dataset.

    Raises RecipeError if the file is missing, empty or not JSON.
    """
    path = Path(dataset_path)
    if "://" in dataset_path or path.is_dir() or re.search(r"\s", dataset_path) or path.suffix not in _TABLES:
        return None
    if not path.is_file():
        raise RecipeError(f"dataset_path: there is no file {dataset_path}")
    with path.open(encoding="utf-8", errors="replace") as lines:
        line = next((line for line in lines if line.strip()), "")
    if not line:
        raise RecipeError(f"dataset_path: {dataset_path} is empty; it needs a row a paper")
    try:
        row = json.loads(line)
    except ValueError as error:
        if path.suffix == ".json":
            return None
        raise RecipeError(f"dataset_path: the first line of {dataset_path} is not JSON ({error})") from error
    return row if isinstance(row, dict) else None


def missing_columns(row: Mapping[str, Any], one_of: Sequence[str], all_of: Sequence[str] = ()) -> str:
    """What the dataset lacks, as a sentence; "" if nothing. It needs all of one list, and one of the other."""
    lacking = [name for name in all_of if name not in row]
    if lacking:
        return f"the dataset has no column {', '.join(lacking)} (it has: {', '.join(row) or 'none'})"
    if one_of and not any(name in row for name in one_of):
        return f"the dataset has none of the columns {', '.join(one_of)} (it has: {', '.join(row) or 'none'})"
    return ""
