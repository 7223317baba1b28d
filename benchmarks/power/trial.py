"""Do the tests near one fault notice it, in a copy of the tree?"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "outputs", "dj_ext_run")
NO_TESTS = 5  # pytest's exit status where every test of the modules is deselected
ONE_TEST, ONE_STAGE = 120, 1200  # seconds; a test that takes longer fails, a process that does is killed
MARK = "TEST_POWER_COPY"  # in the environment of everything that a trial starts


@dataclass(frozen=True)
class Ended:
    """One run of pytest: its exit status (None: killed for time or memory), what failed, and its last lines."""

    status: int | None
    failed: tuple[str, ...]
    output: str

    @property
    def passed(self) -> bool:
        return self.status in (0, NO_TESTS)

    @property
    def took_too_long(self) -> bool:
        return self.status is None or "from pytest-timeout" in self.output

    @property
    def broke_imports(self) -> bool:
        """Whether test modules could not even be imported."""
        return any("::" not in name for name in self.failed) or "while loading conftest" in self.output


@dataclass
class Trial:
    """A copy of `tree` under `place`, in which one fault at a time is tried."""

    tree: Path
    place: Path
    memory: float
    clean: dict[tuple[str, ...], bool] = field(default_factory=dict)  # what passes without any fault
    broken: set[str] = field(default_factory=set)  # what does not

    def __post_init__(self) -> None:
        self.copy = self.place / "tree"
        self.temporary = self.place / "tmp"
        shutil.copytree(self.tree, self.copy, symlinks=True, ignore=LEFT_OUT)

    def outcome(self, path: Path, changed: str, stages: Sequence[Sequence[str]], marks: str) -> tuple[str, str]:
        """`caught`, `timeout`, `incompetent` (it can't be imported) or `survived`, and by what."""
        for stage in stages:
            while True:
                with self.fault(path, changed):
                    ended = self.pytest(stage, marks)
                if ended.passed:
                    break
                if ended.broke_imports and not self.imports(path, changed):
                    return "incompetent", " ".join(ended.failed)
                suspects = ended.failed or tuple(stage)
                if self.passes_clean(suspects, marks):
                    return ("timeout" if ended.took_too_long else "caught"), " ".join(suspects)
                print(f"not asked any more, as they fail without a fault too: {' '.join(suspects)}", flush=True)
                self.broken.update(suspects)
        return "survived", ""

    def imports(self, path: Path, changed: str) -> bool:
        """Whether the module itself can be imported with the fault."""
        program = f"import {'.'.join(path.with_suffix('').parts)}"
        with self.fault(path, changed):
            done = subprocess.run(
                [sys.executable, "-c", program],
                cwd=self.copy,
                env=self.environment(),
                capture_output=True,
                timeout=ONE_TEST,
            )
        return done.returncode == 0

    def passes_clean(self, tests: tuple[str, ...], marks: str) -> bool:
        """Whether the tests pass without the fault: only then did they notice it."""
        if tests not in self.clean:
            self.clean[tests] = self.pytest(tests, marks).passed
        return self.clean[tests]

    @contextmanager
    def fault(self, path: Path, changed: str) -> Iterator[None]:
        module = self.copy / path
        sound = module.read_bytes()
        try:
            self.write(module, changed.encode())
            yield
        finally:
            self.write(module, sound)

    def write(self, module: Path, content: bytes) -> None:
        """Compiled modules are told apart by second and size, and so may be taken for one another."""
        Path(importlib.util.cache_from_source(str(module))).unlink(missing_ok=True)
        module.write_bytes(content)

    def pytest(self, tests: Sequence[str], marks: str) -> Ended:
        wanted = [test for test in tests if test not in self.broken]
        if not wanted:
            return Ended(NO_TESTS, (), "")
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()
        log = self.temporary / "log"
        with log.open("w") as out:
            process = subprocess.Popen(
                self.command(wanted, marks), cwd=self.copy, env=self.environment(), stdout=out, stderr=out,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            status = self.wait(process)
        last = self.temporary / "cache" / "v" / "cache" / "lastfailed"
        failed = tuple(json.loads(last.read_text())) if last.exists() else ()
        return Ended(status, failed, log.read_text(errors="replace")[-2000:])

    def command(self, tests: Sequence[str], marks: str) -> list[str]:
        return [
            sys.executable, "-m", "pytest", "-x", "-q", "-o", "addopts=", "-m", marks, f"--timeout={ONE_TEST}",
            "-o", f"cache_dir={self.temporary / 'cache'}", f"--basetemp={self.temporary / 'base'}",
            "--hypothesis-seed=17", *(f"--deselect={name}" for name in sorted(self.broken)), *tests,
        ]  # fmt: skip

    def environment(self) -> dict[str, str]:
        own = {"PYTHONPATH": str(self.copy), "TMPDIR": str(self.temporary), MARK: str(self.copy)}
        return os.environ | own | {"UV_OFFLINE": "1", "PIP_NO_INDEX": "1", "PYTHONHASHSEED": "0"}

    def wait(self, process: subprocess.Popen[bytes]) -> int | None:
        """The exit status, None where time or memory ran out; nothing that the run started is left behind."""
        until = time.monotonic() + ONE_STAGE
        try:
            while time.monotonic() < until and self.bytes_in_use() < self.memory * 2**30:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(timeout=1)
            return None
        finally:
            for left in self.started():
                with suppress(psutil.NoSuchProcess):
                    left.kill()
            process.wait()

    def started(self) -> list[psutil.Process]:
        """Every process of this trial, also those that left its session."""
        running = psutil.process_iter(["environ", "memory_info"])
        return [each for each in running if (each.info["environ"] or {}).get(MARK) == str(self.copy)]

    def bytes_in_use(self) -> int:
        return sum(each.info["memory_info"].rss for each in self.started())
