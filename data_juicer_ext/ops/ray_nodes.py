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

from data_juicer_ext.ops.recipe import RecipeError, steps

ANSWER_S = 30.0  # a node starts a process to answer; one that does not by then is left to the run itself


def check_shared(config: Mapping[str, Any], announced: Path) -> None:
    """Raise RecipeError if a node of the cluster does not see a place that all have to share.

    `announced` is a file in the run folder. Asks nobody where one node alone has processors, which all tasks need.
    """
    import ray

    found = ray.nodes() if ray.is_initialized() else []
    nodes = [node["NodeID"] for node in found if node["Alive"] and node["Resources"].get("CPU")]
    if len(nodes) < 2:
        return
    with _marked(config) as exported:
        places = {"run_dir": announced, **exported, **papers(config)}
        shown = {**places, "run_dir": announced.parents[1], "export_path": config.get("export_path")}
        for host, unseen in _asked(nodes, {name: str(path) for name, path in places.items()}):
            for name in unseen:
                raise RecipeError(
                    f"{name}: the node {host} does not see {shown[name]}: it must lie where all nodes of the cluster "
                    "share it, under the same path"
                )


@contextlib.contextmanager
def _marked(config: Mapping[str, Any]) -> Iterator[dict[str, Path]]:
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
        yield {"export_path": mark}
    finally:
        mark.unlink(missing_ok=True)


def papers(config: Mapping[str, Any]) -> dict[str, Path]:
    """The folder of the papers, or the first paper, as far as the recipe or its dataset file tell, and it is there."""
    roots = [str(given["paper_root"]) for _, given in steps(config.get("process") or []) if given.get("paper_root")]
    found = {"paper_root": Path(roots[0])} if roots else {}
    dataset = Path(str(config.get("dataset_path") or ""))
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError), dataset.open() as file:
        path = Path(json.loads(file.readline())["paper_path"])
        if path.is_absolute():
            found["paper_path"] = path
    return {name: path for name, path in found.items() if path.exists()}


def _asked(nodes: Sequence[str], places: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """What each node that answers is called, and the names of the places that it does not see."""
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


def unseen_here(places: Mapping[str, str]) -> tuple[str, list[str]]:
    """The name of this machine, and of the places that are not here."""
    return socket.gethostname(), [name for name, path in places.items() if not Path(path).exists()]
