from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ingest.arxiv import records
from data_juicer_ext.ingest.arxiv.records import Choice, read_lines, read_record

DEFAULT = Choice()
CC_BY = "http://creativecommons.org/licenses/by/4.0/"
RECORD = {
    "id": "2301.00001", "authors": "A. Author and B. Writer", "title": "A long\n  title", "comments": "12 pages",
    "categories": "cs.CL cs.LG", "license": CC_BY, "abstract": "  We show.", "update_date": "2023-01-03",
    "versions": [{"version": "v1", "created": "x"}, {"version": "v2", "created": "y"}],
}  # fmt: skip


def judged(choice: Choice = DEFAULT, **changes: Any) -> tuple[str, str]:
    record = read_record(json.dumps({**RECORD, **changes}).encode(), choice)
    assert record is not None
    return record.reason, record.detail


def test_a_record_becomes_a_paper_row() -> None:
    record = read_record(json.dumps(RECORD).encode(), Choice())
    assert record is not None and record.reason == ""
    assert record.row == {
        "paper_id": "2301.00001", "paper_path": "", "domain": "cs.CL", "licence": "cc-by-4.0", "licence_url": CC_BY,
        "title": "A long title", "authors": "A. Author and B. Writer", "categories": "cs.CL cs.LG", "version": "v2",
        "updated": "2023-01-03",
    }  # fmt: skip


def test_every_value_is_a_string_whatever_the_record_holds() -> None:
    for value in (None, 3, [], {}, ["a", 1], [None]):
        strange = {
            **RECORD,
            "title": value,
            "authors": value,
            "versions": value,
            "update_date": value,
            "comments": value,
        }
        record = read_record(json.dumps(strange).encode(), Choice())
        assert record is not None and all(isinstance(cell, str) for cell in record.row.values())


def test_the_default_takes_what_may_be_redistributed() -> None:
    assert judged() == ("", "")
    assert judged(license="http://creativecommons.org/publicdomain/zero/1.0/") == ("", "")
    assert judged(license="http://creativecommons.org/licenses/by-nc-sa/4.0/") == ("licence", "cc-by-nc-sa-4.0")
    assert judged(license="http://arxiv.org/licenses/nonexclusive-distrib/1.0/") == (
        "licence", "arxiv-nonexclusive-distrib-1.0"
    )  # fmt: skip
    assert judged(license=None) == judged(license="") == ("no_licence", "")


def test_other_licences_on_request() -> None:
    assert judged(Choice(("arxiv",))) == ("licence", "cc-by-4.0")
    assert judged(Choice(("cc-by", "none")), license=None) == ("", "")


@pytest.mark.parametrize(
    ("patterns", "cross_lists", "reason"),
    [
        (("cs.*",), False, ""),
        (("CS.cl",), False, ""),
        (("math.*", "cs.CL"), False, ""),
        (("cs.LG",), False, "category"),
        (("cs.LG",), True, ""),
        (("math.*",), True, "category"),
    ],
)
def test_categories(patterns: tuple[str, ...], cross_lists: bool, reason: str) -> None:
    assert judged(Choice(categories=patterns, cross_lists=cross_lists)) == (reason, "cs.CL" if reason else "")


@pytest.mark.parametrize(
    ("changes", "withdrawn"),
    [
        ({"comments": "This paper has been withdrawn by the author"}, True),
        ({"comments": "Withdrawn: error in lemma 2"}, True),
        ({"comments": "paper withdrawn due to an error"}, True),
        ({"abstract": "  This paper has been withdrawn."}, True),
        ({"comments": "Replaces a withdrawn note by others"}, False),
        ({"abstract": "We study money withdrawn from banks."}, False),
    ],
)
def test_withdrawn_papers(changes: dict[str, str], withdrawn: bool) -> None:
    assert judged(**changes)[0] == ("withdrawn" if withdrawn else "")


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b"3", b"{}", b'{"id": 3}', b'{"id": "x"}', b"\xff{}", b'{"a":' * 100_000]
)
def test_lines_that_are_no_record(line: bytes) -> None:
    assert read_record(line, Choice()) is None


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_lines_plain_and_compressed(tmp_path: Path, compress: Any) -> None:
    path = tmp_path / "metadata"
    path.write_bytes(compress(b'{"a": 1}\n\n{"b": 2}\n{"c": 3}'))
    assert [line and line.strip() for line in read_lines(path)] == [b'{"a": 1}', b'{"b": 2}', b'{"c": 3}']


def test_a_line_without_end_is_never_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_LONGEST_LINE", 100)
    path = tmp_path / "metadata"
    path.write_bytes(b'{"a": 1}\n{' + b"x" * 1000 + b"}\n" + b'{"b": 2}\n')
    assert list(read_lines(path)) == [b'{"a": 1}\n', None, b'{"b": 2}\n']


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match=r"no JSON Lines file: .*unpack it if it is a zip"):
        list(read_lines(path))
