"""PDFs on object storage, and who has which file there."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from data_juicer_ext.pdf import paper_corpus
from data_juicer_ext.pdf.paper import PdfError, PdfOptions, read_bytes, read_figures
from data_juicer_ext.pdf.paper_corpus import Claims, sha256_of
from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import own_name
from data_juicer_ext.storage.papers import StorageError
from tests.pdf.test_paper import QUICK, paper
from tests.s3_server import S3
from tests.storage.down import take_down


def test_the_same_figures_as_from_a_path(s3: S3, tmp_path: Path) -> None:
    data = paper().data()
    (tmp_path / "paper.pdf").write_bytes(data)
    file_access.write(s3.at("papers/paper.pdf"), data)
    there = read_figures(s3.at("papers/paper.pdf"), s3.at("run/images"), QUICK)
    local = read_figures(tmp_path / "paper.pdf", tmp_path / "images", QUICK)
    assert replace(there, figures=local.figures) == local and len(local.figures) == 2
    for mine, its in zip(there.figures, local.figures, strict=True):
        assert mine.images == [s3.at(f"run/images/{own_name(its.images[0])}")]
        assert file_access.read(mine.images[0]) == Path(its.images[0]).read_bytes()
        assert replace(mine, images=its.images) == its


def test_objects_that_are_no_papers(s3: S3) -> None:
    file_access.write(s3.at("page.html"), b"<html>")
    file_access.write(s3.at("large.pdf"), b"%PDF-" + bytes(100))
    for key, reason, words in (
        ("gone.pdf", "missing_file", "cannot be read"), ("page.html", "not_a_pdf", "is no PDF"),
        ("large.pdf", "too_large", "has more bytes than the 50 allowed"),
    ):  # fmt: skip
        with pytest.raises(PdfError, match=words) as problem:
            read_bytes(s3.at(key), PdfOptions(max_bytes=50))
        assert problem.value.reason == reason and s3.at(key) in str(problem.value)


def test_a_storage_that_fails_is_not_the_papers_fault(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "paper.pdf").write_bytes(paper().data())
    with pytest.raises(StorageError, match="no such bucket"):
        read_figures(tmp_path / "paper.pdf", "s3://no-such-bucket/images", QUICK)
    take_down(monkeypatch)
    with pytest.raises(StorageError, match="can't be read at the moment"):
        read_bytes(s3.at("paper.pdf"))


# ---- each file once


def test_one_of_many_has_a_file_for_good(s3: S3) -> None:
    claims = Claims(s3.at("run/claims"))
    with ThreadPoolExecutor(8) as pool:
        owners = set(pool.map(lambda number: claims.claim("ab" * 32, f"p{number}"), range(24)))
    (owner,) = owners
    assert Claims(s3.at("run/claims/")).claim("ab" * 32, "z") == owner
    assert claims.claim("cd" * 32, "z") == "z"
    assert file_access.tree(s3.at("run/claims")) == {f"ab/{'ab' * 32}": len(owner), f"cd/{'cd' * 32}": 1}


def test_the_hash_of_an_object(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"one")
    file_access.write(s3.at("papers/a"), b"one")
    assert sha256_of(s3.at("papers/a")) == sha256_of(tmp_path / "a")
    for place in (s3.at("papers"), str(tmp_path)):
        with pytest.raises(IsADirectoryError):
            sha256_of(place)
    with pytest.raises(FileNotFoundError):
        sha256_of(s3.at("papers/gone"))
    monkeypatch.setattr(paper_corpus, "_CHUNK", 2)
    assert sha256_of(s3.at("papers/a")) == sha256_of(tmp_path / "a"), "read in parts"
    file_access.write(s3.at("papers/empty"), b"")
    (tmp_path / "empty").touch()
    assert sha256_of(s3.at("papers/empty")) == sha256_of(tmp_path / "empty")


def test_settling_reads_only_papers_of_equal_size(s3: S3, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = {"b": b"one", "a": b"one", "c": b"two", "d": b"four"}
    for name, data in files.items():
        file_access.write(s3.at(f"papers/{name}"), data)
    read: list[str] = []

    def hashed(place: str) -> str:
        read.append(own_name(place))
        return sha256_of(place)

    monkeypatch.setattr(paper_corpus, "sha256_of", hashed)
    claims = Claims(s3.at("claims"))
    claims.settle([(name, s3.at(f"papers/{name}")) for name in (*files, "gone")] + [("folder", s3.at("papers"))])
    assert sorted(read) == ["a", "b", "c"] and not list(tmp_path.iterdir())
    assert claims.claim(sha256_of(s3.at("papers/b")), "b") == "a"
    assert claims.claim(sha256_of(s3.at("papers/c")), "z") == "z"


def test_settling_without_the_storage_ends(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_down(monkeypatch)
    with pytest.raises(StorageError):
        Claims(tmp_path).settle([("a", s3.at("a"))])
