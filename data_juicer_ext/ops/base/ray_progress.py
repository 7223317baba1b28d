"""How far the model operators of a run on Ray are, in plain lines of the driver's log.

Workers show nothing. The driver reads what they add to the ledger, from where it had got to, and says how each
operator stands when that has changed. Rows that Ray runs again count again here.
"""

import atexit
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loguru import logger

from data_juicer_ext.ops.base.progress import LOG_S, Progress, switched_off
from data_juicer_ext.runs.ledger import Spending
from data_juicer_ext.runs.run_records import Run

END_S = 2.0  # how long the end of the process waits for the last lines


class Follower:
    """Reads the ledger of one run as it grows."""

    def __init__(self, run: Run) -> None:
        self.run_id = run.run_id
        self._run, self._folder = run, run.run_dir / "ledger"
        self._read: dict[Path, int] = {}
        self._operators: dict[str, Progress] = {}
        self._looked = time.monotonic()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._follow, name="dj-ext-progress", daemon=True)

    def look(self) -> list[str]:
        """What is new, in words: a line an operator that has called a model since the last look."""
        changed: dict[str, Progress] = {}
        for entry in self._new_lines():
            tag, spending = str(entry["tag"]), entry.get("spending") or {}
            if entry.get("model"):
                progress = changed[tag] = self._operators.setdefault(tag, Progress(tag, 0, self._looked))
                known = {name: value for name, value in spending.items() if name in Spending.__dataclass_fields__}
                progress.decided(entry["verdict"], Spending(**known))
        self._looked = time.monotonic()
        return [progress.words() for progress in changed.values()]

    def _new_lines(self) -> Iterator[dict[str, Any]]:
        self._run.bring("ledger", self.run_id)
        for path in sorted(self._folder.glob(f"{self.run_id}.*.*.jsonl")):  # not what pieces are joined to
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                for line in file:
                    if not line.endswith(b"\n"):  # it is being written
                        break
                    self._read[path] = self._read.get(path, 0) + len(line)
                    yield json.loads(line)

    def _follow(self) -> None:
        going_on = True
        while going_on:
            going_on = not self.over.wait(LOG_S)
            try:
                for words in self.look():
                    logger.info(words)
            except OSError:  # of storage that is away: next time
                continue
            except (ValueError, KeyError):  # a ledger that can't be read is no reason to trouble the run
                return

    def end(self) -> None:
        """Say what is still new, and stop."""
        self.over.set()
        self.thread.join(END_S)


_following: Follower | None = None


def follow(run: Run) -> None:
    """Follow a run of this process, in place of the one before it."""
    global _following
    if switched_off() or (_following is not None and _following.run_id == run.run_id):
        return
    if _following is None:
        atexit.register(_end)
    else:
        _following.end()
    _following = Follower(run)
    _following.thread.start()


def _end() -> None:
    if _following is not None:
        _following.end()
