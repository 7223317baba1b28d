from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.report.html_page import page
from data_juicer_ext.report.run_report import make_report
from data_juicer_ext.report.run_selection import select_runs
from tests.report.hostile import MARK, hostile_folder
from tests.report.run_folders import RunFolder, number, qa_row, tables


class Markup(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def made(folder: RunFolder, size: int = 4) -> str:
    return page(make_report(select_runs(folder.path), size))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path)


def test_hostile_rows_become_text_and_nothing_else(folder: RunFolder) -> None:
    text = made(hostile_folder(folder), size=20)
    text.encode("utf-8")
    assert MARK in text and "\x00" not in text and "\u202e" not in text
    plain = made(_tame(RunFolder(folder.path.parent / "tame")), size=20)
    found, expected = Markup(text), Markup(plain)
    assert {tag for tag, _ in found.tags} <= {tag for tag, _ in expected.tags} | {"p"}
    assert not {"script", "iframe", "base", "object", "form"} & {tag for tag, _ in found.tags}
    for tag, attributes in found.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "srcdoc")]
        assert tag != "img" or str(attributes["src"]).startswith("data:image/")
        assert tag != "a" or str(attributes["href"]).startswith("#")
    assert len([1 for tag, attributes in found.tags if tag == "meta" and "http-equiv" in attributes]) == 1
    assert max(len(line) for line in text.splitlines() if "data:image" not in line) < 60_000
    assert len(text) < 3_000_000


def _tame(folder: RunFolder) -> RunFolder:
    for row in range(12):
        place = {"paper_id": "p", "figure_id": str(row)}
        folder.note("vision_vote", f"qa-{row}", spent={"calls": 1}, **place)
        folder.note("vision_vote", f"r-{row}", "drop", "no_majority", **place)
        folder.note("vision_vote", f"u-{row}", "undecided", "error:E", detail={"message": "m"}, **place)
    folder.end([qa_row(row, folder.image("x"), quality_overall=float(row)) for row in range(12)])
    return folder


def test_the_policy_allows_the_pages_own_style_and_pictures_alone(folder: RunFolder) -> None:
    text = made(_tame(folder))
    [policy] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', text)
    assert policy.startswith("default-src &#39;none&#39;; style-src &#39;sha256-") and "unsafe" not in policy
    assert "img-src data:" in policy and "script" not in policy
    assert not re.findall(r"(?:src|href)=[\"']?(?:https?:|//|file:)", text) and "url(" not in text


def test_figures_are_inside_bounded_and_described(folder: RunFolder) -> None:
    image = folder.image("big", size=(3000, 1500))
    gone = str(folder.path / "elsewhere" / "i1.png")
    folder.image("i1")
    bomb = folder.image("bomb")
    Path(bomb).write_bytes(b"\x89PNG nothing")
    rows = [qa_row(0, image), qa_row(1, gone), qa_row(2, bomb), qa_row(3, "/dev/zero", figure_id="z")]
    for row in rows:
        folder.note("vision_vote", row["row_id"])
    folder.end(rows)
    text = made(folder)
    pictures = [attributes for tag, attributes in Markup(text).tags if tag == "img"]
    assert sorted((p["width"], p["height"]) for p in pictures) == [("120", "80"), ("720", "360")]
    assert all(str(p["alt"]).startswith("Figure") for p in pictures)
    assert text.count("No picture:") == 2 and str(folder.path) not in text


def test_tables_have_captions_and_heads_and_the_page_a_language(folder: RunFolder) -> None:
    text = made(_tame(folder))
    assert '<html lang="en">' in text and text.count("<h1>") == 1
    bodies = re.findall(r"<table.*?</table>", text, re.S)
    assert bodies and all("<caption" in table and 'scope="col"' in table for table in bodies)
    anchors = set(re.findall(r'href="#([\w-]+)"', text))
    assert anchors and anchors <= set(re.findall(r'id="([\w-]+)"', text))


def test_refused_rows_are_put_together_from_the_ledger(folder: RunFolder) -> None:
    place = {"paper_id": "p0", "figure_id": "0:fig"}
    claim = {"row_id": "claim-9", "claim": "The figure shows nine.", "sentence": "Nine it is.", "place": "main.tex:9"}
    image = folder.image("a", "red")
    folder.note("figure_rows", "figure-9", reason="image", detail={"images": [image], "caption": "Nine bars."}, **place)
    folder.note("claim_extractor", "figure-9", made=1, detail={"claims": [claim]}, **place)
    made_row = {"made": "qa-9", "question": "How many?", "options": ["8", "9"], "answer": "B"}
    folder.note("mcq_generator", "claim-9", detail=made_row, **place)
    folder.note("source_consistency", "qa-9", detail={"letters": ["B"], "quote": "(B)"}, **place)
    folder.note("vision_vote", "qa-9", "drop", "no_majority", detail={"letters": ["A", "none"]}, **place)
    folder.end([])
    text = made(folder)
    for shown in ("How many?", "The figure shows nine.", "Nine it is.", "main.tex:9", "chose A, none", "Nine bars.",
                  "read from “(B)”", "refused: no_majority"):  # fmt: skip
        assert shown in text
    assert text.count("<img") == 1 and 'class="answer">B. <bdi dir="auto">9</bdi>' in text


