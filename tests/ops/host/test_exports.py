"""Exports to object storage, against a server that speaks as much of S3 as is asked."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from data_juicer_ext.ops.host import exports
from data_juicer_ext.ops.host.exports import leave_empty
from tests.s3_server import S3

EMPTY = (
    b'<?xml version="1.0"?><ListBucketResult><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>'
)


class Storage(BaseHTTPRequestHandler):
    """One bucket, `bucket`, with nothing in it; `closed` forbids all."""

    closed = False

    def do_HEAD(self) -> None:
        bucket, _, key = self.path.strip("/").partition("/")
        self._answer(403 if self.closed else 200 if bucket == "bucket" and not key else 404)

    def do_GET(self) -> None:
        self._answer(403 if self.closed else 200, b"" if self.closed else EMPTY)

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setattr(Storage, "closed", False)
    with ThreadingHTTPServer(("127.0.0.1", 0), Storage) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def recipe(address: str, endpoint: str) -> dict[str, Any]:
    return {"export_path": address, "export_extra_args": {"mode": "overwrite", "endpoint_url": endpoint}}


def test_what_can_be_reached_is_no_problem(storage: str) -> None:
    assert exports.unreachable(recipe("s3://bucket/deep/out", storage)) == ""


def test_a_bucket_that_is_not_there(storage: str) -> None:
    problem = exports.unreachable(recipe("s3://other/out", storage))
    assert "there is no such bucket" in problem and "s3://other/out" in problem


def test_credentials_that_are_not_let_in(storage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Storage, "closed", True)
    problem = exports.unreachable(recipe("s3://bucket/out", storage))
    assert "AWS_SECRET_ACCESS_KEY" in problem and "a-secret" not in problem


def test_nobody_there(storage: str) -> None:
    with socket.socket() as taken:  # bound, so that nobody else gets the port, and not listening
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert "endpoint_url" in exports.unreachable(recipe("s3://bucket/out", url))


@pytest.mark.parametrize("path", ["", "out", "/abs/out.jsonl", "hdfs://host/out"])
def test_other_places_are_not_asked(path: str) -> None:
    assert exports.unreachable({"export_path": path}) == ""


@pytest.mark.parametrize(
    ("address", "path"),
    [("s3://bucket/a/b/", "bucket/a/b"), ("S3://bucket/a", "bucket/a"), ("hdfs://host:9000/a/b", "/a/b")],
)
def test_the_path_within_a_file_system(address: str, path: str) -> None:
    assert exports.path_in(address) == path


def test_the_rows_of_an_earlier_run_go_and_all_else_stays(tmp_path: Path) -> None:
    for name in ("a.json", "b.jsonl", "c.parquet", "notes.txt", "deep/d.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    exports.clear(None, tmp_path.as_uri())
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["d.json", "deep", "notes.txt"]
    exports.clear(None, (tmp_path / "never").as_uri())


def test_without_ray_the_environment_says_where_the_server_is(s3: S3) -> None:
    def problem(address: str) -> str:
        return exports.unreachable({"executor_type": "default", "export_path": address})

    assert problem(s3.at("pairs.jsonl")) == ""
    assert "there is no bucket s3://no-bucket-of-ours" in problem("s3://no-bucket-of-ours/pairs.jsonl")


def test_the_rows_of_an_earlier_run_go_from_a_folder_and_all_else_stays(tmp_path: Path) -> None:
    for name in ("a.json", "b.jsonl", "notes.txt"):
        (tmp_path / name).write_text("x")
    leave_empty(tmp_path, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_without_overwrite_nothing_goes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("x")
    leave_empty(tmp_path, overwrite=False)
    assert (tmp_path / "a.json").exists()


@pytest.mark.parametrize("before", ["nothing", "zero_bytes"])
def test_the_folder_is_there(tmp_path: Path, before: str) -> None:
    folder = tmp_path / "deep" / "out"
    if before == "zero_bytes":
        folder.parent.mkdir()
        folder.write_text("")
    leave_empty(folder, overwrite=True)
    assert folder.is_dir() and not list(folder.iterdir())


@pytest.mark.host
@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_zero_rows_to_object_storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    from data_juicer.core.ray_exporter import RayExporter
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    monkeypatch.setattr(RayExporter, "_export_impl", RayExporter._export_impl)  # put back at the end
    monkeypatch.chdir(tmp_path)
    exports.install()
    exporter = RayExporter("s3://bucket/out", export_type="jsonl", mode=mode)
    exporter.s3_filesystem = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    earlier = tmp_path / "bucket" / "out" / "earlier.json"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("{}")
    exporter.export(NoRows())
    assert earlier.exists() == (mode == "append")
    assert [path.name for path in tmp_path.iterdir()] == ["bucket"]


class NoRows:
    """A dataset of Ray without rows, as far as an exporter asks."""

    def columns(self) -> None:
        return None
