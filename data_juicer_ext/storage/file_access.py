"""Files at a path or at an fsspec address (`s3://bucket/key`, `memory://...`), by the same functions.

An object is whole or it is not there, and is never appended to. Whatever a storage library raises comes out as an
OSError that names the place.
"""

import contextlib
import errno
import importlib
import io
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from data_juicer_ext.storage.addresses import as_path, is_remote, own_name
from data_juicer_ext.storage.atomic_file import part_of, replacing

T = TypeVar("T")

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # of file systems of this machine alone
_CHATTY = ("aiobotocore", "botocore")  # where they found what, in every process
_DELETED_AT_ONCE = 1000
_FETCHED_AT_ONCE = 256
_WITH_PREFIXES = ("s3://", "s3a://", "gs://", "gcs://")
EXTRA = "pip install 'data-juicer-ext[s3]'"


def unreachable(address: str, listing: bool = True) -> str:
    """Why nothing could be read or written at an address, as far as looking tells; "" if nothing stands in the way.

    Without `listing`, credentials need not let list it, as those that only let read what is named.
    """
    scheme, _, rest = address.partition("://")
    root = f"{scheme}://{rest.split('/', 1)[0]}"
    try:
        # Credentials for one folder of a bucket do not let look at the bucket itself.
        if scheme == "s3" and not _is_seen(root, denied=True):
            return f"there is no bucket {root}"
        _is_seen(address, denied=not listing)
    except OSError as error:
        return str(error.strerror or error)
    return ""


def _is_seen(address: str, denied: bool) -> bool:
    """Whether something is at an address; True too where it is not let look at, if that is `denied`."""
    try:
        return exists(address)
    except PermissionError:
        if not denied:
            raise
        return True


def size(place: str | Path) -> int | None:
    """The bytes of a file; None if there is no such file. Raises OSError if that can't be found out."""
    if not is_remote(place):
        path = as_path(place)
        return path.stat().st_size if path.is_file() else None
    try:
        info = _call(place, lambda files, key: files.info(key))
    except FileNotFoundError:
        return None
    return int(info["size"] or 0) if info["type"] == "file" else None


def exists(place: str | Path) -> bool:
    """Whether there is a file or folder. Raises OSError if that can't be found out."""
    if not is_remote(place):
        return as_path(place).exists()
    try:
        _call(place, lambda files, key: files.info(key))
    except FileNotFoundError:
        return False
    return True


def read(place: str | Path, most: int | None = None) -> bytes:
    """The bytes of a file. Raises FileNotFoundError, or OSError where it has over `most` bytes or can't be read."""
    if not is_remote(place):
        path = as_path(place)
        if most is not None and path.stat().st_size > most:
            raise _too_large(place, most)
        return path.read_bytes()
    try:
        end = None if most is None else most + 1
        data = cast(bytes, _call(place, lambda files, key: files.cat_file(key, end=end)))
    except OSError:
        if most is None or size(place) != 0:  # no range of an empty object can be had
            raise
        return b""
    if most is not None and len(data) > most:
        raise _too_large(place, most)
    return data


def parts(place: str | Path, length: int) -> Iterator[bytes]:
    """The bytes of a file in order, `length` of them at once. Raises OSError."""
    if not is_remote(place):
        with as_path(place).open("rb") as file:
            while part := file.read(length):
                yield part
        return
    whole, start = size(place), 0
    if whole is None:
        raise FileNotFoundError(errno.ENOENT, "there is no such object", str(place))
    while start < whole:
        end = min(start + length, whole)
        yield _range(place, start, end)
        start = end


def _range(place: str | Path, start: int, end: int) -> bytes:
    return cast(bytes, _call(place, lambda files, key: files.cat_file(key, start=start, end=end)))


def opened(place: str | Path, most: int | None = None) -> BinaryIO:
    """A file opened for reading; that of object storage is read at once, up to `most` bytes."""
    return io.BytesIO(read(place, most)) if is_remote(place) else as_path(place).open("rb")


