"""A report as one HTML file: pictures inside it, no script, no request; and nothing in it that rows could run.

Every text goes through `shown_text` and autoescaping, and the page's policy allows its own style alone.
"""

import base64
import hashlib
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from data_juicer_ext import __version__
from data_juicer_ext.qa.verdicts import KINDS
from data_juicer_ext.report.costs import money, price
from data_juicer_ext.report.funnel import FunnelStep, share_of_whole, table_1, whole
from data_juicer_ext.report.run_report import RunReport
from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.report.samples import VERDICTS
from data_juicer_ext.report.thumbnails import Thumbnails
from data_juicer_ext.rows import scrub

_TEMPLATES = Path(__file__).parent / "templates"
_ANCHORS = {"What was kept": "kept", "Shortcut audit": "shortcuts", "Sample rows": "samples"}
_PICTURES = 3  # of one figure


def page(report: RunReport) -> str:
    """The whole page, as text that is safe to write as UTF-8."""
    style = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    text = _environment().get_template("report.html").render(
        report=report, css=Markup(style), policy=_policy(style), version=__version__,
        name="/".join(report.scope.run_dir.resolve().parts[-2:]), facts=list(_facts(report)),
        sections=_sections(report), made_at=_time(time.time()),
        whole=whole(report.steps), table_1=table_1(report.steps),
        steps=[(step, share_of_whole(step, report.steps)) for step in report.steps],
        refusals=list(_refusals(report.steps)), letters=_letters(report),
        verisciqa=any(set(KINDS) & set(group.kinds) for group in report.errors),
        position_p=report.kept.shortcuts.position_p(), groups=list(_groups(report)), words=VERDICTS,
    )  # fmt: skip
    return scrub(text)


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=_bounded,
    )  # fmt: skip
    made.filters |= {"n": _number, "pct": _percent, "usd": money, "price": price}
    made.filters |= {"cut": shown_text, "started": _started}
    return made


def _bounded(value: Any) -> Any:
    """What every expression of the template goes through: no text is longer, or holds more, than a page can show."""
    if isinstance(value, str) and not isinstance(value, Markup) and not value.startswith("data:image/"):
        return shown_text(value)
    return value


def _policy(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"


def _number(value: float) -> str:
    return f"{value:,}"


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


def _started(run_id: str) -> str:
    digits = run_id.partition("-")[0]
    return _time(int(digits) / 1e9) if digits.isdigit() and len(digits) == 19 else run_id


def _facts(report: RunReport) -> Iterator[str]:
    about = report.scope.about
    recipes = ", ".join(Path(str(recipe)).name for recipe in about.get("recipe") or [])
    yield f"recipe {recipes or 'not known'}"
    yield f"{about.get('executor') or 'unknown'} executor"
    yield f"begun {_time(float(about.get('started') or 0))}"
    if report.scope.shards:
        yield f"{sum(report.scope.shards.values())} shards"
    if report.scope.ended:
        yield f"ended {_time(float(about['ended']))}"
    else:
        yield f"last decision {_time(report.last)}"


def _sections(report: RunReport) -> list[tuple[str, str]]:
    found = {
        "Funnel": True,
        "Refusals": True,
        "Undecided": True,
        "Cost": True,
        "Curation": bool(report.curation),
        "What was kept": True,
        "Shortcut audit": bool(report.kept.shortcuts.rows or report.blind),
        "Scores": bool(report.scored or report.kept.scores.columns),
        "Sample rows": True,
    }
    return [(_ANCHORS.get(title, title.lower()), title) for title, there in found.items() if there]


def _refusals(steps: list[FunnelStep]) -> Iterator[tuple[FunnelStep, str, int, tuple[str, ...]]]:
    for step in steps:
        for reason, number in step.refusals.most_common(25):
            yield step, reason, number, step.words.kinds_of(reason)


def _letters(report: RunReport) -> list[str]:
    most = max(report.kept.shortcuts.letters, default=0)
    return [chr(ord("A") + place) for place in range(min(most, 26))]


def _groups(report: RunReport) -> Iterator[dict[str, Any]]:
    thumbnails, numbers = Thumbnails(report.scope.run_dir / "images"), count(1)
    for group in report.groups:
        samples = [
            (sample, [(next(numbers), thumbnails.of(image)) for image in sample.picture.images[:_PICTURES] or ("",)])
            for sample in group.samples
        ]
        yield {"title": group.title, "verdict": group.verdict, "total": group.total, "samples": samples}
