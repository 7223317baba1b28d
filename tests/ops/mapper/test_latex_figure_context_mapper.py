"""The operator: its parameters, its columns, and given pairs as rows hold them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ops.mapper.latex_figure_context_mapper import LatexFigureContextMapper
from data_juicer_ext.rows import Figure, load_figures
from tests.latex.papers import document, figure, png, write
from tests.latex.printed import Printed

LATEX = document(
    figure("a", caption="One thing.")
    + figure("b", caption="Another matter.")
    + "\nAs Figure 2 and \\ref{fig:a} show.\n"
)


def results(run_dir: Path, rows: list[dict[str, Any]], **parameters: Any) -> dict[str, list[Any]]:
    """The columns of a batch that went through the operator."""
    operator = LatexFigureContextMapper(run_dir=str(run_dir), **parameters)
    columns = {key: [row.get(key) for row in rows] for key in {key for row in rows for key in row}}
    return operator.process_batched(columns)


def figures(run_dir: Path, row: dict[str, Any], **parameters: Any) -> list[Figure]:
    return load_figures(results(run_dir, [{"paper_id": "p", **row}], **parameters)["figures"][0])


def test_columns_of_good_and_bad_papers(run_dir: Path, tmp_path: Path) -> None:
    write(tmp_path / "good", {"main.tex": LATEX, "a.png": png()})
    rows = [
        {"paper_id": "good", "paper_path": "good"}, {"paper_id": "gone", "paper_path": "gone"},
        {"paper_id": "", "paper_path": "good"},
    ]  # fmt: skip
    found = results(run_dir, rows, paper_root=str(tmp_path))
    assert [len(load_figures(text)) for text in found["figures"]] == [2, 0, 0]
    assert found["paper_error"][0] == ""
    assert "does not exist" in found["paper_error"][1]
    assert "no paper_id" in found["paper_error"][2]
    assert all(isinstance(json.loads(notes), list) for notes in found["paper_notes"])


@pytest.mark.parametrize("pack", [json.dumps, list])
def test_given_paths_start_at_the_root(run_dir: Path, tmp_path: Path, pack: Any) -> None:
    write(tmp_path, {"images/one.png": png()})
    row = {"text": LATEX, "given_captions": pack(["One thing."]), "given_images": pack(["images/one.png"])}
    (found,) = figures(run_dir, row, paper_root=str(tmp_path))
    assert Path(found.images[0]).read_bytes() == png()
    assert Path(found.images[0]).parent == run_dir / "images"
    assert found.flags == ["image_given"]


@pytest.mark.parametrize(
    "image",
    [
        png(),
        {"bytes": png(), "path": None},
        {"bytes": None, "path": "one.png"},
        "data:image/png;base64," + base64.b64encode(png()).decode(),
    ],
)
def test_given_images_as_rows_hold_them(run_dir: Path, tmp_path: Path, image: Any) -> None:
    write(tmp_path, {"one.png": png()})
    row = {"text": LATEX, "given_captions": ["One thing.", "Another matter."], "given_images": [image, ""]}
    first, second = figures(run_dir, row, paper_root=str(tmp_path))
    assert Path(first.images[0]).read_bytes() == png()
    assert first.flags == ["image_given"]
    assert second.images == []


@pytest.mark.parametrize("image", ["data:image/png;base64,@@@", b"no image", {"path": "gone.png"}, 7])
def test_a_given_image_that_is_none_is_told_and_costs_only_itself(run_dir: Path, tmp_path: Path, image: Any) -> None:
    row = {"paper_id": "p", "text": LATEX, "given_captions": ["One thing."], "given_images": [image]}
    found = results(run_dir, [row], paper_root=str(tmp_path))
    assert load_figures(found["figures"][0])[0].flags == ["image_missing"]
    assert any(note.startswith("given image") for note in json.loads(found["paper_notes"][0]))


def test_pairs_that_are_refused_say_why(run_dir: Path) -> None:
    bare = "\\begin{figure}\\includegraphics{c}\\caption{Without a label.}\\end{figure}"
    twice = figure("d", caption="Twice.") + figure("e", caption="Twice.")
    row = {
        "paper_id": "p", "text": LATEX.replace("\\end{document}", bare + twice + "\\end{document}"),
        "given_captions": ["Nowhere.", "Twice.", "", "Without a label.", "Another matter."],
    }  # fmt: skip
    found = results(run_dir, [row])
    assert [kept.label for kept in load_figures(found["figures"][0])] == ["fig:b"]
    reasons = [note.split(": ")[1] for note in json.loads(found["paper_notes"][0]) if note.startswith("given caption")]
    assert reasons == ["no match", "ambiguous", "empty caption", "no label"]


@pytest.mark.parametrize("column", ["given_captions", "given_images"])
@pytest.mark.parametrize("value", ["{}", "not JSON", "7"])
def test_a_list_that_is_none_costs_that_row(run_dir: Path, column: str, value: str) -> None:
    rows = [
        {"paper_id": "bad", "text": LATEX, "given_captions": '["One thing."]', "given_images": ""},
        {"paper_id": "good", "text": LATEX, "given_captions": "", "given_images": ""},
    ]
    rows[0][column] = value
    found = results(run_dir, rows)
    assert column in found["paper_error"][0]
    assert len(load_figures(found["figures"][1])) == 2


def test_references_by_number_on_request(run_dir: Path) -> None:
    assert [len(found.context) for found in figures(run_dir, {"text": LATEX})] == [1, 0]
    assert [len(found.context) for found in figures(run_dir, {"text": LATEX}, plain_numbers=True)] == [1, 1]


def test_images_from_the_compiled_pdf_on_request(run_dir: Path, tmp_path: Path) -> None:
    printed = Printed().new_page().drawing((150, 80, 420, 300)).caption(150, 330, "Figure 1: One thing.")
    drawn = "\\begin{figure}\\begin{tikzpicture}x\\end{tikzpicture}\\caption{One thing.}\\label{x}\\end{figure}"
    write(tmp_path / "p", {"main.tex": document(drawn), "out/v1.pdf": printed.data(), "out/reply.pdf": printed.data()})
    row = {"paper_path": str(tmp_path / "p")}
    assert figures(run_dir, row)[0].flags == ["never_cited", "no_image_file"]
    (found,) = figures(run_dir, row, compiled_pdf="out/v1.pdf")
    assert (found.flags, found.page) == (["image_from_pdf", "never_cited"], 3)
    off = figures(run_dir, row, compiled_pdf="out/v1.pdf", images_from_pdf=False)
    assert off[0].flags == ["never_cited", "no_image_file"]
