from __future__ import annotations

import asyncio
import io
import itertools
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from loguru import logger

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.types import Answer, Request, Result
from data_juicer_ext.ops.base import progress, run_op
from data_juicer_ext.ops.base.progress import Progress
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Spending, decisions
from tests.fake_openai import FakeServer, Reply
from tests.host import run_here
from tests.recipes.runs import configured, environment, latex_paper
from tests.scripted import ScriptedModels

Rows = list[dict[str, Any]]


class Terminal(io.StringIO):
    """A stream that says it is a terminal, and keeps what is drawn."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("no descriptor")


@pytest.fixture
def said() -> Iterator[list[str]]:
    """What goes to the log from the module under test."""
    lines: list[str] = []
    handler = logger.add(lambda text: lines.append(str(text).rstrip("\n")), format="{message}",
                         filter="data_juicer_ext.ops.base.progress")  # fmt: skip
    yield lines
    logger.remove(handler)


@pytest.fixture
def slow(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    """Models that leave time to draw."""
    scripted = server.responder

    def responder(body: dict[str, Any]) -> Any:
        reply = scripted(body)
        return Reply(reply, delay=0.02) if isinstance(reply, str) else reply

    server.responder = responder
    monkeypatch.setattr(progress, "DRAW_S", 0.005)
    monkeypatch.setattr(progress, "LOG_S", 0.005)
    run_op._RUNS.clear()
    return server


def spent(**numbers: Any) -> Spending:
    return Spending(**numbers)


def test_the_state_in_words() -> None:
    made = Progress("vision_vote", 2000, since=progress.time.monotonic() - 100)
    for number in range(1000):
        verdict = ("keep", "drop", "drop", "undecided")[number % 4]
        made.decided(verdict, spent(calls=3, store_hits=1, tries=3, cost=0.001))  # type: ignore[arg-type]
    assert made.words() == (
        "vision_vote: 1,000 of 2,000 done, 250 kept, 250 undecided, 0 in flight, 20.0 calls/s, 1,000 from the store, "
        "1,000 retries, $1.0000, 1 min 40 s left"
    )
    assert made.words(ended=True).endswith("$1.0000, 1 min 40 s")


def test_nothing_is_said_of_what_there_is_none_of() -> None:
    assert Progress("claims", 5).words() == "claims: 0 of 5 done, 0 kept, 0 in flight"
    assert Progress("claims", 0).words() == "claims: 0 done, 0 kept"


@pytest.mark.parametrize(("seconds", "words"), [(0.04, "0.0 s"), (9.94, "9.9 s"), (59.4, "59 s"), (61, "1 min 1 s"),
                                                (7260, "2 h 1 min")])  # fmt: skip
def test_durations(seconds: float, words: str) -> None:
    assert progress._duration(seconds) == words


def test_calls_in_flight_are_those_that_have_a_slot() -> None:
    made = Progress("claims", 9)

    class Model:
        name = "m"

        async def ask(self, request: Request) -> Result:
            seen.append(made.words())
            await asyncio.sleep(0)
            if len(seen) == 5:
                raise RuntimeError("a defect")
            return Answer("x", "m")

    seen: list[str] = []
    watched = made.watched(Model(), EndpointConfig("m", max_concurrency=3))

    async def ask_all() -> None:
        await asyncio.gather(*(watched.ask(Request((), "t")) for _ in range(6)), return_exceptions=True)

    asyncio.run(ask_all())
    assert "1 in flight" in seen[0] and "3 in flight" in seen[-1] and "0 in flight" in made.words()


def test_a_terminal_gets_one_line_that_is_drawn_over_and_gone_at_the_end(
    slow: FakeServer, papers: Rows, process: Rows, run_dir: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "__stderr__", screen)
    monkeypatch.setenv("TERM", "xterm")
    run_here(papers, process)
    drawn = screen.getvalue().split("\r\x1b[2K")
    assert drawn[0] == "" and drawn[-1] == "" and "\n" not in screen.getvalue()
    shown = [text for text in drawn if text]
    assert len(shown) > 6 and all(len(text) <= 80 and text.endswith("\r") for text in shown)
    assert {text.split(":")[0] for text in shown} > {"claim_extractor", "vision_vote"}
    assert any("in flight" in text for text in shown)
    assert len(said) == 6  # only what each operator has come to
    _equal_the_ledger(said, run_dir)


def test_a_log_gets_plain_lines_when_something_has_changed(
    slow: FakeServer, papers: Rows, process: Rows, run_dir: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "__stderr__", io.StringIO())
    run_here(papers, process)
    assert len(said) > 12 and all(one != other for one, other in itertools.pairwise(said))
    assert not any("\r" in line or "\x1b" in line for line in said)
    _equal_the_ledger([line for line in said if "in flight" not in line], run_dir)


def _equal_the_ledger(last_lines: list[str], run_dir: Path) -> None:
    made = decisions(run_dir, run_records.run_ids(run_dir)[-1])
    expected = {}
    for tag in dict.fromkeys(e["tag"] for e in made if e["model"]):
        of_tag = [e for e in made if e["tag"] == tag]
        kept = sum(e["verdict"] == "keep" for e in of_tag)
        expected[tag] = f"{tag}: {len(of_tag)} of {len(of_tag)} done, {kept} kept"
    assert {line.split(":")[0]: ", ".join(line.split(", ")[:2]) for line in last_lines} == expected


@pytest.mark.parametrize("value", ["0", "off", "False"])
def test_it_can_be_switched_off(
    value: str, server: FakeServer, papers: Rows, process: Rows, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_op._RUNS.clear()
    screen = Terminal()
    monkeypatch.setattr(sys, "__stderr__", screen)
    monkeypatch.setenv(progress.SWITCH, value)
    assert run_here(papers, process)
    assert screen.getvalue() == "" and said == []


def test_an_operator_that_ends_early_leaves_no_line_and_no_thread(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "__stderr__", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "DRAW_S", 0.001)
    drawn = threading.Event()
    monkeypatch.setattr(screen, "flush", drawn.set)
    with pytest.raises(SystemExit), progress.shown("claims", 9):
        assert progress.of("claims") is not None and drawn.wait(10)
        raise SystemExit(2)
    assert screen.getvalue().endswith("\r\x1b[2K") and progress.of("claims") is None and said == []
    assert not [thread for thread in threading.enumerate() if thread.name == "dj-ext-progress"]


def test_a_terminal_that_is_gone_does_not_end_a_run(
    slow: FakeServer, papers: Rows, process: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(Terminal):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "__stderr__", Gone())
    assert run_here(papers, process)
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "__stderr__", closed)
    assert progress._terminal() is None


@pytest.mark.host
def test_on_a_real_terminal_the_hosts_own_lines_stay_whole(tmp_path: Path) -> None:
    models = ScriptedModels()

    def slow_models(body: dict[str, Any]) -> Any:
        reply = models(body)
        return Reply(reply, delay=0.4) if isinstance(reply, str) else reply

    rows = [latex_paper(tmp_path / "papers", f"paper{n}", 2) for n in range(3)]
    config = configured("verisciqa", tmp_path, rows, max_concurrency=4)
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    with FakeServer(slow_models) as server:
        text = _on_a_terminal(tmp_path, {**environment(server), "TERM": "xterm"})
    assert len(re.findall(r"\r\x1b\[2Kmcq_generator: \d+ of \d+ done", text)) >= 2
    for step in ("mcq_generator_mapper_process", "vision_vote_filter_compute_stats"):
        assert re.search(rf"\r(?:\x1b\[2K)?{step}: 100%\|", text)
    assert re.search(r"\x1b\[1mvision_vote: (\d+) of \1 done", text) and "All OPs are done" in text


def _on_a_terminal(folder: Path, env: dict[str, str]) -> str:
    """What `dj-process` shows on a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [str(Path(sys.executable).parent / "dj-process"), "--config", "recipe.yaml"],
        cwd=folder, env={**os.environ, **env}, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.wait(60) == 0
    return b"".join(parts).decode("utf-8", "replace")
