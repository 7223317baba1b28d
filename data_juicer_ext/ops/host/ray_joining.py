"""Says in a sentence why a Ray cluster can't be joined, before Ray has tried for minutes, or in place of its traceback.

Ray asks an address where nobody listens again and again, and hears no signal meanwhile.
"""

import os
import socket
import time
from pathlib import Path
from typing import Any

from data_juicer_ext.ops.host.host_patch import wrap
from data_juicer_ext.ops.host.running_recipe import stop

PATIENCE_S = 5.0  # a cluster that was just started
TRY_S = 3.0
_OWN = ("", "local")  # addresses of a Ray that the run starts itself
_TOKEN = "RAY_AUTH_TOKEN_PATH"


def install() -> None:
    """Let Data-Juicer look whether somebody listens before it joins a cluster."""
    from data_juicer.utils import ray_utils

    wrap(ray_utils, "initialize_ray", _looked_at_first)


def _looked_at_first(join: Any, cfg: Any = None, *args: Any, **given: Any) -> Any:
    address = str(getattr(cfg, "ray_address", None) or "")
    if problem := unreachable(address):
        stop(problem)
    try:
        return join(cfg, *args, **given)
    except (ConnectionError, RuntimeError) as error:
        stop(refused(address, error))


def unreachable(address: str, patience: float = PATIENCE_S) -> str:
    """What is wrong where nobody listens at `host:port`; "" if somebody does, or it is no such address."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit() or "/" in host:
        return ""
    until = time.monotonic() + patience
    while True:
        try:
            socket.create_connection((host.strip("[]"), int(port)), TRY_S).close()
            return ""
        except (OSError, OverflowError) as error:
            if time.monotonic() > until:
                return (
                    f"ray_address: nobody listens at {address} ({error}); start the cluster (`ray start --head --port "
                    f"{port}`), mend the address, or leave it at `local` for a Ray of this machine"
                )
        time.sleep(0.5)


def refused(address: str, error: Exception) -> str:
    """What to do where a cluster is there and can't be joined, or Ray can't be started on this machine."""
    text = " ".join(str(error).split())[:300]
    if address in _OWN:
        return f"ray_address: Ray can't be started on this machine: {text}"
    token = os.environ.get(_TOKEN, "")
    if os.environ.get("RAY_AUTH_MODE") != "token":
        hint = f"If it was started with a token, set RAY_AUTH_MODE=token and {_TOKEN} here, as on its nodes"
    elif token and not Path(token).is_file():
        hint = f"There is no file {token}, which {_TOKEN} names"
    else:
        hint = f"Is the token here ({_TOKEN}) that of its nodes, and is the version of Ray the same?"
    return f"ray_address: the cluster at {address} can't be joined: {text}. {hint}"
