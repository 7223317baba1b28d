"""The other side of `bounded_process`: runs one function after another on what it is sent.

Started as a program of its own. A request is a frame of JSON (function, arguments, seconds, bytes of
memory) and data; the answer a frame of JSON (value, or error and flag) and data.
"""

import contextlib
import importlib
import json
import signal
import socket
import struct
from typing import Any

IDLE_SECONDS = 60  # after which the process ends: a run that goes on with other things wants its memory
LENGTHS = struct.Struct("!IQ")
_MOST_JSON = 50_000_000
_MOST_DATA = 1_000_000_000
_CHUNK = 1 << 20


def send(to: socket.socket, message: Any, data: bytes) -> None:
    """Send a frame."""
    text = json.dumps(message).encode()
    to.sendall(LENGTHS.pack(len(text), len(data)) + text)
    to.sendall(data)


def receive(source: socket.socket) -> tuple[Any, bytes]:
    """The next frame. Raises EOFError if the other side has closed, ValueError for one of absurd size."""
    lengths = LENGTHS.unpack(_exactly(source, LENGTHS.size))
    if lengths[0] > _MOST_JSON or lengths[1] > _MOST_DATA:
        raise ValueError(f"a frame of {lengths} bytes")
    return json.loads(_exactly(source, lengths[0])), _exactly(source, lengths[1])


def _exactly(source: socket.socket, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = source.recv(min(count, _CHUNK))
        if not part:
            raise EOFError("closed")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def serve(connection: socket.socket) -> None:
    """Answer requests until the other side closes, or for as long as it keeps asking."""
    connection.settimeout(IDLE_SECONDS)
    while True:
        try:
            request, data = receive(connection)
        except (EOFError, OSError):  # a time-out is an OSError
            return
        # Whoever asked may be gone: work that hangs must end without it.
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])
        answer, made = _run(request, data)
        signal.setitimer(signal.ITIMER_REAL, 0)
        send(connection, answer, made)


def _run(request: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    module, _, name = request["function"].partition(":")
    try:
        value, made = getattr(importlib.import_module(module), name)(data, **request["arguments"])
    except Exception as error:  # it goes to whoever asked
        return {"error": f"{type(error).__name__}: {error}"[:500], "flag": getattr(error, "flag", "")}, b""
    return {"value": value}, made


def main() -> None:
    """Bound this process, then serve on the socket that is its standard input."""
    import resource

    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends the process, whatever library it is in
    with socket.socket(fileno=0) as connection:
        connection.settimeout(IDLE_SECONDS)
        bounds, _ = receive(connection)
        for kind, most in ((resource.RLIMIT_AS, bounds["memory"]), (resource.RLIMIT_CORE, 0)):
            with contextlib.suppress(OSError, ValueError):  # not every system can bound these
                resource.setrlimit(kind, (most, most))
        serve(connection)


if __name__ == "__main__":
    main()
