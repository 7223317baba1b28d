"""The last words of a run: what is undecided or unreadable, and what to do about it."""

import atexit
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.models import runs
from data_juicer_ext.models.ledger import decisions


def at_exit(run: runs.Run) -> None:
    """Close `run` when this process ends, and print what a user has to know."""
    pid = os.getpid()

    def close() -> None:
        # A forked worker inherits the hook; only the process that began the run may end it.
        if os.getpid() == pid:
            text = closing_words(run, runs.end(run))
            if text:
                print(text, file=sys.__stderr__, flush=True)

    atexit.register(close)


def closing_words(run: runs.Run, undecided: list[dict[str, Any]]) -> str:
    """The message for the user; "" when every row was read and decided."""
    parts = [
        unreadable_words(decisions(run.run_dir, run.run_id)),
        undecided_words(undecided, run.run_dir / "undecided.jsonl"),
    ]
    return "".join(f"\n{part}" for part in parts if part) + ("\n" if any(parts) else "")


def unreadable_words(entries: Iterable[Mapping[str, Any]]) -> str:
    """Which papers and images could not be read; "" if all could. `entries` are decisions of a ledger."""
    broken = [e for e in entries if e["reason"] in ("unreadable_paper", "unreadable_image")]
    if not broken:
        return ""
    shown = [f"  {e['detail'].get('message', '')}" for e in broken[:10]]
    more = [f"  ... and {len(broken) - 10} more (see the ledger)"] if len(broken) > 10 else []
    return "\n".join([f"data_juicer_ext: {len(broken)} inputs could not be read:", *shown, *more])


def undecided_words(undecided: Sequence[Mapping[str, Any]], path: Path) -> str:
    """How many rows are undecided, why, and what to do; "" if none. `path` is where they stand."""
    if not undecided:
        return ""
    causes = Counter((row["undecided"]["tag"], row["undecided"]["message"]) for row in undecided)
    shown = [f"  {count} at {tag}: {message}" for (tag, message), count in causes.most_common(10)]
    more = [f"  ... and {len(causes) - 10} other causes"] if len(causes) > 10 else []
    return "\n".join(
        [
            f"data_juicer_ext: {len(undecided)} rows are UNDECIDED (neither kept nor refused):",
            *shown,
            *more,
            f"They stand in {path}. Run the same command again to decide them.",
        ]
    )
