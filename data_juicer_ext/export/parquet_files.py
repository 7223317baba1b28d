"""Parquet shards with the images' bytes inside: for `datasets` (the feature Image), or plain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from data_juicer_ext.export.columns import NUMBER, TEXT, TEXTS, TRUTH, WHOLE, value_as
from data_juicer_ext.export.picked import Picked

SHARD_BYTES = 400 * 1024 * 1024  # of images in a file; the Hub asks for files well under a few GB
_GROUP_BYTES, _GROUP_ROWS = 16 * 1024 * 1024, 64  # of a row group, which is what is held in memory
_FEATURES = {TEXT: "string", WHOLE: "int64", NUMBER: "float64", TRUTH: "bool"}


class ParquetFiles:
    """Writes rows into `data/<split>-<shard>-of-<shards>.parquet`; `columns` are names with types.

    `as_features`: `images` are a list of the `datasets` feature Image (bytes, path); else lists of bytes, with
    `image_files` beside them.
    """

    def __init__(
        self, folder: Path, columns: Mapping[str, str], as_features: bool, shard_bytes: int = SHARD_BYTES
    ) -> None:
        self._folder, self._columns, self._as_features = folder / "data", columns, as_features
        self._schema = _schema(columns, as_features)
        self._shard_bytes = shard_bytes
        self._writer: Any = None
        self._rows: list[dict[str, Any]] = []
        self._group = self._written = 0
        self._shards: dict[str, int] = {}
        self._split = ""
        self._folder.mkdir()

    def add(self, picked: Picked) -> None:
        """Write one row; those of a split come one after the other."""
        size = sum(len(picture.data) for picture in picked.pictures)
        held = self._written + self._group
        if picked.split != self._split or (held and held + size > self._shard_bytes):
            self._close()
            self._split = picked.split
        self._rows.append(self._cells(picked))
        self._group += size
        if self._group >= _GROUP_BYTES or len(self._rows) >= _GROUP_ROWS:
            self._flush()

    def end(self) -> dict[str, str]:
        """Close the files; returns the pattern of each split's files."""
        self._close()
        for split, shards in self._shards.items():
            for shard in range(shards):
                self._part(split, shard).rename(self._folder / f"{split}-{shard:05d}-of-{shards:05d}.parquet")
        return {split: f"data/{split}-*.parquet" for split in self._shards}

    def _cells(self, picked: Picked) -> dict[str, Any]:
        cells = {name: value_as(picked.row.get(name), kind) for name, kind in self._columns.items()}
        if self._as_features:
            images = [{"bytes": picture.data, "path": picture.name} for picture in picked.pictures]
            return {**cells, "images": images}
        names = [picture.name for picture in picked.pictures]
        return {**cells, "images": [picture.data for picture in picked.pictures], "image_files": names}

    def _flush(self) -> None:
        import pyarrow as pa  # type: ignore[import-untyped]
        from pyarrow import parquet

        if not self._rows:
            return
        if self._writer is None:
            shard = self._shards.get(self._split, 0)
            self._shards[self._split] = shard + 1
            self._writer = parquet.ParquetWriter(self._part(self._split, shard), self._schema, compression="zstd")
        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
        self._written += self._group
        self._rows, self._group = [], 0

    def _close(self) -> None:
        self._flush()
        if self._writer is not None:
            self._writer.close()
        self._writer, self._written = None, 0

    def _part(self, split: str, shard: int) -> Path:
        return self._folder / f"{split}-{shard:05d}.part"


def _schema(columns: Mapping[str, str], as_features: bool) -> Any:
    import pyarrow as pa

    types = {
        TEXT: pa.string(),
        WHOLE: pa.int64(),
        NUMBER: pa.float64(),
        TRUTH: pa.bool_(),
        TEXTS: pa.list_(pa.string()),
    }
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())]) if as_features else pa.binary()
    fields = [(name, types[kind]) for name, kind in columns.items()] + [("images", pa.list_(image))]
    if not as_features:
        return pa.schema([*fields, ("image_files", pa.list_(pa.string()))])
    features = {name: _feature(kind) for name, kind in columns.items()}
    features["images"] = {"feature": {"_type": "Image"}, "_type": "List"}
    # What `datasets` itself writes into the files that it makes, and reads its features from.
    return pa.schema(fields, {"huggingface": json.dumps({"info": {"features": features}})})


def _feature(kind: str) -> dict[str, Any]:
    if kind == TEXTS:
        return {"feature": {"dtype": "string", "_type": "Value"}, "_type": "List"}
    return {"dtype": _FEATURES[kind], "_type": "Value"}
