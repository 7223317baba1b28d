"""The curation as an operator: rows in and out, ledger, the funnel at the end of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from data_juicer_ext.ops.base.end_of_run import closing_words
from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.ops.mapper.figure_curation_mapper import FigureCurationMapper
from data_juicer_ext.report.summary import summary
from data_juicer_ext.rows import Figure, dump_figures, load_figures
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.figures.charts import figure, saved, texture
from tests.host import run_here

Rows = list[dict[str, Any]]


@pytest.fixture
def images(tmp_path: Path) -> list[str]:
    return [saved(texture(number), tmp_path / f"{number}.png") for number in range(10)]


def paper(name: str, *figures: Figure, path: str = "paper.tar.gz") -> dict[str, Any]:
    return {"paper_id": name, "paper_path": path, "domain": "cs.CL", "figures": dump_figures(figures)}


def numbered(paths: list[str]) -> list[Figure]:
    return [figure(str(number), path) for number, path in enumerate(paths, 1)]


def curated(rows: Rows, run_dir: Path, **parameters: Any) -> Rows:
    return run_here(rows, [{"figure_curation_mapper": {"run_dir": str(run_dir), "ocr": False, **parameters}}])


def ledger(run_dir: Path) -> Rows:
    return decisions(run_dir, run_records.run_ids(run_dir)[-1])


def test_rows_come_out_as_they_went_in_with_figures_curated(images: list[str], run_dir: Path, tmp_path: Path) -> None:
    tiny = saved(texture(1).resize((20, 20)), tmp_path / "tiny.png")
    rows = [
        paper("a", *numbered([*images[:4], tiny])),
        paper("b", *numbered([images[0], tiny])),
        paper("c"),
        paper("d", *numbered(images[:2])),
    ]
    out = curated(rows, run_dir)
    assert [row["paper_id"] for row in out] == ["a", "b", "c", "d"]
    assert set(out[0]) - {"__dj__stats__"} == {"paper_id", "paper_path", "domain", "figures", "curation"}
    assert [[f.figure_id for f in load_figures(row["figures"])] for row in out] == [
        ["f1", "f2", "f3", "f4"], [], [], ["f1", "f2"]
    ]  # fmt: skip
    records = [json.loads(row["curation"]) for row in out]
    assert [record["verdict"] for record in records] == ["keep", "drop", "keep", "keep"]
    assert [len(record["deleted"]) for record in records] == [1, 2, 0, 0]
    assert records[1]["dropped"]["reason"] == "too_many_deleted" and records[1]["dropped"]["measured"] == 0.5


def test_the_ledger_has_a_line_a_figure_and_one_a_paper(images: list[str], run_dir: Path, tmp_path: Path) -> None:
    tiny = saved(texture(1).resize((20, 20)), tmp_path / "tiny.png")
    [row] = curated([paper("a", *numbered([*images[:4], tiny]))], run_dir)
    lines = ledger(run_dir)
    assert [(e["figure_id"], e["verdict"], e["reason"], e["made"]) for e in lines] == [
        ("f1", "keep", "curated", 1), ("f2", "keep", "curated", 1), ("f3", "keep", "curated", 1),
        ("f4", "keep", "curated", 1), ("f5", "drop", "S1:too_small", 0), ("", "keep", "curated", 0),
    ]  # fmt: skip
    assert lines[4]["detail"]["measured"] == 20 and lines[4]["detail"]["threshold"] == 50
    kept = run_here([{**row}], [{"figure_rows_mapper": {"run_dir": str(run_dir)}}])
    assert [made["row_id"] for made in kept] == [e["row_id"] for e in lines[:4]]
    assert json.loads(kept[0]["provenance"])["figure_quality"] == {"cross_page": []}


def test_the_funnel_is_told_at_the_end_and_in_the_summary(images: list[str], run_dir: Path, tmp_path: Path) -> None:
    tiny = saved(texture(1).resize((20, 20)), tmp_path / "tiny.png")
    curated([paper("a", *numbered([*images[:4], tiny])), paper("b", *numbered([tiny, images[5]]))], run_dir)
    for text in (closing_words(current_run(str(run_dir)), []), summary(run_dir)):
        lines = [line.split() for line in text.splitlines()]
        assert ["data_juicer_ext:", "figure_curation:", "2", "papers,", "1", "kept"] in lines
        assert ["S1", "hard", "filter", "7", "5", "2", "0", "too_small", "2"] in lines
        assert ["S5", "paper", "filter", "5", "4", "1", "0", "too_many_deleted", "1"] in lines


def test_confirm_and_stages_are_parameters(images: list[str], run_dir: Path) -> None:
    twice = paper("a", *numbered([*images[:4], images[0]]))
    for parameters, left in (({}, 4), ({"confirm": False}, 4), ({"hard_filter": False}, 5), ({"max_hamming": -1}, 5)):
        [row] = curated([dict(twice)], run_dir, **parameters)
        assert len(load_figures(row["figures"])) == left


def test_a_column_that_cannot_be_read_costs_its_paper_only(images: list[str], run_dir: Path) -> None:
    bad = {**paper("bad"), "figures": '[{"images": 3}]'}
    out = curated([paper("a", *numbered(images[:2])), bad, paper("b", *numbered(images[:2]))], run_dir)
    assert [len(load_figures(row["figures"])) for row in out] == [2, 0, 2]
    assert "can't be read" in json.loads(out[1]["curation"])["message"]
    [refused] = [e for e in ledger(run_dir) if e["verdict"] == "drop"]
    assert (refused["row_id"], refused["reason"]) == ("bad", "bad_figures_column")


def test_a_defect_leaves_its_paper_undecided(images: list[str], run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from data_juicer_ext.ops.mapper import figure_curation_mapper as module

    kept = module.curate

    def breaks(figures: list[Figure], *rest: Any) -> Any:
        if len(figures) == 3:
            raise RuntimeError("boom")
        return kept(figures, *rest)

    monkeypatch.setattr(module, "curate", breaks)
    op = FigureCurationMapper(run_dir=str(run_dir), ocr=False)
    out = op.process_batched(
        {key: [a, b] for (key, a), b in zip(paper("a", *numbered(images[:3])).items(),
                                            paper("b", *numbered(images[:2])).values(), strict=True)}
    )  # fmt: skip
    assert [len(load_figures(text)) for text in out["figures"]] == [0, 2]
    assert json.loads(out["curation"][0])["verdict"] == "undecided"
    [undecided] = run_records.end(current_run(str(run_dir)))
    assert undecided["paper_id"] == "a" and "boom" in undecided["undecided"]["message"]
    assert len(load_figures(undecided["figures"])) == 3


def test_figures_of_a_pdf_are_cut_again(images: list[str], run_dir: Path, tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=600, height=800)
    words = "The training error falls with the number of epochs, as is seen in every run made so far. " * 12
    page.insert_textbox((72, 72, 528, 300), words, fontsize=10)
    page.draw_rect((150, 320, 450, 500), fill=(0.5, 0.7, 0.3), width=1)
    page.draw_circle((300, 410), 60, fill=(0, 0, 0))
    page.insert_text((150, 520), "Figure 1: Training error of all runs over the epochs.", fontsize=9)
    page.insert_textbox((72, 545, 528, 760), words, fontsize=10)
    document.save(tmp_path / "paper.pdf")
    one = figure("1", images[0], page=1, bbox=[0, 0, 600, 800])
    one.caption = "Figure 1: Training error of all runs over the epochs."
    row = paper("a", one, path="paper.pdf")
    [out] = curated([dict(row)], run_dir, paper_root=str(tmp_path), dpi=72)
    [new] = load_figures(out["figures"])
    assert "recropped" in new.flags and Path(new.images[0]).parent == run_dir / "images"
    assert new.bbox == pytest.approx([150, 320, 450, 500], abs=6)
    [out] = curated([dict(row)], run_dir, paper_root=str(tmp_path), re_extract=False)
    [first] = load_figures(out["figures"])
    assert first.images == [images[0]] and "width_overflow" in first.flags
    [out] = curated([{**row, "paper_path": "paper.tar.gz"}], run_dir, paper_root=str(tmp_path))
    assert json.loads(out["curation"])["funnel"]["S3"]["skipped"] == {"the figures are not from a PDF": 1}


def test_text_is_read_where_it_is_asked_for(run_dir: Path, tmp_path: Path) -> None:
    from tests.offline.drawings import bar_chart

    chart = bar_chart(tmp_path / "chart.png", ["Inn", "Isar"], [31.4, 12.5])
    [row] = curated([paper("a", figure("1", chart))], run_dir, ocr=True)
    quality = load_figures(row["figures"])[0].quality
    assert quality["ocr_confidence"] > 0.9 and quality["text_boxes"] == 5 and 0 < quality["text_density"] < 0.1


@pytest.mark.parametrize(
    ("parameters", "says"),
    [({"max_dominant": 1.5}, "max_dominant: 1.5"), ({"min_side": 0}, "min_side: 0"), ({"dpi": "x"}, "dpi: 'x'"),
     ({"max_hamming": 65}, "max_hamming: 65"), ({"max_area_ratio": 0.5}, "max_area_ratio: 0.5"),
     ({"paper_root": "${NO_SUCH_PLACE}"}, "NO_SUCH_PLACE")],
)  # fmt: skip
def test_a_wrong_parameter_stops_the_run_plainly(
    parameters: dict[str, Any], says: str, run_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        FigureCurationMapper(run_dir=str(run_dir), **{"ocr": False, **parameters})
    assert says in capfd.readouterr().err


def test_missing_ocr_stops_the_run_before_its_first_paper(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    module = "data_juicer_ext.ops.mapper.figure_curation_mapper.ocr_problem"
    monkeypatch.setattr(module, lambda: "reading figures needs OCR: pip install it")
    with pytest.raises(SystemExit):
        FigureCurationMapper(run_dir=str(run_dir))
    assert "pip install it; or write `ocr: false`" in capfd.readouterr().err
    FigureCurationMapper(run_dir=str(run_dir), soft_mark=False)


@pytest.mark.parametrize("column", ["[1", "[3]", '{"a": 1}', "7"])
def test_a_column_that_holds_no_figures_costs_its_row_alone(column: str, images: list[str], run_dir: Path) -> None:
    rows = curated([{**paper("a"), "figures": column}, paper("b", *numbered(images[:3]))], run_dir)
    assert [row["figures"] == "[]" for row in rows] == [True, False]
    reasons = {entry["row_id"]: entry["reason"] for entry in ledger(run_dir)}
    assert reasons["a"] == "bad_figures_column" and "can't be read" in json.loads(rows[0]["curation"])["message"]
