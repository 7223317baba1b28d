"""Papers and images where they lie, at a path or an address: a storage that fails is told from a file that is missing.

A missing file is its row's fault, and costs that row. A storage that can't be reached, or refuses, is nobody's, and
must not be taken for thousands of missing files.
"""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import USUAL, as_path, is_remote, own_name, own_scheme, under

_OF_THE_FILE = (errno.ENOENT, errno.EFBIG, errno.EISDIR, errno.EILSEQ)
_LONGEST = 200  # bytes of one part of a name: file systems take 255, of which a copy under way needs some


class StorageError(DjExtError, OSError):
    """Object storage can't be reached, refuses, or is full. Says nothing about the file that was asked for."""

    def __str__(self) -> str:
        return f"{self.filename} {self.strerror}"


def root_folder(folder: str) -> str:
    """The folder that relative paths of rows start from: an address as it is, a path made absolute."""
    return folder if is_remote(folder) else str(as_path(folder).absolute())


def read(place: str | Path, most: int | None = None) -> bytes:
    """The bytes of a file. Raises OSError as `files.read` does, StorageError where object storage fails."""
    with _told(place):
        return file_access.read(place, most)


def size(place: str | Path) -> int | None:
    """The bytes of a file; None if there is no such file. Raises OSError, StorageError where object storage fails."""
    with _told(place):
        return file_access.size(place)


def parts(place: str | Path, length: int) -> Iterator[bytes]:
    """The bytes of a file in order, `length` of them at once. Raises OSError as `read` does, and for a folder."""
    with _told(place):
        if is_remote(place) and file_access.size(place) is None and file_access.exists(place):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
        yield from file_access.parts(place, length)


def write(place: str | Path, data: bytes) -> None:
    """Replace a file as a whole. Raises OSError; at an address it is a StorageError, whatever went wrong."""
    try:
        file_access.write(place, data)
    except OSError as error:
        if not is_remote(place):
            raise
        why = "there is no such bucket" if isinstance(error, FileNotFoundError) else error.strerror
        raise StorageError(error.errno, f"can't be written ({why})", str(place)) from error


def found_image(named: str, images: str | Path) -> str:
    """Where an image lies that a row names: at its path, or in the folder `images` where the run folder was moved.

    Of an object the copy in `images` is taken, if that is a folder here and has one.
    """
    if is_remote(named):
        copy = under(images, own_name(named))
        return named if is_remote(images) or size(copy) is None else copy
    path = as_path(named)
    return str(path) if path.is_file() else under(images, path.name)


@contextlib.contextmanager
def here(place: str | Path, most_bytes: int, most_files: int = 0) -> Iterator[Path]:
    """A file or folder as a path: itself, or within the block a copy of what lies at an address, under its own name.

    Of a folder every object below the address is copied, but for names that would leave it or that no file system
    takes. Raises FileNotFoundError where nothing is at an address, OSError for more than `most_bytes` or `most_files`
    there (IsADirectoryError for a folder where `most_files` is 0), StorageError where object storage fails.
    """
    if not is_remote(place):
        yield as_path(place)
        return
    address = str(place).rstrip("/")
    with _room(address) as folder:
        name = own_name(address)
        copy = Path(folder, name if _is_plain(name) else "paper")
        with _told(address):
            _copy(address, copy, most_bytes, most_files)
        yield copy


def _room(address: str) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="dj-ext-paper-", ignore_cleanup_errors=True)
    except OSError as error:  # also "no usable temporary directory", which is a FileNotFoundError
        raise StorageError(error.errno, f"can't be copied here ({error.strerror})", address) from error


def _copy(address: str, copy: Path, most_bytes: int, most_files: int) -> None:
    length = file_access.size(address)
    if length == 0 and most_files and file_access.tree(address, most_files):
        length = None  # an empty object that marks a folder
    if length is not None:
        _check(address, length, most_bytes, "bytes")
        file_access.fetch({address: copy})
        return
    if not most_files and file_access.exists(address):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), address)
    if "/" not in address.partition("://")[2]:
        raise OSError(errno.EISDIR, "is a whole bucket, no paper", address)
    there = file_access.tree(address, most_files)
    if not there:
        raise FileNotFoundError(errno.ENOENT, "there is no such file or folder", address)
    names = _kept(there)
    _check(address, len(names), most_files, "files")
    _check(address, sum(there[name] for name in names), most_bytes, "bytes")
    copy.mkdir()
    file_access.fetch({under(address, name): copy / name for name in names})


def _check(address: str, found: int, most: int, what: str) -> None:
    if found > most:
        raise OSError(errno.EFBIG, f"more than {most:,} {what}", address)


def _kept(names: Iterable[str]) -> list[str]:
    """Those of the keys below a folder that can be files in it: an object may have the name of a folder."""
    plain = [name for name in names if all(map(_is_plain, name.split("/")))]
    folders = {str(parent) for name in plain for parent in PurePosixPath(name).parents}
    return [name for name in plain if name not in folders]


def _is_plain(part: str) -> bool:
    return part not in ("", ".", "..") and "\0" not in part and len(part.encode("utf-8", "replace")) <= _LONGEST


@contextlib.contextmanager
def _told(place: str | Path) -> Iterator[None]:
    """Within it, whatever a storage fails with that is not about the file becomes a StorageError."""
    try:
        yield
    except OSError as error:
        if not is_remote(place) or error.errno in _OF_THE_FILE or _is_no_address(place, error):
            raise
        raise StorageError(error.errno, f"can't be read at the moment ({error.strerror})", str(place)) from error


def _is_no_address(place: str | Path, error: OSError) -> bool:
    """Whether no storage could have such an address, or it is of a kind that is not used here.

    Not where `s3fs` itself is missing: that would cost every row.
    """
    if isinstance(error.__cause__, ImportError):
        return own_scheme(place) not in USUAL
    return error.errno == errno.EPROTO or type(error.__cause__).__name__ == "ParamValidationError"
