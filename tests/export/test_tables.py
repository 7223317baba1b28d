"""Parquet files: loaded by `datasets` without a network, and read by anybody."""

from __future__ import annotations

import io
import json
import shutil
import socket
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pytest
from PIL import Image
from pyarrow import parquet

from data_juicer_ext.export.formats.parquet_files import ParquetFiles
from data_juicer_ext.export.images.exported_images import ImagePlaces, look_at_all
from data_juicer_ext.export.options import ExportOptions
from tests.export.made_runs import HARD, exported, lines, pairs, picture, row, run_of


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Any connection fails; what `datasets` keeps goes into the test's folder."""

    def refuse(*arguments: Any) -> NoReturn:
        raise AssertionError("a connection was tried")

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def load(folder: Path, cache: Path) -> Any:
    from datasets import load_dataset

    return load_dataset(str(folder), cache_dir=str(cache))


@pytest.mark.usefixtures("no_network")
def test_datasets_loads_the_folder_after_the_run_is_gone(tmp_path: Path) -> None:
    rows = pairs(tmp_path, 4)
    rows.append(
        {**row(7, picture(tmp_path / "figures", "hard", 90), options=[HARD, "b"], answer="A"), "question": HARD}
    )
    rows[-1] |= {"images": [*rows[-1]["images"], rows[0]["images"][0]], "caption": HARD, "own_number": 3, "own": [HARD]}
    pixels = {one["row_id"]: [Image.open(path).tobytes() for path in one["images"]] for one in rows}
    made = run_of(tmp_path / "made", rows)
    exported(made, tmp_path / "out", "hf", splits=(("train", 0.5), ("test", 0.5)))
    given = {one["row_id"]: one for one in lines(made.export)}
    shutil.rmtree(tmp_path / "made")
    shutil.rmtree(tmp_path / "figures")
    shutil.move(tmp_path / "out", tmp_path / "moved")
    data = load(tmp_path / "moved", tmp_path / "cache")
    found = [one for split in data.values() for one in split]
    assert set(data) == {"train", "test"} and len(found) == 5
    for one in found:
        before = given[one["row_id"]]
        assert [image.tobytes() for image in one["images"]] == pixels[one["row_id"]]
        for name in set(before) - {"images"}:
            assert one[name] == before[name], name
    assert {one["own_number"] for one in found} == {3, None}, (
        "a column that not all rows have is null where it is missing"
    )


def uneven(folder: Path) -> list[dict[str, Any]]:
    """Rows of two papers whose nested values differ in form, one with two images, one without any."""
    rows = [*pairs(folder, 4), row(9, "")]
    rows[0] |= {"images": [*rows[0]["images"], picture(folder, "b", 70)], "caption": HARD, "day": "2024-05-01"}
    rows[1] |= {"provenance": json.dumps({"source": "elsewhere", "steps": [], "more": [{"a": 1}]}), "day": ""}
    rows[2] |= {"provenance": "", "own": {"a": [1, {"b": None}]}, "question": HARD}
    rows[3] |= {"provenance": json.dumps(["x", 1]), "own": "text", "year": "2024"}
    for number, one in enumerate(rows):
        one["paper_id"] = f"p{number % 2}"
    return rows


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("form", ["parquet", "ms-swift", "llava", "openai", "jsonl"])
def test_datasets_loads_the_rows_of_other_formats_too_and_nothing_else(form: str, tmp_path: Path) -> None:
    made = exported(run_of(tmp_path, uneven(tmp_path)), tmp_path / "out", form, splits=(("fit", 0.5), ("probe", 0.5)))
    assert (tmp_path / "out" / "left_out.jsonl").is_file()
    data = load(tmp_path / "out", tmp_path / "cache")
    assert {name: len(split) for name, split in data.items()} == {"fit": 2, "probe": 2}
    for split, (file,) in made.files.items():
        if form == "parquet":
            written = parquet.read_table(tmp_path / "out" / file).to_pylist()
        elif form == "llava":
            written = json.loads((tmp_path / "out" / file).read_text())
        else:
            written = lines(tmp_path / "out" / file)
        for before, after in zip(written, data[split], strict=True):
            assert {name: value for name, value in after.items() if name in before or value is not None} == before


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("form", ["hf", "ms-swift"])
def test_datasets_does_not_give_the_rows_of_an_earlier_export(form: str, tmp_path: Path) -> None:
    rows = pairs(tmp_path, 2)
    for folder, answer in (("a", "A"), ("a", "B"), ("b", "C")):
        rows[0]["answer"] = answer
        exported(run_of(tmp_path / answer, rows), tmp_path / folder / "set", form, overwrite=True)
        one = load(tmp_path / folder / "set", tmp_path / "cache")["train"][0]
        assert answer == (one["answer"] if form == "hf" else one["messages"][1]["content"])


def test_plain_parquet_holds_bytes_or_paths(tmp_path: Path) -> None:
    run = run_of(tmp_path, pairs(tmp_path, 3))
    exported(run, tmp_path / "bytes", "parquet")
    exported(run, tmp_path / "paths", "parquet", images="copy")
    for one in parquet.read_table(tmp_path / "bytes" / "data").to_pylist():
        with Image.open(io.BytesIO(one["images"][0])) as image:
            image.load()
        assert (
            one["image_files"][0].endswith(".png") and json.loads(one["provenance"])["source"]["place"] == "main.tex:3"
        )
        assert one["options"] == ["1", "22", "333", "4444"]
    for one in parquet.read_table(tmp_path / "paths" / "data").to_pylist():
        assert (tmp_path / "paths" / one["images"][0]).is_file() and one["images"][
            0
        ] == f"images/{one['image_files'][0]}"


def test_a_split_goes_on_in_another_shard_and_groups_stay_small(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    path = picture(tmp_path / "f", "a", 1)
    (one,) = look_at_all([path], ImagePlaces(tmp_path, tmp_path), 1).values()
    columns = {"row_id": "string", "images": "string", "image_files": "string"}
    writer = ParquetFiles(tmp_path / "out", ExportOptions("hf"), columns, shard_bytes=3 * one.size)  # type: ignore[union-attr]
    for number in range(7):
        writer.add("train", {"row_id": f"q{number}"}, [one])  # type: ignore[list-item]
    writer.add("test", {"row_id": "q9"}, [one])  # type: ignore[list-item]
    assert writer.end() == {
        "train": [f"data/train-{shard:05d}-of-00003.parquet" for shard in range(3)],
        "test": ["data/test-00000-of-00001.parquet"],
    }
    tables = [
        parquet.read_table(tmp_path / "out" / "data" / f"train-{shard:05d}-of-00003.parquet") for shard in range(3)
    ]
    assert pa.concat_tables(tables)["row_id"].to_pylist() == [f"q{number}" for number in range(7)]
    assert len(list((tmp_path / "out" / "data").iterdir())) == 4, "no file of an unfinished shard is left"


def test_no_more_than_a_hundred_rows_are_held_before_they_are_written(tmp_path: Path) -> None:
    files = ParquetFiles(tmp_path, ExportOptions("parquet", images="copy"), {"row_id": "string"})
    for number in range(250):
        files.add("train", {"row_id": f"q{number:03}"}, [])
    assert files.end() == {"train": ["data/train-00000-of-00001.parquet"]}
    written = parquet.ParquetFile(tmp_path / "data" / "train-00000-of-00001.parquet")
    groups = [written.metadata.row_group(place).num_rows for place in range(written.metadata.num_row_groups)]
    assert groups == [100, 100, 50]
    assert written.read().column("row_id").to_pylist() == [f"q{number:03}" for number in range(250)]
