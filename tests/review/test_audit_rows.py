from __future__ import annotations

import json
from pathlib import Path

import pytest

from data_juicer_ext.report.run_selection import select_runs
from data_juicer_ext.review.audit_rows import Audit, Audited, audit_of
from tests.review.folders import SECRETS, questions_run


def by_group(audit: Audit) -> dict[str, list[Audited]]:
    return {key: [row for row in audit.rows if row.group == key] for key in audit.groups}


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return audit_of(select_runs(questions_run(tmp_path).path))


def test_groups_are_kept_refused_by_each_step_and_undecided(audit: Audit) -> None:
    assert [(group.title, group.total) for group in audit.groups.values()] == [
        ("Kept", 4), ("Refused by source_consistency", 1), ("Refused by visual_dependence", 1),
        ("Refused by vision_vote", 1), ("Undecided", 1),
    ]  # fmt: skip
    assert {key: len(rows) for key, rows in by_group(audit).items()} == {
        key: g.total for key, g in audit.groups.items()
    }


def test_every_row_has_its_text_and_where_its_claim_is_from(audit: Audit) -> None:
    for row in audit.rows:
        assert row.sample.question and row.sample.claim and row.sample.picture.images and row.sample.options
        assert row.source["place"] == f"{SECRETS['place']}:1" and row.source["sentence"]
        assert len(row.places) == 2 and len(audit.trails.trail(row.row_id)) >= 4


def test_the_trail_runs_from_the_figure_to_the_last_step(audit: Audit) -> None:
    [refused] = by_group(audit)["drop/vision_vote_filter/vision_vote"]
    assert [entry["tag"] for entry in audit.trails.trail(refused.row_id)] == [
        "figure_rows", "claim_extractor", "mcq_generator", "source_consistency", "visual_dependence", "vision_vote",
    ]  # fmt: skip


def test_a_sample_of_each_group(tmp_path: Path) -> None:
    scope = select_runs(questions_run(tmp_path, 9).path)
    drawn = audit_of(scope, 2, 0)
    assert [len(rows) for rows in by_group(drawn).values()] == [2, 1, 1, 1, 1]
    assert [group.total for group in drawn.groups.values()] == [9, 1, 1, 1, 1]
    assert [row.row_id for row in audit_of(scope, 2, 0).rows] == [row.row_id for row in drawn.rows]
    assert [row.row_id for row in audit_of(scope, 2, 1).rows] != [row.row_id for row in drawn.rows]


def test_a_run_that_goes_on_shows_what_its_last_step_has_kept(tmp_path: Path) -> None:
    folder = questions_run(tmp_path)
    folder.export.unlink()
    audit = audit_of(select_runs(folder.path))
    assert audit.groups["keep"].total == 4 and by_group(audit)["keep"][0].sample.question
    assert by_group(audit)["keep"][0].source["sentence"]


def test_an_export_in_a_folder_of_shards(tmp_path: Path) -> None:
    folder = questions_run(tmp_path)
    shards = tmp_path / "shards"
    shards.mkdir()
    for number, line in enumerate(folder.export.read_text().splitlines()):
        (shards / f"{number}.json").write_text(line + "\n")
    audit = audit_of(select_runs(folder.path, export=shards))
    assert audit.groups["keep"].total == 4


def test_odd_provenance_costs_the_mark_alone(tmp_path: Path) -> None:
    folder = questions_run(tmp_path)
    rows = [json.loads(line) for line in folder.export.read_text().splitlines()]
    for row, odd in zip(rows, ("{", "[]", '{"source": 5}', None), strict=True):
        row["provenance"], row["row_id"] = odd, f"new-{row['row_id']}"
    folder.export.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [dict(row.source) for row in by_group(audit_of(select_runs(folder.path)))["keep"]] == [{}] * 4
