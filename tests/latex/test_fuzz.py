"""LaTeX put together and damaged at random: figures come out as they have to, whatever goes in."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from data_juicer_ext.latex.expand.flattening import flatten
from data_juicer_ext.latex.expand.tex_buffer import Buffer, match_tokens
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.source.paper_files import SourceTree
from tests.host import REPO, SHARED_PAPERS
from tests.latex.mutations import TOKENS, damaged, problems, read, sources

ENVIRONMENTS = ("figure", "figure*", "subfigure", "minipage", "table", "center", "verbatim", "comment", "equation",
                "overpic", "tikzpicture", "e", "itemize", "wrapfigure", "lstlisting", "filecontents")  # fmt: skip
COMMANDS = ("caption", "caption*", "label", "includegraphics", "subfloat", "subcaptionbox", "captionof{figure}", "ref",
            "cref", "subref", "hyperref", "footnote", "emph", "section", "m", "n", "input", "url", "verb", "href{x}",
            "graphicspath", "textbf", "paragraph", "crefrange{a}")  # fmt: skip
WORDS = ("fig:a", "a", "b", "part", "see Figure~3", "$x_1$", "50\\%", "\n\n", " ", "% gone\n", "\\\\", "#1", "~",
         "\u00e9", ",", "\\m", "\\n{b}", "\\par ", "w=1cm", "\\item ", "\\appendix ", "\\fi ", "}", "{")  # fmt: skip
words = st.sampled_from(WORDS)


def _around(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """LaTeX with `inner` in it: environments, arguments, definitions, conditionals, and parts in a row."""
    names, commands = st.sampled_from(ENVIRONMENTS), st.sampled_from(COMMANDS)
    return st.one_of(
        st.lists(inner, max_size=5).map("".join),
        st.builds("\\begin{{{0}}}{1}\\end{{{0}}}\n".format, names, inner),
        st.builds("\\{}{{{}}}".format, commands, inner),
        st.builds("\\{}[{}]{{{}}}".format, commands, words, inner),
        st.builds("\\newcommand{{\\{}}}[1]{{{}}}".format, st.sampled_from("mn"), inner),
        st.builds("\\newenvironment{{e}}{{{}}}{{{}}}".format, inner, inner),
        st.builds("\\def\\{}#1{{{}}}".format, st.sampled_from("mn"), inner),
        st.builds("\\{}{}\\else{}\\fi ".format, st.sampled_from(("iffalse", "iftrue", "ifq")), inner, inner),
        st.builds("\\foreach \\i in {{1,...,3}}{{{}}}".format, inner),
        st.builds("{{{}}}".format, inner),
    )


latex = st.recursive(words, _around, max_leaves=25)
jumbles = st.lists(st.sampled_from((*TOKENS, *WORDS, "word", "\n")), max_size=60).map("".join)
GROUPING = ("{", "{", "}", "}", "[", "[", "]", "\\iftrue ", "\\iftrue{", "\\else ", "\\fi ", "\\or ", "a", "\n", "%",
            "\\%", "\\{", "\\\\", "\\verb|", "|", "\\url{a", "\\begin{verbatim}", "\\end{verbatim}", "\\begin{a}",
            "\\verb*+", "+")  # fmt: skip
groups = st.lists(st.sampled_from(GROUPING), max_size=40).map("".join)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(latex, latex, latex)
def test_latex_of_any_shape(tmp_path_factory: pytest.TempPathFactory, preamble: str, body: str, part: str) -> None:
    main = f"\\documentclass{{article}}\\newif\\ifq {preamble}\\begin{{document}}{body}\\end{{document}}"
    folder = tmp_path_factory.getbasetemp() / "shapes"
    assert list(problems(read({"main.tex": main, "part.tex": part, "a.png": ""}, folder))) == []


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=300), jumbles)
def test_any_bytes_in_a_document(tmp_path_factory: pytest.TempPathFactory, data: bytes, jumble: str) -> None:
    text = "\\documentclass{article}\\begin{document}" + data.decode("utf-8", "surrogateescape") + jumble
    assert list(problems(read({"main.tex": text}, tmp_path_factory.getbasetemp() / "bytes"))) == []


@settings(max_examples=400, deadline=None)
@given(groups)
@example("[ } ]")
@example("[ { ] } ]")
@example("\\iftrue { \\else \\fi } \\fi")
@example("\\iftrue } \\fi")
@example("{ \\verb|}| }")
@example("{ %} \n }")
@example("\\iftrue \\iftrue \\else \\fi \\else \\fi" + " " * 4000 + "\\fi")
@example("{" * 8 + "[" + "{a}" * 1500 + "]" + "}" * 8)
def test_what_closes_a_group_is_the_same_near_and_from_the_start(text: str) -> None:
    tables = match_tokens(text)
    for brace, end in tables.braces.items():
        assert Buffer.of_file(text, 0).closing(brace) == end
    for bracket, end in tables.brackets.items():
        assert Buffer.of_file(text, 0).bracket(bracket) == (bracket + 1, end, end + 1)
    for start, conditional in tables.conditionals.items():
        assert Buffer.of_file(text, 0).conditional(start) == conditional


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(latex, latex)
def test_the_live_text_is_that_of_the_places_it_names(main: str, part: str) -> None:
    files = {"main.tex": main.encode(), "part.tex": part.encode()}
    flat = flatten(SourceTree("p", files), "main.tex", LatexOptions())
    assert len(flat.text) == len(flat.mask)
    ends = [*(piece.start for piece in flat.pieces[1:]), len(flat.text)]
    for piece, end in zip(flat.pieces, ends, strict=False):
        if piece.moves:
            source = flat.sources[piece.file][piece.offset : piece.offset + end - piece.start]
            assert flat.text[piece.start : end] == source


@pytest.mark.parametrize("seed", range(12))
def test_damaged_samples(tmp_path: Path, seed: int) -> None:
    samples = {path.name: sources(path) for path in (REPO / "examples" / "papers", REPO / "examples" / "sources")}
    for turn in range(5):
        assert list(problems(read(damaged(samples, 100 * turn + seed), tmp_path / str(turn)))) == []


@pytest.mark.skipif(not SHARED_PAPERS.is_dir(), reason=f"the papers are not there ({SHARED_PAPERS})")
@pytest.mark.parametrize("seed", range(8))
def test_damaged_papers(tmp_path: Path, seed: int) -> None:
    papers = {path.name: sources(path) for path in sorted(SHARED_PAPERS.iterdir()) if path.is_dir()}
    for turn in range(5):
        assert list(problems(read(damaged(papers, 100 * turn + seed), tmp_path / str(turn)))) == []