def test_undecided_rows_are_shown_whole_with_their_causes(folder: RunFolder) -> None:
    row = qa_row(4, folder.image("u"))
    about = {"paper_id": row["paper_id"], "figure_id": row["figure_id"]}
    for number_of in range(3):
        folder.note("vision_vote", f"qa-{number_of + 4}", "undecided", "call_failed:server",
                    detail={"message": "status 500"}, **about)  # fmt: skip
    folder.run.undecided.write({**row, "undecided": {"tag": "vision_vote"}})
    text = made(folder)  # while it goes on
    assert tables(text)["causes"] == [["vision_vote", "call_failed:server", "3", "status 500"]]
    assert "Question 4?" in text and "Nothing is exported yet" in text
    folder.end([])
    assert "Question 4?" in made(folder)


def test_a_run_that_goes_on_shows_what_the_last_step_kept(folder: RunFolder) -> None:
    folder.note("mcq_generator", "claim-1", detail={"made": "qa-1", "question": "Q one?", "options": ["a", "b"]},
                paper_id="p", figure_id="f")  # fmt: skip
    folder.note("vision_vote", "qa-1", reason="majority_agrees", paper_id="p", figure_id="f")
    text = made(folder)
    assert "Kept by vision_vote, the last step so far" in text and "Q one?" in text


def test_costs_that_are_not_known_are_not_zero(folder: RunFolder) -> None:
    folder.note("vision_vote", "a", spent={"calls": 2, "tries": 2, "unpriced": 2})
    folder.note("source_consistency", "a", spent={"calls": 3, "tries": 3, "unpriced": 1, "cost": 0.5})
    found = tables(made(folder))["costs"]
    assert [row[-1] for row in found] == ["not known", "$0.5000 + 1 calls", "$0.5000 + 3 calls"]
    assert number(found[0][2]) == 2


def test_an_empty_run_still_makes_a_page(folder: RunFolder) -> None:
    folder.note("figure_rows", "f", "drop", "no_image")
    folder.end([])
    text = made(folder, size=0)
    assert "The export holds no row" in text and "Traceback" not in text


def test_curation_is_told_by_stage(folder: RunFolder) -> None:
    stage = {"in": 4, "out": 3, "deleted": {"too_small": 1}, "marked": {"dense": 2}, "skipped": {}}
    funnel = {
        name: {**stage, "skipped": {"switched off": 1} if name == "S4" else {}}
        for name in ("S1", "S2", "S3", "S4", "S5")
    }
    for paper in ("a", "b"):
        folder.note("figure_curation", paper, detail={"funnel": funnel}, made=0)
        folder.note("figure_curation", paper, detail={"funnel": funnel}, made=0)  # a retry counts once
    rows = tables(made(folder))["curation-1"]
    assert rows[0][:5] == ["S1 hard filter", "8", "6", "2", "4"] and "too_small 2" in rows[0][5]
    assert "Not done for 2 papers: switched off" in rows[3][5]


def test_pictures_of_a_moved_folder_are_found(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "a")
    row = qa_row(1, folder.image("x"))
    folder.note("vision_vote", "qa-1")
    folder.end([row])
    (tmp_path / "a").rename(tmp_path / "b")
    scope = select_runs(tmp_path / "b" / "run", export=tmp_path / "b" / "pairs.jsonl")
    assert page(make_report(scope)).count("<img") == 1
    assert Image.open(tmp_path / "b" / "run" / "images" / "x.png").size == (120, 80)


def test_scores_of_all_figures_are_shown_where_a_filter_took_some(folder: RunFolder) -> None:
    for index, overall in enumerate((8.0, 4.0)):
        told = {"scores": {"VC": overall}, "overall": overall}
        place = {"paper_id": "p", "figure_id": str(index)}
        folder.note("figure_quality", f"f{index}", reason="scored", detail=told, **place)
        folder.note("best", f"f{index}", "keep" if overall > 5 else "drop", detail=told, operator="x", **place)
    kept = {"row_id": "f0", "paper_id": "p", "figure_id": "0", "quality_overall": 8.0, "quality_VC": 8.0}
    folder.end([kept])
    text = made(folder)
    assert "All rows that figure_quality scored" in text and text.count('class="histogram"') == 4
    assert 'id="shortcuts"' not in text and "kept: scored (VC 8.0)" in text
    folder.end([kept, {**kept, "row_id": "f1"}])
    assert made(folder).count('class="histogram"') == 2
