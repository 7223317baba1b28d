from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.runs.dataset import DatasetError
from data_juicer_ext.runs.shard_cutting import Shard, ShardLayout, cut, scan, shuffled, whole
from tests.host import write_rows

PAPERS = [{"paper_id": f"p{n}", "text": f"paper {n}"} for n in range(23)]
LAYOUT = ShardLayout(("paper_id",))


def rows_of(folder: Path, shard: Shard) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{shard.name}.jsonl").read_text().splitlines()]


def cut_rows(folder: Path, rows: list[dict[str, Any]], size: int = 5, seed: int = 0) -> tuple[str, list[Shard]]:
    folder.mkdir(exist_ok=True)
    return cut(write_rows(folder / "papers.jsonl", rows), folder / "shards", size, seed, LAYOUT)


def test_every_row_is_in_one_shard_and_no_shard_is_too_large(tmp_path: Path) -> None:
    _, shards = cut_rows(tmp_path, PAPERS)
    assert [shard.papers for shard in shards] == [5, 5, 5, 5, 3]
    assert [shard.name for shard in shards] == [f"shard-0000{n}" for n in range(5)]
    found = [row["paper_id"] for shard in shards for row in rows_of(tmp_path / "shards", shard)]
    assert sorted(found) == sorted(row["paper_id"] for row in PAPERS)
    assert found != [row["paper_id"] for row in PAPERS]
    assert len(list((tmp_path / "shards").iterdir())) == 5


def test_shards_hang_on_content_and_seed_not_on_the_order_of_the_dataset(tmp_path: Path) -> None:
    first = cut_rows(tmp_path / "a", PAPERS)
    turned = [dict(reversed(row.items())) for row in reversed(PAPERS)]
    assert cut_rows(tmp_path / "b", turned) == first
    assert cut_rows(tmp_path / "c", PAPERS, seed=1)[1] != first[1]
    changed = [*PAPERS[:-1], {"paper_id": "p22", "text": "another"}]
    fingerprint, shards = cut_rows(tmp_path / "d", changed)
    assert fingerprint != first[0] and {s.id for s in shards} != {s.id for s in first[1]}
    assert scan(tmp_path / "b" / "papers.jsonl").fingerprint == first[0]


def test_no_row_is_lost_to_a_null_cell_or_a_column_that_it_lacks(tmp_path: Path) -> None:
    rows = [{"paper_id": None, "text": "x"}, {"paper_id": "b", "domain": "cs"}, {"text": None, "paper_id": "c"}]
    _, [shard] = cut_rows(tmp_path, rows)
    written = rows_of(tmp_path / "shards", shard)
    assert all(list(row) == ["paper_id", "text", "domain"] for row in written)
    by_id = {row["paper_id"]: row for row in written}
    assert by_id[""]["text"] == "x" and by_id["b"]["text"] is None and by_id["b"]["domain"] == "cs"


def test_equal_rows_are_all_there(tmp_path: Path) -> None:
    _, shards = cut_rows(tmp_path, PAPERS[:2] * 3, size=2)
    found = Counter(row["paper_id"] for shard in shards for row in rows_of(tmp_path / "shards", shard))
    assert found == {"p0": 3, "p1": 3}


def test_files_in_rows_are_found_from_elsewhere(tmp_path: Path) -> None:
    _, [shard] = cut_rows(tmp_path, [{"paper_id": "a", "images": ["i/x.png", "/abs/y.png", "s3://b/z.png"]}])
    [row] = rows_of(tmp_path / "shards", shard)
    assert row["images"] == [str(tmp_path / "i/x.png"), "/abs/y.png", "s3://b/z.png"]


def test_what_would_end_a_run_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"paper_id": "a\\ud800\\u0000b", "n": NaN}\n')
    _, [shard] = cut(tmp_path / "p.jsonl", tmp_path / "shards", 5, 0, LAYOUT)
    assert rows_of(tmp_path / "shards", shard) == [{"paper_id": "ab", "n": None}]


@pytest.mark.parametrize(("text", "says"), [("", "is empty"), ('{"title": "t"}\n', "no column paper_id")])
def test_a_dataset_that_can_not_work_is_refused_and_leaves_no_spool(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "p.jsonl").write_text(text)
    with pytest.raises(DatasetError, match=says):
        cut(tmp_path / "p.jsonl", tmp_path / "shards", 5, 0, LAYOUT)
    assert not list((tmp_path / "shards").iterdir())


@given(st.lists(st.binary(min_size=16, max_size=16), unique=True, max_size=30), st.integers())
def test_the_order_is_a_permutation_that_only_content_decides(digests: list[bytes], seed: int) -> None:
    order = shuffled(digests, seed)
    assert sorted(order) == list(range(len(digests)))
    turned = digests[::-1]
    assert [digests[place] for place in order] == [turned[place] for place in shuffled(turned, seed)]


def test_a_row_is_completed_by_the_layout_alone(tmp_path: Path) -> None:
    layout = ShardLayout(("text",), ("images",))
    row = {"text": None, "images": ["a.png", "", None, "/b.png", "s3://c/d"], "audios": ["x.wav"], "n": None}
    assert whole(row, ["text", "images", "audios", "n", "more"], layout, Path("/data")) == {
        "text": "", "images": ["/data/a.png", "", None, "/b.png", "s3://c/d"], "audios": ["x.wav"], "n": None,
        "more": None,
    }  # fmt: skip
    assert whole({"images": "a.png", "text": 7}, ["images", "text"], layout, Path("/data")) == {
        "images": "a.png", "text": 7,
    }  # fmt: skip


def test_files_of_all_kinds_are_found_from_the_folder_of_a_dataset_in_parts(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    row = {"paper_id": "a", "images": ["i"], "audios": ["a"], "videos": ["v"]}
    write_rows(tmp_path / "data" / "1.jsonl", [row])
    _, [shard] = cut(tmp_path / "data", tmp_path / "shards", 5, 0, LAYOUT)
    [found] = rows_of(tmp_path / "shards", shard)
    assert [found[name] for name in ("images", "audios", "videos")] == [[f"{tmp_path}/data/{name}"] for name in "iav"]


def test_an_id_of_a_shard_is_of_its_rows_in_their_order(tmp_path: Path) -> None:
    _, first = cut_rows(tmp_path / "a", PAPERS[:4], size=2)
    _, second = cut_rows(tmp_path / "b", PAPERS[:4], size=4)
    assert len({shard.id for shard in (*first, *second)}) == 3 and all(s.id.startswith("shard-") for s in first)


def test_a_dataset_is_read_without_being_written_where_only_its_fingerprint_is_asked_for(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "p.jsonl", PAPERS[:3])
    found = scan(path)
    assert len(found.digests) == 3 and found.spans == [] and list(found.columns) == ["paper_id", "text"]
    assert len(found.fingerprint) == 32 and [file.name for file in tmp_path.iterdir()] == ["p.jsonl"]
    with pytest.raises(DatasetError, match="is empty; it needs one row per paper"):
        scan(write_rows(tmp_path / "none.jsonl", []))
