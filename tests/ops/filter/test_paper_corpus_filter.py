"""The operator: years, metadata and copies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from data_juicer.utils.constant import Fields

from data_juicer_ext.ops.filter import paper_corpus_filter
from data_juicer_ext.ops.filter.paper_corpus_filter import PaperCorpusFilter
from data_juicer_ext.ops.host import running_recipe
from data_juicer_ext.runs.ledger import read_lines


def row(paper_id: str, path: str, venue: str = "ACL", year: Any = 2020) -> dict[str, Any]:
    return {"paper_id": paper_id, "paper_path": path, "venue": venue, "year": year}


def kept(run_dir: Path, root: Path, rows: list[dict[str, Any]], **parameters: Any) -> list[str]:
    """The ids of the rows that the filter keeps."""
    operator = PaperCorpusFilter(run_dir=str(run_dir), paper_root=str(root), **parameters)
    columns: dict[str, list[Any]] = {key: [one[key] for one in rows] for key in rows[0]}
    columns[Fields.stats] = [{} for _ in rows]
    done = operator.compute_stats_batched(columns)
    stay = [operator.process_single({Fields.stats: stats}) for stats in done[Fields.stats]]
    return [one["paper_id"] for one, stays in zip(rows, stay, strict=True) if stays]


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, data in {"a.pdf": b"one", "b.pdf": b"one", "c.pdf": b"two", "d.pdf": b"three"}.items():
        (folder / name).write_bytes(data)
    return folder


def test_years_and_metadata(run_dir: Path, papers: Path) -> None:
    rows = [row("a", "a.pdf", year=2017), row("c", "c.pdf", venue=""), row("d", "d.pdf"), row("x", "gone.pdf")]
    assert kept(run_dir, papers, rows, min_year=2018) == ["d"]
    reasons = {entry["row_id"]: entry["reason"] for entry in read_lines(run_dir / "ledger")}
    assert reasons == {"a": "year_out_of_range", "c": "missing_metadata", "d": "taken", "x": "missing_file"}


def test_missing_metadata_can_be_allowed(run_dir: Path, papers: Path) -> None:
    assert kept(run_dir, papers, [row("c", "c.pdf", venue="", year="")], allow_missing=True) == ["c"]
    assert kept(run_dir, papers, [row("c", "c.pdf", venue="")], required=["year"]) == ["c"]


def test_of_copies_one_stays_over_batches_and_reruns(run_dir: Path, papers: Path) -> None:
    first, again = [row("q", "b.pdf"), row("c", "c.pdf")], [row("p", "a.pdf"), row("q", "b.pdf")]
    assert kept(run_dir, papers, first) == ["q", "c"]
    assert kept(run_dir, papers, again) == ["q"]
    assert kept(run_dir, papers, first) == ["q", "c"]
    assert kept(run_dir, papers, again, drop_duplicates=False) == ["p", "q"]
    (entry,) = [entry for entry in read_lines(run_dir / "ledger") if entry["reason"] == "duplicate_file"]
    assert entry["row_id"] == "p" and "paper q" in entry["detail"]["message"]


def test_a_row_that_is_refused_claims_nothing(run_dir: Path, papers: Path) -> None:
    assert kept(run_dir, papers, [row("a", "a.pdf", venue=""), row("b", "b.pdf")]) == ["b"]


def test_the_smallest_id_of_the_dataset_stays(
    run_dir: Path, papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row("z", "a.pdf"), row("b", "b.pdf"), row("a", "a.pdf", year=1900), row("c", "c.pdf")]
    dataset = tmp_path / "papers.jsonl"
    dataset.write_text("\n".join(json.dumps(one) for one in rows) + "\nno JSON\n")
    for module in (paper_corpus_filter, running_recipe):
        monkeypatch.setattr(module, "running", lambda: {"dataset_path": str(dataset)})
    assert kept(run_dir, papers, rows, min_year=2000) == ["b", "c"]


def test_folders_are_kept(run_dir: Path, papers: Path) -> None:
    assert kept(run_dir, papers.parent, [row("a", "papers")]) == ["a"]


@pytest.mark.parametrize("parameters", [{"min_year": -1}, {"min_year": 2020, "max_year": 2019}, {"required": [1]}])
def test_parameters_out_of_range_stop_the_run(run_dir: Path, parameters: dict[str, Any]) -> None:
    with pytest.raises(SystemExit):
        PaperCorpusFilter(run_dir=str(run_dir), **parameters)