def write(place: str | Path, data: bytes) -> None:
    """Replace a file as a whole: whoever reads it, or a kill in between, meets the old or the new one."""
    if is_remote(place):
        _call(place, lambda files, key: files.pipe_file(key, data))
        return
    path = as_path(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        part.write_bytes(data)


def create(address: str, data: bytes) -> bool:
    """Write an object at an address unless there is one; whether it was written. One of several that try wins."""
    try:
        _call(address, lambda files, key: files.pipe_file(key, data, mode="create"))
    except FileExistsError:
        return False
    return True


def delete(addresses: Sequence[str]) -> None:
    """Remove the objects at some addresses of one storage, as far as they are there."""
    # Many in one request; but a name with any of these would be taken for a pattern.
    plain, others = list[str](), list[str]()
    for address in addresses:
        (others if set(address) & set("*?[]") else plain).append(address)
    for start in range(0, len(plain), _DELETED_AT_ONCE):
        _delete_at_once(plain[start : start + _DELETED_AT_ONCE])
    _delete_each(others)


def _delete_at_once(addresses: Sequence[str]) -> None:
    keys = [_files(address)[1] for address in addresses]
    try:
        _call(addresses[0], lambda files, _: files.rm(keys))
    except FileNotFoundError:
        _delete_each(addresses)


def _delete_each(addresses: Sequence[str]) -> None:
    for address in addresses:
        with contextlib.suppress(FileNotFoundError):
            _call(address, lambda files, key: files.rm_file(key))


def listed(address: str, begins: str = "") -> dict[str, int]:
    """The files right in the folder at an address whose own names begin so: these in order, with their bytes."""

    def found(files: Any, key: str) -> list[dict[str, Any]]:
        if begins and address.startswith(_WITH_PREFIXES):  # only these are asked for, of what may be a million
            return list(files.find(key, detail=True, prefix=begins).values())
        return list(files.ls(key, detail=True))

    try:
        infos = _call(address, found)
    except FileNotFoundError:
        return {}
    names = {own_name(info["name"]): int(info["size"] or 0) for info in infos if info["type"] == "file"}
    return {name: names[name] for name in sorted(names) if name.startswith(begins)}


def tree(address: str, most: int | None = None) -> dict[str, int]:
    """The files below an address, at any depth: their names from there in order, with their bytes.

    Raises OSError where there are more than `most`; of a folder within it, no more than one such is listed.
    """

    def found(files: Any, key: str) -> dict[str, int]:
        start, names = key.rstrip("/") + "/", dict[str, int]()
        walked = [("", (), files.find(key, detail=True))] if most is None else files.walk(key, detail=True)
        for _, _, here in walked:
            for info in here.values():
                if str(info["name"]).startswith(start):
                    names[str(info["name"]).removeprefix(start)] = int(info["size"] or 0)
            if most is not None and len(names) > most:
                raise OSError(errno.EFBIG, f"more than {most:,} files", address)
        return names

    return dict(sorted(_call(address, found).items()))


def fetch(pairs: Mapping[str, Path]) -> None:
    """Copy objects (address to path) here, many at once; each path is whole or not there. Raises OSError."""
    waiting = list(pairs.items())
    for start in range(0, len(waiting), _FETCHED_AT_ONCE):
        _fetch(dict(waiting[start : start + _FETCHED_AT_ONCE]))


def _fetch(pairs: Mapping[str, Path]) -> None:
    parts = {path: part_of(path) for path in pairs.values()}
    for folder in {path.parent for path in parts.values()}:
        folder.mkdir(parents=True, exist_ok=True)
    keys = [_files(address)[1] for address in pairs]
    first = next(iter(pairs))
    try:
        _call(first, lambda files, _: files.get(keys, [str(part) for part in parts.values()]))
        for path, part in parts.items():
            part.replace(path)
    except OSError as error:
        if error.errno not in FULL:
            raise
        folder = next(iter(parts)).parent  # it is this machine that has no room, not the storage
        raise OSError(error.errno, f"{os.strerror(error.errno)}, for copies of {first}", str(folder)) from error
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def send(path: Path, address: str) -> None:
    """Copy a file to an address, in parts where it is large. Raises OSError."""
    _call(address, lambda files, key: files.put_file(str(path), key))


@cache
def _files_of(process: int, address: str) -> tuple[Any, str]:
    fsspec: Any = importlib.import_module("fsspec")  # here, as few runs need it
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    # Listings are not kept: other processes write.
    return cast("tuple[Any, str]", fsspec.core.url_to_fs(address, use_listings_cache=False))


def _files(address: str | Path) -> tuple[Any, str]:
    """The file system of an address, one per process, and the key of the address in it."""
    scheme, _, rest = str(address).partition("://")
    try:
        files, root = _files_of(os.getpid(), f"{scheme}://{rest.split('/', 1)[0]}")
    except ImportError as error:
        raise OSError(errno.EPROTO, f"{error}: {EXTRA}" if scheme == "s3" else str(error), str(address)) from error
    except Exception as error:  # whatever a file system finds wrong with the address, or in the environment
        raise OSError(errno.EPROTO, f"{type(error).__name__}: {error}", str(address)) from error
    return files, f"{root.rstrip('/')}/{rest.split('/', 1)[1]}" if "/" in rest else root


def _call(address: str | Path, ask: Callable[[Any, str], T]) -> T:
    files, key = _files(address)
    try:
        return ask(files, key)
    except FileNotFoundError as error:
        said = str(error.strerror or error)
        why = said if " " in said else "there is no such object"  # else it is the key
        raise FileNotFoundError(errno.ENOENT, why, str(address)) from error
    except FileExistsError:
        raise
    except UnicodeError as error:
        raise OSError(errno.EILSEQ, "its name is no text", ascii(str(address))) from error
    except Exception as error:  # libraries of storage raise errors of their own where a connection fails
        number = (error.errno if isinstance(error, OSError) else None) or errno.EIO
        text = " ".join(str(getattr(error, "strerror", None) or error).split()) or type(error).__name__
        raise OSError(number, text, str(address)) from error


def _too_large(place: str | Path, most: int) -> OSError:
    return OSError(errno.EFBIG, f"more than {most:,} bytes", str(place))
