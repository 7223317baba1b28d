"""Figures of papers as rows: which of them, with which images, and what the ledger says of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.ops.mapper import figure_rows_mapper
from data_juicer_ext.ops.mapper.figure_rows_mapper import FigureRowsMapper
from data_juicer_ext.rows import Figure, dump_figures
from data_juicer_ext.runs.ledger import decisions
from data_juicer_ext.storage.papers import StorageError


@pytest.fixture
def image(tmp_path: Path) -> str:
    Image.new("RGB", (30, 20)).save(tmp_path / "f.png")
    return str(tmp_path / "f.png")


def rows(tmp_path: Path, *figures: Figure, **given: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of one paper's figures, and the ledger."""
    column = given.pop("column", dump_figures(figures))
    mapper = FigureRowsMapper(run_dir=str(tmp_path / "run"), **given)
    key = given.get("figures_key", "figures")
    made = mapper.process_batched({"paper_id": ["p1"], key: [column], "other": ["x"]})
    mapper.run_info.flush()
    names = list(made)
    ledger = list(decisions(tmp_path / "run", mapper.run_info.run_id))
    return [dict(zip(names, values, strict=True)) for values in zip(*made.values(), strict=True)], ledger


def test_a_figure_with_an_image_is_a_row(tmp_path: Path, image: str) -> None:
    [row], [entry] = rows(tmp_path, Figure("1:fig", "1", "fig:a", caption="c" * 300, images=[image]))
    assert (row["paper_id"], row["figure_id"], row["number"], row["images"]) == ("p1", "1:fig", "1", [image])
    assert "other" not in row and "figure_map" not in row and "figures" not in row
    digest = json.loads(row["provenance"])["image_sha256"]
    assert len(digest) == 1 and len(digest[0]) == 64
    assert (entry["verdict"], entry["reason"], entry["figure_id"]) == ("keep", "image", "1:fig")
    assert entry["detail"] == {"images": [image], "number": "1", "caption": "c" * 200}
    assert entry["row_id"] == row["row_id"] and entry["paper_id"] == "p1"


def test_a_figure_without_a_readable_image_is_refused_and_named(tmp_path: Path, image: str) -> None:
    gone = str(tmp_path / "gone.png")
    made, ledger = rows(
        tmp_path, Figure("1:fig", "1"), Figure("2:fig", images=[image, gone]),
        Figure("3:fig", "3", flags=["image_unreadable"], image_sources=["a.eps"]),
        Figure("4:fig", "4", flags=["image_too_large"]), Figure("5:fig", "5", flags=["no_caption"]),
    )  # fmt: skip
    assert made == []
    assert [(e["verdict"], e["reason"]) for e in ledger] == [
        ("drop", "no_image"), ("drop", "unreadable_image"), ("drop", "unreadable_image"), ("drop", "unreadable_image"),
        ("drop", "no_image"),
    ]  # fmt: skip
    assert ledger[0]["detail"]["message"] == "paper p1, figure 1: no readable image (no image file)"
    assert ledger[1]["detail"]["message"] == f"paper p1, figure 2:fig: no readable image (file is gone: {gone})"
    assert ledger[2]["detail"]["sources"] == ["a.eps"] and ledger[4]["detail"]["flags"] == ["no_caption"]


def test_figures_without_an_image_stay_where_that_is_asked_for(tmp_path: Path) -> None:
    figures = Figure("1:fig", "1"), Figure("2:fig", "2", images=[str(tmp_path / "gone.png")])
    made, ledger = rows(tmp_path, *figures, keep_without_image=True)
    assert [(row["figure_id"], row["images"]) for row in made] == [("1:fig", [""])]
    assert [entry["reason"] for entry in ledger] == ["no_image", "unreadable_image"]
    assert [entry["verdict"] for entry in ledger] == ["keep", "drop"]


def test_panels_are_rows_in_place_of_their_figure(tmp_path: Path, image: str) -> None:
    figures = [
        Figure("1:fig", "1", "fig:a", images=[image]), Figure("2:fig", "2", "fig:b", images=[image]),
        Figure("2:fig:a", "2a", "fig:b:a", parent_label="fig:b", panel="a", images=[image]),
        Figure("3:fig:b", "3b", "fig:c", panel="b", images=[image]),
    ]  # fmt: skip
    whole, _ = rows(tmp_path / "whole", *figures)
    assert [row["figure_id"] for row in whole] == ["1:fig", "2:fig"]
    panels, _ = rows(tmp_path / "panels", *figures, granularity="panel")
    assert [row["figure_id"] for row in panels] == ["1:fig", "2:fig:a", "3:fig:b"]


def test_the_map_of_all_figures_goes_with_each_row(tmp_path: Path, image: str) -> None:
    figures = Figure("1:fig", "1", caption="One.", images=[image]), Figure("2:fig", "2", caption="Two.", images=[image])
    made, _ = rows(tmp_path, *figures, figure_map=True, figures_key="mine")
    assert len(made) == 2 and made[0]["figure_map"] == made[1]["figure_map"]
    assert "Two." in made[0]["figure_map"]


@pytest.mark.parametrize("column", ["{broken", '[{"figure_id": 3}, 4]', '"text"'])
def test_a_column_that_can_not_be_read_costs_its_paper_alone(tmp_path: Path, column: str) -> None:
    made, [entry] = rows(tmp_path, column=column)
    assert made == [] and (entry["verdict"], entry["reason"]) == ("drop", "bad_figures_column")
    assert entry["row_id"] == "p1"
    assert entry["detail"]["message"].startswith("paper p1: the column figures can't be read: ")
    assert rows(tmp_path / "empty", column="") == ([], [])


def test_storage_that_fails_leaves_a_figure_undecided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(place: str, most: int | None) -> bytes:
        raise StorageError(5, "is down", place)

    monkeypatch.setattr(figure_rows_mapper.papers, "read", away)
    made, [entry] = rows(tmp_path, Figure("1:fig", "1", images=["s3://bucket/f.png"]))
    assert made == [] and (entry["verdict"], entry["reason"]) == ("undecided", "storage")
    assert entry["detail"]["message"] == "paper p1, figure 1: s3://bucket/f.png is down"
    [line] = (tmp_path / "run" / "undecided").glob("*.jsonl")
    assert json.loads(line.read_text())["images"] == ["s3://bucket/f.png"]
