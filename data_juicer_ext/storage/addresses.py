"""Addresses of object storage (`s3://bucket/key`, `memory://...`) and paths, told apart and put together as text."""

from pathlib import Path

# What holds files of the user's own. Rows name places too, and must not have a machine ask any server on the web.
SCHEMES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oss", "oci", "memory")
USUAL = ("s3", "s3a")  # those of the extra


def is_remote(place: str | Path) -> bool:
    """Whether a place is an address of object storage, and no path; `file://` means a path."""
    scheme, separator, rest = str(place).partition("://")
    return bool(separator) and scheme in SCHEMES and "::" not in rest  # fsspec would go on to another storage


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


def own_scheme(place: str | Path) -> str:
    """The scheme of an address, such as s3; "" of a path."""
    return str(place).partition("://")[0] if is_remote(place) else ""


def own_name(place: str | Path) -> str:
    """The last part of a place: the file's own name."""
    return str(place).rstrip("/").rsplit("/", 1)[-1]


def wrong_address(text: str) -> str:
    """What is wrong with a text that is meant as an address; "" for a right one, and for a path."""
    scheme, separator, rest = text.partition(":/")
    if not separator or not scheme.isalnum() or scheme == "file":
        return ""
    bucket = rest.removeprefix("/").split("/", 1)[0]
    if "@" in bucket and not scheme.startswith("abfs"):
        return "a key in an address reaches logs; put it into the environment (and change it: it was shown)"
    if not is_remote(text) or not bucket:
        return f"{text} is no address: s3://bucket/folder is one; schemes are {', '.join(SCHEMES[:-1])}"
    return ""


def is_below(name: str) -> bool:
    """Whether a name, as `tree` gives it, stays in the folder that it is put into."""
    return bool(name) and not name.startswith("/") and "\x00" not in name and ".." not in name.split("/")
