"""How fast LaTeX papers are read, and whether hard input costs more than its size.

    python -m benchmarks.latex --papers FOLDER [--only papers hard large] [--rounds 5]

`papers`: each folder in FOLDER, packed as .tar.gz, from the archive to its figures, in papers a
second; image files are found, but not rasterised. Beside it, in the same run and by turns, the chain
that Data-Juicer has for LaTeX: merge, remove comments, expand macros, remove the bibliography, extract.
It gives captions as TeX, so that ours is measured without their conversion to plain text as well.
Compiled patterns are forgotten before each round, since of a paper that is read once none can be kept;
what they are worth shows when the same papers are read again.
`hard`: each kind of `tests.latex.hard_inputs`, and twice as much of it. `large`: 5,000 figures, 2 MB.

Times are CPU seconds of this process, medians of the rounds. Exits with 1 where a bound is broken.
"""

from __future__ import annotations

import argparse
import gc
import logging
import re
import resource
import statistics
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from data_juicer_ext.latex import figure_objects
from data_juicer_ext.latex.floats import figure_images
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.paper import read_figures
from data_juicer_ext.latex.text import caption_text
from data_juicer_ext.rows import dump_figures
from tests.latex.hard_inputs import ALL, FIGURES, Hard, prose

LEAST_RATE = 25.0  # papers per second
MOST_GROWTH = 2.4  # of the time, for twice the input
MEASURABLE = 0.02  # seconds; below it a ratio says nothing
MOST_SECONDS = 3.0  # for 5,000 figures, and for 2 MB
MOST_MEMORY = 1000.0  # MB
CHAIN = ("latex_merge_tex_mapper", "remove_comments_mapper", "expand_macro_mapper", "remove_bibliography_mapper",
         "latex_figure_context_extractor_mapper")  # fmt: skip
OURS, AS_TEX, CHAIN_NAME = "ours", "ours, captions as TeX", "Data-Juicer's chain"
EVERY_PANEL = LatexOptions(granularity="panel")


class Report:
    """Lines on screen; `broken` counts the bounds that were broken."""

    def __init__(self) -> None:
        self.broken = 0

    def line(self, name: str, told: str, holds: bool = True) -> None:
        """One measurement."""
        self.broken += not holds
        print(f"{name:<42} {told}{'' if holds else '   TOO MUCH'}", flush=True)


def seconds(work: Callable[[], Any]) -> float:
    """CPU seconds of one call."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def memory() -> float:
    """The most memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def pack(papers: Path, folder: Path) -> list[Path]:
    """An archive in `folder` for each folder in `papers`."""
    packed = []
    for paper in sorted(path for path in papers.iterdir() if path.is_dir()):
        packed.append(folder / f"{paper.name}.tar.gz")
        with tarfile.open(packed[-1], "w:gz") as archive:
            archive.add(paper, arcname=".")
    return packed


def ours(archives: Sequence[Path], folder: Path, plain: bool) -> None:
    """Archives to figures, without rasterising, and on request without plain captions."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(figure_images.PaperImages, "_make", lambda self, source, view: (source, "")))
        if not plain:
            stack.enter_context(patch.object(figure_objects.PaperText, "plain", lambda self, tex: tex))
        for archive in archives:
            read_figures(archive, folder / "images")


def upstream() -> tuple[Callable[[Sequence[Path]], None], Callable[[], None]]:
    """Data-Juicer's own chain over archives, and what makes it forget."""
    import regex  # type: ignore[import-untyped]
    from data_juicer.ops import load_ops
    from loguru import logger

    logger.remove()
    merge, *rest = load_ops([{name: {}} for name in CHAIN])

    def forget() -> None:
        regex.purge()
        rest[-1]._citation_pattern_cache.clear()

    def run(archives: Sequence[Path]) -> None:
        for archive in archives:
            row = merge.process_single({"compressed_file": str(archive), "text": ""})
            samples = {key: [value] for key, value in row.items()}
            for operator in rest:
                samples = operator.process_batched(samples)

    return run, forget


