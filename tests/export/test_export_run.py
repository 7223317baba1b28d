"""Whole exports: which rows, which splits, the same files each time, and nothing of this machine."""

from __future__ import annotations

import base64
import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pyarrow import parquet

from data_juicer_ext.export.export_run import ExportSource, UndecidedError, export
from data_juicer_ext.export.options import FORMATS, ExportOptions
from data_juicer_ext.report.run_selection import select_runs
from tests.annotation.pictures import chart, rendered_anew
from tests.export.made_runs import exported, files, lines, pairs, picture, row, run_of

HALVES = (("train", 0.5), ("test", 0.5))
THREE = (("train", 0.8), ("validation", 0.1), ("test", 0.1))


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_rows_in_any_order_give_the_same_files(form: str, tmp_path: Path) -> None:
    rows = [*pairs(tmp_path, 6), row(9, picture(tmp_path / "figures", "f0", 0), row_id="again")]
    made = run_of(tmp_path, rows)
    asked: dict[str, Any] = {"splits": THREE, "max_per_figure": 2, "shuffle_options": True}
    exported(made, tmp_path / "first", form, seed=5, **asked)
    given = made.export.read_text().splitlines()
    shuffled = random.Random(1).sample(given, len(given))
    made.export.write_text("".join(f"{json.dumps(dict(reversed(json.loads(one).items())))}\n" for one in shuffled))
    exported(made, tmp_path / "second", form, seed=5, **asked)
    assert files(tmp_path / "first") == files(tmp_path / "second")
    exported(made, tmp_path / "third", form, seed=6, **asked)
    assert files(tmp_path / "first") != files(tmp_path / "third")


def test_the_number_of_workers_plays_no_part(tmp_path: Path) -> None:
    made = run_of(tmp_path, pairs(tmp_path, 8))
    for workers in (1, 8):
        source = ExportSource(made.path, made.export, select_runs(made.path))
        export(source, ExportOptions("hf", splits=THREE), tmp_path / f"{workers}", workers=workers)
    assert files(tmp_path / "1") == files(tmp_path / "8")


def test_no_paper_is_in_two_splits_nor_a_picture_that_two_papers_show(tmp_path: Path) -> None:
    images = [chart(tmp_path, seed) for seed in range(6)]
    anew = {
        6: rendered_anew(tmp_path, 0),
        7: rendered_anew(tmp_path, 1),
        8: str(shutil.copy(images[2], tmp_path / "c.png")),
    }
    rows = []
    for paper, image in enumerate([*images, *anew.values()]):
        rows += [row(paper, image, row_id=f"qa-{paper}-{n}", figure_id=f"{paper}:{n}") for n in range(3)]
        for n, one in enumerate(rows[-3:]):
            one["question"] = f"What is {paper * 1000 + n * 17}?"
    made = exported(run_of(tmp_path, rows), tmp_path / "out", splits=(("a", 0.4), ("b", 0.3), ("c", 0.3)))
    split_of: dict[str, set[str]] = {}
    for split in "abc":
        for one in lines(tmp_path / "out" / f"{split}.jsonl"):
            split_of.setdefault(one["paper_id"], set()).add(split)
    assert len(split_of) == 9 and all(len(splits) == 1 for splits in split_of.values())
    for first, second in ((0, 6), (1, 7), (2, 8)):
        assert split_of[f"p{first}"] == split_of[f"p{second}"], "the same picture, drawn anew or copied"
    assert len({tuple(splits) for splits in split_of.values()}) == 3 and made.joined == 3


def test_images_without_a_paper_go_by_their_content(tmp_path: Path) -> None:
    rows = []
    for n in range(8):
        image = picture(tmp_path / "f", f"{n}", n % 4)
        rows.append({**row(n, image), "paper_id": "", "figure_id": f"f{n}"})
    exported(run_of(tmp_path, rows), tmp_path / "out", splits=HALVES)
    names = [
        {path for one in lines(tmp_path / "out" / f"{name}.jsonl") for path in one["images"]} for name, _ in HALVES
    ]
    assert names[0].isdisjoint(names[1]) and sum(map(len, names)) == 4


