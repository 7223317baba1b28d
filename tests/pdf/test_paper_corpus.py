"""Which rows of a corpus are taken, and who has a file that several rows share."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from data_juicer_ext.pdf.paper_corpus import Claims, CorpusRules, sha256_of

RULES = CorpusRules(2018, 2024)
PLAIN = {"venue": "ACL", "year": 2020}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (PLAIN, ""), ({"venue": "ACL", "year": "2018"}, ""), ({"venue": "ACL", "year": 2024.0}, ""),
        ({"venue": "ACL", "year": 2017}, "year_out_of_range"), ({"venue": "ACL", "year": "2025"}, "year_out_of_range"),
        ({"venue": "", "year": 2020}, "missing_metadata"), ({"venue": " ", "year": 2020}, "missing_metadata"),
        ({"venue": "ACL", "year": 0}, "missing_metadata"), ({"venue": "ACL"}, "missing_metadata"),
        ({"venue": "ACL", "year": "soon"}, "bad_year"), ({"venue": "ACL", "year": "1e999"}, "bad_year"),
    ],
)  # fmt: skip
def test_refusals(row: dict[str, object], reason: str) -> None:
    assert RULES.refusal(row)[0] == reason
    assert bool(RULES.refusal(row)[1]) == bool(reason)


def test_bounds_are_optional_and_so_is_metadata() -> None:
    assert CorpusRules().refusal({"venue": "ACL", "year": 1905}) == ("", "")
    assert CorpusRules(2018, 0, ()).refusal({}) == ("", "")
    assert CorpusRules(2018, 0, ()).refusal({"year": 2017})[0] == "year_out_of_range"
    assert "no venue and no year" in CorpusRules().refusal({})[1]


def test_the_first_has_a_file_for_good(tmp_path: Path) -> None:
    claims = Claims(tmp_path / "claims")
    assert claims.claim("ab" * 32, "b") == "b"
    assert claims.claim("ab" * 32, "a") == "b"
    assert Claims(tmp_path / "claims").claim("ab" * 32, "b") == "b"
    assert claims.claim("cd" * 32, "a") == "a"


def test_of_many_at_once_one_has_it(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    with ThreadPoolExecutor(16) as pool:
        owners = set(pool.map(lambda number: claims.claim("ab" * 32, f"p{number}"), range(64)))
    assert len(owners) == 1
    assert [path.name for path in (tmp_path / "ab").iterdir()] == ["ab" * 32]


def test_where_links_are_not_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def refused(*paths: object) -> None:
        tried.append(paths)
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refused)
    test_the_first_has_a_file_for_good(tmp_path)
    test_of_many_at_once_one_has_it(tmp_path / "more")
    assert tried


def test_a_claim_that_was_never_finished_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_juicer_ext.pdf.paper_corpus._WAIT_SECONDS", 0.0)
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / ("ab" * 32)).touch()
    claims = Claims(tmp_path)
    assert claims.claim("ab" * 32, "a") == "a"
    assert claims.claim("ab" * 32, "b") == "a"


def test_the_smallest_id_is_settled_before_the_run(tmp_path: Path) -> None:
    files = {"b": b"one", "a": b"one", "c": b"two", "d": b"four", "e": b""}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    claims = Claims(tmp_path / "claims")
    claims.settle([(name, tmp_path / name) for name in (*files, "gone", "nul\0")])
    assert claims.claim(sha256_of(tmp_path / "b"), "b") == "a"
    assert claims.claim(sha256_of(tmp_path / "c"), "z") == "z"
