"""Serving a review until it is interrupted."""

import ipaddress
import secrets
import socket
from collections.abc import Callable
from urllib.parse import quote

import uvicorn
from starlette.types import ASGIApp

from data_juicer_ext.errors import UsageError
from data_juicer_ext.review.request_guard import is_local

SHORTEST_TOKEN = 16


def token_for(host: str, given: str) -> str:
    """The token that a server needs: the one given; a random one where others can reach it; else none.

    Raises UsageError for one that could be guessed.
    """
    if given and (len(given) < SHORTEST_TOKEN or not given.isprintable()):
        raise UsageError(
            f"--token: give at least {SHORTEST_TOKEN} printable characters, or leave it out for a random one"
        )
    return given or ("" if is_local(host) else secrets.token_urlsafe(24))


def bound(host: str, port: int) -> socket.socket:
    """A socket at an address, port 0 for any free one. Raises OSError, naming both, where that cannot be."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
        except OSError:
            made.close()
            raise
    except OSError as error:
        raise OSError(f"{host}, port {port}: {error.strerror}; name another by --host and --port") from error
    return made


def address_of(host: str, at: socket.socket, token: str) -> str:
    """What to open in a browser."""
    name = host
    try:
        number = ipaddress.ip_address(host)
        if number.is_unspecified:
            name = socket.gethostname()
        elif number.version == 6:
            name = f"[{host}]"
    except ValueError:
        pass
    query = f"?token={quote(token, safe='')}" if token else ""
    return f"http://{name}:{at.getsockname()[1]}/{query}"


def serve(app: ASGIApp, at: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Serve until interrupted; `ready` is called when requests are answered."""
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=5
    )
    _Server(config, ready).run(sockets=[at])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()
