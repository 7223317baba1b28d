"""`dj-ext`, `dj-process` and `python` in forks of one process that has imported Data-Juicer: start-up is paid once.

As a process: `python -m tests.forks FOLDER`. A command is a call of `CLIENT`, which hands its arguments, folder,
environment and standard streams over and ends with the fork's exit code. What environment variables say to libraries
when these are imported, they say to the process that was started first.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import pickle
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

# Runs without site-packages, in some 20 ms. `{socket}` and `{name}` are filled in.
CLIENT = """#!{python} -IS
import json, os, socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect({socket!r})
call = {{"name": {name!r}, "arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
text = json.dumps(call).encode()
socket.send_fds(link, [len(text).to_bytes(4, "big")], [0, 1, 2])
link.sendall(text)
answer = link.recv(1)
sys.exit(answer[0] if answer else 70)
"""


def programs(env: Mapping[str, str] = os.environ) -> Path:
    """A folder with the commands, all of one process that ends with this one.

    `env` is what they will be run in: Ray reads its `RAY_AUTH_MODE` when it is imported, and `ray.init` sets it.
    """
    return _started(env.get("RAY_AUTH_MODE", ""))


@cache
def _started(ray_auth: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="forks"))  # short: a socket lies in it
    env = {name: value for name, value in os.environ.items() if name != "RAY_AUTH_MODE"}
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.forks", str(folder)],
        cwd=Path(__file__).parent.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=env | ({"RAY_AUTH_MODE": ray_auth} if ray_auth else {}),
    )  # fmt: skip
    assert server.stdout is not None and server.stdout.readline() == "ready\n"
    return folder


def serve(folder: Path) -> None:
    """Answer calls until the process that started this one is gone: then its end of the pipe closes."""
    path = str(folder / "door")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen()
        _write_clients(folder, path)
        print("ready", flush=True)
        while sys.stdin not in select.select([door, sys.stdin], [], [])[0]:
            link, _ = door.accept()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if os.fork() == 0:
                door.close()
                _answer(link)
            link.close()


def _answer(link: socket.socket) -> None:
    """Run one call in a fork, and say how that has ended, even by `os._exit`; this process ends with it."""
    head, streams, *_ = socket.recv_fds(link, 4, 3)
    length, text = int.from_bytes(head, "big"), b""
    while len(text) < length:
        text += link.recv(length - len(text))
    child = os.fork()
    if child == 0:
        link.close()
        _be(json.loads(text), streams)
    for stream in streams:
        os.close(stream)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    link.sendall(bytes([code if code >= 0 else 128 - code]))
    os._exit(0)


def _be(call: dict[str, Any], streams: list[int]) -> None:
    """Run one call in this process, which ends with it."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = _exit_code(call["name"], call["arguments"])
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code & 255)


def _exit_code(name: str, arguments: list[str]) -> int:
    from data_juicer_ext.ops.host import stopped_run

    stopped_run._IMPORTED_IN = os.getpid()  # this fork is a process of its own, nobody's worker
    sys.argv = [name, *arguments]
    try:
        _run(name, arguments)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return int(end.code or 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        return 1
    return 0


def _run(name: str, arguments: list[str]) -> None:
    if name == "dj-ext":
        from data_juicer_ext.cli.main import main

        sys.exit(main(arguments))
    if name == "dj-process":
        from data_juicer.tools.process_data import main as process

        sys.exit(process())
    if name == "python":
        _python(arguments)
        return
    raise ValueError(f"no command {name!r}")


def _python(arguments: list[str]) -> None:
    sys.path.insert(0, str(Path.cwd()))
    if arguments[:1] == ["-c"]:
        sys.argv = ["-c", *arguments[2:]]
        exec(compile(arguments[1], "<block>", "exec"), {"__name__": "__main__"})
    elif arguments[:1] == ["-m"]:
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


def _write_clients(folder: Path, path: str) -> None:
    """Put the commands into `folder`, for a PATH."""
    for name in ("dj-ext", "dj-process", "python"):
        client = folder / name
        client.write_text(CLIENT.format(python=sys.executable, socket=path, name=name), encoding="utf-8")
        client.chmod(0o755)


def _read_pictures_once(folder: Path) -> None:
    """Keep what OCR reads: a picture takes it seconds, and the forks meet the same samples again and again."""
    from data_juicer_ext.figures import ocr

    read = ocr._read

    def reading(image: Image.Image) -> Any:
        file = folder / f"{hashlib.sha256(repr(image.size).encode() + image.tobytes()).hexdigest()}.read"
        if not file.exists():
            made = file.with_suffix(f".{os.getpid()}")
            made.write_bytes(pickle.dumps(read(image)))
            made.rename(file)
        return pickle.loads(file.read_bytes())

    ocr._read = reading


if __name__ == "__main__":
    try:
        import data_juicer.config
        import data_juicer.core  # noqa: F401

        import data_juicer_ext.cli.main
        import data_juicer_ext.ops  # noqa: F401

        _read_pictures_once(Path(sys.argv[1]))
    except Exception:
        traceback.print_exc()
        raise
    started = os.getpid()
    try:
        serve(Path(sys.argv[1]))
    finally:
        if os.getpid() == started:  # and no fork
            shutil.rmtree(sys.argv[1], ignore_errors=True)
