"""The layout model of pymupdf-layout: boxes of a page with what each is. Its weights are in the package.

Pages that name no figure do without it: `plain_boxes` are blocks of text, and what looks like a heading.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.geometry import Rect, union
from data_juicer_ext.pdf.page.lines import Line

PICTURE, TABLE, CAPTION, TEXT, LIST_ITEM = "picture", "table", "caption", "text", "list-item"
HEADING, TITLE, FORMULA, FOOTNOTE = "section-header", "title", "formula", "footnote"
PAGE_HEADER, PAGE_FOOTER = "page-header", "page-footer"
_MOST_HEADING_LINES = 3


@dataclass(frozen=True)
class Box:
    """A box of the page and its kind, one of the names above."""

    rect: Rect
    kind: str


def layout(page: Any, threads: int = 1) -> list[Box]:
    """The boxes of a page of PyMuPDF in reading order; the page's rotation must be 0.

    The model is loaded in the first call of a process, with `threads` threads.
    """
    return [Box(Rect(*(float(value) for value in box[:4])), str(box[4])) for box in _model(threads)(page)]


@lru_cache(maxsize=1)
def _model(threads: int) -> Callable[[Any], list[Any]]:
    with _few_threads(threads):
        import pymupdf.layout

        pymupdf.layout.activate()
    return _boxes_of


def _boxes_of(page: Any) -> list[Any]:
    page.get_layout()
    return list(page.layout_information or ())


@contextlib.contextmanager
def _few_threads(threads: int) -> Iterator[None]:
    """Within it sessions of ONNX Runtime are made with `threads` threads.

    The model makes its sessions itself, with a thread a core for each, and has no setting for it.
    """
    import onnxruntime  # type: ignore[import-untyped]

    usual = onnxruntime.SessionOptions

    def few() -> Any:
        options = usual()
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        return options

    onnxruntime.SessionOptions = few
    try:
        yield
    finally:
        onnxruntime.SessionOptions = usual


def plain_boxes(lines: Sequence[Line], style: Style) -> list[Box]:
    """The blocks of a page in the order of the file."""
    blocks: dict[int, list[Line]] = {}
    for line in lines:
        if not line.turn:
            blocks.setdefault(line.block, []).append(line)
    return [
        Box(union(line.rect for line in block), HEADING if _is_heading(block, style) else TEXT)
        for block in blocks.values()
    ]


def _is_heading(block: Sequence[Line], style: Style) -> bool:
    """Whether a block is short, and larger or bolder than running text throughout."""
    if len(block) > _MOST_HEADING_LINES or not any(letter.isalpha() for letter in block[0].text):
        return False
    return all(
        line.size > style.size + 0.8 or (line.bold_lead and line.font == line.lead != style.font) for line in block
    )
