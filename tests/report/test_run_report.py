"""What a report says of a run, on folders made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from data_juicer_ext.curation.thresholds import STAGES
from data_juicer_ext.report.run_report import Cause, RunReport, make_report
from data_juicer_ext.report.run_selection import select_runs
from tests.report.run_folders import RunFolder, qa_row


def report(folder: RunFolder, **asked: Any) -> RunReport:
    return make_report(select_runs(folder.path), **asked)


def whole(tmp_path: Path, kept: int = 6) -> RunFolder:
    """A run that kept some rows, refused two and left three undecided for two reasons."""
    folder = RunFolder(tmp_path)
    rows = [qa_row(number, folder.image(f"f{number % 3}")) for number in range(kept)]
    for row in rows:
        folder.note("vision_vote", row["row_id"], paper_id=row["paper_id"], figure_id=row["figure_id"])
    for number in range(2):
        folder.note("vision_vote", f"no-{number}", "drop", "no_majority", paper_id="p0", figure_id="0:fig")
    for number, reason in enumerate(["timeout", "budget", "timeout"]):
        folder.note("vision_vote", f"open-{number}", "undecided", reason, detail={"message": f"{reason} it was"})
    folder.end(rows)
    return folder


def test_kept_refused_and_undecided_rows_are_told_with_samples(tmp_path: Path) -> None:
    made = report(whole(tmp_path))
    assert made.kept.rows == 6 and made.kept.strangers == 0 and not made.kept.broken
    titles = [(group.title, group.verdict, group.total, len(group.samples)) for group in made.groups]
    assert titles == [
        ("Kept", "keep", 6, 4),
        ("Refused by vision_vote", "drop", 2, 2),
        ("Undecided at vision_vote", "undecided", 3, 3),
    ]
    assert {sample.verdict for sample in made.groups[0].samples} == {"keep"}
    assert made.undecided == [
        Cause("vision_vote", "timeout", 2, "timeout it was"), Cause("vision_vote", "budget", 1, "budget it was"),
    ]  # fmt: skip
    assert [len(group.samples) for group in report(whole(tmp_path / "b"), size=1).groups] == [1, 1, 1]


def test_a_sample_has_the_picture_of_its_figure(tmp_path: Path) -> None:
    refused = report(whole(tmp_path)).groups[1].samples[0]
    assert refused.picture.images[0].endswith("f0.png") and refused.picture.caption.startswith("Caption")


def test_kept_rows_of_a_run_that_exported_none_yet_are_shown_from_the_ledger(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.note("vision_vote", "qa-1", paper_id="p0", figure_id="0:fig")
    made = report(folder)
    assert made.kept.rows == 0
    assert [(group.title, group.total) for group in made.groups] == [("Kept by vision_vote, the last step so far", 1)]


def test_rows_that_no_decision_kept_and_broken_lines_are_noted(tmp_path: Path) -> None:
    folder = whole(tmp_path, 1)
    text = folder.export.read_text()
    folder.export.write_text(text + text.replace("qa-0", "strange") + text.replace("qa-0", "no-0") + "{broken\n")
    made = report(folder)
    assert made.kept.strangers == 2 and len(made.kept.broken) == 1
    assert any(note.startswith("2 exported rows are not among those that the last step kept") for note in made.notes)
    assert any(note.startswith("1 lines of the export could not be read, the first: ") for note in made.notes)
    assert not any("Shards" in note for note in made.notes)


def test_the_curation_is_summed_over_papers(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    stage = {"in": 4, "out": 3, "deleted": {"small": 1}, "marked": {}, "skipped": {}}
    for number, verdict in enumerate(["keep", "keep", "drop"]):
        detail = {"funnel": dict.fromkeys(STAGES, stage)}
        folder.note("figure_curation", f"p{number}", verdict, "curated", paper_id=f"p{number}", detail=detail)
    folder.end([])
    [table] = report(folder).curation
    assert (table.tag, table.papers, table.kept) == ("figure_curation", 3, 2)
    assert list(table.stages) == [f"{name} {title}" for name, title in STAGES.items()]
    assert {(stage.came, stage.left, stage.deleted["small"]) for stage in table.stages.values()} == {(12, 9, 3)}
