"""A report as lines for a terminal: the funnel, why rows left, what it cost, and how the answers are spread."""

from __future__ import annotations

from collections.abc import Iterator

from data_juicer_ext.report.costs import Costs, money, price
from data_juicer_ext.report.funnel import table, table_1
from data_juicer_ext.report.report import Report
from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.report.shortcut_audit import Shortcuts


def lines(report: Report) -> str:
    """The report in words, about 90 columns wide."""
    parts = [
        _notes(report), _table_1(report), _steps(report), _errors(report), _undecided(report),
        _costs(report.costs), _saved(report.costs), _shortcuts(report.kept.shortcuts),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part)


def _notes(report: Report) -> Iterator[str]:
    for note in report.notes:
        yield f"! {shown_text(note, 300)}"


def _table_1(report: Report) -> Iterator[str]:
    found = table_1(report.steps)
    if found:
        yield f"{'step':<36}{'count':>10}{'retention':>11}"
    for name, number, share in found:
        yield f"{name:<36}{number:>10,}{'-' if share is None else f'{share:.1%}':>11}"


def _steps(report: Report) -> Iterator[str]:
    for line in table(report.steps, of_step=True).split("\n"):
        yield shown_text(line, 240)


def _errors(report: Report) -> Iterator[str]:
    if not any(group.kinds for group in report.errors):
        return
    yield f"{'refused, by error kind implied':<58}{'rows':>8}  at"
    for group in report.errors:
        yield f"{group.name:<58}{group.refused:>8,}  {shown_text(', '.join(group.tags), 60)}"


def _undecided(report: Report) -> Iterator[str]:
    if report.undecided:
        yield f"{'undecided at':<30}{'cause':<28}{'rows':>8}"
    for cause in report.undecided[:10]:
        yield f"{_fit(cause.tag, 30)}{_fit(cause.reason, 28)}{cause.count:>8,}"
    if len(report.undecided) > 10:
        yield f"... and {len(report.undecided) - 10} other causes"


def _costs(costs: Costs) -> Iterator[str]:
    if not costs.lines:
        return
    yield f"{'spent, all runs':<26}{'model':<22}{'calls':>8}{'stored':>8}{'retries':>8}{'tokens':>12}{'US dollars':>13}"
    for line in costs.lines:
        tokens = line.spending.prompt_tokens + line.spending.completion_tokens
        counted = f"{line.paid_calls:>8,}{line.spending.store_hits:>8,}{line.retries:>8,}{tokens:>12,}"
        yield f"{_fit(line.tag, 26)}{_fit(line.model, 22)}{counted}{price(line.spending):>13}"
    spent = costs.total
    counted = f"{spent.calls - spent.store_hits:>8,}{spent.store_hits:>8,}{costs.retries:>8,}"
    yield f"{'all':<48}{counted}{spent.prompt_tokens + spent.completion_tokens:>12,}{price(spent):>13}"


def _saved(costs: Costs) -> Iterator[str]:
    for line in costs.saved:
        worth = "" if line.cost is None else f", about {money(line.cost)}"
        yield f"{line.tag}: {line.from_store:,} calls saved by the store, {line.early:,} by early stopping{worth}"


def _shortcuts(audit: Shortcuts) -> Iterator[str]:
    if not audit.rows:
        return
    for options, counted in sorted(audit.letters.items()):
        letters = [chr(ord("A") + place) for place in range(min(options, 26))]
        all_of_them = counted.total()
        shares = "  ".join(f"{letter} {counted[letter]} ({counted[letter] / all_of_them:.0%})" for letter in letters)
        yield f"answers of {options} options: {shares}"
    yield f"the answer is the longest option in {audit.longest:,} of {audit.rows:,} questions"
    above = [rule.name for rule in audit.baselines() if rule.above_chance]
    yield f"rules above chance without the figure: {', '.join(above) or 'none'}"


def _fit(text: str, width: int) -> str:
    return f"{shown_text(text, 80)[: width - 1]:<{width}}"
