"""A bulk tar and its metadata as papers, refusals, and what a second run makes of them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ingest.arxiv import bulk_archives
from data_juicer_ext.ingest.arxiv.bulk_archives import IngestCounts, ingest
from data_juicer_ext.ingest.arxiv.records import Choice
from data_juicer_ext.latex.paper import read_figures
from tests.latex.archives import FILES, LATEX, header, member, tar_of
from tests.latex.papers import pdf

DEFAULT = Choice()
CC = "http://creativecommons.org/licenses/{}/4.0/"
ARXIV = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
PAPER = tar_of(FILES)
MEMBERS = {
    "2301/2301.00001.gz": PAPER,
    "2301/2301.00002.gz": gzip.compress(LATEX.encode()),
    "2301/2301.00003.gz": PAPER,
    "2301/2301.00004.gz": PAPER,
    "2301/2301.00005.pdf": pdf(),
    "2301/2301.00006.gz": gzip.compress(b"%auto-ignore\n"),
    "2301/2301.00007.gz": b"",
    "2301/2301.00008.gz": PAPER,
    "2301/readme.txt": b"words",
    "0501/math0501001.gz": PAPER,
}
RECORDS: list[dict[str, Any]] = [
    {"id": "2301.00001", "categories": "cs.CL cs.LG", "license": CC.format("by")},
    {"id": "2301.00002", "categories": "math.AG", "license": CC.format("by-sa")},
    {"id": "2301.00003", "categories": "cs.CL", "license": ARXIV},
    {"id": "2301.00004", "categories": "cs.CL", "license": None},
    *({"id": f"2301.0000{n}", "categories": "cs.CL", "license": CC.format("by")} for n in (5, 6, 7)),
    {"id": "math/0501001", "categories": "math.AG", "license": CC.format("by")},
    {"id": "2301.00099", "categories": "cs.CL", "license": CC.format("by")},
]  # fmt: skip
REFUSED = {
    "2301.00003": ("licence", "arxiv-nonexclusive-distrib-1.0"), "2301.00004": ("no_licence", ""),
    "2301.00005": ("pdf_only", ""), "2301.00006": ("withdrawn", ""), "2301.00007": ("empty", ""),
    "2301.00008": ("not_in_metadata", ""), "": ("no_arxiv_id", ""),
}  # fmt: skip


@pytest.fixture
def tar(tmp_path: Path) -> Path:
    data = header(b"2301/", kind=b"5") + b"".join(member(name.encode(), data) for name, data in MEMBERS.items())
    (tmp_path / "arXiv_src_2301_001.tar").write_bytes(data + bytes(1024))
    return tmp_path / "arXiv_src_2301_001.tar"


@pytest.fixture
def metadata(tmp_path: Path) -> Path:
    return write_metadata(tmp_path / "metadata.jsonl", RECORDS)


def write_metadata(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def take(tars: list[Path], metadata: Path, folder: Path, choice: Choice = DEFAULT) -> IngestCounts:
    return ingest(tars, metadata, folder, choice, lambda text: None)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def state(folder: Path) -> dict[str, bytes]:
    """Every file that a run leaves, by path, but the index and the lock."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in ("metadata.sqlite", ".lock"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_papers_become_rows_with_their_licence(tmp_path: Path, tar: Path, metadata: Path) -> None:
    counts = take([tar], metadata, tmp_path / "out")
    papers = rows(tmp_path / "out" / "papers.jsonl")
    assert [(row["paper_id"], row["domain"], row["licence"]) for row in papers] == [
        ("2301.00001", "cs.CL", "cc-by-4.0"), ("2301.00002", "math.AG", "cc-by-sa-4.0"),
        ("math/0501001", "math.AG", "cc-by-4.0"),
    ]  # fmt: skip
    assert [row["paper_path"] for row in papers] == [
        "papers/2301/2301.00001.gz", "papers/2301/2301.00002.gz", "papers/0501/math0501001.gz"
    ]  # fmt: skip
    assert len({tuple(row) for row in papers}) == 1 and counts.taken == 3
    for row in papers:
        assert len(read_figures(tmp_path / "out" / row["paper_path"], tmp_path / "images").figures) == 1


def test_source_files_are_written_as_they_are(tmp_path: Path, tar: Path, metadata: Path) -> None:
    take([tar], metadata, tmp_path / "out")
    written = {name: data for name, data in state(tmp_path / "out").items() if name.startswith("papers/")}
    taken = ("2301/2301.00001.gz", "2301/2301.00002.gz", "0501/math0501001.gz")
    assert written == {f"papers/{name}": MEMBERS[name] for name in taken}


def test_every_other_file_is_refused_with_its_reason(tmp_path: Path, tar: Path, metadata: Path) -> None:
    counts = take([tar], metadata, tmp_path / "out")
    refused = rows(tmp_path / "out" / "refused.jsonl")
    assert {row["paper_id"]: (row["reason"], row["detail"]) for row in refused} == REFUSED
    assert {row["member"] for row in refused} < set(MEMBERS) and {row["tar"] for row in refused} == {tar.name}
    assert counts.refused.total() == len(refused) == len(MEMBERS) - counts.taken == len(REFUSED)
    assert counts.refused["licence", "arxiv-nonexclusive-distrib-1.0"] == 1


