"""A disk that is full in the middle of a run: it ends with one clear message, and goes on later."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.client import RunPlace
from data_juicer_ext.models.event_loop import drive, drive_width
from tests.fake_openai import FakeServer, Reply
from tests.forks import programs
from tests.host import REPO, dj_process
from tests.models.calling import answered, config_for, question, reraise
from tests.recipes.runs import configured, environment, kept, latex_paper
from tests.scripted import ScriptedModels

CONCURRENCY = 4
FULL_AFTER = 40  # calls, in the second step of the pipeline
# Calls that may be out, or just back, when an answer can't be stored: those are lost.
LOST = 3 * CONCURRENCY
PAGE = 4096
SLOW_FSYNC_S, SLOW_CALL_S, SLOTS = 0.25, 0.2, 32

on_ray = pytest.mark.ray
RECIPES = ["verisciqa", pytest.param("verisciqa_ray", marks=on_ray)]

pytestmark = [pytest.mark.host, pytest.mark.slow]


class Disk:
    """A file system of its own, which can be filled up to the last page and be freed again."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._filler = place / "filler"

    def fill(self, but: int = 0) -> None:
        """Leave `but` bytes."""
        with self._filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(PAGE))
            except OSError:
                file.truncate(max(0, file.tell() - but))

    def free(self) -> None:
        self._filler.unlink()


@contextmanager
def disk(place: Path, size: str = "16m") -> Iterator[Disk]:
    place.mkdir(parents=True)
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True)
    if made.returncode:
        pytest.skip("file systems can't be mounted here")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@dataclass
class Whole:
    """What a run over the papers asks for and keeps."""

    papers: list[dict[str, Any]]
    asked: Counter[str]
    kept: list[str]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A run that nothing happens to."""
    folder = tmp_path_factory.mktemp("whole")
    papers = [latex_paper(folder / "papers", f"paper{n}", 3) for n in range(10)]
    with FakeServer(ScriptedModels()) as server:
        config = configured("verisciqa", folder, papers)
        assert dj_process(config, folder, env=environment(server)).returncode == 0
        return Whole(papers, asked(server), kept(config))


def asked(server: FakeServer) -> Counter[str]:
    return Counter(json.dumps(request.body, sort_keys=True) for request in server.requests)


def filling(full: Disk) -> Any:
    """Models that are slow enough to have calls in flight, and fill the disk on the way."""
    models, arrived = ScriptedModels(), 0

    def answer(body: dict[str, Any]) -> Reply:
        nonlocal arrived
        arrived += 1
        if arrived == FULL_AFTER:
            full.fill()
        reply = models(body)
        return Reply(reply, delay=0.05) if isinstance(reply, str) else reply

    return answer


def check_words(said: str, place: Path) -> None:
    """The user's last lines say what is full, and what to do."""
    [last] = [line for line in said.strip().splitlines()[-3:] if line.startswith("data_juicer_ext: ")]
    assert str(place) in last and "No space left on device" in last and "run the same command again" in last


@pytest.mark.parametrize("name", RECIPES)
def test_a_full_disk_ends_the_run_and_the_same_command_goes_on(name: str, whole: Whole, tmp_path: Path) -> None:
    with disk(tmp_path / "all") as full, FakeServer(filling(full)) as server:
        # All that a run writes, Data-Juicer's own logs among it, is on the disk that is full.
        config = configured(name, full.place, whole.papers, max_concurrency=CONCURRENCY)
        done = dj_process(config, full.place, env=environment(server), timeout=90)
        assert done.returncode == 2
        check_words(done.stderr, full.place)
        assert len(server.requests) <= FULL_AFTER + LOST
        assert not Path(config["export_path"]).exists() or kept(config) == []
        full.free()
        done = dj_process(config, full.place, env=environment(server))
        assert done.returncode == 0, done.stderr[-3000:]
        assert kept(config) == whole.kept
        again = asked(server) - whole.asked
        assert again.total() <= LOST, f"{again.total()} calls were made twice"


@pytest.mark.parametrize("name", RECIPES)
def test_figures_that_find_no_room_are_not_taken_for_unreadable_ones(name: str, whole: Whole, tmp_path: Path) -> None:
    with disk(tmp_path / "run") as full, FakeServer(ScriptedModels()) as server:
        full.fill(but=3 * PAGE)
        config = configured(name, tmp_path, whole.papers)
        done = dj_process(config, tmp_path, env=environment(server), timeout=90)
        assert done.returncode == 2
        check_words(done.stderr, full.place)
        assert not server.requests
        full.free()
        done = dj_process(config, tmp_path, env=environment(server))
        assert done.returncode == 0, done.stderr[-3000:]
        assert kept(config) == whole.kept


