from __future__ import annotations

from pathlib import Path
from typing import Any

from data_juicer_ext.ops.base.end_of_run import close_run, undecided_words, unreadable_words
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry


def row(reason: str, message: str = "m", tag: str = "vote") -> dict[str, Any]:
    return {"row_id": "r", "undecided": {"operator": "op", "tag": tag, "reason": reason, "message": message}}


def test_a_run_that_was_refused_at_its_start_leaves_the_last_one_alone(tmp_path: Path) -> None:
    first = run_records.begin(tmp_path, {})
    first.ledger.record(Entry("r", "op", "vote", "undecided", "call_failed:server"))
    first.undecided.write(row("call_failed:server"))
    assert "1 rows are UNDECIDED" in close_run(first)
    refused = run_records.begin(tmp_path, {})
    assert close_run(refused) == ""
    assert len((tmp_path / "undecided.jsonl").read_text().splitlines()) == 1
    assert run_records.run_ids(tmp_path) == [first.run_id]


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: Any) -> None:
    run = run_records.begin(tmp_path, {})
    run.ledger.record(Entry("r", "op", "vote", "keep", "agrees"))

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_records, "write_rows", full)
    assert "can't be written" in close_run(run) and "No space left" in close_run(run)


def test_causes_are_counted_and_say_what_to_do() -> None:
    text = undecided_words([row("call_failed:auth", "401"), row("call_failed:auth", "401"), row("call_failed:server")],
                           Path("u.jsonl"))  # fmt: skip
    assert "3 rows are UNDECIDED" in text
    assert "2 at vote: 401 (check the key that api_key_env names)" in text
    assert text.endswith("They stand in u.jsonl. Run the same command again to decide them.")


def test_what_another_run_would_meet_again_is_not_promised() -> None:
    rows = [row("call_failed:content_filter"), row("error:KeyError"), row("unparsable")]
    text = undecided_words(rows, Path("u.jsonl"))
    assert "will not decide them" in text and "Run the same command again" not in text


def test_what_was_left_out_is_counted() -> None:
    def entry(row_id: str, reason: str, verdict: str = "drop", **detail: Any) -> dict[str, Any]:
        return {"row_id": row_id, "tag": "t", "reason": reason, "verdict": verdict, "detail": detail}

    text = unreadable_words(
        [
            entry("a", "unreadable_paper", message="paper a: broken archive"),
            entry("a", "unreadable_paper", message="paper a: broken archive"),
            entry("b", "no_figures", "keep"),
            entry("c", "no_image", flags=["needs_ghostscript"]),
            entry("d", "no_image", flags=["image_missing"]),
            entry("e", "image", "keep"),
        ]
    )
    assert text.splitlines()[:2] == ["data_juicer_ext: 1 inputs could not be read:", "  paper a: broken archive"]
    assert "1 papers without a figure" in text and "install Ghostscript" in text and "file is missing" in text
    assert unreadable_words([entry("e", "image", "keep")]) == ""
