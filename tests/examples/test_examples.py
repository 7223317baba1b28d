"""The sample papers: well formed, made from their sources, and what the offline model makes of them."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import re
import subprocess
import sys
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from data_juicer_ext.latex.paper import read_figures
from data_juicer_ext.models.types import Answer
from data_juicer_ext.offline import OfflineModel
from data_juicer_ext.pdf.paper import read_figures as read_pdf
from data_juicer_ext.prompts import request
from data_juicer_ext.qa.claims import parse_claims
from data_juicer_ext.qa.letter_answers import parse_letter
from data_juicer_ext.qa.majority_vote import vote
from data_juicer_ext.qa.mcq import MCQ, leak_problem, parse_mcq
from data_juicer_ext.qa.verdicts import blind_check, source_consistency
from data_juicer_ext.rows import Figure
from tests.host import REPO

COLUMNS = {"paper_id", "paper_path", "domain", "text", "given_captions", "given_images"}
MISSING_ON_PURPOSE = {"harbour_map"}

# What the figures show, read off the drawings by eye; nothing else may be kept.
SHOWN = {
    "the patch encoder has 6 layers", "the mixer has 4 blocks", "the token router keeps 48 tokens per frame",
    "the patch encoder feeds the token router", "the mixer feeds the readout head",
    "Heron reaches an accuracy of 91.3%", "Dunlin reaches an accuracy of 84.9%", "Turnstone has the lowest accuracy",
    "the energy per frame is highest for Turnstone", "Turnstone has a higher energy per frame than Plover",
    "the germination rate of Salicornia is 83% at 20 g/L", "the germination rate of Aster is 34% at 20 g/L",
    "the germination rate of Plantago is 92% at 0 g/L", "the germination rate of Plantago is 15% at 30 g/L",
    "Salicornia has the highest germination rate at 30 g/L",
    "the shoot dry mass in flooded plots is 3.1 g at 70 days",
    "the shoot dry mass in drained plots is 3.8 g at 28 days",
    "the horizontal axis shows days after sowing", "the vertical axis shows the shoot dry mass",
    "the drag coefficient is 1.28 for Smooth", "the drag coefficient is 1.17 for Riblet",
    "the drag coefficient is 1.05 for Dimpled", "the drag coefficient is highest for Serrated",
    "Riblet has a lower drag coefficient than Smooth",
    "the shedding frequency in the slow stream peaks at 19.4 Hz",
    "the shedding frequency in the fast stream peaks at 31.2 Hz",
    "the horizontal axis shows the rib spacing", "the vertical axis shows the shedding frequency",
}  # fmt: skip
CONTRADICTED = {
    "Plover reaches an accuracy of 86.8%", "the germination rate of Spartina is 25% at 30 g/L",
    "the drag coefficient is 1.51 for Serrated",
}  # fmt: skip
TOLD_BY_CAPTION = {
    "the energy per frame of Dunlin is 9.6 mJ", "the shoot dry mass in drained plots is 7.4 g at 70 days",
    "the slow stream flows at 1 m/s",
}  # fmt: skip
VAGUE = {
    "small models are promising for this task", "much remains to be learned",
    "surfaces matter a great deal to anyone who builds ships",
}  # fmt: skip


@pytest.fixture(scope="module")
def examples() -> Path:
    return REPO / "examples"


@pytest.fixture(scope="module")
def rows(examples: Path) -> list[dict[str, Any]]:
    lines = (examples / "papers.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_rows_have_every_column_as_text(examples: Path, rows: list[dict[str, Any]]) -> None:
    assert len(rows) == 3 and len({row["paper_id"] for row in rows}) == 3
    for row in rows:
        assert set(row) == COLUMNS
        assert all(isinstance(value, str) for value in row.values())
        assert (examples / row["paper_path"]).exists() and row["domain"]
        captions, images = (json.loads(row[key] or "[]") for key in ("given_captions", "given_images"))
        assert len(captions) == len(images)
        assert all((examples / image).is_file() for image in images)


def test_the_three_shapes(examples: Path, rows: list[dict[str, Any]]) -> None:
    paths = [examples / row["paper_path"] for row in rows]
    assert [path.is_dir() for path in paths] == [True, False, False]
    assert [path.name.endswith(".tar.gz") for path in paths] == [False, True, False]
    assert gzip.decompress(paths[2].read_bytes()).startswith(b"\\documentclass")


def test_the_archives_hold_their_sources_and_no_dates(examples: Path) -> None:
    packed = (examples / "papers" / "salt_marsh.tar.gz").read_bytes()
    sources = {path.name: path.read_bytes() for path in (examples / "sources" / "salt_marsh").iterdir()}
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        members = archive.getmembers()
        assert [member.name for member in members] == sorted(sources)
        assert all(member.isfile() and member.mtime == 0 for member in members)
        assert {m.name: archive.extractfile(m).read() for m in members} == sources  # type: ignore[union-attr]
    single = (examples / "papers" / "ribbed_plate.gz").read_bytes()
    assert gzip.decompress(single) == (examples / "sources" / "ribbed_plate" / "ribbed_plate.tex").read_bytes()
    assert packed[4:8] == single[4:8] == b"\0\0\0\0"


def test_small_and_every_picture_opens(examples: Path) -> None:
    files = [path for path in examples.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 1_500_000
    for path in files:
        if path.suffix == ".png":
            with Image.open(path) as image:
                image.load()


def test_images_named_in_the_folder_exist_but_the_planted_one(examples: Path) -> None:
    folder = examples / "papers" / "tide_router"
    source = "".join(re.sub(r"(?m)(?<!\\)%.*$", "", path.read_text("utf-8")) for path in folder.rglob("*.tex"))
    source = re.sub(r"\\iffalse\b.*?\\fi\b", "", source, flags=re.S)
    named = set(re.findall(r"\\includegraphics(?:\[[^\]]*\])?\{([^}]*)\}", source))
    files = {path.name for path in (folder / "figures").iterdir()}
    there = {name for name in named if files & {name, f"{name}.pdf", f"{name}.png"}}
    assert named - there == MISSING_ON_PURPOSE


def test_one_paper_is_latin_1(examples: Path) -> None:
    data = (examples / "sources" / "salt_marsh" / "ms.tex").read_bytes()
    with pytest.raises(UnicodeDecodeError):
        data.decode("utf-8")
    assert "Núñez" in data.decode("latin-1")


@dataclass
class Outcome:
    """Claims by what became of them."""

    vague: set[str] = field(default_factory=set)
    source: set[str] = field(default_factory=set)
    caption: set[str] = field(default_factory=set)
    voted_down: set[str] = field(default_factory=set)
    kept: dict[str, MCQ] = field(default_factory=dict)


async def _ask(task: str, images: tuple[str, ...] = (), **fields: Any) -> str:
    answer = await OfflineModel().ask(request(f"verisciqa/{task}", {}, images, domain="Science", **fields))
    assert isinstance(answer, Answer), answer
    return answer.text


async def _judge(outcome: Outcome, claim: str, figure: Figure) -> None:
    base, labels, caption = {"label": figure.label, "paragraphs": figure.context}, figure.labels, figure.caption
    name = claim.removeprefix("The figure shows that ").rstrip(".")
    made = parse_mcq(await _ask("mcq_generation", caption=caption, claim=claim, **base))
    if made.mcq is None:
        outcome.vague.add(name)
        return
    mcq = made.mcq
    assert not leak_problem(mcq, figure.label, labels, caption, "\n\n".join(figure.context))
    asked = {"question": mcq.question, "options": list(mcq.options)}
    source = parse_letter(await _ask("source_consistency", labels=labels, **base, **asked), mcq.options)
    blind = parse_letter(await _ask("visual_dependence", caption=caption, **asked), mcq.options)
    looked = parse_letter(await _ask("vision_vote", tuple(figure.images), caption=caption, **asked), mcq.options)
    decision = vote([looked] * 3, 3, 2, mcq.answer)
    if source_consistency(source, mcq.answer).verdict == "drop":
        outcome.source.add(name)
    elif blind_check([blind], mcq.answer).verdict == "drop":
        outcome.caption.add(name)
    elif decision is None or decision.verdict != "keep":
        outcome.voted_down.add(name)
    else:
        outcome.kept[name] = mcq


async def _run(examples: Path, rows: list[dict[str, Any]], folder: Path) -> Outcome:
    outcome = Outcome()
    for row in rows:
        captions, images = (json.loads(row[key]) if row[key] else None for key in ("given_captions", "given_images"))
        found = read_figures(
            examples / row["paper_path"], folder, given_captions=captions,
            given_images=[str(examples / image) for image in images or []],
        )  # fmt: skip
        for figure in found.figures:
            if figure.images and figure.context:
                base = {"label": figure.label, "labels": figure.labels, "paragraphs": figure.context}
                for claim in parse_claims(await _ask("claim_extraction", **base)).claims:
                    await _judge(outcome, claim, figure)
    return outcome


@pytest.fixture(scope="module")
def outcome(examples: Path, rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return asyncio.run(_run(examples, rows, tmp_path_factory.mktemp("images")))


def test_only_what_the_figures_show_is_kept(outcome: Outcome) -> None:
    assert set(outcome.kept) <= SHOWN
    assert len(outcome.kept) >= 15


def test_every_filter_refuses_something_and_the_planted_claims_go_where_they_should(outcome: Outcome) -> None:
    assert outcome.voted_down >= CONTRADICTED
    assert outcome.caption >= TOLD_BY_CAPTION
    assert outcome.vague >= VAGUE
    assert "the energy per frame of Heron is 14.2 mJ" in outcome.source


# ---- the papers as PDF

PDF_COLUMNS = {"paper_id", "paper_path", "venue", "year", "domain", "licence"}
# Each figure with its page and the first words of the paragraphs that cite it.
PRINTED = {
    "tide_router": {
        "1": (1, ["A frame holds"]), "2": (1, ["As Figure 2", "For readers"]),
        "3": (2, ["Turnstone has a higher", "The loss falls"]), "4": (2, ["For readers"]),
        "A.1": (2, ["All frames", "The gauge stands"]),
    },
    "salt_marsh": {
        "1": (1, ["Seeds were kept", "The germination rate"]), "2": (2, ["Seeds were kept", "Seedlings were"]),
        "3": (2, ["Roots were"]), "4": (3, ["Drained plots"]), "5": (3, []), "6": (3, []),
    },
    "ribbed_plate": {"1": (1, ["Plates of one"]), "2": (1, ["The scatter"])},
}  # fmt: skip
WITHOUT_CAPTION = {("salt_marsh", "4"), ("salt_marsh", "6")}
DRAWN = {("tide_router", "1"), ("tide_router", "A.1"), ("salt_marsh", "2"), ("salt_marsh", "4")}
PLACED = {("tide_router", "2"), ("tide_router", "3"), ("salt_marsh", "1"), ("ribbed_plate", "2")}


@pytest.fixture(scope="module")
def printed(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Figure]:
    """The figures that are read from the PDFs, by paper and number."""
    folder = tmp_path_factory.mktemp("crops")
    found = {name: read_pdf(examples / "pdfs" / f"{name}.pdf", folder).figures for name in PRINTED}
    assert {name: len(figures) for name, figures in found.items()} == {n: len(f) for n, f in PRINTED.items()}
    return {(name, figure.number): figure for name, figures in found.items() for figure in figures}


def test_pdf_rows_name_files_and_hold_two_that_are_to_be_refused(examples: Path) -> None:
    rows = [json.loads(line) for line in (examples / "pdf_papers.jsonl").read_text("utf-8").splitlines()]
    assert len({row["paper_id"] for row in rows}) == len(rows) == len(PRINTED) + 2
    for row in rows:
        assert set(row) == PDF_COLUMNS and all(isinstance(value, str) for value in row.values())
        assert (examples / row["paper_path"]).is_file() and row["licence"] == "apache-2.0"
    assert {row["paper_path"] for row in rows} == {f"pdfs/{name}.pdf" for name in PRINTED}
    assert [row["paper_id"] for row in rows if not row["year"]] == ["salt_marsh_draft"]


def test_pdfs_are_small_undated_and_drawn_from_their_sources(examples: Path, tmp_path: Path) -> None:
    for name in ("once", "twice"):
        subprocess.run([sys.executable, str(examples / "draw_pdfs.py"), str(tmp_path / name)], check=True)
    for name in PRINTED:
        shipped = examples / "pdfs" / f"{name}.pdf"
        once = tmp_path / "once" / shipped.name
        assert once.read_bytes() == (tmp_path / "twice" / shipped.name).read_bytes()
        assert shipped.stat().st_size < 120_000
        with pymupdf.open(shipped) as paper, pymupdf.open(once) as drawn:
            assert [page.get_text() for page in paper] == [page.get_text() for page in drawn]
            assert not any(paper.metadata[key] for key in ("creationDate", "modDate", "producer", "author"))


def test_figures_of_the_pdfs_with_caption_page_and_citing_paragraphs(
    printed: dict[tuple[str, str], Figure],
) -> None:
    for (name, number), figure in printed.items():
        page, starts = PRINTED[name][number]
        assert figure.page == page and len(figure.images) == 1
        assert bool(figure.caption) == ((name, number) not in WITHOUT_CAPTION)
        assert len(figure.context) == len(starts)
        assert all(text.startswith(start) for text, start in zip(figure.context, starts, strict=True)), figure.context
    both = printed["tide_router", "3"]
    assert both.bbox[2] - both.bbox[0] > 300 and {"(a)", "(b)"} <= set(both.caption.split())


def test_drawn_figures_hold_no_image_object_and_placed_ones_do(
    examples: Path, printed: dict[tuple[str, str], Figure]
) -> None:
    assert {figure for figure in printed if _holds_image(examples, figure[0], printed[figure])} >= PLACED
    assert not any(_holds_image(examples, name, printed[name, number]) for name, number in DRAWN)


def _holds_image(examples: Path, name: str, figure: Figure) -> bool:
    with pymupdf.open(examples / "pdfs" / f"{name}.pdf") as paper:
        placed = [pymupdf.Rect(image["bbox"]) for image in paper[figure.page - 1].get_image_info()]
    return any(rect.intersects(pymupdf.Rect(figure.bbox)) for rect in placed)
