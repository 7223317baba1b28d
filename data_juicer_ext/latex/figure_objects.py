"""Puts figure objects together: caption, number, labels, images and citing paragraphs."""

import re
from collections.abc import Iterable
from functools import cached_property
from heapq import merge

from data_juicer_ext import rows
from data_juicer_ext.latex.expand.flat_text import Flat
from data_juicer_ext.latex.expand.macros import expand_text
from data_juicer_ext.latex.expand.tex_buffer import Buffer
from data_juicer_ext.latex.floats.figure_grouping import LatexFigure, Panel, figures_of
from data_juicer_ext.latex.floats.figure_images import PaperImages
from data_juicer_ext.latex.floats.float_contents import LatexCaption, LatexLabel
from data_juicer_ext.latex.floats.float_parser import find_floats
from data_juicer_ext.latex.floats.numbering import number_figures
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.text.caption_text import MOST, plain
from data_juicer_ext.latex.text.paragraphs import Paragraphs
from data_juicer_ext.latex.text.references import LabelIndex, find_references
from data_juicer_ext.latex.text.typed_references import PlainReferences

MOST_FIGURES = 20_000
_LONG = 30_000  # characters; of a longer paragraph what stands around the reference is kept
_MOST_PLAIN = 500_000  # characters of captions that are converted with care
# Characters of citing paragraphs, over all figures of a paper: at most, for a short paper, and for each character
# of a longer one, so that twice the paper is not four times the paragraphs.
_MOST_CONTEXT, _FREE_CONTEXT, _CONTEXT_RATE = 50_000_000, 400_000, 10
_MOST_PARAGRAPHS = 1000  # of one figure
_TEXT_COST = 100  # what a caption or a citing paragraph counts for, besides its characters
_ARGUMENT = re.compile(r"(?<!\\)#[1-9]")
_ID_CHARACTERS = re.compile(r"[^\w.:+-]+")


class PaperText:
    """The live text of a paper and what is found in it: figures, numbers, labels, citing paragraphs."""

    def __init__(self, flat: Flat, options: LatexOptions) -> None:
        self._plain_left = _MOST_PLAIN
        self._context_left = min(_MOST_CONTEXT, _FREE_CONTEXT + _CONTEXT_RATE * len(flat.text))
        self._read: dict[tuple[tuple[int, int], int], tuple[str, str, str, bool]] = {}
        self.flat = flat
        self.options = options
        self.buffer = Buffer.of_file(flat.mask, 0)
        self.floats = find_floats(self.buffer)
        found = (figure for box in self.floats.figures for figure in figures_of(box))
        self.figures = sorted((figure for figure in found if not self._defines(figure)), key=lambda figure: figure.at)
        if len(self.figures) > MOST_FIGURES:
            flat.notes.append(f"the paper has {len(self.figures)} figures; the first {MOST_FIGURES} were taken")
            del self.figures[MOST_FIGURES:]
        self.numbers = number_figures(flat.mask, self.buffer, self.figures)
        self.letters = {
            (index, position): _letter(position)
            for index, figure in enumerate(self.figures)
            for position in range(len(figure.panels))
        }
        self.index = LabelIndex(self.figures, self.floats.labels)
        self.printed = self.index.numbers(self.numbers, self.letters)

    def _defines(self, figure: LatexFigure) -> bool:
        """Whether this is the body of a definition in a form that is not known: its arguments stand open in it."""
        caption = figure.caption
        said = self.flat.mask[caption.start : caption.end].strip() if caption else ""
        names = [label.name for label in figure.labels] + [image.path for image in figure.images]
        return _ARGUMENT.fullmatch(said) is not None or any(_ARGUMENT.search(name) for name in names)

    @cached_property
    def citing(self) -> dict[tuple[int, int], dict[tuple[int, int], int]]:
        """Spans of the paragraphs that cite each figure (index, -1) and panel (index, position), in order.

        With each span the offset of the first reference in it.
        """
        found: dict[tuple[int, int], dict[tuple[int, int], int]] = {}
        for at, targets in self._mentions():
            span = self.paragraphs.around(at) if targets else None
            if span is None:
                continue
            for target in targets:
                for cited in (target, (target[0], -1)):
                    spans = found.setdefault(cited, {})
                    if len(spans) < _MOST_PARAGRAPHS:
                        spans.setdefault(span, at)
        return found

    def _mentions(self) -> Iterable[tuple[int, list[tuple[int, int]]]]:
        commands = self.options.citation_commands
        made = ((found.at, self.index.targets(found)) for found in find_references(self.flat.mask, commands))
        if not self.options.plain_numbers:
            return made
        typed = PlainReferences(self.figures, self.numbers).find(self.flat.mask)
        return merge(made, typed, key=lambda mention: mention[0])

    @cached_property
    def paragraphs(self) -> Paragraphs:
        """The paragraphs of the running text."""
        return Paragraphs(self.flat, self.buffer, self.floats.spans, self.options.paragraph_separator)

    def _paragraph(self, span: tuple[int, int], at: int) -> tuple[str, str, str, bool]:
        """(text, place, section, whether it was cut) of a paragraph; each is read once."""
        if (span, at) not in self._read:
            paragraph = self.paragraphs.read(span, at)
            section = self.plain(self.flat.text[slice(*paragraph.heading)])
            text, place = rows.scrub(paragraph.text), self.flat.place(paragraph.at)
            self._read[span, at] = (text, place, section, at >= 0)
        return self._read[span, at]

    def caption_of(self, caption: LatexCaption | None) -> tuple[str, str, str]:
        """(plain text, TeX, place) of a caption."""
        if caption is None:
            return "", "", ""
        tex = self.flat.text[caption.start : caption.end]
        start = caption.start + len(tex) - len(tex.lstrip())
        return self.plain(tex), rows.scrub(tex.strip()), self.flat.place(min(start, max(0, caption.end - 1)))

    def plain(self, tex: str) -> str:
        """Readable text of a caption or heading."""
        tex = tex.strip()[:MOST]
        if self.options.expand_caption_macros:
            tex = expand_text(tex, self.flat.macros, MOST)
        self._plain_left -= len(tex) + _TEXT_COST
        return plain(tex, {}, self.printed, rough=self._plain_left < 0)

    def add_context(self, figure: rows.Figure, key: tuple[int, int]) -> None:
        """The citing paragraphs of a figure or panel, with their places and headings."""
        for span, at in self.citing.get(key, {}).items():
            if self._context_left < 0:
                figure.flags.append("context_cut")
                break
            text, place, section, cut = self._paragraph(span, at if span[1] - span[0] > _LONG else -1)
            self._context_left -= len(text) + _TEXT_COST
            if cut or self._context_left < 0:
                figure.flags.append("context_cut")
            if text and self._context_left >= 0:
                figure.context.append(text)
                figure.context_places.append(place)
                figure.section.append(section)


