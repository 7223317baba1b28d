"""`dj-ext ingest`: papers as archives hand them out, made into the rows that recipes take."""

import argparse
from pathlib import Path

from data_juicer_ext.ingest.arxiv.bulk_archives import IngestCounts, ingest
from data_juicer_ext.ingest.arxiv.folder import PAPERS, REFUSED
from data_juicer_ext.ingest.arxiv.records import Choice
from data_juicer_ext.ingest.licences import NAMES, REDISTRIBUTABLE, chosen

_REASONS = {
    "licence": "another licence",
    "no_licence": "no licence stated",
    "category": "another category",
    "not_in_metadata": "not in the metadata",
    "no_arxiv_id": "no arXiv id in the name",
    "no_file": "a link or a device",
    "withdrawn": "withdrawn",
    "empty": "empty",
    "pdf_only": "PDF only",
    "no_latex": "no LaTeX",
    "broken": "broken",
}


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with a part for each source of papers."""
    parts = commands.add_parser("ingest", help="make paper rows from bulk archives").add_subparsers(
        dest="part", required=True
    )
    arxiv = parts.add_parser("arxiv", help="from arXiv's bulk source tars and its metadata snapshot")
    add = arxiv.add_argument
    add("tars", nargs="+", type=Path, metavar="TAR", help="arXiv_src_YYMM_NNN.tar")
    add("--metadata", type=Path, required=True, metavar="FILE", help="JSON Lines: id, categories, license")
    add("--to", type=Path, required=True, metavar="FOLDER", help=f"gets {PAPERS}, papers/ and {REFUSED}")
    add(
        "--licence", default="", metavar="NAMES",
        help=f"of {', '.join(NAMES)}, or any; patterns such as cc-* (default: {','.join(REDISTRIBUTABLE)})",
    )  # fmt: skip
    add("--category", action="append", default=[], metavar="PATTERN", help="such as cs.CL or cs.*; may be repeated")
    add("--cross-lists", action="store_true", help="a pattern may match any category, not only the first")
    arxiv.set_defaults(run=_arxiv)


def _arxiv(given: argparse.Namespace) -> int:
    licences = chosen(given.licence or ",".join(REDISTRIBUTABLE))
    choice = Choice(licences, tuple(sorted(set(given.category))), given.cross_lists)
    print(f"licences taken: {', '.join(licences)} ({_about(licences, given.licence)})", flush=True)
    try:
        counts = ingest(given.tars, given.metadata, given.to, choice, lambda text: print(text, flush=True))
    except KeyboardInterrupt:
        print("Interrupted; the same command goes on.")
        return 130
    print("\n".join(_lines(given.to, counts)))
    return 1 if counts.broken else 0


def _about(licences: tuple[str, ...], given: str) -> str:
    if not given:
        return "the default: they allow redistribution; --licence names others, --licence any takes all"
    if others := [name for name in licences if name not in REDISTRIBUTABLE]:
        return f"{', '.join(others)}: do not pass on what is made from these papers without a look at the licence"
    return "they allow redistribution"


def _lines(folder: Path, counts: IngestCounts) -> list[str]:
    lines = [f"{counts.taken} papers taken" + f", {counts.before} were there before" * bool(counts.before)]
    lines.append(f"{counts.refused.total()} files refused ({folder / REFUSED} names each):" if counts.refused else "")
    for (reason, detail), number in counts.refused.most_common():
        lines.append(f"  {number:>8}  {_REASONS[reason]}{f': {detail}' if detail else ''}")
    lines += counts.broken
    if counts.taken or counts.before:
        lines.append(f"next: DJ_EXT_PAPER_ROOT={folder} dj-ext check RECIPE --dataset {folder / PAPERS}")
    return [line for line in lines if line]
