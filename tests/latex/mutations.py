"""Papers damaged at random, the same way for the same seed.

    python -m tests.latex.mutations --papers FOLDER [--count 3000] [--seed 0]

Reads damaged copies of the papers in FOLDER and tells how many there were, which took longest, and
the seed of each whose figures are not what they have to be. Exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.paper import LatexExtraction, read_figures
from data_juicer_ext.rows import dump_figures, load_figures

_TOKENS = (
    "{ } [ ] \\ % $ & # ~ | $$ \\\\ \\% %% \\{ \\[ {} \r \x00 \x0c \u2028 \xe9 \udcff\udc80 \\begin{figure} "
    "\\end{figure} \\begin{subfigure} \\end{subfigure} \\begin{minipage} \\end{minipage} \\begin{comment} "
    "\\end{comment} \\begin{verbatim} \\end{verbatim} \\begin{table} \\end{document} \\begin{document} "
    "\\caption{ \\caption[ \\label{ \\subfloat[ \\includegraphics{ \\includegraphics[ \\ref{ \\cref{ "
    "\\hyperref[ \\iffalse \\iftrue \\else \\fi \\verb| \\verb \\input{ \\input{main} \\include{ \\def\\x{ "
    "\\def\\x#1#2 \\newcommand{\\x}[9]{ \\x \\let\\x\\y \\newif\\ifx \\section{ \\appendix \\par "
    "\\captionof{figure}{ \\footnote{ \\endinput \\foreach \\url{ \\href{ \\ifthenelse{ \\graphicspath{{ "
    "\\csname \\endcsname \\newenvironment{figure} \\renewcommand{\\thefigure}{\\thefigure}"
)
TOKENS = tuple(_TOKENS.split(" "))  # among them bytes that are no UTF-8, as surrogates
MOST_SECONDS = 5.0  # for a paper of 1 MB
_EVERYTHING = LatexOptions(granularity="panel", plain_numbers=True, dpi=20, max_side=64)


def mutated(text: str, dice: random.Random) -> str:
    """`text` with one to eight places deleted, doubled, swapped, overwritten, filled or cut off."""
    for _ in range(dice.randint(1, 8)):
        start, end = sorted(dice.randint(0, len(text)) for _ in range(2))
        end = min(end, start + dice.choice((3, 30, 300, 3000)))
        part, kind = text[start:end], dice.randrange(7)
        if kind == 0:
            text = text[:start] + text[end:]
        elif kind == 1:
            text = text[:end] + part * dice.choice((1, 1, 2, 20)) + text[end:]
        elif kind == 2:
            text = text[:start] + part[::-1] + text[end:]
        elif kind == 3:
            at = dice.randint(0, len(text))
            text = text[:at] + part + text[at:]
        elif kind == 4 and dice.random() < 0.2:
            text = text[:end]
        elif kind == 5:
            text = text[:start] + "".join(dice.choices(part or " ", k=len(part))) + text[end:]
        else:
            text = text[:start] + dice.choice(TOKENS) * dice.choice((1, 1, 1, 5, 200)) + text[start:]
    return text


def sources(paper: Path) -> dict[str, str]:
    """The text of a paper's LaTeX files; of all others only the names, with nothing in them."""
    files = sorted(path for path in paper.rglob("*") if path.is_file())
    return {
        path.relative_to(paper).as_posix(): path.read_text(errors="replace") if path.suffix in (".tex", ".sty") else ""
        for path in files
    }


def damaged(papers: Mapping[str, Mapping[str, str]], seed: int) -> dict[str, str]:
    """The files of one of the papers, one or two of its LaTeX files mutated."""
    dice = random.Random(seed)
    files = dict(papers[dice.choice(sorted(papers))])
    sizes = {name: len(text) for name, text in files.items() if text}
    for name in dice.choices(sorted(sizes), weights=[sizes[name] for name in sorted(sizes)], k=dice.randint(1, 2)):
        files[name] = mutated(files[name], dice)
        if dice.random() < 0.05:
            files[name] = files[name].replace("\n", "\r\n")
    return files


def read(files: Mapping[str, str], folder: Path) -> LatexExtraction:
    """What is found in a paper of these files, which are written to `folder`."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    return read_figures(folder, folder / ".images", _EVERYTHING)


def problems(found: LatexExtraction) -> Iterator[str]:
    """What is wrong with figures, whatever the paper: nothing, if all is well."""
    column = dump_figures(found.figures)
    if json.loads(column) != json.loads(dump_figures(load_figures(column))):
        yield "the figures column does not come back as it went"
    ids = [figure.figure_id for figure in found.figures]
    if len(set(ids)) != len(ids):
        yield "an id is given twice"
    for figure in found.figures:
        if not len(figure.context) == len(figure.context_places) == len(figure.section):
            yield f"{figure.figure_id}: paragraphs, places and headings are not as many"
        if not all(paragraph.strip() for paragraph in figure.context):
            yield f"{figure.figure_id}: a paragraph is empty"
        if figure.label != (figure.labels or [""])[0]:
            yield f"{figure.figure_id}: its label is not the first of its labels"
        if not all(":" in place for place in (*figure.context_places, figure.caption_place)):
            yield f"{figure.figure_id}: a place is no file and line"
    if not all(isinstance(note, str) for note in found.notes):
        yield "a note is no text"


def main() -> int:
    """Damage and read papers; 1 if any went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--papers", type=Path, required=True)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    papers = {path.name: sources(path) for path in sorted(given.papers.iterdir()) if path.is_dir()}
    figures, refused, wrong, slowest = 0, 0, 0, (0.0, 0, 0)
    for seed in range(given.seed, given.seed + given.count):
        files = damaged(papers, seed)
        with tempfile.TemporaryDirectory() as folder:
            start = time.process_time()
            try:
                found = read(files, Path(folder))
                told = list(problems(found))
                figures += len(found.figures)
            except PaperError:
                told, refused = [], refused + 1
            except Exception as error:  # the very thing that is looked for
                told = [f"{type(error).__name__}: {error}"]
            taken = time.process_time() - start
        size = sum(map(len, files.values()))
        if taken > MOST_SECONDS * max(size / 1e6, 0.2):
            told.append(f"{taken:.1f} s for {size} characters")
        slowest = max(slowest, (taken, seed, size))
        wrong += bool(told)
        for line in told:
            print(f"seed {seed}: {line}", flush=True)
    print(f"{given.count} damaged papers, {figures} figures, {refused} refused as no paper, {wrong} wrong; "
          f"the slowest took {slowest[0]:.2f} s (seed {slowest[1]}, {slowest[2] / 1000:.0f} kB)")  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
