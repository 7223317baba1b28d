"""Reads small dataset files on Ray in the process that starts the run, as a dataset whose columns are known.

Data-Juicer has a worker read the file, and asks for its columns and the number of rows before anything else. For that
Ray starts a worker, which has to import Data-Juicer, and the run stands still for seconds meanwhile. A file with one
row per paper is read here in milliseconds, by the same reader; what is larger, lies elsewhere or can't be read is left
to the workers.
"""

from pathlib import Path
from typing import Any

from data_juicer_ext.ops.host.host_patch import wrap

MAX_BYTES = 32 * 1024 * 1024  # of a file that is read here
_PLAIN = (".json", ".jsonl")
_HEEDED = {"override_num_blocks", "read_options"}


def install() -> None:
    """Let Data-Juicer read small files here, once it has started or joined Ray."""
    from data_juicer.utils import ray_utils

    wrap(ray_utils, "initialize_ray", _then_read_here)


def _then_read_here(join: Any, *args: Any, **given: Any) -> Any:
    joined = join(*args, **given)
    read_here()
    return joined


def read_here() -> None:
    """Replace Data-Juicer's reader of JSON Lines, and its step that makes paths of images absolute."""
    from data_juicer.core.data import ray_dataset

    wrap(ray_dataset.RayDataset, "read_json", _read_json)
    wrap(ray_dataset, "set_dataset_to_absolute_path", _with_absolute_paths)


def _read_json(read: Any, paths: Any, **given: Any) -> Any:
    from data_juicer.core.data import ray_dataset

    small = _is_small(paths) and set(given) <= _HEEDED
    table = _table(ray_dataset, paths, given.get("read_options")) if small else None
    return read(paths, **given) if table is None else _dataset(table, given.get("override_num_blocks"))


def _with_absolute_paths(with_paths: Any, dataset: Any, dataset_path: str, cfg: Any) -> Any:
    from data_juicer.core.data import ray_dataset

    table, blocks = getattr(dataset, "_dj_ext_table", (None, None))
    if table is None:
        return with_paths(dataset, dataset_path, cfg)
    named = (cfg.get(f"{kind}_key", f"{kind}s") for kind in ("video", "image", "audio"))
    keys = [key for key in named if key in table.column_names]
    if not keys:
        return dataset
    return _dataset(ray_dataset.convert_to_absolute_paths(table, str(Path(dataset_path).parent), keys), blocks)


def _is_small(paths: Any) -> bool:
    """Whether this names one plain file of this machine that is small enough to be read here."""
    if not isinstance(paths, str) or "://" in paths:
        return False
    path = Path(paths)
    return path.suffix in _PLAIN and path.is_file() and path.stat().st_size <= MAX_BYTES


def _table(ray_dataset: Any, path: str, read_options: Any) -> Any:
    """The rows of a file, as Data-Juicer's own reader reads them; None where it finds none, or can't read it."""
    import pyarrow  # type: ignore[import-untyped]
    from pyarrow import json as reading
    from ray.data.datasource import Partitioning

    options = {"read_options": reading.ReadOptions(use_threads=False, **read_options)} if read_options else {}
    source = ray_dataset.JSONStreamDatasource(path, arrow_json_args=options, partitioning=Partitioning("hive"))
    try:
        tables = [table for task in source.get_read_tasks(1) for table in task()]
        return pyarrow.concat_tables(tables) if sum(table.num_rows for table in tables) else None
    except (pyarrow.ArrowException, ValueError, OSError):
        return None  # what Data-Juicer says of it is what users look up


def _dataset(table: Any, blocks: int | None) -> Any:
    import ray

    size = max(1, -(-table.num_rows // (blocks or 1)))
    dataset = ray.data.from_blocks([table.slice(at, size) for at in range(0, table.num_rows, size)])
    dataset._dj_ext_table = table, blocks
    return dataset
