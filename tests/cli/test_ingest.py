from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from data_juicer_ext.cli.main import main
from tests.host import REPO
from tests.latex.archives import FILES, LATEX, member, tar_of

CC_BY = "http://creativecommons.org/licenses/by/4.0/"
ARXIV = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    files = {"2301.00001.gz": tar_of(FILES), "2301.00002.gz": gzip.compress(LATEX.encode())}
    tar = b"".join(member(f"2301/{name}".encode(), data) for name, data in files.items()) + bytes(1024)
    Path("bulk.tar").write_bytes(tar)
    records = [{"id": "2301.00001", "license": CC_BY, "categories": "cs.CL"},
               {"id": "2301.00002", "license": ARXIV, "categories": "cs.LG"}]  # fmt: skip
    Path("m.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return ["ingest", "arxiv", "bulk.tar", "--metadata", "m.jsonl", "--to", "out"]


def licences() -> list[str]:
    return [json.loads(line)["licence"] for line in Path("out/papers.jsonl").read_text().splitlines()]


def test_the_default_is_said(inputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(inputs) == 0
    said = capsys.readouterr().out
    assert "licences taken: cc-by, cc-by-sa, cc0 (the default: they allow redistribution;" in said
    assert "1 papers taken" in said and "1  another licence: arxiv-nonexclusive-distrib-1.0" in said
    assert "DJ_EXT_PAPER_ROOT=out dj-ext check RECIPE --dataset out/papers.jsonl" in said
    assert licences() == ["cc-by-4.0"]


def test_other_licences_come_with_a_warning(inputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*inputs, "--licence", "arxiv,cc-by", "--category", "cs.*"]) == 0
    assert "licences taken: cc-by, arxiv (arxiv: do not pass on" in capsys.readouterr().out
    assert licences() == ["cc-by-4.0", "arxiv-nonexclusive-distrib-1.0"]


def test_categories(inputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*inputs, "--licence", "any", "--category", "cs.LG", "--category", "math.*"]) == 0
    assert "1  another category" in capsys.readouterr().out
    assert licences() == ["arxiv-nonexclusive-distrib-1.0"]


def test_a_broken_tar_is_an_exit_code(inputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("bulk.tar").write_bytes(Path("bulk.tar").read_bytes()[:-1200])
    assert main(inputs) == 1
    assert "bulk.tar is broken" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (["--licence", "cc-bi"], "'cc-bi' is none of cc-by, cc-by-sa"),
        (["--metadata", "gone.jsonl"], "there is no file gone.jsonl"),
        (["--metadata", "bulk.tar"], "bulk.tar is no JSON Lines file"),
    ],
)
def test_wrong_use(inputs: list[str], changes: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*inputs, *changes]) == 2
    assert says in capsys.readouterr().err


def test_the_documented_example(tmp_path: Path) -> None:
    text = (REPO / "docs" / "ingest.md").read_text(encoding="utf-8")
    script, expected = re.findall(r"```(?:bash|text)\n(.*?)```", text, re.DOTALL)[:2]
    (tmp_path / "examples").symlink_to(REPO / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", script], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert done.stderr == "" and done.stdout == expected
    (row,) = map(json.loads, (tmp_path / "ingested" / "papers.jsonl").read_text().splitlines())
    assert row["licence"] == "cc-by-4.0" and (tmp_path / "ingested" / row["paper_path"]).is_file()
