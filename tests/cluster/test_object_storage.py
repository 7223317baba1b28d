"""Papers, run folder and export on object storage, over two nodes that share no folder; and what dies or goes away."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.fetched_run import fetch_run
from data_juicer_ext.runs.ledger import read_lines
from data_juicer_ext.storage import file_access
from tests.cluster.ray_cluster import RayCluster, kill_all
from tests.cluster.runs import LOST, RUN_S, Run, Undisturbed, asked, check, slow
from tests.cluster.test_faults import at_work, calling
from tests.fake_openai import FakeServer
from tests.host import with_parameters, write_rows
from tests.recipes.runs import environment, latex_paper
from tests.s3_server import S3, away
from tests.scripted import ScriptedModels

pytestmark = [pytest.mark.host, pytest.mark.ray, pytest.mark.slow]

PAPERS = 16
WAITING = 4 * LOST


@pytest.fixture(scope="module")
def storage() -> S3:
    return S3()


@pytest.fixture(autouse=True)
def reached(storage: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in storage.env.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="module")
def cluster(storage: S3, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayCluster]:
    env = storage.env | {"DJ_EXT_CACHE": str(tmp_path_factory.mktemp("nodes"))}
    with RayCluster(nodes=2, cpus=2, env=env) as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(cluster: RayCluster, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """A run over papers in a folder, into a folder."""
    folder = tmp_path_factory.mktemp("undisturbed")
    papers = [latex_paper(folder / "papers", f"paper{n}", 3) for n in range(PAPERS)]
    with FakeServer(ScriptedModels()) as server:
        run = Run(cluster, folder / "whole", papers, server)
        run.whole()
        assert len(run.rows()) > 2 * PAPERS
        return Undisturbed(papers, asked(server), run.rows())


def plain(export: str, folder: str) -> list[str]:
    """The rows of an export in full, with the run's own place written out of them."""
    lines = [line for line in export.splitlines() if line]
    return sorted(json.dumps(json.loads(line), sort_keys=True).replace(folder, "") for line in lines)


