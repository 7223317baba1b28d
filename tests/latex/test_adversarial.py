"""LaTeX that is made to cost time or memory: it comes to an end, with a stated result and counted work."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.latex import figure_objects
from data_juicer_ext.latex.expand import macros, source_walk, tex_buffer
from data_juicer_ext.latex.expand.flat_text import Flat
from data_juicer_ext.latex.expand.flattening import flatten
from data_juicer_ext.latex.expand.macros import Macros
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.paper import LatexExtraction, read_figures
from data_juicer_ext.latex.source.paper_files import SourceTree
from tests.latex.hard_inputs import ALL, CITED, GROWING, NUMBERED, UNCLOSED, Hard, figure, prose
from tests.latex.mutations import problems
from tests.latex.papers import document, read_text, write

# Figures, panels and citing paragraphs (over all figures) of each kind, its parts standing twelve times.
RESULTS = {
    "unclosed captions": (12, 0, 0),
    "unclosed captions in figures": (12, 0, 0),
    "unclosed figures": (12, 0, 0),
    "unclosed subfigure environments": (1, 1, 0),
    "unclosed references": (1, 0, 1),
    "braces": (1, 0, 1),
    "braces in a caption": (1, 0, 0),
    "open braces in a caption": (1, 0, 0),
    "emphasis in captions": (12, 0, 0),
    "captions in each other": (1, 0, 0),
    "panels in each other": (1, 1, 0),
    "macros that double": (1, 0, 2),
    "calls of macros that double": (1, 0, 2),
    "macros that double in captions": (12, 0, 0),
    "macros that double in paths": (12, 0, 0),
    "arguments that double": (1, 0, 2),
    "one argument many times": (1, 0, 2),
    "macros that call themselves": (1, 0, 2),
    "definitions and calls by turns": (1, 0, 1),
    "a counter that prints itself": (12, 0, 0),
    "counters within counters": (12, 0, 0),
    "the same file again": (240, 0, 240),
    "figures": (12, 0, 0),
    "figures of one number and label": (12, 0, 0),
    "labels in one figure": (1, 0, 12),
    "the same label": (12, 0, 12),
    "references in one paragraph": (1, 0, 2),
    "figures cited in one paragraph": (12, 0, 12),
    "figures cited in one list": (12, 0, 12),
    "ranges of figures": (12, 0, 144),
    "images in one figure": (1, 0, 0),
    "panels in one figure": (12, 12, 0),
    "side by side": (12, 0, 0),
    "images and folders": (12, 0, 0),
    "images in the running text": (12, 0, 0),
    "unknown captions": (12, 0, 0),
    "macros of its own": (1, 0, 2),
    "dollars": (1, 0, 1),
    "dollars in captions": (12, 0, 0),
    "math in one caption": (1, 0, 0),
    "footnotes in captions": (12, 0, 0),
    "a long line": (1, 0, 1),
    "backslashes": (1, 0, 1),
    "a long command": (1, 0, 1),
    "spaces behind commands": (1, 0, 1),
    "blank lines": (1, 0, 1),
    "percent signs": (1, 0, 1),
    "a long caption": (1, 0, 0),
    "a long label": (1, 0, 1),
    "numbers without references": (1, 0, 1),
}
BY_NAME = {kind.name: kind for kind in ALL}


def found_in(kind: Hard, n: int, folder: Path) -> LatexExtraction:
    paper_folder = write(folder / kind.name, dict(kind.files(n)))
    return read_figures(paper_folder, folder / "images", LatexOptions(granularity="panel"))


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[Any]:
    """What the function of that name gives from now on, call by call."""
    real: Callable[..., Any] = getattr(module, name)
    given: list[Any] = []

    def call(*arguments: Any, **named: Any) -> Any:
        given.append(real(*arguments, **named))
        return given[-1]

    monkeypatch.setattr(module, name, call)
    return given


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_each_kind_has_its_result(kind: Hard, tmp_path: Path) -> None:
    found = found_in(kind, 12, tmp_path)
    tops = [figure for figure in found.figures if not figure.panel]
    paragraphs = sum(len(figure.context) for figure in tops)
    assert (len(tops), len(found.figures) - len(tops), paragraphs) == RESULTS.get(kind.name, (0, 0, 0))
    assert list(problems(found)) == []


def test_every_result_is_of_a_kind() -> None:
    assert set(RESULTS) <= set(BY_NAME)
    assert len(BY_NAME) == len(ALL)


@pytest.mark.parametrize("kind", UNCLOSED, ids=lambda kind: kind.name)
def test_what_never_closes_is_looked_for_once(kind: Hard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: Counter[str] = Counter()
    real = tex_buffer.match_tokens

    def match_tokens(text: str, declared: Any, only: int = -1, *end: int) -> Any:
        passes[text] += only < 0
        return real(text, declared, only, *end)

    monkeypatch.setattr(tex_buffer, "match_tokens", match_tokens)
    found_in(kind, 400, tmp_path)
    # The source and the live text; where nothing was cut from the one it equals the other.
    assert sum(len(text) > 5000 for text in passes.elements()) <= 2


@pytest.mark.parametrize("kind", GROWING, ids=lambda kind: kind.name)
def test_macros_grow_no_further_than_the_source_allows(
    kind: Hard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled = counted(monkeypatch, source_walk, "fill")
    monkeypatch.setattr(Macros, "left", 100_000)
    short = counted(monkeypatch, macros, "fill")
    size = sum(map(len, kind.files(300).values()))
    found_in(kind, 300, tmp_path)
    allowed = 60_000 + 2 * size
    assert len(filled) <= allowed / 100 + 1
    assert sum(len(made.text) for made in filled) <= 3 * allowed
    assert len(short) <= 1001


@pytest.mark.parametrize("depth", [5, 30])
def test_files_that_read_two_more_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: int) -> None:
    runs: list[str] = []
    real = source_walk.Walk.run_file

    def run_file(self: source_walk.Walk, path: str) -> None:
        runs.append(path)
        real(self, path)

    monkeypatch.setattr(source_walk.Walk, "run_file", run_file)
    files = {f"f{i}.tex": f"a\\input{{f{i + 1}}}\\input{{f{i + 1}}}" for i in range(depth)}
    found = read_figures(write(tmp_path / "p", {"main.tex": document("\\input{f0}"), **files}), tmp_path / "images")
    assert len(runs) <= 2**depth
    assert len(runs) < 1000
    assert any("too much was read" in note for note in found.notes) == (depth > 5)


def test_a_huge_argument_that_a_macro_repeats_is_not_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled = counted(monkeypatch, source_walk, "fill")
    found = found_in(BY_NAME["one argument many times"], 20_000, tmp_path)
    assert filled == []
    assert any("too large" in note for note in found.notes)


def test_there_are_no_more_figures_than_a_paper_can_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_objects, "MOST_FIGURES", 5)
    found = found_in(BY_NAME["figures"], 8, tmp_path)
    assert [figure.number for figure in found.figures] == ["1", "2", "3", "4", "5"]
    assert "the paper has 8 figures; the first 5 were taken" in found.notes
    panels = found_in(BY_NAME["panels in one figure"], 8, tmp_path).figures
    assert len(panels) < 10


def test_paragraphs_take_no_more_room_than_the_paper_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_objects, "_FREE_CONTEXT", 2000)
    monkeypatch.setattr(figure_objects, "_CONTEXT_RATE", 1)
    kind = BY_NAME["figures cited in one paragraph"]
    found = found_in(kind, 100, tmp_path)
    taken = sum(len(paragraph) for figure in found.figures for paragraph in figure.context)
    assert 2000 < taken <= 2000 + len(kind.files(100)["main.tex"])
    assert found.figures[0].flags == ["image_missing"]
    assert found.figures[-1].flags == ["context_cut", "image_missing", "never_cited"]


def test_one_figure_keeps_its_first_paragraphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_objects, "_MOST_PARAGRAPHS", 3)
    body = figure() + "".join(f"\n\nNumber {i} has \\ref{{fig:a}}." for i in range(9))
    (found,) = read_text(tmp_path, document(body))
    assert [paragraph[:8] for paragraph in found.context] == ["Number 0", "Number 1", "Number 2"]


def test_captions_that_never_close_share_no_text(tmp_path: Path) -> None:
    kind = BY_NAME["unclosed captions"]
    found = found_in(kind, 300, tmp_path)
    assert {figure.caption for figure in found.figures} == {"abc"}
    nested = found_in(BY_NAME["captions in each other"], 300, tmp_path)
    assert len(nested.figures[0].caption_tex) < 4000


def test_short_captions_beyond_number_are_made_plain_roughly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_objects, "_MOST_PLAIN", 500)
    body = "".join(figure(caption=f"Rate $\\alpha_{{{i}}}$.", name=str(i)) for i in range(9))
    captions = [found.caption for found in read_text(tmp_path, document(body))]
    assert captions[0] == "Rate α_0."
    assert captions[-1] == "Rate _ 8."


def test_a_counter_prints_a_short_number(tmp_path: Path) -> None:
    found = found_in(BY_NAME["a counter that prints itself"], 3, tmp_path)
    assert [figure.number for figure in found.figures] == ["1", "2", "3"]
    sections = "\\renewcommand{\\thesection}{" + "\\arabic{section}" * 18 + "}\\renewcommand{\\thefigure}{"
    (numbered,) = read_text(tmp_path, document(figure(), sections + "\\thesection" * 27 + "}"))
    assert numbered.number == "0" * 60


def test_one_counter_sets_back_a_few(tmp_path: Path) -> None:
    preamble = "".join(f"\\counterwithin{{{'x' * i}}}{{section}}" for i in range(1, 60))
    body = "\\section{A}" + figure(name="1") + "\\section{B}" + figure(name="2")
    assert [found.number for found in read_text(tmp_path, document(body, preamble))] == ["1", "2"]


def test_figures_of_one_name_get_ids_of_their_own(tmp_path: Path) -> None:
    found = found_in(BY_NAME["figures of one number and label"], 4, tmp_path)
    assert [figure.figure_id for figure in found.figures] == ["1:fig:a", "1:fig:a+2", "1:fig:a+3", "1:fig:a+4"]


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_again_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, collects: bool) -> None:
    states: list[bool] = []

    def reading(tree: SourceTree, main: str, options: LatexOptions) -> Flat:
        states.append(gc.isenabled())
        return flatten(tree, main, options)

    monkeypatch.setattr("data_juicer_ext.latex.paper.flatten", reading)
    was = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        read_text(tmp_path, document(CITED))
        after = gc.isenabled()
    finally:
        (gc.enable if was else gc.disable)()
    assert (states, after) == ([False], collects)


def test_a_template_stands_as_often_as_asked() -> None:
    kind = Hard("k", 1, "a«b<i><w+>,»<last>«c»", "«d»", {"x.tex": "«<w>»"})
    assert kind.files(2)["x.tex"] == "ab"
    assert "\nd" + "d\n" in kind.files(2)["main.tex"]
    assert "ab0b,b1c,1cc" in kind.files(2)["main.tex"]
    assert NUMBERED.count("«") == 1
    assert 90_000 < len(prose(100_000)["main.tex"]) < 110_000