def test_undecided_rows_are_never_exported(tmp_path: Path) -> None:
    rows = pairs(tmp_path, 3)
    made = run_of(tmp_path, rows, undecided=2)
    with pytest.raises(UndecidedError, match="2 rows of the run are undecided"):
        exported(made, tmp_path / "out", strict=True)
    assert not (tmp_path / "out").exists()
    found = exported(made, tmp_path / "out")
    assert found.contents.total == 3 and found.run.undecided == 2
    card = (tmp_path / "out" / "README.md").read_text()
    assert "2 rows of the run are undecided" in card and "a later export of it may hold more" in card
    assert json.loads((tmp_path / "out" / "export.json").read_text())["undecided"] == 2
    # Rows of an export that the ledger calls undecided stay out as well, and so do those of undecided.jsonl.
    made.note("vision_vote", rows[0]["row_id"], "undecided", "timeout")
    assert exported(made, tmp_path / "less").left_out.counts() == {"undecided": 1}
    undecided = tmp_path / "undecided.jsonl"
    undecided.write_text(json.dumps({**rows[1], "undecided": {"tag": "vision_vote"}}) + "\n")
    with pytest.raises(ValueError, match="1 undecided"):
        export(ExportSource(made.path, undecided, select_runs(made.path)), ExportOptions("jsonl"), tmp_path / "none")
    made.end([])
    with pytest.raises(ValueError, match="3 rows of the run are undecided; run it again to decide them"):
        exported(made, tmp_path / "none")


def test_a_row_without_a_good_image_is_named_and_nothing_else_is_lost(tmp_path: Path) -> None:
    rows = pairs(tmp_path, 5)
    Path(rows[1]["images"][0]).unlink()
    Path(rows[2]["images"][0]).write_bytes(Path(rows[2]["images"][0]).read_bytes()[:300])
    rows[3]["images"] = []
    made = exported(run_of(tmp_path, rows), tmp_path / "out")
    assert made.contents.total == 2
    told = {one["row_id"]: one for one in lines(tmp_path / "out" / "left_out.jsonl")}
    assert {one["reason"] for one in told.values()} == {"no_image", "image_missing", "image_unreadable"}
    assert "f1.png" in told["qa-1"]["message"] and str(tmp_path) not in json.dumps(told)
    card = (tmp_path / "out" / "README.md").read_text()
    assert "| with an image that is missing | 1 |" in card and "| with an image that can't be read | 1 |" in card


def test_nothing_left_to_export_says_why(tmp_path: Path) -> None:
    rows = pairs(tmp_path, 2)
    for one in rows:
        Path(one["images"][0]).unlink()
    with pytest.raises(ValueError, match=r"no row is left to export: 2 with an image that is missing \(qa-0: f0.png"):
        exported(run_of(tmp_path, rows), tmp_path / "out")
    assert not (tmp_path / "out").exists() and not list(tmp_path.glob(".out*"))


def test_near_duplicates_and_the_limit_a_figure_are_counted(tmp_path: Path) -> None:
    image = picture(tmp_path / "f", "a", 1)
    asked = [
        "How many layers are there?",
        "How many layers are there",
        *(f"What is it at {n * 31} m?" for n in range(4)),
    ]
    rows = [{**row(n, image), "paper_id": "p", "figure_id": "f", "question": text} for n, text in enumerate(asked)]
    for one in rows[:2]:
        one["answer"] = "A"
    made = run_of(tmp_path, rows)
    assert exported(made, tmp_path / "a", max_per_figure=3).left_out.counts() == {
        "near_duplicate_question": 1, "over_the_limit": 2,
    }  # fmt: skip
    assert exported(made, tmp_path / "b", near_questions=0.0).left_out.counts() == {}


