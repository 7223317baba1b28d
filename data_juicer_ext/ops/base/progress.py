"""How far a model operator is: one live line on a terminal, a plain line now and then in the log.

Data-Juicer's own bar stands still while a batch of thousands of rows is worked on. This line is drawn over it by a
thread of its own and is gone when the operator has ended; the cursor waits at its start, so that whatever is logged
meanwhile writes over it. Where there is no terminal, the same words go to the log. On Ray see `ray_progress`.
`DJ_EXT_PROGRESS=0` switches all of it off.
"""

import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import TextIO

from loguru import logger

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.types import Model, Request, Result, Verdict
from data_juicer_ext.runs.ledger import Spending

SWITCH = "DJ_EXT_PROGRESS"
_OFF = ("0", "off", "no", "false")
DRAW_S, LOG_S = 0.5, 15.0
_WINDOW_S = 30.0  # rates are of the last so many seconds
_CLEAR = "\r\x1b[2K"
_WIDTH = 80  # of a terminal that does not say


class Progress:
    """What one operator has come to, of `total` rows (0: not known), since a time (`time.monotonic()`; None: now).

    It is counted on the loop of the model calls, and read by the thread that shows it.
    """

    def __init__(self, tag: str, total: int, since: float | None = None) -> None:
        self.tag, self.total = tag, total
        self.done = self.kept = self.undecided = self.asking = 0
        self.spent = Spending()
        self.over = threading.Event()  # nothing more is to be shown
        self._most_in_flight = sys.maxsize
        self._times: deque[tuple[float, int, int]] = deque()
        self._started = time.monotonic() if since is None else since

    def watched(self, model: Model, endpoint: EndpointConfig) -> Model:
        """`model`, with the calls that are under way counted."""
        if endpoint.mode == "direct":  # those beyond wait for a slot
            self._most_in_flight = endpoint.max_concurrency
        return _Watched(model, self)

    def decided(self, verdict: Verdict, spent: Spending) -> None:
        """One row is decided."""
        mine = self.spent
        self.done += 1
        self.kept += verdict == "keep"
        self.undecided += verdict == "undecided"
        mine.calls += spent.calls
        mine.tries += spent.tries
        mine.store_hits += spent.store_hits
        mine.cost += spent.cost
        mine.unpriced += spent.unpriced
        if self.done == self.total:  # before the host draws its bar again: that would not cover the whole line
            self.over.set()

    def words(self, ended: bool = False) -> str:
        """The state in words; rates and the time left are of the last seconds, at the end of the whole."""
        now, paid = time.monotonic(), self.spent.calls - self.spent.store_hits
        rows_a_second, calls_a_second = self._rates(now, paid, ended)
        parts = [
            f"{self.done:,} of {self.total:,} done" if self.total else f"{self.done:,} done",
            f"{self.kept:,} kept",
        ]
        parts += [f"{self.undecided:,} undecided"] if self.undecided else []
        parts += [] if ended or not self.total else [f"{min(self.asking, self._most_in_flight):,} in flight"]
        parts += [f"{calls_a_second:.1f} calls/s"] if paid else []
        parts += [f"{self.spent.store_hits:,} from the store"] if self.spent.store_hits else []
        retries = max(0, self.spent.tries - paid)
        parts += [f"{retries:,} retries"] if retries else []
        parts += [f"${self.spent.cost:,.4f}"] if self.spent.cost else []
        parts += [f"{self.spent.unpriced:,} calls of unknown price"] if self.spent.unpriced else []
        if ended:
            parts.append(f"{_duration(now - self._started)}")
        elif rows_a_second > 0 and self.total:
            parts.append(f"{_duration((self.total - self.done) / rows_a_second)} left")
        return f"{self.tag}: {', '.join(parts)}"

    def _rates(self, now: float, paid: int, ended: bool) -> tuple[float, float]:
        start, done, calls = self._started, 0, 0
        if not ended:
            self._times.append((now, self.done, paid))
            while len(self._times) > 2 and now - self._times[0][0] > _WINDOW_S:
                self._times.popleft()
            if now - self._times[0][0] > _WINDOW_S / 2:
                start, done, calls = self._times[0]
        seconds = max(now - start, 1e-3)
        return (self.done - done) / seconds, (paid - calls) / seconds


class _Watched:
    def __init__(self, model: Model, progress: Progress) -> None:
        self.name = model.name
        self._ask, self._progress = model.ask, progress

    async def ask(self, request: Request) -> Result:
        self._progress.asking += 1
        try:
            return await self._ask(request)
        finally:
            self._progress.asking -= 1


_current: dict[str, Progress] = {}


def of(tag: str) -> Progress | None:
    """The progress that is being shown for a listing in this process, if any."""
    return _current.get(tag)


def switched_off() -> bool:
    """Whether the user wants to see no progress."""
    return os.environ.get(SWITCH, "").strip().lower() in _OFF


@contextlib.contextmanager
def shown(tag: str, total: int) -> Iterator[None]:
    """Within it the progress of a listing over `total` rows is shown."""
    if not total or switched_off():
        yield
        return
    progress = _current[tag] = Progress(tag, total)
    thread = threading.Thread(target=_show, args=(progress,), name="dj-ext-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        progress.over.set()
        thread.join()
        del _current[tag]
        if progress.done:
            logger.info(progress.words(ended=True))


def _show(progress: Progress) -> None:
    screen = _terminal()
    before, drawn = "", False
    while not progress.over.wait(DRAW_S if screen else LOG_S):
        words = progress.words()
        if screen is None:
            if words != before:
                logger.info(words)
        else:
            drawn = _draw(screen, words)
        before = words
    if drawn and screen is not None:
        _write(screen, _CLEAR)


def _draw(screen: TextIO, words: str) -> bool:
    try:
        width = os.get_terminal_size(screen.fileno()).columns or _WIDTH  # some say 0
    except (OSError, ValueError):
        width = _WIDTH
    return _write(screen, f"{_CLEAR}{words[: max(20, width - 1)]}\r")


def _write(screen: TextIO, text: str) -> bool:
    try:
        screen.write(text)
        screen.flush()
    except (OSError, ValueError):  # a terminal that was closed must not be what ends a run
        return False
    return True


def _terminal() -> TextIO | None:
    """The terminal that the process was started from; Data-Juicer puts streams of its own in place of the others."""
    screen = sys.__stderr__
    try:
        usable = screen is not None and screen.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:  # it is closed
        return None
    return screen if usable else None


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    minutes, hours = whole // 60 % 60, whole // 3600
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s"
