"""The images of the rows to export: found again, seen once, and those that show the same."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from data_juicer_ext.annotation.glance import Glance
from data_juicer_ext.annotation.near_hashes import NearHashes
from data_juicer_ext.annotation.overlap import MAX_HAMMING
from data_juicer_ext.annotation.sampling import Seen, images_in
from data_juicer_ext.export.splitting import Groups
from data_juicer_ext.figures.curation.same_picture import same_picture
from data_juicer_ext.figures.image_parts import FORMATS, ImageError

_SUFFIXES = {"JPEG": ".jpg", "TIFF": ".tif"}


@dataclass(frozen=True)
class Places:
    """Where the files of rows may lie: as they are named, beside the export, or in the run folder's `images`."""

    run_dir: Path
    export: Path

    def images(self, row: Mapping[str, Any]) -> list[str]:
        """The image files of a row; a run folder that was moved still has them."""
        return [str(self._found(Path(named))) for named in images_in(row)]

    def _found(self, named: Path) -> Path:
        tried = [named, *([] if named.is_absolute() else [self.export.parent / named])]
        tried.append(self.run_dir / "images" / named.name)
        return next((path for path in tried if path.is_file()), named)


def unusable(images: Iterable[str], seen: Seen) -> str:
    """Why a row with these images can't be exported; "" if it can."""
    found = [seen[path] for path in images]
    if not found:
        return "the row names no image"
    return next((str(one) for one in found if isinstance(one, ImageError)), "")


def join_same_pictures(seen: Iterable[Glance], groups: Groups) -> None:
    """Put images (by `image_name`) that show the same picture into one group, whatever the order they are given in.

    They are near in their perceptual hash, as they are or without margins, and alike pixel by pixel. Images that are
    in one group already are not compared.
    """
    by_hash = [NearHashes[Glance](MAX_HAMMING) for _ in range(2)]
    for image in sorted({one.sha256: one for one in seen}.values(), key=lambda one: one.sha256):
        close: dict[str, Glance] = {}
        for hashes, value in zip(by_hash, image.hashes, strict=True):
            close |= {image_name(other.sha256): other for _, other in hashes.near(value)}
            hashes.add(value, image)
        mine = image_name(image.sha256)
        for name, other in sorted(close.items()):
            apart = groups.of(name) != groups.of(mine)
            if apart and image.may_show_the_same(other) and same_picture(image.path, other.path):
                groups.join((mine, name))


def image_name(sha256: str) -> str:
    """What an image is called among names that may be grouped with it."""
    return f"image:{sha256}"


def read_checked(path: str, sha256: str) -> bytes:
    """The bytes of an image that was seen whole. Raises ImageError if the file is another one by now, or gone."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ImageError(f"{path}: {error.strerror or error}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ImageError(f"{path}: the file has changed during the export")
    return data


def file_name(data: bytes, sha256: str) -> str:
    """What an image is called in an export: its content hash, with the suffix of its format."""
    return f"{sha256[:32]}{_SUFFIXES.get(form := form_of(data), f'.{form.lower()}')}"


def form_of(data: bytes) -> str:
    """The format of an image, as Pillow names it."""
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        return "JPEG" if image.format == "MPO" else str(image.format)
