"""Which runs of a run folder a report counts, and where the rows that they kept lie."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.runs import run_records, shard_manifest
from data_juicer_ext.runs.exported_rows import export_files
from data_juicer_ext.runs.fetched_run import FETCHED_EXPORT
from data_juicer_ext.storage.addresses import is_remote

# Where run folders are looked for when one is misnamed, and how many are told.
_BELOW = ("*/runs/*.json", "*/*/runs/*.json")
_OUTPUTS = Path("outputs")  # that of the shipped recipes
_TOLD = 3
_COPIES = (FETCHED_EXPORT, "pairs.jsonl")


class NoRunError(DjExtError, ValueError):
    """There is no run to speak of."""


def no_run(run_dir: Path) -> NoRunError:
    """The error for a folder that holds no run, with the run folders nearby."""
    if run_dir.is_file():
        return NoRunError(f"{run_dir} is a file; name the run folder, which the recipe has as run_dir")
    noted = (path for base in dict.fromkeys((run_dir, _OUTPUTS)) for below in _BELOW for path in base.glob(below))
    near = dict.fromkeys(str(path.parents[1]) for path in sorted(noted, key=lambda path: path.name, reverse=True))
    if near:
        return NoRunError(f"{run_dir} holds no run; there is one in {' and in '.join(list(near)[:_TOLD])}: name it")
    return NoRunError(
        f"{run_dir} holds no run; run a recipe first (dj-process --config RECIPE), then name the folder that the "
        "recipe has as run_dir"
    )


@dataclass(frozen=True)
class RunSelection:
    """What a report speaks of.

    The decisions of `run_ids` count: those of the last run, or of the shards' runs. What was spent is counted over
    `all_ids`, every run that has decided anything. `about` is the last counted run's note; `export` holds the rows
    that these runs kept, None where there is none yet. `shards` counts the shards of `dj-ext run` by state, {} for a
    plain run. `notes` say what a reader has to know about all this.
    """

    run_dir: Path
    run_ids: tuple[str, ...]
    all_ids: tuple[str, ...]
    about: dict[str, Any]
    export: Path | None
    shards: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether everything that was begun has come to its end."""
        return bool(self.about.get("ended")) and not self.shards.get("running")


def select_runs(
    run_dir: Path, run_ids: Sequence[str] = (), states: Sequence[str] = (), export: Path | None = None
) -> RunSelection:
    """The scope of a run folder: the runs named (all into one export), else its last run.

    `states` are those of the shards, where it has any. `export` is read instead of the one that the run names.
    Raises NoRunError if there is no run.
    """
    all_ids = tuple(run_id for run_id in run_records.run_ids(run_dir) if run_records.has_begun(run_dir, run_id))
    ids = tuple(run_ids) or all_ids[-1:]
    if not ids:
        raise no_run(run_dir)
    about = run_records.about(run_dir, ids[-1])
    found, said = (export, "") if export else _export(run_dir, about, bool(states))
    notes = [note for note in (_unended(about, Counter(states)), said) if note]
    return RunSelection(run_dir, ids, all_ids, about, found, dict(Counter(states)), tuple(notes))


def last_selection(run_dir: Path, export: Path | None = None) -> RunSelection:
    """What a report of a run folder speaks of: the shards of its manifest, else its last run.

    Raises NoRunError if the folder holds no run.
    """
    if not run_dir.is_dir():
        raise no_run(run_dir)
    found, ids = shard_manifest.load(run_dir), run_records.run_ids(run_dir)
    if found is None or not ids or not run_records.about(run_dir, ids[-1]).get("shard"):
        return select_runs(run_dir, export=export)
    of_shards = [entry.whole_run_id or entry.run_id for entry in found.shards]
    states = [entry.state for entry in found.shards]
    return select_runs(run_dir, [run_id for run_id in of_shards if run_id], states, export)


def _unended(about: dict[str, Any], states: Counter[str]) -> str:
    if states:
        done = states["done"] + states["undecided"]
        left = states.total() - done
        return f"{done} of {states.total()} shards have been run; the kept rows are theirs." if left else ""
    if about.get("ended"):
        return ""
    return "This run has not ended, or was killed: its numbers are those of the decisions made so far."


def export_here(run_dir: Path, named: str) -> Path | None:
    """Where an export that is named as a path or an address lies on this machine; None if it does not."""
    if not is_remote(named):
        return Path(named) if named else None
    return next((copy for name in _COPIES if export_files(copy := run_dir / name)), None)


def _export(run_dir: Path, about: dict[str, Any], in_shards: bool) -> tuple[Path | None, str]:
    """The export of a run, and what is wrong with it: one that is older than the run holds another run's rows."""
    named = str(about.get("export_path") or "")
    if in_shards:  # the folder may have been moved
        places = [*([Path(named)] if named else []), run_dir / "pairs.jsonl"]
        return next((place for place in places if export_files(place)), None), ""
    if is_remote(named):
        if copy := export_here(run_dir, named):
            return copy, ""
        return None, f"The export is not on this machine ({named}): name a copy of it by --export."
    if not named:
        return None, "The run named no export: name it by --export."
    path = Path(named)
    files, ended = export_files(path), bool(about.get("ended"))
    started = float(about.get("started") or 0)
    # File systems keep times less finely than a run does. A run on Ray that keeps no row leaves an empty folder.
    if any(file.stat().st_mtime >= started - 2 for file in files) or (path.is_dir() and not files and ended):
        return path, ""
    if ended:
        return None, f"There is no export {named} of this run: name it by --export."
    return None, "Nothing is exported yet: the kept rows can be shown when the run has ended."
