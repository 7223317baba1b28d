"""Where this machine keeps copies of what lies on object storage."""

import errno
import hashlib
import os
import re
from pathlib import Path

from data_juicer_ext.storage.addresses import own_name

VARIABLE = "DJ_EXT_CACHE"
_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


def cache_folder(address: str) -> Path:
    """The folder of this user for the copies of an address, made if it is missing; the same one on each call.

    Lies in `$DJ_EXT_CACHE`, else in `$XDG_CACHE_HOME/data_juicer_ext`, else in `~/.cache/data_juicer_ext`; may be
    removed while nothing runs. Raises PermissionError if it can't be made.
    """
    digest = hashlib.sha256(address.rstrip("/").encode()).hexdigest()[:20]
    folder = _root() / f"{_PLAIN.sub('-', own_name(address))[:40]}-{digest}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        # A right that is missing, whatever it was: callers take a missing file for something else.
        text = f"no copies of object storage can be kept here ({error.strerror}); name another place by {VARIABLE}"
        raise PermissionError(errno.EACCES, text, str(folder)) from error
    return folder


def _root() -> Path:
    given = os.environ.get(VARIABLE, "").strip()
    if given:
        return Path(given).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(base) if base else Path.home() / ".cache") / "data_juicer_ext"
