"""The server that the tests of the client call."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fake_openai import FakeServer


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(lambda body: "B") as running:
        yield running
