"""Given figure-caption pairs."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.latex.caption_matching import tie_captions
from data_juicer_ext.latex.paper import LatexOptions, figures_from_text, read_figures
from tests.latex.papers import document, figure, pdf, png, write

CAPTIONS = ["Accuracy of the model over time.", "The same.", "The same.", "", "No label here at all."]
LABELS = [["fig:a"], ["fig:b"], ["fig:c"], ["fig:d"], []]


@pytest.mark.parametrize(
    ("given", "figure_index", "reason"),
    [
        ("Accuracy of the model over time.", 0, ""),
        ("Accuracy of the \\textbf{model} over   time", 0, ""),
        ("accuracy of the models over time.", 0, ""),
        ("Something else.", -1, "no match"),
        ("The same.", -1, "ambiguous"),
        ("", -1, "empty caption"),
        ("\\label{x}", -1, "empty caption"),
        ("No label here at all.", -1, "no label"),
    ],
)
def test_ties(given: str, figure_index: int, reason: str) -> None:
    (tie,) = tie_captions([given], CAPTIONS, LABELS, 0.9)
    assert tie.figure == figure_index
    assert tie.reason.startswith(reason)


def test_two_given_captions_of_one_figure_are_both_refused() -> None:
    ties = tie_captions([CAPTIONS[0], CAPTIONS[0], "Something else."], CAPTIONS, LABELS, 0.9)
    assert [tie.figure for tie in ties] == [-1, -1, -1]
    assert ties[0].reason.startswith("ambiguous")


def test_the_threshold_decides() -> None:
    given = ["Accuracy of our model over the time."]
    assert tie_captions(given, CAPTIONS, LABELS, 0.99)[0].figure == -1
    assert tie_captions(given, CAPTIONS, LABELS, 0.8)[0].figure == 0


def test_a_rows_text_with_given_pairs(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(png())
    latex = document(
        figure("a", caption="Loss at 50\\% of the data.\\label{z}") + figure("b", caption="Other.")
        + "\nLook at \\ref{fig:a}.\n"
    )  # fmt: skip
    extraction = figures_from_text(
        latex,
        tmp_path / "images",
        LatexOptions(),
        ["Unknown.", "Loss at 50% of the data."],
        ["", str(tmp_path / "x.png")],
    )
    (found,) = extraction.figures
    assert found.label == "fig:a" or found.labels[0] == "z"
    assert found.context == ["Look at \\ref{fig:a}."]
    assert Path(found.images[0]).read_bytes() == png()
    assert found.flags == ["image_given"]
    assert [note for note in extraction.notes if note.startswith("given")] == [
        "given caption 0: no match: no figure of the LaTeX has this caption (threshold 0.9): 'Unknown.'"
    ]


def test_a_given_image_that_cannot_be_read_is_noted(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"no image")
    for name, words in (("gone.png", "cannot be read"), ("bad.png", "image_unreadable")):
        extraction = figures_from_text(
            document(figure(caption="Cap one.")), tmp_path / "i", LatexOptions(), ["Cap one."], [str(tmp_path / name)]
        )
        assert extraction.figures[0].images == []
        assert "image_missing" in extraction.figures[0].flags
        assert any(words in note for note in extraction.notes)


def test_panels_come_with_their_figure(tmp_path: Path) -> None:
    latex = document(
        "\\begin{figure}\\subfloat[P]{\\includegraphics{a}}\\subfloat[Q]{\\includegraphics{b}}"
        "\\caption{Whole thing.}\\label{w}\\end{figure}" + figure("o", caption="Other words.")
    )
    options = LatexOptions(granularity="panel")
    found = figures_from_text(latex, tmp_path / "i", options, ["Whole thing."]).figures
    assert [f.panel for f in found] == ["", "a", "b"]


def test_no_given_captions_at_all_keep_no_figure(tmp_path: Path) -> None:
    assert figures_from_text(document(figure()), tmp_path / "i", LatexOptions(), []).figures == []


def test_an_equal_caption_beats_those_that_are_nearly_the_same() -> None:
    captions = ["Plot 1 of the twelve.", "Plot 2 of the twelve."]
    ties = tie_captions(["Plot 2 of the twelve.", "Plot 1 of the twelve."], captions, [["a"], ["b"]], 0.9)
    assert [tie.figure for tie in ties] == [1, 0]


def test_given_images_may_be_bytes_and_are_checked(tmp_path: Path) -> None:
    latex = document(figure("a", caption="One thing.") + figure("b", caption="Another matter."))
    given = ["One thing.", "Another matter."]
    extraction = figures_from_text(latex, tmp_path / "i", LatexOptions(), given, [png(), b"no image"])
    good, bad = extraction.figures
    assert Path(good.images[0]).read_bytes() == png()
    assert Path(good.images[0]).parent == tmp_path / "i"
    assert good.flags == ["image_given", "never_cited"]
    assert bad.flags == ["image_missing", "never_cited"]
    assert any(note.startswith("given image of figure 2: image_unreadable") for note in extraction.notes)


def test_a_given_pdf_is_drawn(tmp_path: Path) -> None:
    latex = document(figure("a", caption="One thing."))
    (found,) = figures_from_text(latex, tmp_path / "i", LatexOptions(dpi=72), ["One thing."], [pdf(144, 72)]).figures
    with Image.open(found.images[0]) as image:
        assert image.size == (144, 72)


def test_as_many_images_as_captions_are_wanted(tmp_path: Path) -> None:
    latex = document(figure("a", caption="One thing.") + figure("b", caption="Another matter."))
    given = ["One thing.", "Another matter."]
    extraction = figures_from_text(latex, tmp_path / "i", LatexOptions(), given, [png()])
    assert [found.flags[0] for found in extraction.figures] == ["image_given", "image_missing"]
    assert "given_images holds 1 images for 2 captions; the rest has none" in extraction.notes


@pytest.mark.parametrize("path", ["a\x00b.png", "x" * 5000, "."])
def test_paths_that_cannot_be_opened_are_noted(tmp_path: Path, path: str) -> None:
    latex = document(figure("a", caption="One thing."))
    extraction = figures_from_text(latex, tmp_path / "i", LatexOptions(), ["One thing."], [path])
    assert extraction.figures[0].images == []
    assert any("cannot be read" in note for note in extraction.notes)
    assert all(len(note) <= 500 for note in extraction.notes)


def test_a_figure_of_the_paper_keeps_its_own_image(tmp_path: Path) -> None:
    folder = write(tmp_path / "p", {"main.tex": document(figure("a", caption="One thing.")), "a.png": png(9, 9)})
    (found,) = read_figures(folder, tmp_path / "i", LatexOptions(), ["One thing."], [png()]).figures
    assert Path(found.images[0]).read_bytes() == png(9, 9)
    assert found.flags == ["never_cited"]
