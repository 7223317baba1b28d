"""Parquet shards: with the images' bytes as the feature Image of `datasets`, with plain bytes, or with paths."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.export.images.exported_images import Copies, ExportedImage
from data_juicer_ext.export.options import ExportOptions
from data_juicer_ext.export.rows.columns import MIXED, NUMBER, TEXT, TEXTS, TRUTH, WHOLE, value_as

SHARD_BYTES = 400_000_000  # of images in a file; the Hub asks for files well under a few GB
_GROUP_BYTES, _GROUP_ROWS = 16_000_000, 100  # of a row group, which is what is held in memory
_FEATURES = {TEXT: "string", MIXED: "string", WHOLE: "int64", NUMBER: "float64", TRUTH: "bool"}


class ParquetFiles:
    """Writes rows into `data/<split>-<shard>-of-<shards>.parquet`; `columns` are names with types.

    `images` of format hf are a list of the feature Image (structs of bytes and path); of format parquet a list of
    bytes, or of relative paths to copies, and `image_files` holds their names.
    """

    def __init__(
        self, folder: Path, order: ExportOptions, columns: Mapping[str, str], shard_bytes: int = SHARD_BYTES
    ) -> None:
        self._folder, self._order, self._columns = folder, order, _own(columns)
        self._schema = _schema(self._columns, order)
        self._shard_bytes = shard_bytes
        self._writer: Any = None
        self._rows: list[dict[str, Any]] = []
        self._group = self._written = 0
        self._shards: dict[str, int] = {}
        self._split = ""
        self._copies = Copies(folder)
        (folder / "data").mkdir()

    def add(self, split: str, row: Mapping[str, Any], pictures: Sequence[ExportedImage]) -> None:
        """Write one row; those of a split come one after the other."""
        size = sum(picture.size for picture in pictures) if self._order.embeds else 0
        has_some = self._written or self._rows
        is_full = has_some and self._written + self._group + size > self._shard_bytes
        if split != self._split or is_full:
            self._close()
            self._split = split
        cells = {name: value_as(row.get(name), kind) for name, kind in self._columns.items()}
        self._rows.append({**cells, **self._images(pictures)})
        self._group += size
        if self._group >= _GROUP_BYTES or len(self._rows) >= _GROUP_ROWS:
            self._flush()

    def end(self) -> dict[str, list[str]]:
        """Close the files; returns each split's files."""
        self._close()
        files: dict[str, list[str]] = {}
        for split, shards in self._shards.items():
            for shard in range(shards):
                name = f"data/{split}-{shard:05d}-of-{shards:05d}.parquet"
                self._part(split, shard).rename(self._folder / name)
                files.setdefault(split, []).append(name)
        return files

    def _images(self, pictures: Sequence[ExportedImage]) -> dict[str, Any]:
        if self._order.format == "hf":
            return {"images": [{"bytes": picture.data(), "path": picture.name} for picture in pictures]}
        names = {"image_files": [picture.name for picture in pictures]}
        if self._order.embeds:
            return {"images": [picture.data() for picture in pictures], **names}
        return {"images": self._copies.add(pictures), **names}

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
        return self._folder / "data" / f"{split}-{shard:05d}.part"


def _own(columns: Mapping[str, str]) -> dict[str, str]:
    return {name: kind for name, kind in columns.items() if name not in ("images", "image_files")}


def _schema(columns: Mapping[str, str], order: ExportOptions) -> Any:
    import pyarrow as pa

    types = {
        TEXT: pa.string(), MIXED: pa.string(), WHOLE: pa.int64(), NUMBER: pa.float64(), TRUTH: pa.bool_(),
        TEXTS: pa.list_(pa.string()),
    }  # fmt: skip
    fields = [(name, types[kind]) for name, kind in columns.items()]
    if order.format != "hf":
        image = pa.binary() if order.embeds else pa.string()
        return pa.schema([*fields, ("images", pa.list_(image)), ("image_files", pa.list_(pa.string()))])
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    # What `datasets` itself writes into its files and reads the features from; "Sequence" all its versions know.
    features = {name: _feature(kind) for name, kind in columns.items()}
    features["images"] = {"feature": {"_type": "Image"}, "_type": "Sequence"}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    return pa.schema([*fields, ("images", pa.list_(image))], metadata)


def _feature(kind: str) -> dict[str, Any]:
    if kind == TEXTS:
        return {"feature": {"dtype": "string", "_type": "Value"}, "_type": "Sequence"}
    return {"dtype": _FEATURES[kind], "_type": "Value"}
