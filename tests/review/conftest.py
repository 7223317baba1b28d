"""Reviews of run folders: spoken to directly, through a client, or served for a browser."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.testclient import TestClient

from data_juicer_ext.report.run_selection import select_runs
from data_juicer_ext.review.app import make_app
from data_juicer_ext.review.audit_rows import audit_of
from data_juicer_ext.review.audit_session import AuditDesk
from data_juicer_ext.review.calibration import Calibration
from data_juicer_ext.review.forms.choice import form_named, guessed
from data_juicer_ext.review.rating_session import RateDesk
from data_juicer_ext.review.review_sample import load_items
from data_juicer_ext.review.review_session import Desk
from data_juicer_ext.review.server import bound
from data_juicer_ext.review.shown_figures import ImageEncoder
from tests.report.run_folders import RunFolder

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ORIGIN = "http://127.0.0.1:8000"


def rate_desk(folder: RunFolder, form: str = "", calibration: Path | None = None, **more: Any) -> RateDesk:
    """A rating of what a run has exported."""
    rows = load_items(folder.export, lambda row: True, 0, 0).items
    asked = form_named(form or guessed(item.row for item in rows), more.pop("criteria", None))
    results = folder.path / "review" / "calibration.jsonl"
    items = load_items(folder.export, asked.takes, 0, 0).items
    return RateDesk(
        folder.path, asked, items, calibration=Calibration(calibration, results) if calibration else None, **more
    )


def audit_desk(folder: RunFolder, **more: Any) -> AuditDesk:
    """An audit of a run."""
    return AuditDesk(folder.path, audit_of(select_runs(folder.path)), **more)


def client_of(desk: Desk[Any], folder: RunFolder, **how: Any) -> TestClient:
    """A client of a review as its own page is: it names itself as the origin."""
    app = make_app(desk, ImageEncoder(folder.path / "images"), **how)
    return TestClient(app, base_url=ORIGIN, headers={"origin": ORIGIN}, follow_redirects=False)


class Recorder:
    """A client that keeps every byte of every answer, headers included."""

    def __init__(self, app: Any, origin: str = ORIGIN) -> None:
        self.client = TestClient(app, base_url=origin, headers={"origin": origin}, follow_redirects=False)
        self.bytes = b""

    def get(self, path: str) -> Any:
        return self._kept(self.client.get(path))

    def post(self, path: str, body: Any) -> Any:
        return self._kept(self.client.post(path, json=body))

    def _kept(self, answer: Any) -> Any:
        self.bytes += answer.content + str(answer.headers).encode() + str(answer.status_code).encode()
        return answer


def recorder_of(desk: Desk[Any], folder: RunFolder) -> Recorder:
    """A recording client of a review."""
    return Recorder(make_app(desk, ImageEncoder(folder.path / "images")))


@dataclass
class Served:
    """Reviews that are served at an address each, until the test has ended."""

    running: list[tuple[uvicorn.Server, threading.Thread]] = field(default_factory=list)

    def __call__(self, desk: Desk[Any], folder: RunFolder) -> str:
        at = bound("127.0.0.1", 0)
        at.listen()  # who comes before the server has started waits
        app = make_app(desk, ImageEncoder(folder.path / "images"))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [at]}, daemon=True)
        thread.start()
        self.running.append((server, thread))
        return f"http://127.0.0.1:{at.getsockname()[1]}/"

    def end(self) -> None:
        for server, _ in self.running:
            server.should_exit = True
        for _, thread in self.running:
            thread.join(10)


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.end()


@dataclass
class Opened:
    """A page in Chromium, and all that it said on its console."""

    page: Any
    console: list[str]

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def until(self, text: str) -> None:
        """Wait until the page shows a text."""
        self.page.get_by_text(text).first.wait_for()

    def start(self, url: str, name: str) -> None:
        """Open a review and give a name."""
        self.page.goto(url)
        self.page.fill("#name", name)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(".asked")


@pytest.fixture(scope="module")  # Playwright keeps an event loop running: other tests could start none
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[[], Opened]]:
    """Makes pages, each of a person of their own; at the end none may have complained."""
    made: list[tuple[Any, Opened]] = []

    def open_one() -> Opened:
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        context.set_default_timeout(15_000)
        page = context.new_page()
        console: list[str] = []
        page.on("console", lambda message: console.append(message.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        page.on("dialog", lambda dialog: console.append(f"dialog {dialog.message}"))
        made.append((context, Opened(page, console)))
        return made[-1][1]

    yield open_one
    said = [line for _, opened in made for line in opened.console]
    for context, _ in made:
        context.close()
    assert said == []
