"""Has a Ray that this process starts make the workers that a run needs, and keep them.

Ray ends workers beyond the number of CPUs when they were idle for a second. Tasks that call a model take a part of a
CPU, so there are more of them, and each waits now and then for its next block; a new worker imports Data-Juicer
first, which takes seconds. And at its start Ray makes a worker for each CPU that none of Data-Juicer's tasks can use,
since these bring an environment of their own.
"""

import os

# Read by a Ray that this process starts; for a cluster they are set before `ray start`.
VARIABLES = {"RAY_idle_worker_killing_time_threshold_ms": "60000", "RAY_prestart_worker_first_driver": "0"}


def install() -> None:
    """Tell a Ray that this process starts, unless the user says otherwise."""
    for name, value in VARIABLES.items():
        os.environ.setdefault(name, value)
