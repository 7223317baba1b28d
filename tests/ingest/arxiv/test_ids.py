from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.ingest.arxiv.ids import ArxivId, read_id, read_member


@pytest.mark.parametrize(
    ("text", "plain", "month", "file_name"),
    [
        ("2301.00001", "2301.00001", "2301", "2301.00001"),
        ("0704.0001", "0704.0001", "0704", "0704.0001"),
        ("arXiv:2301.00001v12", "2301.00001", "2301", "2301.00001"),
        ("hep-th/9901001", "hep-th/9901001", "9901", "hep-th9901001"),
        ("hep-th9901001", "hep-th/9901001", "9901", "hep-th9901001"),
        ("math/0501001v2", "math/0501001", "0501", "math0501001"),
        ("math.GT/0309136", "math/0309136", "0309", "math0309136"),
    ],
)
def test_one_paper_has_one_identifier(text: str, plain: str, month: str, file_name: str) -> None:
    found = read_id(text)
    assert found == ArxivId(plain, month)
    assert found is not None and found.file_name == file_name


@pytest.mark.parametrize(
    "text", ["", "2301", "2301.1", "2301.00001.gz", "math", "../0501001", "math/050100", "ma\u017fk/0501001"]
)
def test_what_is_no_identifier(text: str) -> None:
    assert read_id(text) is None


@given(st.text(st.sampled_from("./\\math0501v:-K\u212a\n"), max_size=20))
def test_file_names_are_harmless(text: str) -> None:
    found = read_id(text)
    assert found is None or re.fullmatch(r"[a-z0-9.-]+", found.file_name + found.month, re.ASCII)


@pytest.mark.parametrize(
    ("name", "paper_id", "suffix"),
    [
        ("2301/2301.00001.gz", "2301.00001", ".gz"),
        ("2301.00001.pdf", "2301.00001", ".pdf"),
        ("0501/math0501001.gz", "math/0501001", ".gz"),
        ("2301/2301.00001v2.tar.gz", "2301.00001", ".tar.gz"),
        ("../../2301.00001.gz", "2301.00001", ".gz"),
        ("2301/readme.txt", None, ""),
        ("2301/notes.gz", None, ".gz"),
        ("2301", None, ""),
    ],
)
def test_members_of_a_bulk_tar(name: str, paper_id: str | None, suffix: str) -> None:
    paper, found = read_member(name)
    assert (paper.text if paper else None, found) == (paper_id, suffix)
