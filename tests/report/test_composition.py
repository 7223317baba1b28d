from __future__ import annotations

from data_juicer_ext.report.composition import Composition
from tests.report.run_folders import qa_row


def test_what_the_rows_are_made_of() -> None:
    found = Composition()
    for number in range(6):
        found.add(qa_row(number, domain="hep-th" if number == 5 else "cs.LG", image_flags='["scaled_down"]'))
    assert found.parts == {
        "Domain (arXiv archive)": [("cs", 5), ("hep-th", 1)],
        "Figure type": [("Bar Chart", 3), ("Line Plot", 3)],
        "Options a question": [("4", 6)],
        "Done to images for the model": [("scaled_down", 6)],
    }
    assert (found.rows, len(found.papers), len(found.figures), found.most_of_a_figure) == (6, 2, 6, 1)


def test_values_that_some_rows_lack_are_said_last() -> None:
    found = Composition()
    for kind in ("", "", "Structural"):
        found.add({"question_type": kind, "image_flags": "{broken"})
    assert found.parts == {"Question type": [("Structural", 1), ("not given", 2)]}
