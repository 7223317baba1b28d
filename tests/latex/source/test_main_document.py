"""Which of several documents is the paper."""

from __future__ import annotations

import json

import pytest

from data_juicer_ext.latex.options import PaperError
from data_juicer_ext.latex.source.main_document import _from_json, choose_main
from data_juicer_ext.latex.source.paper_files import SourceTree
from tests.latex.papers import document, figure


def tree(**files: str) -> SourceTree:
    return SourceTree("p", {name.replace("__", "/").replace("_", "."): text.encode() for name, text in files.items()})


PAPER = document(figure() + "Words. " * 400)


def test_slides_letters_and_parts_are_not_the_paper() -> None:
    found, reason = choose_main(
        tree(
            slides_tex=document("x" * 5000, document_class="beamer"),
            response_tex=document("We thank the referees. " * 500),
            study_tex=document("\\input{part}" + figure() * 3, document_class="elsarticle"),
            part_tex=figure() * 3,
            plot_tex=document("\\begin{tikzpicture}", document_class="standalone"),
        )
    )
    assert found == "study.tex"
    assert "of 4 documents" in reason


def test_a_highlighted_copy_gives_way() -> None:
    assert choose_main(tree(paper__ms_tex=PAPER, paper__ms__highlighted_tex=PAPER))[0] == "paper/ms.tex"


def test_a_deeper_copy_gives_way() -> None:
    assert choose_main(tree(paper_tex=PAPER, bundle__paper_tex=PAPER + "% longer\n" * 2000))[0] == "paper.tex"


def test_a_document_that_another_reads_in_is_not_main() -> None:
    assert choose_main(tree(whole_tex=document("\\subfile{chapter}"), chapter_tex=PAPER))[0] == "whole.tex"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("00README_XXX", "b.tex toplevelfile\n"),
        ("00README_json", json.dumps({"sources": [{"filename": "b.tex", "usage": "toplevel"}]})),
        ("00README_yaml", "sources:\n  - usage: toplevel\n    filename: b.tex\n"),
    ],
)
def test_arxiv_says_which(name: str, text: str) -> None:
    found, reason = choose_main(tree(main_tex=PAPER, b_tex=document("x"), **{name: text}))
    assert (found, reason) == ("b.tex", "named by the paper's 00README")


def test_named_and_wrongly_named() -> None:
    assert choose_main(tree(main_tex=PAPER, b_tex=PAPER), "b")[0] == "b.tex"
    with pytest.raises(PaperError, match="nowhere"):
        choose_main(tree(main_tex=PAPER), "nowhere.tex")


def test_a_commented_class_does_not_count() -> None:
    found, _ = choose_main(tree(old_tex="%\\documentclass{article}\n\\begin{document}", new_tex=PAPER))
    assert found == "new.tex"


def test_fragments_and_old_latex() -> None:
    assert choose_main(tree(only_tex=figure()))[0] == "only.tex"
    assert choose_main(tree(old_tex="\\documentstyle[12pt]{article}\\begin{document}x"))[0] == "old.tex"


def test_a_deeper_copy_gives_way_though_it_is_longer() -> None:
    longer = document(figure() + "Words. " * 4500)
    assert choose_main(tree(study_tex=PAPER, again__study_tex=longer))[0] == "study.tex"
    assert choose_main(tree(study_tex=PAPER, again__work_tex=longer))[0] == "again/work.tex"


@pytest.mark.parametrize("text", ["{broken", "[1]", '{"sources": 3}', '{"sources": [{"usage": "toplevel"}]}',
                                  '{"sources": []}', '{"sources": [3]}', "[" * 90_000])  # fmt: skip
def test_what_arxiv_says_in_another_form_says_nothing(text: str) -> None:
    assert _from_json(text) == ""
