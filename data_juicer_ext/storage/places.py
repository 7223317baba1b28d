"""Files at a path or at an fsspec address (`s3://bucket/key`, `memory://...`), by the same functions.

An object is whole or it is not there, and is never appended to. Whatever a storage library raises comes out as an
OSError that names the place.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

T = TypeVar("T")

# What holds files of the user's own. Rows name places too, and must not have a machine ask any server on the web.
SCHEMES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oss", "oci", "hdfs", "webhdfs", "memory")
_DELETED_AT_ONCE = 1000
EXTRA = "pip install 'data-juicer-ext[s3]'"


def is_remote(place: str | Path) -> bool:
    """Whether a place is an address of object storage, and no path; `file://` means a path."""
    scheme, separator, _ = str(place).partition("://")
    return bool(separator) and scheme in SCHEMES


def as_path(place: str | Path) -> Path:
    """The path that a place which is not remote stands for."""
    return Path(str(place).removeprefix("file://"))


def under(folder: str | Path, name: str) -> str:
    """The place `name` below `folder`; `name` itself where it is an address or an absolute path."""
    if is_remote(name):
        return name
    if is_remote(folder):
        return name if name.startswith("/") else f"{str(folder).rstrip('/')}/{name}"
    return str(as_path(folder) / as_path(name))


def unreachable(address: str) -> str:
    """Why nothing could be written at an address, as far as reading tells; "" if nothing stands in the way."""
    scheme, _, rest = address.partition("://")
    root = f"{scheme}://{rest.split('/', 1)[0]}"
    try:
        if scheme == "s3":
            _call(root, lambda files, key: files.info(key))
        exists(address)
    except FileNotFoundError:
        return f"there is no bucket {root}"
    except OSError as error:
        return str(error.strerror or error)
    return ""


def is_below(name: str) -> bool:
    """Whether a name, as `tree` gives it, stays in the folder that it is put into."""
    return bool(name) and not name.startswith("/") and "\x00" not in name and ".." not in name.split("/")


def own_name(place: str | Path) -> str:
    """The last part of a place: the file's own name."""
    return str(place).rstrip("/").rsplit("/", 1)[-1]


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
    data = cast(bytes, _call(place, lambda files, key: files.cat_file(key, end=None if most is None else most + 1)))
    if most is not None and len(data) > most:
        raise _too_large(place, most)
    return data


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
    part = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


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
    plain = [address for address in addresses if not set(address) & set("*?[]")]
    for start in range(0, len(plain), _DELETED_AT_ONCE):
        _delete_at_once(plain[start : start + _DELETED_AT_ONCE])
    _delete_each([address for address in addresses if address not in set(plain)])


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


def listed(address: str) -> dict[str, int]:
    """The files right in the folder at an address: their own names in order, with their bytes."""
    try:
        found = _call(address, lambda files, key: files.ls(key, detail=True))
    except FileNotFoundError:
        return {}
    files = {own_name(info["name"]): int(info["size"] or 0) for info in found if info["type"] == "file"}
    return dict(sorted(files.items()))


def tree(address: str) -> dict[str, int]:
    """The files below an address, at any depth: their names from there in order, with their bytes."""

    def found(files: Any, key: str) -> dict[str, int]:
        start = key.rstrip("/") + "/"
        return {
            str(name).removeprefix(start): int(info["size"] or 0)
            for name, info in files.find(key, detail=True).items() if str(name).startswith(start)
        }  # fmt: skip

    return dict(sorted(_call(address, found).items()))


def fetch(pairs: Mapping[str, Path]) -> None:
    """Copy objects (address to path) here, many at once; each path is whole or not there. Raises OSError."""
    if not pairs:
        return
    parts = {path: path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}") for path in pairs.values()}
    for folder in {path.parent for path in parts.values()}:
        folder.mkdir(parents=True, exist_ok=True)
    keys = [_files(address)[1] for address in pairs]
    first = next(iter(pairs))
    try:
        _call(first, lambda files, _: files.get(keys, [str(part) for part in parts.values()]))
        for path, part in parts.items():
            part.replace(path)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def send(path: Path, address: str) -> None:
    """Copy a file to an address, in parts where it is large. Raises OSError."""
    _call(address, lambda files, key: files.put_file(str(path), key))


@cache
def _files_of(process: int, address: str) -> tuple[Any, str]:
    fsspec: Any = importlib.import_module("fsspec")  # here, as few runs need it
    # Listings are not kept: other processes write.
    return cast("tuple[Any, str]", fsspec.core.url_to_fs(address, use_listings_cache=False))


def _files(address: str | Path) -> tuple[Any, str]:
    """The file system of an address, one a process, and the key of the address in it."""
    scheme, _, rest = str(address).partition("://")
    try:
        files, root = _files_of(os.getpid(), f"{scheme}://{rest.split('/', 1)[0]}")
        key = f"{root.rstrip('/')}/{rest.split('/', 1)[1]}" if "/" in rest else root
    except ImportError as error:
        raise OSError(errno.EPROTO, f"{error}: {EXTRA}" if scheme == "s3" else str(error), str(address)) from error
    except ValueError as error:  # an unknown protocol
        raise OSError(errno.EPROTO, str(error), str(address)) from error
    return files, key


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
    except Exception as error:  # libraries of storage raise errors of their own where a connection fails
        number = (error.errno if isinstance(error, OSError) else None) or errno.EIO
        text = " ".join(str(getattr(error, "strerror", None) or error).split()) or type(error).__name__
        raise OSError(number, text, str(address)) from error


def _too_large(place: str | Path, most: int) -> OSError:
    return OSError(errno.EFBIG, f"more than {most:,} bytes", str(place))
