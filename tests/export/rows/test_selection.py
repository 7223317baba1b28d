from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from data_juicer_ext.export.rows.left_out import LeftOut
from data_juicer_ext.export.rows.selection import (
    audit_verdicts,
    licence_text,
    read_patterns,
    select,
    undecided_rows,
)
from tests.export.made_runs import entry

LICENCES = {"a": "cc-by-4.0", "b": "CC BY-SA 4.0", "c": "http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "d": ""}


def chosen(patterns: str) -> set[str]:
    entries = {name: entry(name, licence=licence) for name, licence in LICENCES.items()}
    return {one.row_id for one in select(entries, (), None, read_patterns(patterns), LeftOut())}


@pytest.mark.parametrize(
    ("patterns", "rows"),
    [("cc-by-4.0", "a"), ("CC-BY", "a"), ("cc-by*", "ab"), ("cc-by-4.0, arxiv", "ac"), ("none", "d"), ("*", "abc")],
)
def test_licences_are_chosen_by_name_version_or_pattern(patterns: str, rows: str) -> None:
    assert chosen(patterns) == set(rows)


def test_a_licence_that_no_row_has_is_told_with_those_that_are_there() -> None:
    with pytest.raises(ValueError, match=r"cc-by-4.0 \(1 rows\).*not known \(1 rows\)"):
        chosen("mit")
    with pytest.raises(ValueError, match="--licences is empty"):
        read_patterns(" , ")
    assert licence_text("") == "not known" and licence_text("CC BY 4.0") == "cc-by-4.0"


def test_undecided_rows_never_go_out() -> None:
    left_out = LeftOut()
    assert [one.row_id for one in select({"a": entry("a"), "b": entry("b")}, {"a"}, None, (), left_out)] == ["b"]
    assert left_out.counts() == {"undecided": 1}


def test_the_majority_of_the_audit_counts_and_a_tie_does_not(tmp_path: Path) -> None:
    votes = {"most": "yyn", "tie": "yn", "no": "nny", "one": "y", "changed": "y"}
    lines = [
        {"annotator": f"n{place}", "form": "audit", "row_id": row, "ratings": {}, "accepted": vote == "y", "reason": ""}
        for row, given in votes.items()
        for place, vote in enumerate(given)
    ]
    lines.append({**lines[-1], "accepted": False})
    lines.append({"annotator": "n9", "form": "verisciqa", "row_id": "rated", "ratings": {"overall_quality": 5}})
    (tmp_path / "review").mkdir()
    (tmp_path / "review" / "ratings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = audit_verdicts(tmp_path)
    assert found == {"most": 1, "tie": 0, "no": -1, "one": 1, "changed": -1}
    left_out = LeftOut()
    entries = {name: entry(name) for name in (*votes, "rated", "unseen")}
    assert [one.row_id for one in select(entries, (), found, (), left_out)] == ["most", "one"]
    assert left_out.counts() == {"not_accepted": 5}
    assert {message for _, _, message in left_out.rows} == {"a tie", "rejected", "nobody has looked at it"}


def test_a_row_falls_for_the_first_reason_that_holds() -> None:
    left_out = LeftOut()
    entries = {name: entry(name, licence="mit") for name in "cab"}
    assert [one.row_id for one in select(entries, {"a"}, {"b": 0, "c": 1}, ("mit",), left_out)] == ["c"]
    assert [(reason, row) for reason, row, _ in left_out.rows] == [("undecided", "a"), ("not_accepted", "b")]


@pytest.mark.parametrize(("balance", "stays"), [(2, True), (1, True), (0, False), (-1, False), (None, False)])
def test_more_for_than_against_is_needed(balance: int | None, stays: bool) -> None:
    votes = {} if balance is None else {"a": balance}
    assert bool(select({"a": entry("a")}, (), votes, (), LeftOut())) is stays


def test_no_row_for_another_reason_than_its_licence_is_no_error() -> None:
    left_out = LeftOut()
    assert select({"a": entry("a", licence="mit")}, {"a"}, None, ("cc0",), left_out) == []
    assert select({}, (), None, ("cc0",), LeftOut()) == []
    with pytest.raises(ValueError, match=r"--licences cc0,mit: no row has one of these; the rows' licences: cc-by-4\.0 "
                                         r"\(2 rows\), not known \(1 rows\)$"):  # fmt: skip
        entries = {"a": entry("a", licence="cc-by-4.0"), "b": entry("b", licence="CC BY 4.0"), "c": entry("c")}
        select(entries, (), None, ("cc0", "mit"), left_out)


def test_a_licence_that_does_not_fit_is_noted_in_words() -> None:
    left_out = LeftOut()
    select({"a": entry("a", licence="cc0-1.0"), "b": entry("b")}, (), None, ("cc0",), left_out)
    assert left_out.rows == [("licence", "b", "not known")]


def test_rows_are_undecided_by_the_last_decision_of_any_listing() -> None:
    def decided(**rows: str) -> dict[str, SimpleNamespace]:
        return {row: SimpleNamespace(verdict=verdict) for row, verdict in rows.items()}

    counted = SimpleNamespace(
        decided={"one": decided(a="keep", b="undecided"), "two": decided(a="undecided", c="drop")}
    )
    assert undecided_rows(counted) == {"a", "b"}  # type: ignore[arg-type]
