from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.ops.base.end_of_run import closing_words
from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.ops.mapper.image_rows_mapper import ImageRowsMapper
from data_juicer_ext.rows import FIGURE_ROW
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.host import run_here

Rows = list[dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, colour in (("red.png", "red"), ("blue.png", "blue")):
        Image.new("RGB", (64, 48), colour).save(tmp_path / name)
    (tmp_path / "broken.png").write_bytes(b"\x89PNG no more")
    return tmp_path


def made(rows: Rows, run_dir: Path, root: Path, **parameters: Any) -> Rows:
    return run_here(rows, [{"image_rows_mapper": {"image_root": str(root), "run_dir": str(run_dir), **parameters}}])


def test_an_image_that_cannot_be_read_costs_its_row_only(folder: Path, run_dir: Path) -> None:
    names = ["red.png", "broken.png", "blue.png", "gone.png", ""]
    figures = made([{"image": name, "caption": "c", "extra": 1} for name in names], run_dir, folder)
    assert [Path(row["images"][0]).name for row in figures] == ["red.png", "blue.png"]
    assert set(figures[0]) == set(FIGURE_ROW)
    entries = decisions(run_dir, run_records.run_ids(run_dir)[-1])
    reasons = [(entry["verdict"], entry["reason"]) for entry in entries]
    assert sorted(reasons) == [("drop", "no_image"), ("drop", "unreadable_image"), ("drop", "unreadable_image"),
                               ("keep", "image"), ("keep", "image")]  # fmt: skip
    assert len({entry["row_id"] for entry in entries}) == 5
    words = closing_words(current_run(str(run_dir)), [])
    assert "2 inputs could not be read" in words and "broken.png" in words and "gone.png" in words


def test_lists_of_images_and_further_columns(folder: Path, run_dir: Path) -> None:
    rows: Rows = [{"images": ["red.png", "blue.png"], "mos": 2.5}, {"images": ["blue.png"], "mos": None}]
    figures = made(rows, run_dir, folder, keep_columns=["mos"])
    given = [(len(row["images"]), json.loads(row["provenance"])["given"]["mos"]) for row in figures]
    assert given == [(2, 2.5), (1, None)]


def test_a_defect_costs_its_row_only(folder: Path, run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: Any) -> dict[str, Any]:
        raise RuntimeError("boom")

    monkeypatch.setattr("data_juicer_ext.ops.mapper.image_rows_mapper.image_row", breaks)
    op = ImageRowsMapper(run_dir=str(run_dir))
    assert op.process_batched({"image": ["red.png"]})["images"] == []
    assert decisions(run_dir, run_records.run_ids(run_dir)[-1])[0]["reason"] == "error:RuntimeError"


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"keep_columns": [3]}, "not a list of column names"),
        ({"max_pixels": 0}, "max_pixels: 0"),
        ({"image_root": "${NO_SUCH_FOLDER}"}, "NO_SUCH_FOLDER"),
    ],
)
def test_a_wrong_parameter_stops_the_run_plainly(
    parameters: dict[str, Any], says: str, run_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        ImageRowsMapper(run_dir=str(run_dir), **parameters)
    assert says in capfd.readouterr().err
