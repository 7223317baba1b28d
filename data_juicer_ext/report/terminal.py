"""A report as lines for a terminal: the funnel, why rows left, what it cost, and how the answers are spread."""

from collections.abc import Iterator

from data_juicer_ext.report.costs import Costs, money, price
from data_juicer_ext.report.funnel import table, table_1
from data_juicer_ext.report.run_report import RunReport
from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.report.shortcut_audit import Shortcuts
from data_juicer_ext.runs.ledger import Spending
from data_juicer_ext.text_table import aligned


def lines(report: RunReport) -> str:
    """The report in words, about 90 columns wide."""
    parts = [
        _notes(report), _table_1(report), _steps(report), _errors(report), _undecided(report),
        _costs(report.costs), _saved(report.costs), _shortcuts(report.kept.shortcuts),
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part)


def _notes(report: RunReport) -> Iterator[str]:
    for note in report.notes:
        yield f"! {shown_text(note, 300)}"


def _table_1(report: RunReport) -> Iterator[str]:
    found = table_1(report.steps)
    rows = [(name, f"{number:,}", "-" if share is None else f"{share:.1%}") for name, number, share in found]
    yield from aligned([("step", "count", "retention"), *rows] if rows else [], "<>", (36, 8))


def _steps(report: RunReport) -> Iterator[str]:
    for line in table(report.steps, of_step=True).split("\n"):
        yield shown_text(line, 240)


def _errors(report: RunReport) -> Iterator[str]:
    if not any(group.kinds for group in report.errors):
        return
    rows = [
        (shown_text(group.name, 200), f"{group.refused:,}", shown_text(", ".join(group.tags), 60))
        for group in report.errors
    ]
    yield from aligned([("refused, by error kind implied", "rows", "at"), *rows], "<><", (58, 6))


def _undecided(report: RunReport) -> Iterator[str]:
    if report.undecided:
        rows = [(_fit(c.tag, 28), _fit(c.reason, 26), f"{c.count:,}") for c in report.undecided[:10]]
        yield from aligned([("undecided at", "cause", "rows"), *rows], "<<>", (28, 26, 8))
    if len(report.undecided) > 10:
        yield f"... and {len(report.undecided) - 10} other causes"


def _costs(costs: Costs) -> Iterator[str]:
    if not costs.lines:
        return
    heads = ["spent, all runs", "model", "calls", "stored", "retries", "tokens", "US dollars"]
    rows = [[_fit(line.tag, 24), _fit(line.model, 20), *_spent(line.spending, line.retries)] for line in costs.lines]
    total = ["all", "", *_spent(costs.total, costs.retries)]
    yield from aligned([heads, *rows, total], "<<>", (24, 20, 8, 6, 7, 10, 11))


def _spent(spent: Spending, retries: int) -> list[str]:
    counts = spent.calls - spent.store_hits, spent.store_hits, retries, spent.prompt_tokens + spent.completion_tokens
    return [*(f"{count:,}" for count in counts), price(spent)]


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
    return shown_text(text, 80)[:width]