def test_a_second_run_writes_nothing(tmp_path: Path, tar: Path, metadata: Path) -> None:
    first = take([tar], metadata, tmp_path / "out")
    before = state(tmp_path / "out")
    second = take([tar], metadata, tmp_path / "out")
    assert state(tmp_path / "out") == before
    assert (second.taken, second.before, second.refused) == (0, first.taken, first.refused)


@pytest.mark.parametrize("stop", range(1, 5))
def test_a_stopped_run_ends_like_one_that_was_not(
    tmp_path: Path, tar: Path, metadata: Path, stop: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    take([tar], metadata, tmp_path / "whole")
    real, calls = bulk_archives._copy, 0

    def copy(member: Any, target: Path) -> None:
        nonlocal calls
        calls += 1
        real(member, target)
        if calls == stop:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(bulk_archives, "_copy", copy)
        with pytest.raises(KeyboardInterrupt):
            take([tar], metadata, tmp_path / "out")
    with (tmp_path / "out" / "papers.jsonl").open("a") as torn:
        torn.write('{"paper_id": "2301.0')
    take([tar], metadata, tmp_path / "out")
    assert state(tmp_path / "out") == state(tmp_path / "whole")


def test_a_paper_in_two_tars_is_taken_once(tmp_path: Path, tar: Path, metadata: Path) -> None:
    again = tmp_path / "arXiv_src_2301_002.tar"
    again.write_bytes(member(b"2301/2301.00001v2.gz", PAPER) + member(b"2301/2301.00099.gz", PAPER) + bytes(1024))
    counts = take([tar, again], metadata, tmp_path / "out")
    assert (counts.taken, counts.before) == (4, 1)
    ids = [row["paper_id"] for row in rows(tmp_path / "out" / "papers.jsonl")]
    assert ids == ["2301.00001", "2301.00002", "math/0501001", "2301.00099"]


def test_newer_metadata_judges_what_was_refused_again(tmp_path: Path, tar: Path, metadata: Path) -> None:
    take([tar], metadata, tmp_path / "out")
    changed = [{**record, "license": CC.format("by")} if record["id"] == "2301.00003" else record for record in RECORDS]
    changed += [{"id": "2301.00008", "categories": "cs.CL", "license": None}]
    counts = take([tar], write_metadata(metadata, changed), tmp_path / "out")
    assert (counts.taken, counts.before) == (1, 3)
    assert rows(tmp_path / "out" / "papers.jsonl")[-1]["paper_id"] == "2301.00003"
    refused = {row["paper_id"]: row["reason"] for row in rows(tmp_path / "out" / "refused.jsonl")}
    assert "2301.00003" not in refused and refused["2301.00008"] == "no_licence"
    assert len(rows(tmp_path / "out" / "refused.jsonl")) == len(refused) == 6


def test_a_folder_belongs_to_one_choice(tmp_path: Path, tar: Path, metadata: Path) -> None:
    take([tar], metadata, tmp_path / "out")
    before = state(tmp_path / "out")
    with pytest.raises(ValueError, match=r"filled by --licence cc-by,cc-by-sa,cc0, this is --licence arxiv --category"):
        take([tar], metadata, tmp_path / "out", Choice(("arxiv",), ("cs.*",)))
    assert state(tmp_path / "out") == before


def test_a_folder_serves_one_process_at_a_time(tmp_path: Path, tar: Path, metadata: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from data_juicer_ext.runs.folder_lock import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "out")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline()
        with pytest.raises(ValueError, match="another process works in this folder"):
            take([tar], metadata, tmp_path / "out")
        holder.communicate()
    assert take([tar], metadata, tmp_path / "out").taken == 3


@pytest.mark.parametrize("cut", [300, 600])
def test_a_tar_that_is_cut_off_gives_what_stands_before(tmp_path: Path, tar: Path, metadata: Path, cut: int) -> None:
    whole = tar.read_bytes()
    tar.write_bytes(whole[: whole.index(b"2301/2301.00003.gz") + cut])
    counts = take([tar], metadata, tmp_path / "out")
    (told,) = counts.broken
    assert counts.taken == 2 and tar.name in told and "in the middle of" in told
    tar.write_bytes(whole)
    assert take([tar], metadata, tmp_path / "out").taken == 1


def test_members_of_a_hostile_tar(tmp_path: Path, metadata: Path) -> None:
    tar = tmp_path / "evil.tar"
    link = header(b"2301/2301.00001.gz", kind=b"2")
    climbing = member(b"../../../2301.00002.gz", gzip.compress(LATEX.encode()))
    tar.write_bytes(link + climbing + bytes(1024))
    counts = take([tar], metadata, tmp_path / "out")
    assert counts.refused == {("no_file", ""): 1} and counts.taken == 1
    assert rows(tmp_path / "out" / "papers.jsonl")[0]["paper_path"] == "papers/2301/2301.00002.gz"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evil.tar", "metadata.jsonl", "out"]


@pytest.mark.parametrize("missing", ["tar", "metadata"])
def test_files_that_are_not_there(tmp_path: Path, tar: Path, metadata: Path, missing: str) -> None:
    {"tar": tar, "metadata": metadata}[missing].unlink()
    with pytest.raises(ValueError, match="there is no file"):
        take([tar], metadata, tmp_path / "out")
    assert not (tmp_path / "out").exists()
