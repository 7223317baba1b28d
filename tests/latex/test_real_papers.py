"""Six real papers: what is found in them, where it stands, and where their PDFs show it.

The papers are no part of the project; they lie beside the checkout, where they are at all.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from dataclasses import asdict
from typing import Any

import pytest

from data_juicer_ext.latex.paper import LatexExtraction, LatexOptions, read_figures
from data_juicer_ext.latex.source.encoding import decode
from data_juicer_ext.pdf.known_figures import locate
from tests.host import SHARED_PAPERS

CASES = SHARED_PAPERS.parents[1]
NAMES = ("basictraining", "celerite", "edo", "eqlgb", "stickye", "sysid")
PRINTED = ("basictraining", "stickye", "sysid")

pytestmark = pytest.mark.skipif(not SHARED_PAPERS.is_dir(), reason=f"the papers are not there ({SHARED_PAPERS})")


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LatexExtraction]:
    images = tmp_path_factory.mktemp("images")
    options = LatexOptions(granularity="panel", dpi=20, max_side=64)
    return {name: read_figures(SHARED_PAPERS / name, images, options) for name in NAMES}


def scores(papers: dict[str, LatexExtraction]) -> Counter[str]:
    """The counts of the script that comes with the papers."""
    spec = importlib.util.spec_from_file_location("score", CASES / "latex" / "score.py")
    assert spec is not None and spec.loader is not None
    score: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    total: Counter[str] = Counter()
    for name, paper in papers.items():
        gold = json.loads((CASES / "latex" / "gold" / f"{name}.json").read_text())["figures"]
        figures = [asdict(figure) for figure in paper.figures]
        panels = [figure for figure in figures if figure["panel"]]
        total += score.score(gold, score.fold(figures), panels, lambda *told: None)
    return total


def test_figures_captions_images_and_citing_paragraphs(papers: dict[str, LatexExtraction]) -> None:
    total = scores(papers)
    assert total["gold"] == total["found"] == total["exact"] == total["captions"] == 61
    assert total["extra"] == 0
    assert total["cites_ok"] == total["cites"] == total["context"] == total["context_ok"] == 103
    assert total["true_start"] == 103
    assert total["whole"] >= 102
    assert total["panels_ok"] == total["panels"] == 16


def compact(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def stands_there(name: str, place: str, text: str) -> bool:
    """Whether the first words of `text` (or, behind a macro of the paper, the next ones) begin in that line."""
    file, _, line = place.rpartition(":")
    lines = decode((SHARED_PAPERS / name / file).read_bytes()).split("\n")[int(line) - 1 : int(line) + 5]
    lines = [re.sub(r"(?<!\\)%.*", "", each) for each in lines]
    here, first = compact("".join(lines)), compact(lines[0])
    starts = (here.find(compact(words)[:20]) for words in (text, text.partition("}")[2]))
    return any(0 <= start < len(first) for start in starts)


@pytest.mark.parametrize("name", NAMES)
def test_the_file_and_line_of_every_paragraph_and_caption(papers: dict[str, LatexExtraction], name: str) -> None:
    told = [
        (place, text)
        for figure in papers[name].figures
        for place, text in [*zip(figure.context_places, figure.context, strict=True),
                            (figure.caption_place, figure.caption_tex)]
        if text
    ]  # fmt: skip
    assert told
    assert [(place, text[:60]) for place, text in told if not stands_there(name, place, text)] == []


def overlap(one: list[float], other: list[float]) -> float:
    """Intersection over union of two boxes."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0.0, width) * max(0.0, height)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return shared / (sum(areas) - shared)


def test_where_their_pdfs_show_the_figures(papers: dict[str, LatexExtraction]) -> None:
    boxes = []
    for name in PRINTED:
        gold = json.loads((CASES / "pdf" / "gold" / f"{name}.json").read_text())
        known = {str(figure["n"]): figure for figure in gold["figures"]}
        figures = [figure for figure in papers[name].figures if not figure.panel]
        wanted = [[figure.number, figure.caption] for figure in figures]
        for figure, place in zip(figures, locate((CASES / gold["pdf"]).read_bytes(), wanted, 60.0)[0], strict=True):
            assert place["page"] == known[figure.number]["page"]
            boxes.append(overlap(place["bbox"], known[figure.number]["bbox"]))
    assert len(boxes) == 19
    assert sum(box >= 0.7 for box in boxes) >= 18
    assert min(boxes) > 0.6
