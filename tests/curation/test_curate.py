"""All stages over one paper: what is in is out, deleted with a record, or both counts are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.curation.curate import Curation, curate
from data_juicer_ext.curation.recrop import Crop, PdfSource
from data_juicer_ext.curation.stage_counts import RunFunnel
from data_juicer_ext.curation.thresholds import STAGES, Rules
from data_juicer_ext.figures.ocr import OcrLine, Picture
from data_juicer_ext.rows import Figure, dump_figures, load_figures
from tests.figures.charts import bars, figure, render, saved, texture

NO_OCR = Rules(ocr=False)


def reads(path: str) -> Picture:
    return Picture(Image.new("RGB", (100, 100)), (OcrLine("text", 0, 0, 50, 50, 0.8),))


@pytest.fixture
def paper(tmp_path: Path) -> list[Figure]:
    """Ten figures: 3 is tiny, 5 repeats 4, 9 has no number that can be counted, 10 follows a gap."""
    images = {str(n): saved(texture(n), tmp_path / f"{n}.png") for n in range(1, 11)}
    images["3"] = saved(texture(3).resize((20, 20)), tmp_path / "tiny.png")
    images["5"] = saved(texture(4).resize((200, 200)), tmp_path / "again.png")
    figures = [figure(number, path) for number, path in images.items()]
    figures[8].number, figures[9].number = "", "12"
    return figures


def counts(found: Curation) -> dict[str, tuple[int, int]]:
    return {name: (stage.came, stage.left) for name, stage in found.funnel.items()}


def test_the_funnel_of_a_paper_adds_up(paper: list[Figure]) -> None:
    found = curate(paper, Rules(), None, reads)
    assert counts(found) == {"S1": (10, 8), "S2": (8, 8), "S3": (8, 8), "S4": (8, 8), "S5": (8, 8)}
    assert found.funnel["S1"].deleted == {"too_small": 1, "near_duplicate": 1}
    assert found.funnel["S2"].marked == {"index_missing": 1, "index_gap": 1}
    assert found.funnel["S3"].skipped == {"the figures are not from a PDF": 1}
    assert [f.figure_id for f in found.figures] == ["f1", "f2", "f4", "f6", "f7", "f8", "f9", "f10"]
    assert found.dropped is None
    assert all(f.quality["text_boxes"] == 1 for f in found.figures)


def test_every_deleted_figure_has_a_record_with_its_number(paper: list[Figure]) -> None:
    record = json.loads(json.dumps(curate(paper, NO_OCR).record()))
    tiny, again = record["deleted"]
    assert (tiny["figure_id"], tiny["stage"], tiny["reason"], tiny["measured"], tiny["threshold"]) == (
        "f3", "S1", "too_small", 20, 50
    )  # fmt: skip
    assert (again["figure_id"], again["reason"], again["other"], again["threshold"]) == (
        "f5", "near_duplicate", "f4", 8
    )  # fmt: skip
    assert [entry["figure_id"] for entry in record["marked"]] == ["f9", "f10"]
    assert (record["verdict"], record["dropped"]) == ("keep", {})


def test_the_figures_left_can_be_written_and_read(paper: list[Figure]) -> None:
    found = curate(paper, Rules(), None, reads)
    assert load_figures(dump_figures(found.figures)) == found.figures


def test_a_paper_that_lost_too_much_is_dropped_with_all_its_figures(paper: list[Figure], tmp_path: Path) -> None:
    for number in (6, 7):
        paper[number - 1].images = [str(tmp_path / "none.png")]
    found = curate(paper, NO_OCR)
    assert found.dropped is not None and found.dropped.measured == 0.4
    assert counts(found)["S1"] == (10, 6) and counts(found)["S5"] == (6, 0)
    assert found.figures == [] and len(found.record()["deleted"]) == 10
    assert found.funnel["S5"].deleted == {"too_many_deleted": 6}


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_can_be_switched_off(stage: str, paper: list[Figure]) -> None:
    rules = Rules(stages=frozenset(STAGES) - {stage}, max_deleted=0.1, ocr=False)
    found = curate(paper, rules)
    assert found.funnel[stage].skipped == {"switched off": 1}
    assert not found.funnel[stage].deleted and not found.funnel[stage].marked
    assert (found.dropped is None) == (stage in ("S1", "S5"))


def test_no_stage_at_all_changes_nothing(paper: list[Figure]) -> None:
    before = dump_figures(paper)
    found = curate(paper, Rules(stages=frozenset()))
    assert dump_figures(found.figures) == before and found.record()["deleted"] == []


def test_a_paper_without_figures_stays() -> None:
    found = curate([], Rules())
    assert found.dropped is None and counts(found)["S5"] == (0, 0)


def test_broken_crops_of_a_pdf_are_cut_again(paper: list[Figure], tmp_path: Path) -> None:
    new = Path(saved(render(bars([0.2, 0.9]), 100), tmp_path / "new.png"))
    for one in paper:
        one.page, one.bbox = 1, [100.0, 100.0, 300.0, 250.0]
    paper[0].bbox = [0.0, 0.0, 600.0, 800.0]
    source = PdfSource(Path("p.pdf"), lambda *_, **__: Crop(new, (100, 400, 300, 500)), {1: (600.0, 800.0)})
    found = curate(paper, NO_OCR, source)
    assert found.funnel["S3"].marked == {"recropped": 1} and found.funnel["S3"].skipped == {}
    assert found.figures[0].images == [str(new)]


def entry(found: Curation, row_id: str, tag: str = "figure_curation") -> dict[str, object]:
    return {"operator": "figure_curation_mapper", "tag": tag, "row_id": row_id,
            "verdict": "drop" if found.dropped else "keep", "detail": {"funnel": found.counts()}}  # fmt: skip


def test_the_funnel_of_a_run_is_the_sum_and_counts_no_paper_twice(paper: list[Figure]) -> None:
    first, second = curate(paper, NO_OCR), curate([], NO_OCR)
    other = {"operator": "figure_rows_mapper", "tag": "x", "row_id": "r", "verdict": "keep", "detail": {}}
    lines = [entry(first, "a"), other, entry(second, "b"), entry(first, "a"), {**entry(first, "c"), "detail": {}}]
    funnel = RunFunnel()
    assert list(funnel.watching(lines)) == lines
    text = funnel.words().splitlines()
    assert text[0] == "data_juicer_ext: figure_curation: 2 papers, 2 kept"
    assert [line.split()[:2] for line in text[2:]] == [[name, title.split()[0]] for name, title in STAGES.items()]
    numbers = [[int(word) for word in line.split()[3:7]] for line in (text[2], text[3], text[6])]
    assert numbers == [[10, 8, 2, 0], [8, 8, 0, 2], [8, 8, 0, 0]]
    assert "near_duplicate 1" in text[2] and "too_small 1" in text[2]
    assert "not done for 2 papers: the figures are not from a PDF" in text[4]


def test_a_run_without_curation_has_no_words() -> None:
    funnel = RunFunnel()
    funnel.count([{"operator": "x", "tag": "x", "row_id": "r", "verdict": "keep"}])
    assert funnel.words() == ""