def everything(folder: Path) -> bytes:
    """All that an export says, with what is compressed or encoded in it taken apart."""
    parts = []
    for name, data in files(folder).items():
        parts += [name.encode(), data, *map(base64.b64decode, re.findall(rb"base64,([\w+/=]+)", data))]
        if name.endswith(".parquet"):
            table = parquet.read_table(folder / name)
            parts += [repr(table.to_pylist()).encode(), repr(table.schema.metadata).encode()]
    return b"\n".join(parts)


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_of_this_machine_is_in_an_export(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home" / "janedoe"
    (home / "runs").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / "runs")
    rows = pairs(home / "runs", 3)
    for n, one in enumerate(rows):
        provenance = json.loads(one["provenance"])
        provenance["archive"] = str(home / "papers" / f"{n}.tar.gz")
        provenance["source"]["place"] = f"{home}/papers/main.tex:3"
        provenance["steps"][0] |= {"model": f"{home}/models/seer-2", "message": f"read from {home}/x.json by a run"}
        provenance["elsewhere"] = "/mnt/janedoe/disk/a.png"
        one |= {"provenance": json.dumps(provenance), "paper_path": str(home / "p.tar"), "own": f"{home}/runs/own.csv",
                "context_places": json.dumps([{"place": f"{home}/runs/main.tex:1", "paragraph": "P"}])}  # fmt: skip
    Path(rows[2]["images"][0]).unlink()
    made = run_of(home / "runs", rows, undecided=1)
    made.begin()
    for one in rows:
        made.note("vision_vote", one["row_id"])
    made.end(rows)
    exported(made, home / "out", form, splits=HALVES)
    said = everything(home / "out")
    assert b"janedoe" not in said and str(tmp_path).encode() not in said
    assert b"models/seer-2" in said and b"papers/main.tex:3" in said, "what is not of this machine stays"


def test_a_run_that_has_not_ended_says_so(tmp_path: Path) -> None:
    made = run_of(tmp_path, pairs(tmp_path, 2))
    made.begin()
    made.note("vision_vote", "qa-0")
    scope = select_runs(made.path, export=made.export)
    found = export(ExportSource(made.path, made.export, scope), ExportOptions("jsonl"), tmp_path / "out")
    assert any("has not ended" in note for note in found.run.notes)
    assert "has not ended" in (tmp_path / "out" / "README.md").read_text()


def test_an_export_in_shards_gives_the_same_rows(tmp_path: Path) -> None:
    rows = pairs(tmp_path, 4)
    made = run_of(tmp_path, rows)
    exported(made, tmp_path / "one", "ms-swift", splits=HALVES)
    folder = tmp_path / "pairs"
    folder.mkdir()
    for n, one in enumerate(rows):
        (folder / f"{9 - n}.json").write_text(json.dumps({"__dj__stats__": {"n": n}, **one}) + "\n")
    scope = select_runs(made.path, export=folder)
    export(ExportSource(made.path, folder, scope), ExportOptions("ms-swift", splits=HALVES), tmp_path / "two")
    first, second = files(tmp_path / "one"), files(tmp_path / "two")
    assert first == second
    with pytest.raises(ValueError, match="lies in the folder of the rows"):
        export(ExportSource(made.path, folder, scope), ExportOptions("ms-swift"), folder / "out")


def test_a_file_that_changes_during_the_export_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pairs(tmp_path, 2)
    made = run_of(tmp_path, rows)

    def meanwhile(*arguments: Any) -> dict[str, str]:
        Image.new("L", (30, 30)).save(rows[0]["images"][0])
        return dict.fromkeys(arguments[0], "train")

    monkeypatch.setattr("data_juicer_ext.export.export_run.assign", meanwhile)
    with pytest.raises(ValueError, match="changed during the export"):
        exported(made, tmp_path / "out")
    assert not (tmp_path / "out").exists()