def forget() -> None:
    """Forget compiled patterns and converted captions, which a paper that is read once does not find."""
    re.purge()
    caption_text._to_text.cache_clear()


def papers(report: Report, source: Path, rounds: int) -> None:
    """Papers a second: ours, ours without plain captions, and Data-Juicer's chain."""
    chain, forget_chain = upstream()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archives = pack(source, folder)
        kinds: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
            OURS: (lambda: ours(archives, folder, plain=True), forget),
            AS_TEX: (lambda: ours(archives, folder, plain=False), forget),
            CHAIN_NAME: (lambda: chain(archives), forget_chain),
        }
        first: dict[str, list[float]] = {kind: [] for kind in kinds}
        again: dict[str, list[float]] = {kind: [] for kind in kinds}
        for _ in range(rounds):
            for kind, (work, forget_all) in kinds.items():
                forget_all()
                first[kind].append(seconds(work))
                again[kind].append(seconds(work))
    rates = {kind: len(archives) / statistics.median(first[kind]) for kind in kinds}
    least = {OURS: LEAST_RATE, AS_TEX: rates[CHAIN_NAME], CHAIN_NAME: 0.0}
    for kind, rate in rates.items():
        known = len(archives) / statistics.median(again[kind])
        report.line(kind, f"{rate:6.1f} papers per second, {known:6.1f} when read again", rate >= least[kind])
    report.line("memory, Data-Juicer's chain included", f"{memory():6.0f} MB")


def reading(files: dict[str, str], folder: Path) -> Callable[[], Any]:
    """Reads a paper of these files, to its figures column."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return lambda: dump_figures(read_figures(folder, folder / "images", EVERY_PANEL).figures)


def hard(report: Report, rounds: int) -> None:
    """Each kind of hard input at a size that takes measurable time, and at twice that."""
    with tempfile.TemporaryDirectory() as name:
        for kind in ALL:
            _double(report, kind, Path(name) / kind.name.replace(" ", "-"), rounds)
    report.line("memory after hard input", f"{memory():6.0f} MB", memory() <= MOST_MEMORY)


def _double(report: Report, kind: Hard, folder: Path, rounds: int) -> None:
    size = kind.size
    work = reading(kind.files(size), folder / "1")
    while (first := seconds(work)) < MEASURABLE and size < 32 * kind.size:
        size *= 2
        work = reading(kind.files(size), folder / str(size))
    twice = reading(kind.files(2 * size), folder / "twice")
    pairs = [(seconds(work), seconds(twice)) for _ in range(rounds)]
    single, double = (statistics.median(times) for times in zip(*pairs, strict=True))
    growth = double / single
    length = sum(map(len, kind.files(size).values())) / 1000
    told = f"{length:7.0f} kB {single:7.3f} s, twice {double:7.3f} s   x {growth:4.2f}"
    report.line(kind.name, told, growth <= MOST_GROWTH or double < MEASURABLE or first < MEASURABLE)


def large(report: Report, rounds: int) -> None:
    """Papers as long as they get."""
    for name, files in (("5,000 figures", FIGURES.files(5000)), ("2 MB with figures", prose(2_000_000))):
        with tempfile.TemporaryDirectory() as folder:
            work = reading(files, Path(folder) / "paper")
            taken = statistics.median(seconds(work) for _ in range(rounds))
        length = sum(map(len, files.values())) / 1000
        report.line(name, f"{length:7.0f} kB {taken:7.3f} s", taken <= MOST_SECONDS)
    report.line("memory after large papers", f"{memory():6.0f} MB", memory() <= MOST_MEMORY)


def main() -> int:
    """Measure what was asked for; 1 if a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--papers", type=Path, help="a folder with a folder for each paper")
    parser.add_argument("--only", nargs="*", choices=("large", "hard", "papers"), default=["large", "hard", "papers"])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    report = Report()
    if "large" in given.only:
        large(report, given.rounds)
    if "hard" in given.only:
        hard(report, given.rounds)
    if "papers" in given.only:
        if given.papers is None:
            parser.error("--papers is needed to measure papers")
        papers(report, given.papers, given.rounds)
    return 1 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
