"""Small dataset files read in the process that starts a run on Ray: the same rows, with nothing asked of a worker."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from data_juicer_ext.ops.host import ray_reading

pytestmark = [pytest.mark.host, pytest.mark.ray]

ROWS = [
    {
        "paper_id": "a/1",
        "paper_path": "a.tar.gz",
        "year": 2020,
        "images": ["one.png", "/x/two.png"],
        "tags": {"k": [1]},
    },
    {"paper_id": "b \u05d0 \U0001f600", "paper_path": None, "year": None, "images": [], "tags": {"k": []}},
    {"paper_id": "c", "paper_path": "c", "year": 3, "images": ["s3://bucket/three.png"], "tags": {"k": [2, 3]}},
]


@pytest.fixture(scope="module")
def datasets() -> Iterator[Any]:
    """Data-Juicer's module of Ray datasets, with Ray running and our reader in place; `.plain` is its own reader."""
    ray = pytest.importorskip("ray")
    folder = Path(tempfile.mkdtemp(prefix="r", dir=tempfile.gettempdir()))  # short: sockets lie in it
    from data_juicer.core.data import ray_dataset

    plain = ray_dataset.RayDataset.read_json, ray_dataset.set_dataset_to_absolute_path
    try:
        ray.init(num_cpus=1, include_dashboard=False, _temp_dir=str(folder), log_to_driver=False)
        ray_reading.read_here()
        yield ray_dataset
    finally:
        ray_dataset.RayDataset.read_json, ray_dataset.set_dataset_to_absolute_path = plain
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def written(path: Path, rows: list[dict[str, Any]]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_the_rows_and_types_are_those_of_the_hosts_reader(datasets: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "venue=x" / "rows.jsonl", ROWS)
    found, expected = datasets.RayDataset.read_json(path), datasets.read_json_stream(path)
    assert found.schema(fetch_if_missing=False) == expected.schema()
    assert found.count() == 3 and found.take_all() == expected.take_all()
    assert found.take(1)[0]["venue"] == "x"


def test_paths_of_images_are_made_absolute_as_the_host_does(datasets: Any, tmp_path: Path) -> None:
    (tmp_path / "one.png").touch()
    path = written(tmp_path / "rows.jsonl", ROWS)
    config: dict[str, Any] = {}
    found = datasets.preprocess_dataset(datasets.RayDataset.read_json(path), path, config)
    expected = datasets.preprocess_dataset(datasets.read_json_stream(path), path, config)
    assert found.schema(fetch_if_missing=False) == expected.schema()
    assert found.take_all() == expected.take_all()
    assert found.take(1)[0]["images"] == [str(tmp_path / "one.png"), "/x/two.png"]


def test_blocks_are_as_many_as_were_asked_for(datasets: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"paper_id": str(n)} for n in range(10)])
    found = datasets.RayDataset.read_json(path, override_num_blocks=4)
    assert found.num_blocks() == 4
    assert [row["paper_id"] for row in found.take_all()] == [str(n) for n in range(10)]


def raising(error: Exception) -> Any:
    def raises(*given: object) -> None:
        raise error

    return raises


def test_what_is_large_or_broken_is_left_to_the_workers(
    datasets: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large, broken = written(tmp_path / "large.jsonl", ROWS), tmp_path / "broken.jsonl"
    broken.write_text('{"paper_id": "a"}\n{"paper_id": \n')
    monkeypatch.setattr(ray_reading, "MAX_BYTES", 20)
    assert datasets.RayDataset.read_json(large).schema(fetch_if_missing=False) is None
    monkeypatch.undo()
    for error in (OSError("gone"), ValueError("odd")):
        with monkeypatch.context() as patched:
            patched.setattr(pyarrow, "concat_tables", raising(error))
            assert datasets.RayDataset.read_json(large).schema(fetch_if_missing=False) is None
    assert datasets.RayDataset.read_json(large).schema(fetch_if_missing=False) is not None
    assert datasets.RayDataset.read_json(str(broken)).schema(fetch_if_missing=False) is None
    assert datasets.RayDataset.read_json(large, concurrency=1).schema(fetch_if_missing=False) is None
