"""Figures as small pictures inside the page: bounded in pixels and bytes, encoded anew."""

import base64
from dataclasses import dataclass
from pathlib import Path

from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, prepare
from data_juicer_ext.storage.addresses import own_name
from data_juicer_ext.storage.papers import found_image

MAX_SIDE, MAX_BYTES = 720, 120_000
# No format goes out as it is: the page holds what was encoded here, without what else a file may hold.
_LIMITS = ImageLimits(max_side=MAX_SIDE, max_bytes=MAX_BYTES, formats=(), min_text_height=0)


@dataclass(frozen=True)
class Thumbnail:
    """A picture as a data URI, its sides in pixels; `problem` says why there is none."""

    uri: str = ""
    width: int = 0
    height: int = 0
    problem: str = ""


class Thumbnails:
    """Makes the thumbnails of a page, each file once, up to `most_bytes` in all.

    Where an image is not at its place (the folder was moved) it is looked for in `images`; of an object on object
    storage the copy there is taken, if there is one.
    """

    def __init__(self, images: str | Path, most_bytes: int = 12_000_000) -> None:
        self._images, self._left = images, most_bytes
        self._made: dict[str, Thumbnail] = {}

    def of(self, path: str) -> Thumbnail:
        """The thumbnail of an image file; whatever is wrong with it becomes the problem."""
        if not path:
            return Thumbnail(problem="no image is known")
        if path not in self._made:
            self._made[path] = self._make(path)
        made = self._made[path]
        if len(made.uri) > self._left:
            return Thumbnail(problem="left out: the page has enough pictures")
        self._left -= len(made.uri)
        return made

    def _make(self, path: str) -> Thumbnail:
        place = path
        try:
            place = found_image(path, self._images)
            part = prepare(place, _LIMITS)
        except (ImageError, OSError, ValueError) as error:
            return Thumbnail(problem=str(error).replace(place.removesuffix(own_name(place)), ""))
        data = base64.b64encode(part.data).decode("ascii")
        return Thumbnail(f"data:{part.mime};base64,{data}", part.width, part.height)
