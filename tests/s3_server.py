"""An S3 server on this machine for tests, in a thread of the test process; buckets are in memory."""

from __future__ import annotations

import contextlib
import itertools
import urllib.request
from collections.abc import Iterator
from functools import cache
from typing import Any

_BUCKETS = itertools.count()


@cache
def _server() -> Any:
    """The one server of this process: file systems are kept by process, and with them its port."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    return server


@contextlib.contextmanager
def away() -> Iterator[None]:
    """Within it nobody listens where the server was; its objects are there afterwards."""
    from moto.server import ThreadedMotoServer

    server = _server()
    host, port = server.get_host_and_port()
    server.stop()
    server._server.server_close()
    yield
    again = ThreadedMotoServer(ip_address=host, port=port, verbose=False)
    again.start()
    server._server, server._thread = again._server, again._thread


class S3:
    """One empty bucket; `env` is what a process needs to reach it."""

    def __init__(self) -> None:
        port = _server().get_host_and_port()[1]
        self.endpoint = f"http://127.0.0.1:{port}"
        self.bucket = f"bucket-{next(_BUCKETS)}"
        self.env = {
            "AWS_ACCESS_KEY_ID": "key-of-storage", "AWS_SECRET_ACCESS_KEY": "secret-of-storage",
            "AWS_DEFAULT_REGION": "us-east-1", "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": self.endpoint,
        }  # fmt: skip
        urllib.request.urlopen(urllib.request.Request(f"{self.endpoint}/{self.bucket}", method="PUT"))

    def at(self, key: str = "") -> str:
        """The address of a key in the bucket."""
        return f"s3://{self.bucket}/{key}" if key else f"s3://{self.bucket}"
