"""What a run comes to, counted from its files by other means than the report's: line by line, with plain JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.report.run_report import RunReport
from tests.report.run_folders import number

Lines = list[dict[str, Any]]


def ledger_lines(run_dir: Path, run_ids: Sequence[str] | None = None) -> Lines:
    """All whole lines of the ledger, or those of some runs."""
    found = []
    for path in (run_dir / "ledger").glob("*.jsonl"):
        for text in path.read_text().split("\n"):
            try:
                line = json.loads(text)
            except ValueError:
                continue
            if run_ids is None or line["run_id"] in run_ids:
                found.append(line)
    return found


def last_decisions(lines: Lines) -> Lines:
    """The last line about each row, operator and tag."""
    return list({(e["row_id"], e["operator"], e["tag"]): e for e in sorted(lines, key=lambda e: e["time"])}.values())


def export_lines(path: Path) -> Lines:
    """The rows of a file, or of the files of a folder, each row_id once."""
    files = sorted(path.rglob("*.json*")) if path.is_dir() else [path]
    rows = [json.loads(text) for file in files for text in file.read_text().split("\n") if text]
    return list({row["row_id"]: row for row in rows}.values())


def check(report: RunReport, tables: dict[str, list[list[str]]], export: Path, run_ids: Sequence[str]) -> None:
    """Assert that a report and the tables of its page say what the files of the run say."""
    everything = ledger_lines(report.scope.run_dir)
    _check_steps(tables, last_decisions([e for e in everything if e["run_id"] in run_ids]))
    _check_costs(tables, everything)
    _check_kept(report, tables, export_lines(export))


def _check_steps(tables: dict[str, list[list[str]]], decided: Lines) -> None:
    by_tag: dict[str, Counter[str]] = {}
    for entry in decided:
        counted = by_tag.setdefault(entry["tag"], Counter())
        counted.update([entry["verdict"], "rows"])
        counted["made"] += entry["made"]
    expected = [(c["rows"], c["made"], c["drop"], c["undecided"]) for c in by_tag.values()]
    shown = [tuple(number(row[place]) for place in (1, 2, 5, 6)) for row in tables["steps"]]
    assert sorted(shown) == sorted(expected) and len(shown) > 2
    named = {row[0].removeprefix("after "): number(row[2]) for row in tables["steps"]}
    assert all(named[tag] == c["made"] for tag, c in by_tag.items() if tag in named)
    refused = Counter((e["tag"], e["reason"]) for e in decided if e["verdict"] == "drop")
    assert {(row[0], row[1]): number(row[2]) for row in tables.get("reasons", [])} == refused
    undecided = Counter((e["tag"], e["reason"]) for e in decided if e["verdict"] == "undecided")
    assert {(row[0], row[1]): number(row[2]) for row in tables.get("causes", [])} == undecided
    of_kind = Counter(
        {"source_consistency_filter": "E1", "visual_dependence_filter": "E3", "vision_vote_filter": "E1 E4"}.get(
            e["operator"], "none"
        )
        for e in decided
        if e["verdict"] == "drop"
    )
    shown_kinds = {" ".join(w for w in row[0].split() if w in ("E1", "E2", "E3", "E4", "none")): number(row[1])
                   for row in tables.get("errors", [])}  # fmt: skip
    assert shown_kinds == (of_kind if set(of_kind) != {"none"} else {})
    claims = by_tag["claim_extractor"]["made"]
    last = {"QA pairs generated": "mcq_generator", "After vision-based filtering": "vision_vote"}
    for step, count, share in [row[:3] for row in tables["table-1"]]:
        if step in last:
            made = by_tag[last[step]]["made"]
            assert (number(count), share) == (made, f"{made / claims:.1%}")


def _check_costs(tables: dict[str, list[list[str]]], everything: Lines) -> None:
    spent: dict[tuple[str, str], Counter[str]] = {}
    for entry in everything:
        if entry["spending"]["calls"]:
            group = spent.setdefault((entry["tag"], entry["model"]), Counter())
            group.update({k: v for k, v in entry["spending"].items() if k != "estimated"})
    rows = {(row[0], row[1]): row[2:] for row in tables["costs"][:-1]}
    assert set(rows) == set(spent)
    for key, sums in spent.items():
        paid = sums["calls"] - sums["store_hits"]
        assert [number(cell) for cell in rows[key][:4]] == [
            paid, sums["store_hits"], sums["tries"] - paid, sums["prompt_tokens"],
        ]  # fmt: skip
        assert number(rows[key][5]) == sums["completion_tokens"]
        assert sums["unpriced"] or rows[key][7] in (f"${sums['cost']:.4f}", f"${sums['cost']:.2f}")
    hits = Counter({tag: 0 for tag, _ in spent})
    for (tag, _), sums in spent.items():
        hits[tag] += sums["store_hits"]
    assert {row[0]: number(row[1]) for row in tables.get("saved", []) if number(row[1])} == +hits


def _check_kept(report: RunReport, tables: dict[str, list[list[str]]], rows: Lines) -> None:
    assert report.kept.rows == len(rows) and report.kept.strangers == 0
    letters = Counter((len(row["options"]), row["answer"]) for row in rows)
    shown = Counter()
    for row in tables.get("letters", []):
        for place, cell in enumerate(row[2:-1]):
            if cell:
                shown[int(row[0]), "ABCDEFGH"[place]] = int(cell.split()[0])
    assert +shown == letters
    longest = sum(
        len([o for o in row["options"] if len(o) >= len(row["options"]["ABCDEFGH".index(row["answer"])])]) == 1
        for row in rows
    )
    assert report.kept.shortcuts.longest == longest
    domains = Counter(row["domain"].split(".")[0] or "not given" for row in rows)
    assert dict(report.kept.composition.parts.get("Domain (arXiv archive)", [])) in (dict(domains), {})
