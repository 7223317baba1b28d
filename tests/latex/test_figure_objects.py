"""Which floats are figures of the paper, and what they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.latex.papers import document, figure, read_text


@pytest.mark.parametrize(
    "body",
    [
        figure("a", caption="#1"),
        figure("#2"),
        figure("a", inside="\\includegraphics{#1.png}"),
    ],
)
def test_the_body_of_a_definition_is_no_figure(tmp_path: Path, body: str) -> None:
    found = read_text(tmp_path, document(body + figure("real", caption="With \\#1 of them.")))
    assert [each.label for each in found] == ["fig:real"]


def test_figures_of_one_name_get_ids_of_their_own(tmp_path: Path) -> None:
    unnumbered = "\\begin{figure}\\includegraphics{a}\\caption*{C}\\label{x}\\end{figure}"
    found = read_text(tmp_path, document("\\renewcommand{\\thefigure}{S}" + figure("a") * 3 + unnumbered))
    ids = [each.figure_id for each in found]
    assert ids == ["S:fig:a", "S:fig:a+2", "S:fig:a+3", "n4:x"]