@pytest.mark.parametrize("name", RECIPES)
def test_an_export_that_finds_no_room_is_made_by_the_same_command_without_a_call(
    name: str, whole: Whole, tmp_path: Path
) -> None:
    with disk(tmp_path / "exports", "1m") as full, FakeServer(ScriptedModels()) as server:
        config = configured(name, tmp_path, whole.papers)
        config |= {"export_path": str(full.place / Path(config["export_path"]).relative_to(tmp_path)),
                   "work_dir": str(tmp_path / "work")}  # fmt: skip
        (full.place / "out").mkdir()
        full.fill()
        done = dj_process(config, tmp_path, env=environment(server), timeout=90)
        assert done.returncode == 2
        check_words(done.stderr, full.place)
        full.free()
        calls = len(server.requests)
        done = dj_process(config, tmp_path, env=environment(server))
        assert done.returncode == 0, done.stderr[-3000:]
        assert kept(config) == whole.kept and len(server.requests) == calls


@pytest.mark.parametrize("name", RECIPES)
def test_a_run_folder_that_may_not_be_written_is_said_before_the_first_call(
    name: str, whole: Whole, tmp_path: Path
) -> None:
    with disk(tmp_path / "run") as kept_as_it_is, FakeServer(ScriptedModels()) as server:
        subprocess.run(["mount", "-o", "remount,ro", str(kept_as_it_is.place)], check=True)
        config = configured(name, tmp_path, whole.papers)
        done = dj_process(config, tmp_path, env=environment(server), timeout=90)
        assert done.returncode == 2 and not server.requests
        assert f"{kept_as_it_is.place} can't be written (Read-only file system)" in done.stderr


@pytest.mark.parametrize("name", RECIPES)
def test_storage_that_goes_away_ends_the_run_and_the_same_command_goes_on(
    name: str, whole: Whole, tmp_path: Path
) -> None:
    models, away, arrived = ScriptedModels(), tmp_path / "away", 0

    def answer(body: dict[str, Any]) -> Reply:
        nonlocal arrived
        arrived += 1
        if arrived == FULL_AFTER:
            shutil.copytree(tmp_path / "run", away)
            shutil.rmtree(tmp_path / "run")
        reply = models(body)
        return Reply(reply, delay=0.05) if isinstance(reply, str) else reply

    with FakeServer(answer) as server:
        config = configured(name, tmp_path, whole.papers, max_concurrency=CONCURRENCY)
        done = dj_process(config, tmp_path, env=environment(server), timeout=90)
        assert done.returncode == 2
        said = [line for line in done.stderr.splitlines() if line.startswith("data_juicer_ext: ")]
        assert any(str(tmp_path / "run") in line and "run the same command again" in line for line in said)
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        away.rename(tmp_path / "run")
        done = dj_process(config, tmp_path, env=environment(server))
        assert done.returncode == 0, done.stderr[-3000:]
        assert kept(config) == whole.kept


@pytest.mark.parametrize("name", RECIPES)
def test_dj_ext_run_ends_at_the_shard_that_found_the_disk_full(name: str, whole: Whole, tmp_path: Path) -> None:
    papers = tmp_path / "papers.jsonl"
    papers.write_text("".join(json.dumps(paper) + "\n" for paper in whole.papers))
    with disk(tmp_path / "run") as full, FakeServer(filling(full)) as server:
        command = [str(programs() / "dj-ext"), "run", str(REPO / "recipes" / f"{name}.yaml"),
                   "--dataset", str(papers), "--run-dir", str(full.place), "--shard", "5"]  # fmt: skip
        ran = subprocess.run(
            command, cwd=tmp_path, env=_with(server), capture_output=True, text=True, timeout=90, check=False
        )
        assert ran.returncode == 2
        assert "No space left on device" in ran.stderr and "run the same command again" in ran.stderr
        full.free()
        ran = subprocess.run(
            command, cwd=tmp_path, env=_with(server), capture_output=True, text=True, timeout=120, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        rows = [json.loads(line)["row_id"] for line in (full.place / "pairs.jsonl").read_text().splitlines()]
        assert sorted(rows) == whole.kept


@pytest.mark.alone
def test_storage_that_is_slow_does_not_let_the_endpoint_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync, forced = os.fsync, list[int]()

    def slow(file: int) -> None:
        forced.append(file)
        time.sleep(SLOW_FSYNC_S)
        fsync(file)

    monkeypatch.setattr(os, "fsync", slow)
    with FakeServer(lambda body: Reply("B", delay=SLOW_CALL_S), record=False) as server:
        config = config_for(server, max_concurrency=SLOTS, deadline=60)
        model = get_model(config, RunPlace(str(tmp_path), on_ray=True))
        requests = [question(str(number)) for number in range(40 * SLOTS)]
        for result in drive(requests, model.ask, reraise, drive_width(SLOTS)):
            answered(result)
        in_flight = server.count * SLOW_CALL_S / (server.last_sent - server.first_arrival)
    assert in_flight > 0.5 * SLOTS, in_flight
    assert len(forced) < server.count / 10  # what waits is forced together


def _with(server: FakeServer) -> dict[str, str]:
    return {**os.environ, **environment(server)}
