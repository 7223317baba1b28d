"""Figure rows of plain images: pictures that come from no paper, such as a benchmark's."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, image_and_bytes
from data_juicer_ext.rows import Figure, add_provenance, content_id, figure_row, scrub
from data_juicer_ext.storage.addresses import as_path, is_remote, own_name, under


class NoImageError(DjExtError, ValueError):
    """The row names no image, or names it in a way that is no path; the text says which."""


def image_row(
    row: Mapping[str, Any], root: str | Path, keep: Sequence[str] = (), max_pixels: int = ImageLimits.max_pixels
) -> dict[str, Any]:
    """A figure row of the image or images that `row` names, every one decoded whole.

    `row` has `images` (paths or addresses) or `image` (one), and any of paper_id, figure_id, domain, licence, venue,
    year, caption, label, number and `context` (paragraphs with a blank line between). Relative paths start at `root`,
    which may be an address, or at the current folder where there is no such file. `provenance` holds the columns in
    `keep` as `given`. `row_id` hangs on the images' bytes, the caption and the ids, not on where the files lie. Raises
    NoImageError, ImageError for an image that can't be read or has more than `max_pixels`, and UnreachableImageError
    where object storage fails.
    """
    given = _paths(row)
    paths = [_found(path, root) for path in given]
    digests = [_digest(path, max_pixels) for path in paths]
    context = [part.strip() for part in _text(row, "context").split("\n\n") if part.strip()]
    number, label = _text(row, "number"), _text(row, "label")
    figure = Figure(
        figure_id=_text(row, "figure_id") or _own_name(given[0]), number=number, label=label,
        labels=[label] if label else [], caption=_text(row, "caption"), images=[str(path) for path in paths],
        image_sources=list(given), context=context, context_places=[""] * len(context), section=[""] * len(context),
    )  # fmt: skip
    made = figure_row(row, figure)
    ids = (made["paper_id"], _text(row, "figure_id"), made["caption"])
    made["row_id"] = content_id("figure", *digests, *ids)
    made["figure_id"] = scrub(made["figure_id"])
    given_columns = {"given": {column: row.get(column) for column in keep}} if keep else {}
    made["provenance"] = add_provenance(made["provenance"], image_sha256=digests, **given_columns)
    return made


def named(row: Mapping[str, Any]) -> str:
    """What a row is called in a message: its ids, or the image as it names it."""
    known = [f"{name} {row[name]}" for name in ("paper_id", "figure_id") if row.get(name)]
    return scrub(", ".join(known) or f"image {str(row.get('image') or row.get('images') or 'not named')[:200]}")


def _paths(row: Mapping[str, Any]) -> list[str]:
    given = row.get("images")
    if given is None or len(given) == 0:
        given = [row.get("image")]
    if isinstance(given, str):
        raise NoImageError(f"`images` is the text {given[:200]!r}; write a list of paths, or the column `image`")
    paths = list(given)
    for path in paths:
        if path is None or path == "":
            raise NoImageError("names no image; write `image` (a path) or `images` (a list of paths)")
        if not isinstance(path, str):
            raise NoImageError(f"an image is a {type(path).__name__}, not a path; write the file's path")
    return paths


def _own_name(path: str) -> str:
    return own_name(path) if is_remote(path) else Path(path).name


def _found(path: str, root: str | Path) -> str | Path:
    """Where the file lies. Data-Juicer puts the dataset's folder before a list of paths, so that may be done."""
    try:
        if is_remote(place := under(root, path)):
            return place
        here, there = as_path(path).absolute(), as_path(place)
        return here if here.is_file() and not there.is_file() else there.absolute()
    except (OSError, ValueError) as error:
        raise ImageError(f"{path[:200]!r}: no path of a file ({error})") from error


def _digest(path: str | Path, max_pixels: int) -> str:
    return hashlib.sha256(image_and_bytes(path, max_pixels)[1]).hexdigest()


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return scrub(str(value)) if value not in (None, "") else ""
