"""The page in a real browser: nothing on its console, no script run, figures to be seen."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.report.html_page import page
from data_juicer_ext.report.run_report import make_report
from data_juicer_ext.report.run_selection import select_runs
from tests.report.hostile import MARK, hostile_folder
from tests.report.run_folders import RunFolder, qa_row

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (apt-get install chromium)")


def opened(folder: RunFolder, *how: str) -> subprocess.CompletedProcess[str]:
    """The page of a run folder, opened without a window."""
    path = folder.path / "report.html"
    path.write_text(page(make_report(select_runs(folder.path), 20)), encoding="utf-8")
    profile = folder.path / "profile"
    return subprocess.run(
        [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
         "--disable-background-networking", "--enable-logging=stderr", "--v=0", *how, path.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip


def console(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_hostile_rows_run_nothing(tmp_path: Path) -> None:
    done = opened(hostile_folder(RunFolder(tmp_path)), "--dump-dom")
    assert console(done) == []
    root, title = re.search(r"<html[^>]*>", done.stdout), re.search(r"<title>([^<]*)</title>", done.stdout)
    assert (
        root is not None
        and MARK not in root.group()
        and title is not None
        and title.group(1) == f"Run report: {tmp_path.name}/run"
    )
    assert "<script" not in done.stdout and "<iframe" not in done.stdout and done.stdout.count("<main") == 1


def test_the_console_would_tell(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.note("vision_vote", "qa-1")
    folder.end([qa_row(1)])
    path = folder.path / "broken.html"
    text = page(make_report(select_runs(folder.path)))
    path.write_text(text.replace("<main", "<script>1</script><main"), encoding="utf-8")
    done = subprocess.run(
        [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
         "--enable-logging=stderr", "--v=0", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert len(console(done)) == 1 and "Content Security Policy" in console(done)[0]


def test_figures_are_seen(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.note("vision_vote", "qa-1")
    folder.end([qa_row(1, folder.image("x", "#ff0000"))])
    shot = tmp_path / "shot.png"
    done = opened(folder, "--window-size=1000,3000", f"--screenshot={shot}")
    assert console(done) == []
    with Image.open(shot) as seen:
        colours = {colour: number for number, colour in seen.convert("RGB").getcolors(1 << 24) or ()}
    assert colours.get((255, 0, 0), 0) > 0.8 * 120 * 80
