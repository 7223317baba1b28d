"""`dj-ext report`: what a run did, as one HTML page and as tables on the screen; also while it goes on."""

import argparse
from pathlib import Path

from data_juicer_ext.cli.run_argument import run_place
from data_juicer_ext.errors import UsageError

_MOST_SAMPLES = 50


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    report = commands.add_parser("report", help="a run as one HTML page: funnel, refusals, cost, shortcuts, samples")
    report.add_argument("run_dir", type=run_place, nargs="?", default=Path("dj_ext_run"))
    report.add_argument("--to", type=Path, metavar="FILE", help="the page (default: report.html in the run folder)")
    report.add_argument("--samples", type=int, default=4, metavar="N", help="rows of each kind to show, 0 to 50")
    report.add_argument("--export", type=Path, metavar="PATH", help="kept rows, instead of the path that the run names")
    report.set_defaults(run=_report)


def _report(given: argparse.Namespace) -> int:
    from data_juicer_ext.report.html_page import page
    from data_juicer_ext.report.run_report import make_report
    from data_juicer_ext.report.run_selection import last_selection
    from data_juicer_ext.report.terminal import lines
    from data_juicer_ext.storage.atomic_file import replace_text

    if not 0 <= given.samples <= _MOST_SAMPLES:
        raise UsageError(f"--samples {given.samples}: write a number from 0 to {_MOST_SAMPLES}")
    if given.export is not None and not given.export.exists():
        raise UsageError(f"--export: there is no file or folder {given.export}")
    report = make_report(last_selection(given.run_dir, given.export), given.samples)
    target = given.to or given.run_dir / "report.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_text(target, page(report))
    print(lines(report))
    print(f"\n{target}")
    return 0
