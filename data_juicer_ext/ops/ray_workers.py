"""Keeps Ray's workers alive between tasks: each has imported Data-Juicer, which takes seconds.

Ray ends workers beyond the number of CPUs when they were idle for a second. Tasks that call a model take a part of a
CPU, so there are more of them, and each waits now and then for its next block.
"""

import os

# Read by a Ray that this process starts; for a cluster it is set before `ray start`.
VARIABLE = "RAY_idle_worker_killing_time_threshold_ms"
IDLE_MS = 60_000


def install() -> None:
    """Let a Ray that this process starts keep idle workers for a minute, unless the user says otherwise."""
    os.environ.setdefault(VARIABLE, str(IDLE_MS))
