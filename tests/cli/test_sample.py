from __future__ import annotations

import json
from pathlib import Path

import pytest

from data_juicer_ext.cli.main import main
from tests.annotation.pictures import chart, rendered_anew, rows
from tests.host import write_rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of eight charts, one of them twice; a benchmark with two of them, drawn anew; and one without any."""
    images = [chart(tmp_path, seed) for seed in range(8)]
    write_rows(tmp_path / "set.jsonl", rows(tmp_path, [*images, rendered_anew(tmp_path, 0)]))
    write_rows(tmp_path / "benchmark.jsonl", [{"image": rendered_anew(tmp_path, seed)} for seed in (1, 2)])
    write_rows(tmp_path / "apart.jsonl", [{"images": [Path(chart(tmp_path, seed)).name]} for seed in (20, 21)])
    return tmp_path


def run(folder: Path, *arguments: str) -> int:
    return main(["sample", *(str(folder / word) if word.endswith(".jsonl") else word for word in arguments)])


def test_a_sample_is_written_and_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("set.jsonl", "--out", "out.jsonl", "--per-category", "2", "--exclude", "benchmark.jsonl", "apart.jsonl")
    assert run(folder, *given) == 0
    shown = capsys.readouterr().out
    assert len((folder / "out.jsonl").read_text().splitlines()) == 4
    all_line = next(line for line in shown.splitlines() if line.startswith("all"))
    assert all_line.split() == ["all", "4", "1", "2", "2"], "taken, near duplicate, excluded, over the limit"
    assert "bits apart" in shown and "4 images, 4 rows" in shown and "checked against 4 rows" in shown
    first = (folder / "out.jsonl").read_bytes()
    lines = (folder / "set.jsonl").read_text().splitlines()
    (folder / "set.jsonl").write_text("\n".join(reversed(lines)) + "\n")
    run(folder, *given)
    assert (folder / "out.jsonl").read_bytes() == first


def test_an_export_in_shards_gives_the_same_bytes(folder: Path) -> None:
    run(folder, "set.jsonl", "--out", "file.jsonl", "--per-category", "3")
    (folder / "shards").mkdir()
    for place, line in enumerate((folder / "set.jsonl").read_text().splitlines()):
        row = {"__dj__stats__": {"n": place}, **dict(reversed(list(json.loads(line).items())))}
        write_rows(folder / "shards" / f"{9 - place}.json", [row])
    main(["sample", str(folder / "shards"), "--out", str(folder / "folder.jsonl"), "--per-category", "3"])
    assert (folder / "folder.jsonl").read_bytes() == (folder / "file.jsonl").read_bytes()


def test_two_sets_are_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--check", "set.jsonl", "apart.jsonl") == 0
    assert "no image is in both" in capsys.readouterr().out
    assert run(folder, "--check", "set.jsonl", "benchmark.jsonl") == 1
    shown = capsys.readouterr().out
    assert shown.count("SHARED set.jsonl: figure-") == 2 and "2 rows share an image" in shown
    assert "benchmark.jsonl: row 1" in shown


def test_without_a_look_at_the_pixels_charts_of_one_template_are_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = [chart(folder, seed) for seed in range(100, 140)]
    write_rows(folder / "others.jsonl", [{"image": image} for image in others])
    assert run(folder, "--check", "set.jsonl", "others.jsonl", "--max-hamming", "15") == 0
    assert run(folder, "--check", "set.jsonl", "others.jsonl", "--max-hamming", "15", "--no-confirm") == 1
    assert "SHARED set.jsonl: figure-" in capsys.readouterr().out


def test_an_image_that_cannot_be_read_leaves_the_check_open(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rows(folder / "apart.jsonl", [{"image": "gone.png"}])
    assert run(folder, "--check", "set.jsonl", "apart.jsonl") == 1
    assert "nothing is known of them: apart.jsonl: row 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "ROWS, --out, --per-category is missing"),
        (("set.jsonl", "--out", "o.jsonl"), "--per-category is missing"),
        (("none.jsonl", "--out", "o.jsonl", "--per-category", "2"), "there is no file"),
        (("set.jsonl", "--out", "o.jsonl", "--per-category", "0"), "at least 1"),
        (("set.jsonl", "--out", "o.jsonl", "--per-category", "2", "--by", "colour"), "no row has the column colour"),
        (("--check", "set.jsonl", "apart.jsonl", "--max-hamming", "16"), "0 to 15 bits"),
    ],
)
def test_wrong_use_is_told(
    arguments: tuple[str, ...], says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, *arguments) == 2
    assert says in capsys.readouterr().err
