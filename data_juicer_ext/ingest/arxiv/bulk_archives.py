"""arXiv's bulk source archives and its metadata snapshot, made into paper rows with their licence.

Source archives: `arXiv_src_YYMM_NNN.tar` with one file per paper, `YYMM/ID.gz` (a gzipped tar or one gzipped
TeX file) or `YYMM/ID.pdf`. Metadata: JSON Lines with `id`, `categories`, `license`, and more.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from data_juicer_ext.errors import UsageError
from data_juicer_ext.ingest.arxiv.folder import INDEX, ArxivFolder
from data_juicer_ext.ingest.arxiv.ids import read_member
from data_juicer_ext.ingest.arxiv.index import MetadataIndex, open_index
from data_juicer_ext.ingest.arxiv.records import Choice, Record
from data_juicer_ext.ingest.arxiv.source_kind import why_not_latex
from data_juicer_ext.latex.source.tar_members import TarError, TarMember, tar_members
from data_juicer_ext.rows import scrub

_CHUNK = 1 << 20


@dataclass
class IngestCounts:
    """What became of the files in the tars: `taken` now, there `before`, and refused by reason and detail.

    `broken` holds a sentence for each tar that could not be read to its end.
    """

    taken: int = 0
    before: int = 0
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    @property
    def seen(self) -> int:
        """All files that were looked at."""
        return self.taken + self.before + self.refused.total()


def ingest(
    tars: Sequence[Path], metadata: Path, folder: Path, choice: Choice, say: Callable[[str], None] = print
) -> IngestCounts:
    """Take the papers of `tars` that `choice` allows into `folder`.

    `folder` gets `papers.jsonl` (paper rows, `paper_path` relative to `folder`), `papers/YYMM/` with the source files
    as they are, and `refused.jsonl` with a reason for every other file. A second run takes nothing twice. Raises
    UsageError for wrong metadata or a folder of another choice, OSError for a file that cannot be read or written.
    """
    for path in (*tars, metadata):
        if not path.is_file():
            raise UsageError(f"there is no file {path}")
    counts = IngestCounts()
    with ArxivFolder(folder, choice) as output, closing(open_index(folder / INDEX, metadata, choice, say)) as index:
        say(
            f"{metadata}: {index.records:,} records"
            + f", {index.unreadable:,} lines unreadable" * bool(index.unreadable)
        )
        for path in tars:
            before, taken = counts.seen, counts.taken
            _read_tar(path, output, index, counts)
            say(f"{path}: {counts.seen - before} files, {counts.taken - taken} papers taken")
    return counts


def _read_tar(path: Path, output: ArxivFolder, index: MetadataIndex, counts: IngestCounts) -> None:
    try:
        with path.open("rb") as file:
            for member in tar_members(file):
                if not member.is_folder:
                    _judge(path, member, output, index, counts)
    except TarError as error:
        counts.broken.append(f"{path} is broken ({error}); what stood before is taken, fetch it again for the rest")


def _judge(tar: Path, member: TarMember, output: ArxivFolder, index: MetadataIndex, counts: IngestCounts) -> None:
    paper, suffix = read_member(member.name)
    if paper is not None and output.has(paper.text):
        counts.before += 1
        return
    record = index.find(paper.text) if paper is not None else None
    reason, detail = _refusal(member, record, suffix)
    if paper is None:
        reason, detail = "no_arxiv_id", ""
    elif record is not None and not reason:
        with output.part_file() as part:
            _copy(member, part)
            reason, detail = why_not_latex(part)
            if not reason:
                output.take(paper, record.row, part, suffix)
                counts.taken += 1
                return
    counts.refused[reason, detail if reason == "licence" else ""] += 1
    output.refuse({"paper_id": paper.text if paper else "", "reason": reason, "detail": detail,
                   "tar": tar.name, "member": scrub(member.name)})  # fmt: skip


def _refusal(member: TarMember, record: Record | None, suffix: str) -> tuple[str, str]:
    """Why a file is refused before it is looked into, and a detail; ("", "") if it is not."""
    if record is None:
        return "not_in_metadata", ""
    if record.reason:
        return record.reason, record.detail
    if member.refusal:
        return "no_file", member.refusal
    if member.size == 0:
        return "empty", ""
    return ("pdf_only", "") if suffix == ".pdf" else ("", "")


def _copy(member: TarMember, target: Path) -> None:
    with target.open("wb") as out:
        while chunk := member.read(_CHUNK):
            out.write(chunk)
