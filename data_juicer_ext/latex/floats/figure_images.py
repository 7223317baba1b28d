"""The images of a figure: found in the paper, made readable, and flagged where that fails."""

import posixpath
from collections.abc import Sequence
from pathlib import Path

from data_juicer_ext.figures.rasterize import DrawingError, RasterLimits, View, readable_image
from data_juicer_ext.latex.expand.flat_text import Flat
from data_juicer_ext.latex.expand.tex_buffer import Buffer
from data_juicer_ext.latex.floats.image_paths import (
    Image,
    find_image,
    is_computed,
    search_folders,
    view_of,
    written_path,
)
from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.source.paper_files import SourceTree
from data_juicer_ext.rows import Figure, scrub
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import is_remote
from data_juicer_ext.storage.file_access import FULL

_PROBLEMS = frozenset(
    ("image_missing", "image_unreadable", "image_too_large", "image_path_refused", "needs_ghostscript",
     "no_image_file", "image_name_computed")
)  # fmt: skip
_MOST_GIVEN = 200_000_000  # bytes of an image at an address; larger ones are not drawn


class PaperImages:
    """Images of one paper; each source is read and drawn once."""

    def __init__(
        self, tree: SourceTree, flat: Flat, buffer: Buffer, folder: str | Path, options: LatexOptions, job: str
    ) -> None:
        self.notes: list[str] = []
        self._tree = tree
        self._flat = flat
        self._folder = folder
        self._limits = RasterLimits(options.dpi, options.max_side)
        self._job = job
        self._search = search_folders(flat.mask, buffer, flat.macros)
        self._made: dict[tuple[str, View], tuple[str, str]] = {}

    def add(self, figure: Figure, images: Sequence[Image], drawn: bool) -> None:
        """Set `images` and `image_sources` of a figure, and its flags."""
        found = [self._one(image) for image in images]
        figure.image_sources = list(dict.fromkeys(scrub(source) for source, _, _ in found if source))
        figure.images = list(dict.fromkeys(file for _, file, _ in found if file))
        figure.flags += {flag for _, _, flag in found if flag}
        if not images:
            figure.flags.append("no_image_file")
        elif drawn:
            figure.flags.append("also_drawn_in_tex")

    def use_given(self, figure: Figure, image: str | bytes) -> None:
        """Take an image that came with the row, a file's place or its bytes, for a figure that has none."""
        name = repr(image[:200]) if isinstance(image, str) else f"of figure {figure.number or figure.figure_id}"
        try:
            data = papers.read(image, _MOST_GIVEN if is_remote(image) else None) if isinstance(image, str) else image
            figure.images = [readable_image(data, self._folder, self._limits)]
        except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
            _stop_if_full(error)
            self._note(f"given image {name} cannot be read ({getattr(error, 'strerror', None) or error})")
            return
        except DrawingError as problem:
            self._note(f"given image {name}: {problem.flag}: {problem}")
            return
        self._settle(figure, "image_given")

    def use_page(self, figure: Figure, source: str, data: bytes, view: View) -> str:
        """Take a part of a page of the PDF `data` (file `source`); why that cannot be done, or ""."""
        try:
            figure.images = [readable_image(data, self._folder, self._limits, view)]
        except (DrawingError, OSError) as problem:
            _stop_if_full(problem)
            return str(problem)
        figure.page, figure.bbox = view.page, list(view.box or ())
        self._note(f"image_from_pdf: figure {figure.number or figure.figure_id}: {source}, page {view.page}")
        self._settle(figure, "image_from_pdf")
        return ""

    def _settle(self, figure: Figure, flag: str) -> None:
        figure.flags = sorted({*(known for known in figure.flags if known not in _PROBLEMS), flag})

    def _one(self, image: Image) -> tuple[str, str, str]:
        path = written_path(image, self._flat.macros, self._job)
        if is_computed(path):
            self._note(f"image_name_computed: {path[:200]!r} ({self._flat.place(image.at)})")
            return "", "", "image_name_computed"
        found = find_image(self._tree, path, self._bases(image), self._search)
        if found.flag == "image_missing" and self._tree.exists(f"{path}.tex"):
            return found.path, "", "no_image_file"  # a picture drawn in TeX, in a file of its own
        if found.flag:
            self._note(f"{found.flag}: {found.path[:200]!r} ({self._flat.place(image.at)})")
            return found.path, "", found.flag
        key = (found.drawn_from, View.from_options(view_of(image.options)))
        if key not in self._made:
            self._made[key] = self._make(*key)
        file, flag = self._made[key]
        return found.path, file, flag

    def _bases(self, image: Image) -> list[str]:
        file = self._flat.origin(image.at)[0]
        own = posixpath.dirname(self._flat.files[file]) if file < len(self._flat.files) else ""
        main = self._flat.main_folder
        return list(dict.fromkeys((self._flat.folder_at(image.at) or main, main, own, "")))

    def _make(self, source: str, view: View) -> tuple[str, str]:
        try:
            return readable_image(self._tree.read(source), self._folder, self._limits, view), ""
        except DrawingError as problem:
            self._note(f"{problem.flag}: {source!r}: {problem}")
            return "", problem.flag
        except (PaperError, OSError) as error:
            _stop_if_full(error)
            self._note(f"image_unreadable: {source!r}: {error}")
            return "", "image_unreadable"

    def _note(self, text: str) -> None:
        if len(self.notes) < 100 and text not in self.notes:
            self.notes.append(text[:500])


def _stop_if_full(error: Exception) -> None:
    """Raise the error of a folder that nothing can be written to any more, or of a storage that fails.

    Neither is the image's fault.
    """
    if isinstance(error, papers.StorageError) or (isinstance(error, OSError) and error.errno in FULL):
        raise error
