"""What the nodes of a cluster have to share, looked for before the first row."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ops.host import ray_nodes
from data_juicer_ext.ops.host.running_recipe import RecipeError
from data_juicer_ext.storage import file_access
from tests.s3_server import S3


class TwoNodes:
    """As much of Ray as is asked for the nodes."""

    def is_initialized(self) -> bool:
        return True

    def nodes(self) -> Sequence[dict[str, Any]]:
        at_work = [{"NodeID": str(n), "Alive": n < 2, "Resources": {"CPU": 1.0} if n < 2 else {}} for n in range(3)]
        return [*at_work, {"NodeID": "serves models", "Alive": True, "Resources": {"GPU": 8.0}}]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What the nodes were asked; the second one sees nothing below a folder `blind`."""
    monkeypatch.setitem(sys.modules, "ray", TwoNodes())
    found: list[dict[str, str]] = []

    def ask(nodes: Sequence[str], places: dict[str, str]) -> list[tuple[str, dict[str, str]]]:
        assert list(nodes) == ["0", "1"]
        found.append(places)
        return [
            ray_nodes.unseen_here(places),
            ("second", {name: "no" for name, path in places.items() if "/blind/" in path}),
        ]

    monkeypatch.setattr(ray_nodes, "_asked", ask)
    return found


def config(tmp_path: Path, **places: str) -> tuple[dict[str, Any], str, str]:
    """A recipe whose places lie in `tmp_path`, but for those that are named; its run folder, and its announcement."""
    where = {name: tmp_path / places.get(name, "shared") / name for name in ("run", "out", "papers", "root")}
    for name in ("run", "papers", "root"):
        where[name].mkdir(parents=True)
    where["out"].parent.mkdir(exist_ok=True)
    announced = where["run"] / "runs" / "x.json"
    announced.parent.mkdir()
    announced.touch()
    (where["papers"] / "a.tar.gz").touch()
    dataset = tmp_path / "papers.jsonl"
    dataset.write_text(json.dumps({"paper_id": "a", "paper_path": str(where["papers"] / "a.tar.gz")}) + "\n")
    process = [{"latex_figure_context_mapper": {"paper_root": str(where["root"])}}, {"figure_rows_mapper": None}]
    return (
        {"export_path": str(where["out"]), "dataset_path": str(dataset), "process": process},
        str(where["run"]),
        str(announced),
    )


def test_what_all_nodes_see_is_no_problem(tmp_path: Path, asked: list[dict[str, str]]) -> None:
    ray_nodes.check_shared(*config(tmp_path))
    assert set(asked[0]) == {"run_dir", "export_path", "paper_root", "paper_path"}
    assert not list((tmp_path / "shared").glob(".*"))


@pytest.mark.parametrize(
    ("blind", "name"), [("run", "run_dir"), ("out", "export_path"), ("root", "paper_root"), ("papers", "paper_path")]
)
def test_the_node_and_what_it_lacks_are_named(
    tmp_path: Path, asked: list[dict[str, str]], blind: str, name: str
) -> None:
    given, *run = config(tmp_path, **{blind: "blind"})
    with pytest.raises(RecipeError, match=f"{name}: the node second does not see {tmp_path}/blind/{blind}"):
        ray_nodes.check_shared(given, *run)


def test_an_export_that_cannot_be_written(tmp_path: Path, asked: list[dict[str, str]]) -> None:
    given, *run = config(tmp_path)
    (tmp_path / "file").touch()  # in the place of a folder
    with pytest.raises(RecipeError, match=r"export_path: .* can't be written"):
        ray_nodes.check_shared(given | {"export_path": str(tmp_path / "file" / "out")}, *run)


@pytest.mark.parametrize("path", ["s3://bucket/out", ""])
def test_exports_elsewhere_are_not_looked_for(tmp_path: Path, asked: list[dict[str, str]], path: str) -> None:
    given, *run = config(tmp_path)
    ray_nodes.check_shared(given | {"export_path": path}, *run)
    assert "export_path" not in asked[0]


@pytest.mark.parametrize("line", ["", "{broken", "[1]", '{"paper_path": 3}', '{"paper_path": "relative.tex"}'])
def test_papers_that_no_path_tells_of(tmp_path: Path, line: str) -> None:
    (tmp_path / "papers.jsonl").write_text(line)
    assert ray_nodes.papers({"dataset_path": str(tmp_path / "papers.jsonl"), "process": []}) == {}
    assert ray_nodes.papers({"process": None}) == {}


def test_what_is_not_here() -> None:
    assert ray_nodes.unseen_here({"a": "/", "b": "/no/such"}) == (
        socket.gethostname(), {"b": "it is not there"}
    )  # fmt: skip


def test_what_lies_on_object_storage(s3: S3, tmp_path: Path, asked: list[dict[str, str]]) -> None:
    given, _, _ = config(tmp_path)
    run = s3.at("run")
    with pytest.raises(RecipeError, match=f"run_dir: the node {socket.gethostname()} does not see {run}: it is not"):
        ray_nodes.check_shared(given, run, f"{run}/runs/x.json")
    file_access.write(f"{run}/runs/x.json", b"{}")
    ray_nodes.check_shared(given, run, f"{run}/runs/x.json")
    assert ray_nodes.unseen("gs://x/y").find("gcsfs") >= 0


def test_what_may_not_be_looked_at_is_told_of_the_run_folder_and_of_places_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(place: str) -> bool:
        raise PermissionError(13, "Permission denied", place)

    monkeypatch.setattr(ray_nodes.storage, "exists", refused)
    assert ray_nodes.unseen("s3://bucket/papers") == ""
    assert ray_nodes.unseen("s3://bucket/run", listing=True) == "Permission denied"
    assert ray_nodes.unseen("/papers") == ray_nodes.unseen("/run", listing=True) == "Permission denied"
    places = {"run_dir": "s3://b/r", "paper_root": "s3://b/p"}
    assert ray_nodes.unseen_here(places)[1] == {"run_dir": "Permission denied"}
    monkeypatch.setattr(ray_nodes.storage, "exists", lambda place: (_ for _ in ()).throw(PermissionError("no number")))
    assert ray_nodes.unseen("/papers") == "no number"
