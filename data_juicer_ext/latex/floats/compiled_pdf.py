"""Images of figures that have no file, taken from the compiled PDF that the paper ships."""

import posixpath
import re
from collections.abc import Sequence

from data_juicer_ext.figures.bounded_process import WorkError, work
from data_juicer_ext.figures.rasterize import View
from data_juicer_ext.latex.expand.flat_text import Flat
from data_juicer_ext.latex.floats.figure_images import PaperImages
from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.source.paper_files import SourceTree
from data_juicer_ext.pdf.paper import PdfError, locate_figures
from data_juicer_ext.rows import Figure

_COUNT = "data_juicer_ext.pdf.document:page_count"
_LOCATE_SECONDS = 120.0
_COUNT_SECONDS = 10.0
_MOST_CANDIDATES = 40
_MOST_BYTES = 200_000_000
_SHOWN = re.compile(
    r"\\(?:include[a-z]+|epsfig|psfig|pgfimage|plotone|plottwo)\*?\s*(?:\[[^\[\]]{0,500}\]\s*){0,2}\{([^{}]{1,300})\}"
)


class CompiledPdf:
    """The compiled PDF of one paper: found, searched for figures, and drawn from."""

    def __init__(self, tree: SourceTree, main: str, flat: Flat, options: LatexOptions) -> None:
        self.notes: list[str] = []
        self._tree = tree
        self._main = main
        self._flat = flat
        self._options = options

    def supply(self, figures: Sequence[Figure], pictures: PaperImages) -> None:
        """Give each figure without an image the one that the PDF shows, if there is a PDF.

        Flags: `image_from_pdf`, or `pdf_not_matched` for a figure that is not found in it. `page` and
        `bbox` tell where it was.
        """
        wanting = [figure for figure in figures if not figure.images and not figure.panel]
        path = self._find() if wanting and self._options.images_from_pdf else ""
        if not path:
            return
        data = self._read(path)
        for figure, view in zip(wanting, self._locate(data, wanting), strict=True):
            reason = view if isinstance(view, str) else pictures.use_page(figure, path, data, view)
            if reason:
                figure.flags = sorted({*figure.flags, "pdf_not_matched"})
                self.notes.append(f"pdf_not_matched: figure {figure.number or figure.figure_id} in {path}: {reason}")

    def _locate(self, data: bytes, figures: Sequence[Figure]) -> list[View | str]:
        try:
            return locate_figures(data, [(figure.number, figure.caption) for figure in figures], _LOCATE_SECONDS)
        except PdfError as problem:
            return [f"the PDF cannot be read: {problem}"] * len(figures)

    # ---- which file it is

    def _find(self) -> str:
        """The path of the PDF: the one that is named, the one beside the main document, or the only long one; or ""."""
        named = self._options.compiled_pdf
        if named:
            if not self._tree.exists(named):
                self.notes.append(f"compiled_pdf: the paper has no file {named!r}")
                return ""
            return named
        stem = posixpath.splitext(self._main)[0]
        shown = self._shown()
        beside = next((f"{stem}{suffix}" for suffix in (".pdf", ".PDF") if self._tree.exists(f"{stem}{suffix}")), "")
        return beside if beside and posixpath.basename(stem) not in shown else self._only_long(shown)

    def _shown(self) -> set[str]:
        """The names, without folder and suffix, of what the document shows as figures."""
        paths = (match.group(1).strip() for match in _SHOWN.finditer(self._flat.mask))
        return {posixpath.basename(path).removesuffix(".pdf") for path in paths}

    def _only_long(self, shown: set[str]) -> str:
        names = sorted(name for name in self._tree.names if name.lower().endswith(".pdf"))
        names = [name for name in names if posixpath.splitext(posixpath.basename(name))[0] not in shown]
        if len(names) > _MOST_CANDIDATES:
            return ""
        long = [name for name in names if self._pages(name) > 1]
        if len(long) > 1:
            self.notes.append(f"no compiled PDF chosen among {', '.join(long)[:300]}; name it with compiled_pdf")
        return long[0] if len(long) == 1 else ""

    def _pages(self, name: str) -> int:
        data = self._read(name)
        try:
            return int(work(_COUNT, data, {}, _COUNT_SECONDS)[0]) if data else 0
        except WorkError:
            return 0

    def _read(self, name: str) -> bytes:
        try:
            data = self._tree.read(name)
        except (PaperError, OSError):
            return b""
        return data if len(data) <= _MOST_BYTES else b""