def started(
    config: dict[str, Any], folder: Path, server: FakeServer, *command: str, env: dict[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """`dj-process` on a recipe, or the command that is given."""
    (folder / "recipe.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    name, *arguments = command or ("dj-process", "--config", "recipe.yaml")
    with (folder / "log.txt").open("ab") as log:
        return subprocess.Popen(
            [str(Path(sys.executable).parent / name), *arguments], cwd=folder, stdout=log, stderr=log,
            env={**os.environ, **environment(server), **(env or {})}, start_new_session=True,
        )  # fmt: skip


def ended_well(process: subprocess.Popen[bytes], folder: Path) -> None:
    assert process.wait(RUN_S) == 0, (folder / "log.txt").read_text(errors="replace")[-4000:]


@dataclass
class Stored(Run):
    """A run whose papers, run folder and export are on object storage; every second paper is an archive there."""

    storage: S3 = field(default_factory=S3)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.at = self.storage.at(f"{self.folder.parent.name}-{self.folder.name}")
        self.stored_at = f"{self.at}/run"
        write_rows(self.folder / "papers.jsonl", [self._put(row, n % 2 == 0) for n, row in enumerate(self.papers)])
        self.config: dict[str, Any] = yaml.safe_load((self.folder / "recipe.yaml").read_text())
        places_of = {"run_dir": self.stored_at, "paper_root": f"{self.at}/papers"}
        self.config["process"] = with_parameters(self.config["process"], **places_of)
        self.config |= {
            "export_path": f"{self.at}/out",
            "export_extra_args": {"mode": "overwrite", "endpoint_url": self.storage.endpoint},
        }
        self.write()

    def write(self, **changes: Any) -> None:
        (self.folder / "recipe.yaml").write_text(yaml.safe_dump(self.config | changes, sort_keys=False))

    def _put(self, row: dict[str, Any], packed: bool) -> dict[str, Any]:
        """A paper put there; its row, with a path below `paper_root`."""
        paper = Path(row["paper_path"])
        if packed:
            buffer = io.BytesIO()
            with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
                archive.add(paper, arcname=".")
            file_access.write(f"{self.at}/papers/{paper.name}.tar.gz", buffer.getvalue())
            return row | {"paper_path": f"{paper.name}.tar.gz"}
        for file in paper.iterdir():
            file_access.write(f"{self.at}/papers/{paper.name}/{file.name}", file.read_bytes())
        return row | {"paper_path": paper.name}

    def rows(self) -> list[str]:
        export = b"".join(file_access.read(f"{self.at}/out/{name}") for name in file_access.tree(f"{self.at}/out"))
        return plain(export.decode(), self.at)

    def undecided(self) -> str:
        return file_access.read(f"{self.stored_at}/undecided.jsonl").decode()

    def left(self) -> dict[str, int]:
        """How many objects there are in each folder of the run folder."""
        return Counter(name.partition("/")[0] for name in file_access.tree(self.stored_at))


@pytest.fixture
def stored(cluster: RayCluster, storage: S3, undisturbed: Undisturbed, tmp_path: Path) -> Iterator[Stored]:
    with FakeServer(slow(ScriptedModels())) as server:
        yield Stored(cluster, tmp_path / "run", undisturbed.papers, server, storage=storage)


def test_nodes_that_share_no_folder_make_the_same_rows(stored: Stored, undisturbed: Undisturbed) -> None:
    stored.whole()
    check(stored, undisturbed, lost=0)
    # One ledger of the run that has ended, and no lock; the papers have the same three images.
    left = stored.left()
    assert left.pop("images") == 3 and left.pop("store") < 150  # 64 make one
    assert left == {"ledger": 1, "runs": 1, "undecided.jsonl": 1}
    again = len(stored.server.requests)
    stored.whole()
    assert len(stored.server.requests) == again and stored.rows() == undisturbed.rows
    stored.folder.joinpath("here").mkdir()
    fetch_run(stored.stored_at, stored.folder / "here", images=True)
    ids = run_records.run_ids(stored.folder / "here")
    costs = [sum(line["spending"]["calls"] for line in read_lines(stored.folder / "here/ledger", one)) for one in ids]
    assert len(ids) == 2 and costs[0] == costs[1] > 0


def test_the_driver_dies(stored: Stored, undisturbed: Undisturbed) -> None:
    for share in (0.3, 0.6):
        process = stored.start(afresh=True)
        stored.until(process, int(share * undisturbed.asked.total()))
        process.send_signal(signal.SIGKILL)
        process.wait()
    stored.whole()
    check(stored, undisturbed, lost=2 * LOST)


def test_a_worker_dies(cluster: RayCluster, stored: Stored, undisturbed: Undisturbed) -> None:
    process = stored.start()
    stored.until(process, undisturbed.asked.total() // 2)
    stored.until(process, lambda: calling(cluster, stored, "text") != [])
    kill_all(calling(cluster, stored, "text")[:1])
    stored.ended_well(process)
    check(stored, undisturbed)


def test_the_store_actor_dies(cluster: RayCluster, stored: Stored, undisturbed: Undisturbed) -> None:
    process = stored.start()
    for share in (0.2, 0.4, 0.6):
        stored.until(process, int(share * undisturbed.asked.total()))
        [store] = at_work(cluster, "StoreActor")
        store.kill()
    stored.ended_well(process)
    check(stored, undisturbed, lost=0)


def test_a_whole_node_dies(stored: Stored, undisturbed: Undisturbed, storage: S3, tmp_path: Path) -> None:
    with RayCluster(nodes=3, cpus=2, env=storage.env | {"DJ_EXT_CACHE": str(tmp_path / "nodes")}) as cluster:
        run = Stored(cluster, tmp_path / "other", undisturbed.papers, stored.server, storage=storage)
        process = run.start()
        run.until(process, undisturbed.asked.total() // 2)
        cluster.kill_node(next(node for node in (1, 2) if cluster.workers(node)))
        run.ended_well(process)
        check(run, undisturbed)


def test_storage_goes_away_and_the_same_command_goes_on(stored: Stored, undisturbed: Undisturbed) -> None:
    process = stored.start()
    stored.until(process, undisturbed.asked.total() // 2)
    with away():
        assert process.wait(RUN_S) != 0
    assert "can't be" in stored.log() and "run the same command again" in stored.log()
    stored.whole()
    # Beside what was in flight, answers that came while storage was tried again could not be kept.
    check(stored, undisturbed, lost=LOST + WAITING)


def test_a_node_that_cannot_reach_the_storage_is_named(undisturbed: Undisturbed, storage: S3, tmp_path: Path) -> None:
    with RayCluster(nodes=2, cpus=1) as blind, FakeServer(ScriptedModels()) as server:
        run = Stored(blind, tmp_path / "run", undisturbed.papers, server, storage=storage)
        assert run.start().wait(RUN_S) == 2
        assert "run_dir: the node" in run.log() and "before `ray start`" in run.log().replace("\n", " ")
        assert server.requests == []


def test_without_ray(stored: Stored, undisturbed: Undisturbed) -> None:
    export = stored.folder / "pairs.jsonl"
    stored.write(executor_type="default", export_path=str(export))
    process = stored.start(afresh=True)
    stored.until(process, undisturbed.asked.total() // 2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    stored.whole()
    assert plain(export.read_text(), stored.at) == without_stats(undisturbed.rows) and stored.undecided() == ""
    assert (asked(stored.server) - undisturbed.asked).total() <= LOST


@pytest.mark.parametrize("executor", ["default", "ray"])
def test_a_run_in_shards(cluster: RayCluster, stored: Stored, undisturbed: Undisturbed, executor: str) -> None:
    address = ["--ray-address", cluster.address] if executor == "ray" else ["--executor", "default"]
    command = ("dj-ext", "run", "recipe.yaml", "--shard", "5", *address)
    process = started(stored.config, stored.folder, stored.server, *command, env=cluster.client_env)
    stored.until(process, undisturbed.asked.total() // 2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    ended_well(started(stored.config, stored.folder, stored.server, *command, env=cluster.client_env), stored.folder)
    pairs = plain(file_access.read(f"{stored.stored_at}/pairs.jsonl").decode(), stored.at)
    assert without_stats(pairs) == without_stats(undisturbed.rows)
    assert (asked(stored.server) - undisturbed.asked).total() <= LOST


def without_stats(rows: list[str]) -> list[str]:
    """Rows without what the default executor and a run in shards leave out."""
    whole = [json.loads(row) for row in rows]
    return sorted(
        json.dumps({k: v for k, v in row.items() if not k.startswith("__dj__")}, sort_keys=True) for row in whole
    )
