"""A storage that fails, for tests."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from data_juicer_ext.storage import file_access


def take_down(monkeypatch: pytest.MonkeyPatch, part: str = "://") -> None:
    """From now on no storage answers for addresses that contain `part`."""
    real = file_access._call

    def refuse(files: Any, key: str) -> NoReturn:
        raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")

    def call(address: str, ask: Callable[[Any, str], Any]) -> Any:
        return real(address, refuse if part in str(address) else ask)

    monkeypatch.setattr(file_access, "_call", call)
