"""How fast PDFs are read on two cores, beside pymupdf4llm over the same files, and the memory a long one takes.

    python -m benchmarks.pdf FILE.pdf ... [--processes 2] [--no-memory] [--only figures pymupdf4llm]

Each line: pages per second from the first file begun to the last one done, in as many processes as are told, each
with files of its own; what loading the libraries takes is not counted. `figures` is everything that
`pdf_figure_context_mapper` does with a paper, images at 300 dots an inch included; `pymupdf4llm` makes Markdown
of it. Both use the same layout model. Then the peak memory of one process over generated PDFs of 250, 500 and
1,000 pages, with a figure on every fourth one: it is bounded where it grows far less than the pages do.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

WORDS = "We measure how the rate of the reaction depends on the temperature of the vessel and on its walls. " * 30
LENGTHS = (250, 500, 1000)


def read_figures(path: str, folder: str) -> None:
    """A paper as the operator reads it."""
    from data_juicer_ext.pdf.paper import PdfOptions
    from data_juicer_ext.pdf.paper import read_figures as read

    read(Path(path), Path(folder), PdfOptions(seconds=3600))


def to_markdown(path: str, folder: str) -> None:
    """A paper as Markdown, without images and OCR."""
    import pymupdf4llm

    pymupdf4llm.to_markdown(path, show_progress=False, use_ocr=False)


READERS: dict[str, Callable[[str, str], None]] = {"figures": read_figures, "pymupdf4llm": to_markdown}


def page_counts(paths: Sequence[str]) -> dict[str, int]:
    """How many pages each file has."""
    import pymupdf

    counts = {}
    for path in paths:
        with pymupdf.open(path) as document:
            counts[path] = document.page_count
    return counts


def shares(counts: dict[str, int], processes: int) -> list[list[str]]:
    """The files dealt out so that all processes have about as many pages, the longest first."""
    dealt: list[list[str]] = [[] for _ in range(processes)]
    for path in sorted(counts, key=lambda path: -counts[path]):
        min(dealt, key=lambda share: sum(counts[known] for known in share)).append(path)
    return [share for share in dealt if share]


def work(reader: str, share: Sequence[str], warm: str, barrier: Any, times: Any) -> None:
    """One process: what the first paper loads first, then its share of the files between two times."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        READERS[reader](warm, folder)
        barrier.wait()
        start = time.monotonic()
        for path in share:
            READERS[reader](path, folder)
        times.put((start, time.monotonic()))


def measure_speed(reader: str, paths: Sequence[str], processes: int) -> None:
    """Print the pages per second of a reader."""
    counts = page_counts(paths)
    dealt = shares(counts, processes)
    context = multiprocessing.get_context("spawn")
    barrier, times = context.Barrier(len(dealt)), context.Queue()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        warm = generated(Path(folder) / "warm.pdf", 1)
        workers = [context.Process(target=work, args=(reader, share, warm, barrier, times)) for share in dealt]
        for worker in workers:
            worker.start()
        spans = [times.get() for _ in workers]
        for worker in workers:
            worker.join()
    seconds = max(end for _, end in spans) - min(start for start, _ in spans)
    pages = sum(counts.values())
    print(f"{reader:<12} {pages:>5} pages of {len(counts)} files in {len(dealt)} processes  {seconds:>6.1f} s"
          f"  {pages / seconds:>5.2f} pages/s", flush=True)  # fmt: skip


def generated(path: Path, pages: int) -> str:
    """A PDF with a figure on every fourth page, written to `path`."""
    import pymupdf

    document = pymupdf.open()
    for number in range(pages):
        page = document.new_page()
        has_figure = number % 4 == 0
        if has_figure:
            page.draw_rect((100, 80, 400, 300), color=(0, 0, 1), fill=(0.8, 0.8, 1))
            for step in range(60):
                page.draw_line((100, 80 + step), (400, 300 - step), color=(1, 0, 0))
            page.insert_text((100, 325), f"Figure {number // 4 + 1}: The rate in run {number}.", fontsize=9)
        page.insert_textbox((72, 350 if has_figure else 80, 520, 740), f"Run {number}. {WORDS}"[:2200], fontsize=10)
    document.save(str(path), garbage=0, deflate=True)
    return str(path)


def measure_memory(pages: int) -> None:
    """Print the peak memory of this process over a PDF of `pages` pages."""
    from data_juicer_ext.pdf.document import read

    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        data = Path(generated(Path(folder) / "long.pdf", pages)).read_bytes()
    start = time.monotonic()
    found, _ = read(data, 36_000.0, 10**6, 1, True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory       {pages:>5} pages, {len(found['figures'])} figures found  {time.monotonic() - start:>6.1f} s"
          f"  peak {peak:.0f} MB", flush=True)  # fmt: skip


def main() -> None:
    """Speed of each reader, then memory, each length in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=list(READERS), choices=list(READERS))
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--pages", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if given.pages:
        return measure_memory(given.pages)
    for reader in given.only if given.files else ():
        measure_speed(reader, given.files, given.processes)
    for pages in () if given.no_memory else LENGTHS:
        subprocess.run([sys.executable, "-m", "benchmarks.pdf", "--pages", str(pages)], check=True)
    return None


if __name__ == "__main__":
    main()
