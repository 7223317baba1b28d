"""The images of the rows to export, as files of an export: found again, decoded whole, named by what is in them.

They look as the models saw them: upright, on white, the first frame, eight bits a channel. What already does so goes
out with its bytes as they are, but for metadata; everything else becomes PNG (JPEG where it came as one).
"""

import hashlib
import io
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from data_juicer_ext.export.images.metadata import without_metadata
from data_juicer_ext.figures.image_preparation import (
    MAX_FILE_BYTES,
    ImageError,
    ImageLimits,
    ImagePart,
    UnreachableImageError,
    prepare,
)
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import is_remote, own_name

_ANY_SIZE = ImageLimits(max_side=1_000_000, max_bytes=MAX_FILE_BYTES, min_text_height=0)
_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg"}
_CHAT_MODES = ("RGB", "RGBA")  # that the chat API takes
_QUALITIES = (95, 90, 85, 75)
FOLDER = "images"
"""The folder of an export that holds copied images."""


@dataclass(frozen=True)
class ExportedImage:
    """One image of an export, whose bytes are made again from the file at `source`.

    `name` is the SHA-256 of those bytes with a suffix, `size` their number. `flags` say what had to be done to it, as
    in `ImagePart`. `max_bytes`: made for a chat API that takes so many; 0 for none.
    """

    source: str
    name: str
    mime: str
    size: int
    flags: tuple[str, ...] = ()
    max_bytes: int = 0

    @property
    def path(self) -> str:
        """Where its copy lies, relative to the export."""
        return f"{FOLDER}/{self.name}"

    def data(self) -> bytes:
        """Its bytes. Raises ImageError if the file has changed since it was looked at, or is gone."""
        try:  # most files go out as they are, and need not be decoded again
            data = without_metadata(papers.read(self.source, MAX_FILE_BYTES if is_remote(self.source) else None))
            if self._is(data):
                return data
        except (OSError, ValueError):
            pass
        data = _made(self.source, self.max_bytes)[0]
        if not self._is(data):
            raise ImageError(f"{self.source}: the file has changed during the export")
        return data

    def _is(self, data: bytes) -> bool:
        return hashlib.sha256(data).hexdigest() == self.name.partition(".")[0]


class ImageMissingError(ImageError):
    """There is no such file."""


class ImageTooLargeError(ImageError):
    """The image cannot be made small enough."""


@dataclass(frozen=True)
class ImagePlaces:
    """Where the files of rows may lie: as they are named, beside the export, or in the run folder's `images`."""

    run_dir: Path
    export: Path

    def find(self, named: str) -> str:
        """The file that a row means; a run folder that was moved still has its images.

        Of an object on object storage the copy in the run folder, if there is one. Raises ImageMissingError, and
        StorageError where object storage fails.
        """
        if is_remote(named):
            return self._object(named)
        path = Path(named)
        tried = [path, *([] if path.is_absolute() else [self.export.parent / path, self.export / path])]
        tried.append(self.run_dir / "images" / path.name)
        try:
            return str(next(place for place in tried if place.is_file()))
        except StopIteration:
            raise ImageMissingError(f"{path.name}: no such file") from None
        except (OSError, ValueError) as error:
            raise ImageMissingError(f"{path.name[:100]!r}: no path of a file ({error})") from error

    def _object(self, address: str) -> str:
        place = papers.found_image(address, self.run_dir / "images")
        try:
            if papers.size(place) is not None:
                return place
        except papers.StorageError:
            raise
        except OSError as error:
            raise ImageMissingError(f"{own_name(address)[:100]!r}: no address of a file ({error.strerror})") from error
        raise ImageMissingError(f"{own_name(address)}: no such file")


class Copies:
    """Copies of pictures in the folder of an export, each once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._there = set[str]()

    def add(self, pictures: Iterable[ExportedImage]) -> list[str]:
        """Copy what is not there yet; returns the paths of all, relative to the export. Raises ImageError, OSError."""
        paths = []
        for picture in pictures:
            if picture.name not in self._there:
                (self._folder / FOLDER).mkdir(exist_ok=True)
                (self._folder / picture.path).write_bytes(picture.data())
                self._there.add(picture.name)
            paths.append(picture.path)
        return paths


Looked = Mapping[str, "ExportedImage | ImageError"]


def look_at_all(named: Iterable[str], places: ImagePlaces, workers: int, max_bytes: int = 0) -> Looked:
    """Each image as a picture, or why it is none; several at once.

    Raises StorageError or UnreachableImageError where object storage fails: no row is left out for that.
    """
    wanted = list(dict.fromkeys(named))
    with ThreadPoolExecutor(workers) as pool:
        return dict(zip(wanted, pool.map(lambda name: _look(name, places, max_bytes), wanted), strict=True))


def _look(named: str, places: ImagePlaces, max_bytes: int) -> ExportedImage | ImageError:
    try:
        source = places.find(named)
    except ImageMissingError as error:
        return error
    try:
        data, mime, flags = _made(source, max_bytes)
    except UnreachableImageError:
        raise
    except ImageError as error:  # told without the path on this machine, and a parameter that is the run's
        told = str(error).replace(source, own_name(source)).replace(" (model_params.max_image_pixels)", "")
        return type(error)(told)
    name = f"{hashlib.sha256(data).hexdigest()}.{_SUFFIXES[mime]}"
    return ExportedImage(source, name, mime, len(data), flags, max_bytes)


def _made(source: str, max_bytes: int) -> tuple[bytes, str, tuple[str, ...]]:
    part = prepare(source, _ANY_SIZE)
    try:
        data = without_metadata(part.data)
    except ValueError:  # decoders forgive more than this does
        data, part = _encoded(part, "PNG"), _as(part, "image/png")
    return _for_chat(source, data, part, max_bytes) if max_bytes else (data, part.mime, part.flags)


def _for_chat(source: str, data: bytes, part: ImagePart, max_bytes: int) -> tuple[bytes, str, tuple[str, ...]]:
    flags = part.flags
    with Image.open(io.BytesIO(data)) as image:
        wrong = image.mode not in _CHAT_MODES
    if wrong:
        data = _encoded(part, "PNG")
        part, flags = _as(part, "image/png"), (*flags, "rgb")
    if len(data) <= max_bytes:
        return data, part.mime, flags
    for quality in _QUALITIES:
        data = _encoded(part, "JPEG", quality)
        if len(data) <= max_bytes:
            return data, "image/jpeg", (*flags, "jpeg")
    raise ImageTooLargeError(f"{own_name(source)}: more than {max_bytes:,} bytes, as JPEG too")


def _as(part: ImagePart, mime: str) -> ImagePart:
    return ImagePart(mime, part.data, part.width, part.height, part.sha256, part.flags)


def _encoded(part: ImagePart, form: str, quality: int = 0) -> bytes:
    out = io.BytesIO()
    with Image.open(io.BytesIO(part.data)) as image:
        how = {"quality": quality, "subsampling": 0} if quality else {}
        image.convert("RGB").save(out, form, **how)
    return out.getvalue()
