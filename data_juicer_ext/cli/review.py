"""`dj-ext review`: people rate or audit the rows of a run on a local page."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_juicer_ext.cli.run_argument import run_place
from data_juicer_ext.errors import UsageError

if TYPE_CHECKING:
    from data_juicer_ext.review.forms.form import Form
    from data_juicer_ext.review.review_session import Desk

_SAMPLE = 1000
_LOOKED_AT = 200  # rows that the form is guessed by


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    review = commands.add_parser("review", help="rate or audit the rows of a run on a local page, by keyboard")
    review.add_argument("run_dir", type=run_place, nargs="?", default=Path("dj_ext_run"))
    review.add_argument("--mode", choices=("rate", "audit"), default="rate", help="blind rating, or all that is known")
    review.add_argument("--form", choices=("verisciqa", "quality", "siqa", "scidiag"), default="",
                        help="what is asked in mode rate (default: what fits the rows)")  # fmt: skip
    review.add_argument("--annotator", default="", metavar="NAME", help="start as NAME; else the page asks")
    review.add_argument("--export", type=Path, metavar="PATH", help="kept rows, instead of the path that the run names")
    review.add_argument("--sample", type=int, default=_SAMPLE, metavar="N",
                        help="rows to show, in mode audit of each kind; 0: all (default: %(default)s)")  # fmt: skip
    review.add_argument("--seed", type=int, default=0, metavar="S", help="of sample, order and sides (default: 0)")
    review.add_argument("--order", choices=("given", "disagreement"), default="",
                        help="given: as exported, instead of an order of each annotator's own; disagreement: in mode "
                             "audit, the most divided votes first")  # fmt: skip
    review.add_argument("--calibration", type=Path, metavar="FILE", help="form siqa: reference images to rate first")
    review.add_argument("--criteria", type=Path, metavar="FILE", help="form scidiag: criteria by diagram type, YAML")
    review.add_argument(
        "--host", default="127.0.0.1", help="address to serve at; others than this machine's need a token"
    )
    review.add_argument("--port", type=int, default=0, help="port to serve at (default: a free one)")
    review.add_argument("--token", default="", help="the token that the address holds, instead of a random one")
    review.add_argument("--agreement", action="store_true", help="print how far annotators agree, and end")
    review.set_defaults(run=_review, keeps="people's answers")


def _review(given: argparse.Namespace) -> int:
    if given.agreement:
        return _agreement(given.run_dir)
    _check(given)
    from data_juicer_ext.review.app import make_app
    from data_juicer_ext.review.server import address_of, bound, serve, token_for
    from data_juicer_ext.review.shown_figures import ImageEncoder

    token = token_for(given.host, given.token)
    desk = _audit_desk(given) if given.mode == "audit" else _rate_desk(given)
    (given.run_dir / "review").mkdir(parents=True, exist_ok=True)
    app = make_app(desk, ImageEncoder(given.run_dir / "images"), given.host, token)
    with bound(given.host, given.port) as at:
        address = address_of(given.host, at, token)
        try:
            serve(app, at, lambda: print(f"{address}\nCtrl-C ends it; all answers are on disk.", flush=True))
        except KeyboardInterrupt:
            _goodbye(given.run_dir)
    return 0


def _goodbye(run_dir: Path) -> None:
    from data_juicer_ext.ratings.rating_file import ratings_path

    if (path := ratings_path(run_dir)).is_file():
        print(f"\nThe answers: {path}\nHow far annotators agree: dj-ext review {run_dir} --agreement")
    else:
        print("\nNothing was answered.")


def _agreement(run_dir: Path) -> int:
    from data_juicer_ext.ratings.rating_file import ratings_path, read_ratings
    from data_juicer_ext.review.live_agreement import alphas, as_text

    if not run_dir.is_dir():
        raise UsageError(f"there is no folder {run_dir}")
    print(as_text(alphas(read_ratings(ratings_path(run_dir)))))
    return 0


def _check(given: argparse.Namespace) -> None:
    if given.sample < 0:
        raise UsageError(f"--sample {given.sample}: write a number of rows, or 0 for all")
    if not 0 <= given.port <= 65_535:
        raise UsageError(f"--port {given.port}: write a number from 0 to 65535")
    if given.mode == "rate" and given.order == "disagreement":
        raise UsageError("--order disagreement is for --mode audit: in mode rate it would tell how models have voted")
    for name in ("export", "calibration", "criteria"):
        path = getattr(given, name)
        if path is not None and not path.exists():
            raise UsageError(f"--{name}: there is no {'file or folder' if name == 'export' else 'file'} {path}")
    if given.mode == "audit" and (given.form or given.calibration or given.criteria):
        raise UsageError("--form, --calibration and --criteria are for --mode rate")


def _audit_desk(given: argparse.Namespace) -> Desk[Any]:
    from data_juicer_ext.report.run_selection import last_selection
    from data_juicer_ext.review.audit_rows import audit_of
    from data_juicer_ext.review.audit_session import AuditDesk

    scope = last_selection(given.run_dir, given.export)
    audit = audit_of(scope, given.sample, given.seed)
    if not audit.rows:
        raise UsageError(f"{given.run_dir}: this run has decided nothing that could be audited yet")
    for note in scope.notes:
        print(note)
    _tell_broken(audit.broken)
    for group in audit.groups.values():
        shown = min(group.total, given.sample or group.total)
        print(f"{group.title}: {group.total:,} rows" + (f", {shown:,} of them drawn" if shown < group.total else ""))
    return AuditDesk(given.run_dir, audit, given.order == "disagreement", given.annotator)


def _rate_desk(given: argparse.Namespace) -> Desk[Any]:
    from data_juicer_ext.review.calibration import Calibration
    from data_juicer_ext.review.rating_session import RateDesk
    from data_juicer_ext.review.review_sample import load_items

    export = _export(given)
    form = _form(given, export)
    calibration = None
    if given.calibration is not None:
        if form.name != "siqa":
            raise UsageError(f"--calibration is for the form siqa, not for {form.name}")
        results = given.run_dir / "review" / "calibration.jsonl"
        calibration = Calibration(given.calibration, results, given.seed)
    loaded = load_items(export, form.takes, given.sample, given.seed)
    if not loaded.items:
        raise UsageError(f"{export}: none of {loaded.skipped:,} rows can be rated with the form {form.name}")
    _tell_broken(loaded.broken)
    drawn = "" if len(loaded.items) == loaded.total else f", {len(loaded.items):,} of them drawn"
    left = f"; {loaded.skipped:,} others cannot be rated with it" if loaded.skipped else ""
    print(f"Form {form.name}: {loaded.total:,} rows{drawn}{left}")
    return RateDesk(
        given.run_dir, form, loaded.items, given.seed, given.order == "given", calibration, given.annotator
    )  # fmt: skip


def _export(given: argparse.Namespace) -> Path:
    if given.export is not None:
        return Path(given.export)
    from data_juicer_ext.report.run_selection import last_selection

    scope = last_selection(given.run_dir)
    if scope.export is None:
        raise UsageError(" ".join(scope.notes) or f"{given.run_dir}: there is no export: name it by --export")
    return scope.export


def _form(given: argparse.Namespace, export: Path) -> Form:
    from data_juicer_ext.review.forms.choice import form_named, guessed
    from data_juicer_ext.runs.exported_rows import read_rows

    name = given.form or guessed(islice(read_rows(export, broken=lambda said: None), _LOOKED_AT))
    return form_named(name, given.criteria)


def _tell_broken(broken: list[str]) -> None:
    if broken:
        print(f"{len(broken)} lines of the export could not be read, the first: {broken[0]}")
