"""Figures with captions, images and citing paragraphs out of one LaTeX paper: the way in.

`read_figures` takes a paper as arXiv ships it or as a folder, `figures_from_text` LaTeX in a string.
"""

import gc
import posixpath
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from data_juicer_ext.latex.caption_matching import tie_captions
from data_juicer_ext.latex.expand.flattening import flatten
from data_juicer_ext.latex.figure_objects import PaperText, build_figures
from data_juicer_ext.latex.floats.compiled_pdf import CompiledPdf
from data_juicer_ext.latex.floats.figure_images import PaperImages
from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.source.main_document import choose_main
from data_juicer_ext.latex.source.paper_files import SourceTree, sources
from data_juicer_ext.rows import Figure, scrub

__all__ = ["LatexExtraction", "LatexOptions", "PaperError", "figures_from_text", "read_figures"]

DEFAULTS = LatexOptions()
TEXT_NAME = "text"  # stands for the file in places of a row's own LaTeX


@dataclass(frozen=True)
class LatexExtraction:
    """The figures of one paper, which file was read and why, and what the reader should know."""

    figures: list[Figure]
    main_file: str
    main_reason: str
    notes: list[str]


def read_figures(
    path: str | Path,
    image_folder: str | Path,
    options: LatexOptions = DEFAULTS,
    given_captions: Sequence[str] | None = None,
    given_images: Sequence[str | bytes] | None = None,
) -> LatexExtraction:
    """The figures of the paper at `path`: a folder, .tar, .tar.gz, .tgz, .zip, .gz of one .tex, or .tex.

    Both places may be addresses of object storage; of a lone .tex there, no other file is looked at. Readable images
    (PNG or JPEG) are written to `image_folder`, named by content. With `given_captions` the figures are those that tie
    to exactly one of them (see `latex.caption_matching`); `given_images` holds, for each given caption, an image's
    place or its bytes, "" where there is none. A paper without figures has an empty list. Raises PaperError for what is
    no readable LaTeX paper, OSError where `image_folder` can't be written, StorageError where object storage fails.
    """
    with sources(path, options) as (tree, named):
        main, reason = choose_main(tree, options.main_file or named)
        if named and not options.main_file:
            reason = "the file itself"
        return _extract(tree, main, reason, image_folder, options, given_captions, given_images)


def figures_from_text(
    latex: str,
    image_folder: str | Path,
    options: LatexOptions = DEFAULTS,
    given_captions: Sequence[str] | None = None,
    given_images: Sequence[str | bytes] | None = None,
) -> LatexExtraction:
    """The figures of LaTeX text that has no files: images are missing unless `given_images` has them.

    Raises PaperError for text that is empty.
    """
    if not latex.strip():
        raise PaperError("the LaTeX text is empty")
    tree = SourceTree("the row's text", {TEXT_NAME: latex.encode("utf-8", "replace")})
    return _extract(tree, TEXT_NAME, "the row's text", image_folder, options, given_captions, given_images)


@contextmanager
def _collecting_later() -> Iterator[None]:
    """Leaves garbage for later: what a paper is read into stays until it is done, and looking at it
    again and again would take more than twice the time for a paper of twice the length.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _extract(
    tree: SourceTree,
    main: str,
    reason: str,
    image_folder: str | Path,
    options: LatexOptions,
    given_captions: Sequence[str] | None,
    given_images: Sequence[str | bytes] | None,
) -> LatexExtraction:
    job = posixpath.splitext(posixpath.basename(main))[0]
    with _collecting_later():
        flat = flatten(tree, main, options)
        text = PaperText(flat, options)
        pictures = PaperImages(tree, flat, text.buffer, image_folder, options, job)
        figures = build_figures(text, pictures)
    notes = [*tree.notes, *flat.notes]
    if given_captions is not None:
        figures = _given(figures, pictures, given_captions, given_images or (), options, notes)
    compiled = CompiledPdf(tree, main, flat, options)
    compiled.supply(figures, pictures)
    notes += [*pictures.notes, *compiled.notes]
    return LatexExtraction(figures, main, reason, [scrub(note) for note in notes])


def _given(
    figures: list[Figure],
    pictures: PaperImages,
    captions: Sequence[str],
    images: Sequence[str | bytes],
    options: LatexOptions,
    notes: list[str],
) -> list[Figure]:
    """The figures that given pairs tie to (their panels with them); refusals go to `notes`."""
    places = [index for index, figure in enumerate(figures) if not figure.panel]
    tops = [figures[index] for index in places]
    known, labels = [figure.caption for figure in tops], [figure.labels for figure in tops]
    kept: list[Figure] = []
    if images and len(images) != len(captions):
        notes.append(f"given_images holds {len(images)} images for {len(captions)} captions; the rest has none")
    for tie in tie_captions(captions, known, labels, options.caption_matching_threshold):
        if tie.figure < 0:
            notes.append(f"given caption {tie.given}: {tie.reason}: {captions[tie.given][:80]!r}")
            continue
        figure = tops[tie.figure]
        image = images[tie.given] if tie.given < len(images) else ""
        if image and not figure.images:
            pictures.use_given(figure, image)
        kept.append(figure)
        kept += takewhile(lambda panel: bool(panel.panel), figures[places[tie.figure] + 1 :])
    return kept
