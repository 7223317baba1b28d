"""How a dataset is cut into shards: seeded, shuffled, and known again by their content.

Where a row goes hangs on its content and the seed alone, not on its place in the dataset. Shard
files are written here, row by row, because Data-Juicer's loaders lose rows: those whose text
column is null, and columns that only later rows have.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_juicer_ext.rows import content_id, to_json
from data_juicer_ext.runs.dataset import DatasetError, read_dataset


@dataclass(frozen=True)
class Shard:
    """A shard as it was cut: its name ("shard-00007"), an id of its rows' content, and their number."""

    name: str
    id: str
    papers: int


@dataclass(frozen=True)
class ShardLayout:
    """What shard files need to be read in full.

    `text_keys` are columns that the loader drops rows by where they are null; `path_keys` are
    columns with lists of files, which Data-Juicer reads relative to the dataset's folder.
    """

    text_keys: tuple[str, ...] = ()
    path_keys: tuple[str, ...] = ("images", "audios", "videos")


@dataclass
class Scan:
    """The rows of a dataset without their content: digests, columns, and places in a spool file."""

    digests: list[bytes] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    columns: dict[str, None] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """The same for the same rows, in whatever order they stand."""
        return hashlib.sha256(b"".join(sorted(self.digests))).hexdigest()[:32]


def scan(dataset: Path, spool: Path | None = None) -> Scan:
    """Read a dataset once; with `spool`, its rows are written there for `cut`.

    Raises DatasetError if it is empty or not readable.
    """
    found = Scan()
    if spool is None:
        for row in read_dataset(dataset):
            _note(found, row)
    else:
        spool.parent.mkdir(parents=True, exist_ok=True)
        with spool.open("wb") as file:
            for row in read_dataset(dataset):
                _note(found, row)
                found.spans.append((file.tell(), file.write(_line(row))))
    if not found.digests:
        raise DatasetError(f"dataset: {dataset} is empty; it needs one row per paper")
    return found


def _note(found: Scan, row: Mapping[str, Any]) -> None:
    text = to_json(dict(sorted(row.items())))
    found.digests.append(hashlib.sha256(text.encode()).digest()[:16])
    found.columns.update(dict.fromkeys(row))


def _line(row: Mapping[str, Any]) -> bytes:
    return to_json(row).encode() + b"\n"


def cut(dataset: Path, folder: Path, size: int, seed: int, layout: ShardLayout) -> tuple[str, list[Shard]]:
    """Write the shards of a dataset, `size` papers each, to `<folder>/<name>.jsonl`.

    Returns the dataset's fingerprint and the shards in the order in which they are to be run.
    Raises DatasetError if the dataset is empty, not readable, or lacks a text column.
    """
    spool = folder / ".rows"
    try:
        found = scan(dataset, spool)
        lacking = [key for key in layout.text_keys if key not in found.columns]
        if lacking:
            raise DatasetError(
                f"text_keys: the dataset has no column {', '.join(lacking)} (it has: {', '.join(found.columns)})"
            )
        base = (dataset if dataset.is_dir() else dataset.parent).absolute()
        return found.fingerprint, list(_write(found, spool, folder, size, seed, layout, base))
    finally:
        spool.unlink(missing_ok=True)


def _write(
    found: Scan, spool: Path, folder: Path, size: int, seed: int, layout: ShardLayout, base: Path
) -> Iterator[Shard]:
    order = shuffled(found.digests, seed)
    with spool.open("rb") as rows:
        for number, start in enumerate(range(0, len(order), size)):
            chosen = order[start : start + size]
            name = f"shard-{number:05d}"
            with (folder / f"{name}.jsonl").open("wb") as file:
                for place in chosen:
                    offset, length = found.spans[place]
                    rows.seek(offset)
                    file.write(_line(whole(_read(rows.read(length)), list(found.columns), layout, base)))
            yield Shard(name, content_id("shard", *(found.digests[place].hex() for place in chosen)), len(chosen))


def shuffled(digests: Sequence[bytes], seed: int) -> list[int]:
    """The places of all rows in an order that hangs on their content and the seed alone."""
    salt = str(seed).encode() + b"\x1f"
    return sorted(range(len(digests)), key=lambda place: (hashlib.sha256(salt + digests[place]).digest(), place))


def whole(row: Mapping[str, Any], columns: Sequence[str], layout: ShardLayout, base: Path) -> dict[str, Any]:
    """A row with all columns of the dataset (null where it has none), its files by absolute path."""
    full = {column: row.get(column) for column in columns}
    for key in layout.text_keys:
        full[key] = "" if full.get(key) is None else full[key]
    for key in layout.path_keys:
        files = full.get(key)
        if isinstance(files, list):
            full[key] = [_absolute(item, base) for item in files]
    return full


def _absolute(item: Any, base: Path) -> Any:
    return str(base / item) if isinstance(item, str) and item and "://" not in item else item


def _read(line: bytes) -> dict[str, Any]:
    return dict(json.loads(line))