def build_figures(text: PaperText, pictures: PaperImages) -> list[rows.Figure]:
    """The figure objects of a paper, in the order of their captions; panels after their figure."""
    built: list[rows.Figure] = []
    used: dict[str, int] = {}
    for index, figure in enumerate(text.figures):
        inner = [label for panel in figure.panels for label in panel.labels]
        parent = _figure_object(text, figure.caption, [*figure.labels, *inner], figure.box.start)
        parent.number = rows.scrub(text.numbers[index])
        parent.figure_id = _unique(f"{text.numbers[index] or f'n{index + 1}'}:{parent.label}".rstrip(":"), used)
        pictures.add(parent, figure.images, figure.box.drawn)
        text.add_context(parent, (index, -1))
        parent.flags = sorted({*parent.flags, *_flags(figure, parent)})
        built.append(parent)
        if text.options.granularity == "panel":
            for position, panel in enumerate(figure.panels[: max(0, MOST_FIGURES - len(built))]):
                built.append(_panel_object(text, (index, position), panel, parent, pictures))
                built[-1].figure_id = _unique(f"{parent.figure_id}:{built[-1].panel}", used)
    return built


def _figure_object(text: PaperText, caption: LatexCaption | None, labels: Iterable[LatexLabel], at: int) -> rows.Figure:
    """A figure or panel with its labels, and its caption or the place `at` where one would stand."""
    names = [rows.scrub(name) for name in dict.fromkeys(label.name for label in labels)]
    said, tex, place = text.caption_of(caption)
    return rows.Figure(
        label=names[0] if names else "", labels=names, caption=said, caption_tex=tex,
        caption_place=place or text.flat.place(at),
    )  # fmt: skip


def _flags(figure: LatexFigure, result: rows.Figure) -> list[str]:
    flags = {
        "no_caption": not result.caption, "no_label": not result.labels, "never_cited": not result.context,
        "continued": figure.box.continued, "unclosed_environment": figure.box.unclosed,
    }  # fmt: skip
    return [flag for flag, holds in flags.items() if holds]


def _panel_object(
    text: PaperText, key: tuple[int, int], panel: Panel, parent: rows.Figure, pictures: PaperImages
) -> rows.Figure:
    result = _figure_object(text, panel.caption, panel.labels, panel.at)
    result.parent_label, result.panel = parent.label, text.letters[key]
    result.number = parent.number + result.panel if parent.number else ""
    pictures.add(result, panel.images, drawn=False)
    text.add_context(result, key)
    if not result.context:
        result.context, result.context_places = list(parent.context), list(parent.context_places)
        result.section = list(parent.section)
        result.flags.append("context_of_figure")
    result.flags = sorted(set(result.flags))
    return result


def _letter(position: int) -> str:
    first = chr(ord("a") + position % 26)
    return first if position < 26 else _letter(position // 26 - 1) + first


def _unique(wanted: str, used: dict[str, int]) -> str:
    """`wanted`, with a number behind it where it is taken; `used` counts what each name was wanted."""
    wanted = _ID_CHARACTERS.sub("-", rows.scrub(wanted))[:150]
    name, count = wanted, used.get(wanted, 0) + 1
    while name in used:
        name = f"{wanted}+{count}"
        count += name in used
    used[wanted] = count
    used.setdefault(name, 1)
    return name
