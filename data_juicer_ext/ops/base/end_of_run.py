"""The last words of a run: what is undecided or unreadable, and what to do about it."""

import atexit
import errno
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.curation.stage_counts import RunFunnel
from data_juicer_ext.ops.host import host_log, stopped_run
from data_juicer_ext.ops.host.running_recipe import running
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import read_lines
from data_juicer_ext.storage.addresses import is_remote, under
from data_juicer_ext.storage.cache import VARIABLE
from data_juicer_ext.storage.file_access import FULL

_UNREADABLE = ("unreadable_paper", "unreadable_image", "bad_figures_column")
_SHOWN = 10

# What to do about a cause that the same run, again, meets again; by the reason's ending.
_HINTS = {
    "auth": "check the key that api_key_env names",
    "bad_request": "the endpoint will refuse this request again",
    "bad_image": "the image cannot be sent",
    "storage": "see that object storage can be reached",
    "content_filter": "the provider refuses the content; another model may not",
    "cut_off": "raise max_tokens in sampling_params, or leave it out",
    "budget": "raise max_cost or max_calls",
    "both_zero": "the judge gave neither diagram a point",
    "unparsable": "the stored answer stays what it is; another model, prompt or sampling is asked anew",
}
_HOPELESS = ("bad_request", "bad_image", "content_filter", "unparsable", "both_zero")


def at_exit(run: run_records.Run) -> None:
    """Close `run` when this process ends, and print what a user has to know."""
    pid = os.getpid()
    stopped_run.watch(host_trouble_words)

    def close() -> None:
        # A forked worker inherits the hook; only the process that began the run may end it.
        if os.getpid() == pid:
            text = close_run(run)
            if stopped_run.said():
                text = f"\ndata_juicer_ext: {stopped_run.said()}\n"
            if text:
                host_log.end()  # it is written by other threads, which may be behind
                print(text, file=sys.__stderr__, flush=True)

    atexit.register(close)


def close_run(run: run_records.Run) -> str:
    """End `run`, and say what a user has to know; "" if nothing. A run that never began is forgotten."""
    try:
        run.flush()
        run.bring("ledger", run.run_id)
        if not run_records.has_begun(run.run_dir, run.run_id):
            run_records.forget(run)
            return ""
        return closing_words(run, run_records.end(run))
    except OSError as error:
        return f"\ndata_juicer_ext: {unwritable_words(run.place, error)}\n"


def unwritable_words(run_dir: str | Path, error: OSError) -> str:
    """What is wrong with the run folder, a path or an address, and what to do."""
    if is_remote(run_dir) and error.errno in FULL:
        return (
            f"the copy of the run folder {run_dir} can't be written: {error}. Make room, or name another place by "
            f"{VARIABLE}, and run the same command again: what is stored is not paid for twice."
        )
    if is_remote(run_dir):
        return (
            f"the run folder {run_dir} can't be written: {error}. Put its storage, or the credentials for it, in "
            "order, and run the same command again: what is stored there is not paid for twice."
        )
    if error.errno == errno.ENOENT and error.strerror != os.strerror(errno.ENOENT):  # said by `ledger.LineWriter`
        return (
            f"the run folder {run_dir} can't be written: {error.strerror}. Mount it on every node under the same path, "
            "and run the same command again: what is stored there is not paid for twice."
        )
    return (
        f"the run folder {run_dir} can't be written: {error}. Make room or put the rights in order, and run "
        "the same command again: what is stored there is not paid for twice."
    )


def host_trouble_words(trouble: str) -> str:
    """What is wrong where Data-Juicer writes, and what to do."""
    given = running()
    places = ", ".join(f"{name}: {given[name]}" for name in ("export_path", "work_dir") if given.get(name))
    return (
        f"Data-Juicer can't write ({places}): {trouble}. Make room or put the rights in order, and run the same "
        "command again: what has been answered is stored, and not paid for twice."
    )


def closing_words(run: run_records.Run, undecided: list[dict[str, Any]]) -> str:
    """The message for the user; "" when every row was read and decided."""
    curated = RunFunnel()
    parts = [
        unreadable_words(curated.watching(read_lines(run.run_dir / "ledger", run.run_id))),
        curated.words(),
        undecided_words(undecided, under(run.place, "undecided.jsonl")),
    ]
    return "".join(f"\n{part}" for part in parts if part) + ("\n" if any(parts) else "")


def unreadable_words(entries: Iterable[Mapping[str, Any]]) -> str:
    """Which papers and images could not be read, and which papers and figures had nothing to see.

    "" if there are none. `entries` are lines of a ledger; they are not kept.
    """
    broken: dict[tuple[str, str], str] = {}
    empty: dict[tuple[str, str], str] = {}
    for entry in entries:
        key, reason = (entry["row_id"], entry["tag"]), entry["reason"]
        if reason in _UNREADABLE:
            broken[key] = str(entry["detail"].get("message", ""))
        elif reason == "no_figures":
            empty[key] = "papers without a figure"
        elif reason == "no_image" and entry["verdict"] == "drop":
            empty[key] = _without_image(entry["detail"].get("flags") or [])
    lines = []
    if broken:
        lines = [f"data_juicer_ext: {len(broken)} inputs could not be read:"]
        lines += [f"  {message}" for message in list(broken.values())[:_SHOWN]]
        lines += [f"  ... and {len(broken) - _SHOWN} more (see the ledger)"] if len(broken) > _SHOWN else []
    if empty:
        counted = ", ".join(f"{count} {what}" for what, count in Counter(empty.values()).most_common())
        lines.append(f"data_juicer_ext: left out: {counted}")
    return "\n".join(lines)


def _without_image(flags: Sequence[str]) -> str:
    if "needs_ghostscript" in flags:
        return "figures in EPS (install Ghostscript, `gs`, to have them read)"
    if "image_missing" in flags:
        return "figures whose image file is missing"
    return "figures without an image file"


def undecided_words(undecided: Sequence[Mapping[str, Any]], path: str | Path) -> str:
    """How many rows are undecided, why, and what to do; "" if none. `path` is where they stand."""
    if not undecided:
        return ""
    causes = Counter(_cause(row["undecided"]) for row in undecided)
    shown = [f"  {count} at {tag}: {message}{hint}" for (tag, message, hint, _), count in causes.most_common(_SHOWN)]
    more = [f"  ... and {len(causes) - _SHOWN} other causes"] if len(causes) > _SHOWN else []
    again = "Run the same command again to decide them."
    if all(hopeless for *_, hopeless in causes):
        again = "Running the same command again will not decide them as long as that stays so."
    head = f"data_juicer_ext: {len(undecided)} rows are UNDECIDED (neither kept nor refused):"
    return "\n".join([head, *shown, *more, f"They stand in {path}. {again}"])


def _cause(about: Mapping[str, Any]) -> tuple[str, str, str, bool]:
    """Where, the message, what to do, and whether the same run would meet it again."""
    reason = str(about.get("reason", ""))
    kind = reason.rpartition(":")[2]
    hint = _HINTS.get(kind, "")
    if reason.startswith("error:"):
        hint = "the operator was given a row that it cannot use"
    hopeless = kind in _HOPELESS or reason.startswith("error:")
    return about["tag"], about["message"], f" ({hint})" if hint else "", hopeless
