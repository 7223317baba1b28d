"""What the tests have done in the other process."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any


class FlaggedError(Exception):
    """An exception with a flag."""

    flag = "some_flag"


def echo(data: bytes, **arguments: Any) -> tuple[Any, bytes]:
    return [os.getpid(), arguments], data


def fail(data: bytes) -> tuple[Any, bytes]:
    raise FlaggedError("no good")


def crash(data: bytes) -> tuple[Any, bytes]:
    os._exit(3)


def crash_on_page(data: bytes, **view: Any) -> tuple[Any, bytes]:
    os._exit(3)


def crash_once(data: bytes, mark: str) -> tuple[Any, bytes]:
    """End the process, unless it was ended here before."""
    if not Path(mark).exists():
        Path(mark).touch()
        os._exit(3)
    return "second time", b""


def hang(data: bytes, **arguments: Any) -> tuple[Any, bytes]:
    time.sleep(60)
    return None, b""


def take_memory(data: bytes) -> tuple[Any, bytes]:
    return len(bytearray(20_000_000_000)), b""


def environment(data: bytes) -> tuple[Any, bytes]:
    return sorted(os.environ), b""
