"""Looks, at the start of a run on a cluster, whether all nodes see what they have to share.

A node with a disk of its own there would write rows that nobody finds, or take papers for missing.
"""

import contextlib
import json
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.ops.host.running_recipe import RecipeError, steps
from data_juicer_ext.storage import file_access as storage
from data_juicer_ext.storage.addresses import is_remote

ANSWER_S = 30.0  # a node starts a process to answer; one that does not by then is left to the run itself


def check_shared(config: Mapping[str, Any], run_dir: str, announced: str) -> None:
    """Raise RecipeError if a node of the cluster does not see a place that all have to share.

    `announced` is a file in the run folder `run_dir`; both are paths or addresses. Asks nobody where one node alone
    has processors, which all tasks need.
    """
    import ray

    found = ray.nodes() if ray.is_initialized() else []
    nodes = [node["NodeID"] for node in found if node["Alive"] and node["Resources"].get("CPU")]
    if len(nodes) < 2:
        return
    with _marked(config) as exported:
        places = {"run_dir": announced, **exported, **papers(config)}
        shown = {**places, "run_dir": run_dir, "export_path": str(config.get("export_path"))}
        for host, unseen in _asked(nodes, places):
            for name, why in unseen.items():
                raise RecipeError(f"{name}: the node {host} does not see {_unseen_words(shown[name], why)}")


def _unseen_words(place: str, why: str) -> str:
    if is_remote(place):
        return (
            f"{place}: {why}. Each node needs the storage's package and its credentials in the environment, before "
            "`ray start`"
        )
    return f"{place}: it must lie where all nodes of the cluster share it, under the same path"


@contextlib.contextmanager
def _marked(config: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Within it a file stands beside the export, where that is a path. Raises RecipeError if it can't be written."""
    address = str(config.get("export_path") or "")
    if not address or "://" in address:
        yield {}
        return
    mark = Path(address).absolute().parent / f".dj-ext-{secrets.token_hex(8)}"
    try:
        mark.touch()
    except OSError as error:
        raise RecipeError(f"export_path: {address} can't be written ({error.strerror or error})") from error
    try:
        yield {"export_path": str(mark)}
    finally:
        mark.unlink(missing_ok=True)


def papers(config: Mapping[str, Any]) -> dict[str, str]:
    """The folder of the papers, or the first paper, as far as the recipe or its dataset file tell, and it is there."""
    roots = [str(given["paper_root"]) for _, given in steps(config.get("process") or []) if given.get("paper_root")]
    found = {"paper_root": roots[0]} if roots else {}
    dataset = Path(str(config.get("dataset_path") or ""))
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError), dataset.open() as file:
        path = str(json.loads(file.readline())["paper_path"])
        if is_remote(path) or Path(path).is_absolute():
            found["paper_path"] = path
    return {name: place for name, place in found.items() if not unseen(place)}


def _asked(nodes: Sequence[str], places: Mapping[str, str]) -> list[tuple[str, dict[str, str]]]:
    """What each node that answers is called, and why it does not see places, by their names."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    look = ray.remote(unseen_here)
    asked = [
        look.options(num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote(places)
        for node in nodes
    ]
    ready, late = ray.wait(asked, num_returns=len(asked), timeout=ANSWER_S)
    for task in late:
        ray.cancel(task, force=True)
    answers = []
    for task in ready:
        with contextlib.suppress(ray.exceptions.RayError):  # a node that has died meanwhile
            answers.append(ray.get(task))
    return answers


def unseen_here(places: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The name of this machine, and why places are not seen here, by their names."""
    return socket.gethostname(), {
        name: why for name, place in places.items() if (why := unseen(place, listing=name == "run_dir"))
    }


def unseen(place: str, listing: bool = False) -> str:
    """Why a file or folder is not seen here, "" where it is. A problem of object storage is told as it is.

    Without `listing`, credentials need not let look at it, as those for papers that only let read what is named.
    """
    try:
        return "" if storage.exists(place) else "it is not there"
    except PermissionError as error:
        return str(error.strerror or error) if listing or not is_remote(place) else ""
    except OSError as error:
        return str(error.strerror or error)
