"""The side features as an operator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ops.base.end_of_run import closing_words
from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.ops.mapper.figure_features_mapper import FigureFeaturesMapper
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.figures.charts import saved, texture
from tests.host import run_here
from tests.offline.drawings import bar_chart


def row(number: int, *images: str, caption: str = "") -> dict[str, Any]:
    return {"row_id": f"figure-{number}", "paper_id": "p", "figure_id": f"f{number}", "number": str(number),
            "images": list(images), "caption": caption}  # fmt: skip


def measured(rows: list[dict[str, Any]], run_dir: Path, **parameters: Any) -> list[dict[str, Any]]:
    process = [{"figure_features_mapper": {"run_dir": str(run_dir), **parameters}}]
    return [json.loads(one["features"]) for one in run_here(rows, process)]


def test_a_figure_gets_its_features_text_included(tmp_path: Path, run_dir: Path) -> None:
    chart = bar_chart(tmp_path / "chart.png", ["Inn", "Isar"], [31.4, 12.5])
    [features] = measured([row(1, chart, caption="Runoff of Inn and Isar, 31.4 mm.")], run_dir)
    assert features["caption_ocr_token_overlap"] == 1.0 and features["caption_ocr_numeric_overlap"] == 1.0
    assert features["edge_sharpness"] > 0.04 and features["pixel_count"] == 700_000
    [entry] = decisions(run_dir, run_records.run_ids(run_dir)[-1])
    assert (entry["row_id"], entry["figure_id"], entry["verdict"], entry["reason"]) == (
        "figure-1", "f1", "keep", "features"
    )  # fmt: skip


def test_a_bad_figure_costs_itself_only_and_is_told(tmp_path: Path, run_dir: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no image")
    good = saved(texture(1), tmp_path / "good.png")
    rows = [row(1, good), row(2, str(tmp_path / "broken.png")), row(3, ""), row(4, good, good)]
    found = measured(rows, run_dir, ocr=False)
    assert [sorted(features)[:1] == ["error"] for features in found] == [False, True, True, False]
    assert "broken.png" in found[1]["error"] and "figure 2" in found[1]["error"] and "no image" in found[2]["error"]
    assert found[0]["text_box_count"] is None and found[3]["pixel_count"] == 2 * 57_600
    reasons = {e["row_id"]: e["reason"] for e in decisions(run_dir, run_records.run_ids(run_dir)[-1])}
    assert reasons == {"figure-1": "features", "figure-2": "unreadable_image", "figure-3": "unreadable_image",
                       "figure-4": "features"}  # fmt: skip
    assert "2 inputs could not be read" in closing_words(current_run(str(run_dir)), [])


def test_a_defect_costs_the_features_only(tmp_path: Path, run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: Any) -> dict[str, Any]:
        raise RuntimeError("boom")

    monkeypatch.setattr("data_juicer_ext.ops.mapper.figure_features_mapper.figure_features", breaks)
    op = FigureFeaturesMapper(run_dir=str(run_dir), ocr=False)
    out = op.process_batched({key: [value] for key, value in row(1, "a.png").items()})
    assert "boom" in json.loads(out["features"][0])["error"]
    assert decisions(run_dir, run_records.run_ids(run_dir)[-1])[0]["reason"] == "error:RuntimeError"


def test_missing_ocr_stops_the_run_before_its_first_figure(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("data_juicer_ext.ops.mapper.figure_features_mapper.ocr_problem", lambda: "no engine")
    with pytest.raises(SystemExit):
        FigureFeaturesMapper(run_dir=str(run_dir))
    assert "no engine; or write `ocr: false`" in capfd.readouterr().err
    FigureFeaturesMapper(run_dir=str(run_dir), ocr=False)
