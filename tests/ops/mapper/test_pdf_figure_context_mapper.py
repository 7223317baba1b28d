"""The operator: its parameters and its columns, for PDFs that can and that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ops.mapper.pdf_figure_context_mapper import PdfFigureContextMapper
from data_juicer_ext.rows import load_figures
from data_juicer_ext.runs.ledger import decisions, read_lines
from tests.host import dj_process, write_rows
from tests.latex.printed import Printed
from tests.pdf.reading import locked, scanned


def results(run_dir: Path, rows: list[dict[str, Any]], **parameters: Any) -> dict[str, list[Any]]:
    """The columns of a batch that went through the operator."""
    operator = PdfFigureContextMapper(run_dir=str(run_dir), **parameters)
    columns = {key: [row.get(key) for row in rows] for key in {key for row in rows for key in row}}
    return operator.process_batched(columns)


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).write_bytes(data)


def test_columns_of_good_and_bad_papers(run_dir: Path, tmp_path: Path) -> None:
    printed = Printed().new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, "Figure 1: The speed.")
    write(tmp_path, {"good.pdf": printed.data(), "locked.pdf": locked(), "scan.pdf": scanned(), "bad.pdf": b"%PDF-1.4"})
    names = ("good.pdf", "locked.pdf", "scan.pdf", "bad.pdf", "gone.pdf", "")
    rows = [{"paper_id": f"p{n}", "paper_path": name, "venue": "V", "year": 2020} for n, name in enumerate(names)]
    rows.append({"paper_id": "", "paper_path": "good.pdf", "venue": "V", "year": 2020})
    found = results(run_dir, rows, paper_root=str(tmp_path), dpi=100)
    assert [len(load_figures(text)) for text in found["figures"]] == [1, 0, 0, 0, 0, 0, 0]
    assert [bool(error) for error in found["paper_error"]] == [False, *[True] * 6]
    assert "password" in found["paper_error"][1] and "OCR" in found["paper_error"][2]
    assert [len(digest) for digest in found["paper_sha256"]] == [64, 0, 0, 0, 0, 0, 0]
    assert found["paper_pages"] == [3, 0, 0, 0, 0, 0, 0]
    assert all(isinstance(json.loads(notes), list) for notes in found["paper_notes"])
    assert (found["venue"], found["year"]) == (["V"] * 7, [2020] * 7)
    (figure,) = load_figures(found["figures"][0])
    assert Path(figure.images[0]).parent == run_dir / "images"


def test_reasons_are_in_the_ledger(run_dir: Path, tmp_path: Path) -> None:
    write(tmp_path, {"locked.pdf": locked(), "full.pdf": Printed().data()})
    rows = [{"paper_id": name, "paper_path": f"{name}.pdf"} for name in ("locked", "full", "gone")]
    results(run_dir, rows, paper_root=str(tmp_path))
    entries = {entry["row_id"]: (entry["verdict"], entry["reason"]) for entry in read_lines(run_dir / "ledger")}
    assert entries == {
        "locked": ("drop", "encrypted"),
        "full": ("keep", "no_figures"),
        "gone": ("drop", "missing_file"),
    }


def test_no_control_characters_in_rows(run_dir: Path, tmp_path: Path) -> None:
    printed = Printed().new_page(400).drawing((150, 80, 450, 340))
    printed.caption(150, 365, "Figure 1: The speed\x02 of\u200b it\x7f.")
    write(tmp_path, {"p.pdf": printed.data()})
    (text,) = results(run_dir, [{"paper_id": "p", "paper_path": "p.pdf"}], paper_root=str(tmp_path))["figures"]
    assert all(character.isprintable() for character in load_figures(text)[0].caption)


@pytest.mark.parametrize(
    "parameters", [{"dpi": 5}, {"time_limit": 0}, {"max_pages": 0}, {"layout_threads": 0}, {"max_side": 10}]
)
def test_parameters_out_of_range_stop_the_run(run_dir: Path, parameters: dict[str, Any], capfd: Any) -> None:
    with pytest.raises(SystemExit):
        PdfFigureContextMapper(run_dir=str(run_dir), **parameters)
    assert next(iter(parameters)) in capfd.readouterr().err


def corpus(folder: Path) -> list[dict[str, Any]]:
    """Papers, of which one is there twice, one is too old, one has no venue, and one is locked."""
    printed = Printed().new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, "Figure 1: The speed.")
    write(folder, dict.fromkeys(("one.pdf", "again.pdf"), printed.data()))
    write(folder, {"full.pdf": Printed().data(), "locked.pdf": locked(), "old.pdf": Printed(2).data()})
    about = {"z": "one.pdf", "b": "again.pdf", "c": "full.pdf", "d": "locked.pdf", "e": "old.pdf", "f": "full.pdf"}
    rows = [{"paper_id": one, "paper_path": path, "venue": "V", "year": 2020} for one, path in about.items()]
    rows[4]["year"], rows[5]["venue"] = 1999, ""
    return rows


def steps(folder: Path, run_dir: Path) -> list[dict[str, Any]]:
    shared = {"paper_root": str(folder), "run_dir": str(run_dir)}
    return [{"paper_corpus_filter": {**shared, "min_year": 2000}}, {"pdf_figure_context_mapper": {**shared, "dpi": 72}}]


EXPECTED = {"b": ("1", ""), "c": ("", ""), "d": ("", "encrypted")}


def shown(rows: list[dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """Of each row that is left the numbers of its figures, and whether it was locked."""
    return {
        row["paper_id"]: (
            " ".join(figure.number for figure in load_figures(row["figures"])),
            "encrypted" if "password" in row["paper_error"] else row["paper_error"],
        )
        for row in rows
    }


@pytest.mark.host
@pytest.mark.parametrize("executor", ["default", pytest.param("ray", marks=pytest.mark.ray)])
def test_the_same_rows_on_both_executors(tmp_path: Path, executor: str) -> None:
    rows = corpus(tmp_path)
    write_rows(tmp_path / "papers.jsonl", rows)
    export = tmp_path / ("out" if executor == "ray" else "out.jsonl")
    config = {
        "project_name": "pdf", "dataset_path": str(tmp_path / "papers.jsonl"), "export_path": str(export),
        "executor_type": executor, "use_cache": False, "text_keys": "paper_id", "np": 2,
        "export_extra_args": {"mode": "overwrite"}, "process": steps(tmp_path, tmp_path / "run"),
        **({"ray_address": "local"} if executor == "ray" else {}),
    }  # fmt: skip
    done = dj_process(config, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    files = sorted(export.glob("*.json*")) if export.is_dir() else [export]
    left = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert shown(left) == EXPECTED
    reasons = {line["row_id"]: line["reason"] for line in decisions(tmp_path / "run", "")}
    assert reasons["z"] == "duplicate_file" and reasons["d"] == "encrypted"
    assert (reasons["e"], reasons["f"]) == ("year_out_of_range", "missing_metadata")
