"""`dj-ext report`: what a run did, as one HTML page and as tables on the screen; also while it goes on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from data_juicer_ext.fetch_command import run_place

if TYPE_CHECKING:
    from data_juicer_ext.report.scope import Scope

_MOST_SAMPLES = 50


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    report = commands.add_parser("report", help="a run as one HTML page: funnel, refusals, cost, shortcuts, samples")
    report.add_argument("run_dir", type=run_place, nargs="?", default=Path("dj_ext_run"))
    report.add_argument("--to", type=Path, metavar="FILE", help="the page (default: report.html in the run folder)")
    report.add_argument("--samples", type=int, default=4, metavar="N", help="rows of each kind to show, 0 to 50")
    report.add_argument("--export", type=Path, metavar="PATH", help="kept rows, instead of the path that the run names")
    report.set_defaults(run=_report)


def _report(given: argparse.Namespace) -> int:
    from data_juicer_ext.models.runs import replace_text
    from data_juicer_ext.report.page import page
    from data_juicer_ext.report.report import make_report
    from data_juicer_ext.report.terminal import lines

    if not 0 <= given.samples <= _MOST_SAMPLES:
        raise ValueError(f"--samples {given.samples}: write a number from 0 to {_MOST_SAMPLES}")
    if given.export is not None and not given.export.exists():
        raise ValueError(f"--export: there is no file or folder {given.export}")
    report = make_report(last_scope(given.run_dir, given.export), given.samples)
    target = given.to or given.run_dir / "report.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_text(target, page(report))
    print(lines(report))
    print(f"\n{target}")
    return 0


def last_scope(run_dir: Path, export: Path | None = None) -> Scope:
    """What a report of a run folder speaks of: the shards of its manifest, else its last run.

    Raises NoRunError if the folder holds no run.
    """
    from data_juicer_ext.models import runs
    from data_juicer_ext.report.scope import no_run, scope_of
    from data_juicer_ext.runner import manifest

    if not run_dir.is_dir():
        raise no_run(run_dir)
    found, ids = manifest.load(run_dir), runs.run_ids(run_dir)
    if found is None or not ids or not runs.about(run_dir, ids[-1]).get("shard"):
        return scope_of(run_dir, export=export)
    of_shards = [entry.whole_run_id or entry.run_id for entry in found.shards]
    states = [entry.state for entry in found.shards]
    return scope_of(run_dir, [run_id for run_id in of_shards if run_id], states, export)
