"""Operators whose papers, images and run folder lie on object storage; and that storage failing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from data_juicer.utils.constant import Fields

from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.ops.filter.paper_corpus_filter import PaperCorpusFilter
from data_juicer_ext.ops.mapper.figure_curation_mapper import FigureCurationMapper
from data_juicer_ext.ops.mapper.figure_features_mapper import FigureFeaturesMapper
from data_juicer_ext.ops.mapper.figure_rows_mapper import FigureRowsMapper
from data_juicer_ext.ops.mapper.image_rows_mapper import ImageRowsMapper
from data_juicer_ext.ops.mapper.latex_figure_context_mapper import LatexFigureContextMapper
from data_juicer_ext.ops.mapper.pdf_figure_context_mapper import PdfFigureContextMapper
from data_juicer_ext.rows import Figure, dump_figures, load_figures
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from data_juicer_ext.storage import file_access
from tests.figures.charts import saved, texture
from tests.latex.archives import FILES, tar_of
from tests.latex.papers import png
from tests.latex.printed import Printed
from tests.s3_server import S3
from tests.storage.down import take_down

Rows = list[dict[str, Any]]


def batch(*rows: dict[str, Any]) -> dict[str, list[Any]]:
    return {key: [row[key] for row in rows] for key in rows[0]}


def reasons(run_dir: Path) -> list[tuple[str, str]]:
    return [(entry["verdict"], entry["reason"]) for entry in decisions(run_dir, run_records.run_ids(run_dir)[-1])]


def undecided(run_dir: Path) -> Rows:
    return run_records.end(current_run(str(run_dir)))


@pytest.fixture
def pdf() -> bytes:
    printed = Printed().new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, "Figure 1: The speed.")
    return bytes(printed.data())


@pytest.fixture
def chart(tmp_path: Path) -> bytes:
    return Path(saved(texture(1), tmp_path / "chart.png")).read_bytes()


def test_a_latex_paper_with_all_of_it_on_storage(s3: S3) -> None:
    file_access.write(s3.at("papers/p.tar.gz"), tar_of(FILES))
    op = LatexFigureContextMapper(paper_root=s3.at("papers"), run_dir=s3.at("run"))
    rows = [{"paper_id": "p", "paper_path": "p.tar.gz"}, {"paper_id": "q", "paper_path": s3.at("papers/gone.tar.gz")}]
    out = op.process_batched(batch(*rows))
    (figure,) = load_figures(out["figures"][0])
    assert figure.images[0].startswith(s3.at("run/images/")) and file_access.read(figure.images[0]) == png()
    assert f"{s3.at('papers/gone.tar.gz')} does not exist" in out["paper_error"][1]
    made = FigureRowsMapper(run_dir=s3.at("run")).process_batched({"paper_id": ["p"], "figures": out["figures"][:1]})
    assert made["images"] == [figure.images]


def test_a_pdf_and_its_new_crop(s3: S3, run_dir: Path, pdf: bytes, chart: bytes) -> None:
    file_access.write(s3.at("papers/p.pdf"), pdf)
    row = {"paper_id": "p", "paper_path": "p.pdf"}
    out = PdfFigureContextMapper(paper_root=s3.at("papers/"), run_dir=str(run_dir)).process_batched(batch(row))
    (figure,) = load_figures(out["figures"][0])
    assert out["paper_error"] == [""] and Path(figure.images[0]).parent == run_dir / "images"
    file_access.write(s3.at("first.png"), chart)
    figure.bbox, figure.images = [0, 0, 600, 800], [s3.at("first.png")]
    op = FigureCurationMapper(paper_root=s3.at("papers"), run_dir=str(run_dir), ocr=False, max_dominant=1.0)
    out = op.process_batched(batch({**row, "figures": dump_figures([figure])}))
    (new,) = load_figures(out["figures"][0])
    assert "recropped" in new.flags and new.bbox == pytest.approx([150, 80, 450, 340], abs=8)


@pytest.mark.parametrize("kind", [LatexFigureContextMapper, PdfFigureContextMapper])
def test_storage_that_fails_ends_the_reading_of_papers(
    kind: Any, s3: S3, run_dir: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    op = kind(paper_root=s3.at("papers"), run_dir=str(run_dir))
    take_down(monkeypatch)
    with pytest.raises(SystemExit):
        op.process_batched(batch({"paper_id": "p", "paper_path": "p.pdf"}))
    said = capfd.readouterr().err
    assert "p.pdf can't be read at the moment (Connection refused); put the storage in order" in said
    assert reasons(run_dir) == []


def test_images_that_cannot_be_written_end_the_run(
    s3: S3, run_dir: Path, pdf: bytes, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_records.Run, "images", "s3://no-such-bucket/images")
    file_access.write(s3.at("p.tar.gz"), tar_of(FILES))
    file_access.write(s3.at("p.pdf"), pdf)
    for op, name in ((LatexFigureContextMapper(run_dir=str(run_dir)), "p.tar.gz"),
                     (PdfFigureContextMapper(run_dir=str(run_dir)), "p.pdf")):  # fmt: skip
        with pytest.raises(SystemExit):
            op.process_batched(batch({"paper_id": "p", "paper_path": s3.at(name)}))
        assert "can't be written (there is no such bucket); put the storage in order" in capfd.readouterr().err
    assert reasons(run_dir) == []


def test_curating_without_the_storage(
    s3: S3, run_dir: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    figures = dump_figures([Figure("1", "1", images=[s3.at("a.png")], page=1, bbox=[0, 0, 9, 9])])
    op = FigureCurationMapper(paper_root=s3.at("papers"), run_dir=str(run_dir), ocr=False)
    take_down(monkeypatch)
    out = op.process_batched(batch({"paper_id": "p", "paper_path": "p.tar.gz", "figures": figures}))
    assert json.loads(out["curation"][0])["verdict"] == "undecided" and reasons(run_dir) == [("undecided", "storage")]
    (row,) = undecided(run_dir)
    assert row["figures"] == figures and "a.png can't be read at the moment" in row["undecided"]["message"]
    with pytest.raises(SystemExit):
        op.process_batched(batch({"paper_id": "p", "paper_path": "p.pdf", "figures": figures}))
    assert "p.pdf can't be read at the moment" in capfd.readouterr().err


def test_a_missing_image_is_left_out_and_an_unreachable_one_undecided(
    s3: S3, run_dir: Path, monkeypatch: pytest.MonkeyPatch, chart: bytes
) -> None:
    file_access.write(s3.at("images/a.png"), chart)
    figures = [Figure(name, name, caption="c", images=[s3.at(f"images/{name}.png")]) for name in ("a", "gone", "down")]
    take_down(monkeypatch, "down.png")
    rows_op = FigureRowsMapper(run_dir=str(run_dir))
    made = rows_op.process_batched(batch({"paper_id": "p", "figures": dump_figures(figures)}))
    assert made["figure_id"] == ["a"]
    assert sorted(reasons(run_dir)) == [("drop", "unreadable_image"), ("keep", "image"), ("undecided", "storage")]
    (row,) = undecided(run_dir)
    assert row["images"] == [s3.at("images/down.png")] and row["figure_id"] == "down"


def test_plain_images(s3: S3, run_dir: Path, monkeypatch: pytest.MonkeyPatch, chart: bytes) -> None:
    file_access.write(s3.at("images/a.png"), chart)
    take_down(monkeypatch, "down.png")
    op = ImageRowsMapper(image_root=s3.at("images"), run_dir=str(run_dir))
    made = op.process_batched({"image": ["a.png", "gone.png", "down.png", s3.at("images/a.png")], "caption": ["c"] * 4})
    assert made["images"] == [[s3.at("images/a.png")]] * 2
    told = reasons(run_dir)
    assert set(told) == {("drop", "unreadable_image"), ("keep", "image"), ("undecided", "storage")}
    (row,) = undecided(run_dir)
    assert row["image"] == "down.png" and row["undecided"]["reason"] == "storage"


def test_features(s3: S3, run_dir: Path, monkeypatch: pytest.MonkeyPatch, chart: bytes) -> None:
    file_access.write(s3.at("images/a.png"), chart)
    take_down(monkeypatch, "down.png")
    op = FigureFeaturesMapper(run_dir=str(run_dir), ocr=False)
    names = ("a", "gone", "down")
    out = op.process_batched(batch(*({"row_id": name, "images": [s3.at(f"images/{name}.png")], "caption": "c"}
                                     for name in names)))  # fmt: skip
    assert out["row_id"] == ["a", "gone"] and set(out) == {"row_id", "images", "caption", "features"}
    assert "edge_sharpness" in json.loads(out["features"][0]) and "error" in json.loads(out["features"][1])
    assert sorted(reasons(run_dir)) == [("keep", "features"), ("keep", "unreadable_image"), ("undecided", "storage")]
    assert [row["row_id"] for row in undecided(run_dir)] == ["down"]


def corpus(op: PaperCorpusFilter, *rows: dict[str, Any]) -> list[str]:
    """The ids that stay."""
    columns = batch(*rows)
    columns[Fields.stats] = [{} for _ in rows]
    done = op.compute_stats_batched(columns)
    stay = [op.process_single({Fields.stats: stats}) for stats in done[Fields.stats]]
    return [row["paper_id"] for row, stays in zip(rows, stay, strict=True) if stays]


def paper(name: str) -> dict[str, Any]:
    return {"paper_id": name, "paper_path": f"{name}.pdf", "venue": "V", "year": 2020}


def test_a_corpus_on_storage(s3: S3) -> None:
    for name, data in {"a.pdf": b"one", "b.pdf": b"one", "c.pdf": b"two", "folder/ms.tex": b"x"}.items():
        file_access.write(s3.at(f"papers/{name}"), data)
    op = PaperCorpusFilter(paper_root=s3.at("papers"), run_dir=s3.at("run"))
    folder = {**paper("folder"), "paper_path": "folder"}
    assert corpus(op, paper("b"), paper("a"), paper("c"), paper("gone"), folder) == ["b", "c", "folder"]
    assert len(file_access.tree(s3.at("run/claims"))) == 2
    again = PaperCorpusFilter(paper_root=s3.at("papers"), run_dir=s3.at("run"))
    assert corpus(again, paper("a"), paper("b")) == ["b"]


def test_a_corpus_without_its_storage(
    s3: S3, run_dir: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    op = PaperCorpusFilter(paper_root=s3.at("papers"), run_dir=str(run_dir))
    take_down(monkeypatch)
    with pytest.raises(SystemExit):
        corpus(op, paper("a"))
    assert "a.pdf can't be read at the moment" in capfd.readouterr().err and reasons(run_dir) == []


def test_settling_without_the_storage_ends_the_run(
    s3: S3, run_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from data_juicer_ext.ops.filter import paper_corpus_filter as module

    (tmp_path / "rows.jsonl").write_text(json.dumps(paper("a")) + "\n")
    monkeypatch.setattr(module, "running", lambda: {"dataset_path": str(tmp_path / "rows.jsonl")})
    take_down(monkeypatch, "a.pdf")
    with pytest.raises(SystemExit):
        PaperCorpusFilter(paper_root=s3.at("papers"), run_dir=str(run_dir))
    assert "a.pdf can't be read at the moment" in capfd.readouterr().err
