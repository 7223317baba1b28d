"""The layout model of pymupdf-layout: boxes of a page with what each is. Its weights are in the package."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from data_juicer_ext.pdf.page.geometry import Rect

PICTURE, TABLE, CAPTION, TEXT, LIST_ITEM = "picture", "table", "caption", "text", "list-item"
HEADING, TITLE, FORMULA, FOOTNOTE = "section-header", "title", "formula", "footnote"
PAGE_HEADER, PAGE_FOOTER = "page-header", "page-footer"


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
