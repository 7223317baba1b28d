"""One PDF read from end to end in this process: notes, limits, and pages that give trouble."""

from __future__ import annotations

from typing import Any

import pymupdf
import pytest

from data_juicer_ext.pdf import document
from data_juicer_ext.pdf.document import open_pdf, page_count, read
from data_juicer_ext.pdf.options import PdfError
from tests.latex.printed import Printed, near
from tests.pdf.reading import NO_PAGES, blank, locked

CITED = "In Figure 1 the speed of the reaction is drawn for the vessel of the room."


def paper() -> Printed:
    """A figure on the third page, cited on the fourth."""
    printed = Printed().new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, "Figure 1: The speed.")
    blank(printed).page.insert_text((70, 150), "2 Results", fontsize=14, fontname="hebo")
    return printed.text((70, 170, 530, 230), CITED)


def told(printed: Printed, seconds: float = 60.0, max_pages: int = 100, context: bool = True) -> dict[str, Any]:
    return read(printed.data(), seconds, max_pages, 1, context)[0]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which goes on by the last number with each look at it."""
    steps = [0.0, 0.0]

    def monotonic() -> float:
        steps[0] += steps[1]
        return steps[0]

    monkeypatch.setattr(document.time, "monotonic", monotonic)
    return steps


@pytest.mark.parametrize(
    ("data", "reason"), [(b"no PDF", "broken"), (b"", "broken"), (locked(), "encrypted"), (NO_PAGES, "no_pages")]
)
def test_what_can_not_be_opened_has_a_reason(data: bytes, reason: str) -> None:
    for ask in (open_pdf, page_count, lambda data: read(data, 9.0, 9, 1, False)):
        with pytest.raises(PdfError) as error:
            ask(data)
        assert error.value.reason == reason


def test_pages_are_counted() -> None:
    assert page_count(paper().data()) == (4, b"")


def test_a_figure_is_told_with_its_place_and_citing_paragraph() -> None:
    found = told(paper())
    assert (found["pages"], found["notes"]) == (4, [])
    [figure] = found["figures"]
    assert (figure["number"], figure["page"], figure["turn"], figure["caption"]) == ("1", 3, 0, "The speed.")
    assert figure["flags"] == [] and near(figure["bbox"], (150, 80, 450, 340))
    assert figure["bbox"] == [round(value, 1) for value in figure["bbox"]]
    [[text, place, _]] = figure["context"]
    assert text.startswith("In Figure 1") and place == "page 4"
    assert "context" not in told(paper(), context=False)["figures"][0]


def test_only_the_first_pages_are_read_where_that_is_asked_for() -> None:
    found = told(paper(), max_pages=3)
    assert found["notes"] == ["only the first 3 of 4 pages were read (max_pages)"] and found["pages"] == 4
    assert found["figures"][0]["context"] == [] and told(paper(), max_pages=4)["notes"] == []


def test_a_document_without_text_is_refused_and_empty_pages_are_told() -> None:
    scanned = pymupdf.open()
    for _ in range(3):
        scanned.new_page(width=600, height=800)
    with pytest.raises(PdfError, match="has no text"):
        read(scanned.tobytes(), 9.0, 9, 1, False)
    some = blank(blank(paper()))
    assert told(some)["notes"] == ["2 of 6 pages have no text"]


def test_a_page_of_just_twenty_letters_has_text() -> None:
    made = paper()
    for letters in (19, 20):
        blank(made).page.insert_text((70, 100), "y" * letters)
    assert told(made)["notes"] == ["1 of 6 pages have no text"]


def test_a_page_that_can_not_be_read_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = document.upright_lines

    def broken(page: Any) -> Any:
        if page.number == 1:
            raise RuntimeError("x" * 200)
        return lines(page)

    monkeypatch.setattr(document, "upright_lines", broken)
    found = told(paper())
    assert found["notes"] == [f"page 2 cannot be read (RuntimeError: {'x' * 100})", "1 of 4 pages have no text"]
    assert len(found["figures"]) == 1


def test_a_page_that_can_not_be_drawn_costs_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> Any:
        raise ValueError("odd")

    monkeypatch.setattr(document, "read_content", broken)
    found = told(paper())
    assert found["figures"] == [] and found["notes"][0] == "page 3 cannot be drawn (ValueError: odd)"


def test_a_page_without_a_layout_is_taken_as_its_lines_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(page: Any, threads: int) -> Any:
        raise KeyError("odd")

    monkeypatch.setattr(document, "layout", broken)
    found = told(paper())
    assert len(found["figures"]) == 1
    assert found["notes"][0] == "page 3 has no layout (KeyError: 'odd')"


def test_no_further_page_is_looked_at_near_the_end_of_the_time(clock: list[float]) -> None:
    clock[1] = 1.0
    found = told(paper(), seconds=3.75)  # 3 s of them, from the first look at the clock
    assert found["notes"][0] == "time limit: the text from page 4 on was not read" and found["figures"] == []
    clock[:] = [0.0, 1.0]
    late = told(paper(), seconds=5.0)
    assert "time limit: figures from page 3 on were not looked for" in late["notes"] and late["figures"] == []


@pytest.mark.parametrize("found", [1, 0])
def test_a_poster_is_not_drawn(found: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_MOST_POINTS", 600 * 800 if found else 600 * 800 - 1)
    assert len(told(paper())["figures"]) == found


def test_a_damaged_file_is_told() -> None:
    data = paper().data()
    damaged = data[: data.rindex(b"startxref")] + b"startxref\n0\n%%EOF\n"
    found = read(damaged, 60.0, 100, 1, False)[0]
    assert found["notes"] == ["the file was damaged and has been repaired as far as it goes"]
    assert len(found["figures"]) == 1


def test_a_short_paragraph_and_a_repeated_one_cite_once() -> None:
    printed = paper()
    for top, number in ((300, 3), (400, 4)):
        printed.page.insert_text((70, top - 20), f"{number} More", fontsize=14, fontname="hebo")
        printed.text((70, top, 530, top + 60), CITED)
    printed.page.insert_text((70, 580), "5 End", fontsize=14, fontname="hebo")
    printed.page.insert_text((70, 600), "See Figure 1 here.", fontsize=10)
    assert [text[:11] for text, _, _ in told(printed)["figures"][0]["context"]] == ["In Figure 1"]


def test_a_caption_on_the_page_behind_its_figure() -> None:
    printed = Printed()
    blank(printed).drawing((100, 80, 500, 700))
    printed.new_page(400).caption(150, 365, "Figure 1: The speed of the reaction.")
    found = told(printed)["figures"]
    assert [(one["number"], one["page"], one["flags"]) for one in found] == [("1", 3, ["caption_on_other_page"])]
