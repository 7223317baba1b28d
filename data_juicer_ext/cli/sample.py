"""`dj-ext sample`: a balanced sample of images, and the check that two sets have no image in common."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.runs.exported_rows import export_files, read_rows, row_id_of

if TYPE_CHECKING:
    from data_juicer_ext.annotation.balanced_sample import BalancedSample, LeftOutUnit, SampleOrder, Unit
    from data_juicer_ext.annotation.image_fingerprint import Glance
    from data_juicer_ext.annotation.image_overlap import ImageMatch

_SHOWN = 10
_REASONS = ("same_bytes", "near_duplicate", "excluded", "unreadable_image", "no_category", "over_the_limit")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    part = commands.add_parser("sample", help="a balanced sample of images that shares none with other sets")
    add = part.add_argument
    add("rows", type=Path, nargs="?", help="an export, file or folder, with a category column")
    add("--out", type=Path, metavar="FILE", help="for the sample (JSON Lines)")
    add("--per-category", type=int, metavar="N", help="images per category at most")
    add("--by", default="image_category", metavar="COLUMN", help="the category (default: %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="another sample (default: 0)")
    add(
        "--exclude", type=Path, nargs="+", action="extend", default=[], metavar="FILE",
        help="sets to share no image with, such as a benchmark",
    )  # fmt: skip
    add("--check", type=Path, nargs=2, metavar=("A", "B"), help="only check that two sets share no image")
    add(
        "--max-hamming", type=int, default=8, metavar="BITS", help="of the pHash, 0 to 15, that may differ (default: 8)"
    )
    add("--no-confirm", action="store_true", help="compare hashes only, not the pixels as well")
    add("--workers", type=int, default=0, metavar="N", help="images read at once (default: the number of cores)")
    part.set_defaults(run=_sample)


def _sample(given: argparse.Namespace) -> int:
    if not 0 <= given.max_hamming <= 15:
        raise UsageError(f"--max-hamming {given.max_hamming}: allowed are 0 to 15 bits")
    if given.workers < 0:
        raise UsageError(f"--workers {given.workers}: a number from 1 on is needed")
    given.workers = given.workers or os.cpu_count() or 1
    if given.check:
        return _check(given)
    if lacking := [name for name in ("rows", "out", "per_category") if getattr(given, name) is None]:
        names = ", ".join("ROWS" if name == "rows" else f"--{name.replace('_', '-')}" for name in lacking)
        raise UsageError(f"{names} is missing; write dj-ext sample ROWS --out FILE --per-category N, or --check A B")
    return _draw(given)


def _draw(given: argparse.Namespace) -> int:
    from data_juicer_ext.annotation.balanced_sample import SampleOrder, glances, lines, sample, units_of
    from data_juicer_ext.annotation.image_overlap import overlaps

    order = SampleOrder(given.per_category, given.by, given.seed, given.max_hamming, not given.no_confirm)
    units = units_of(_rows(given.rows), given.by, _folder(given.rows))
    seen = _seen([path for unit in units for path in unit.images], given.workers)
    excluded = {
        owner: images for path in given.exclude for owner, images in _images(path, given.workers).items() if images
    }
    found = sample(units, seen, excluded, order)
    taken = {unit.id: glances(unit, seen) for unit in found.taken}
    shared = overlaps(taken, excluded, order.max_hamming, order.confirm)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(lines(found.taken), encoding="utf-8")
    print("\n".join(_told(found, order, given, len(excluded))))
    _print_shared(shared)
    return 1 if shared else 0


def _check(given: argparse.Namespace) -> int:
    from data_juicer_ext.annotation.image_overlap import overlaps

    first, second = (_images(path, given.workers) for path in given.check)
    shared = overlaps(first, second, given.max_hamming, not given.no_confirm)
    sizes = " and ".join(
        f"{sum(map(len, images.values())):,} images of {len(images):,} rows in {path}"
        for path, images in zip(given.check, (first, second), strict=True)
    )
    print(f"compared {sizes}")
    unread = [owner for images in (first, second) for owner, those in images.items() if not those]
    if unread:
        print(f"{len(unread)} rows have an image that can't be read, so nothing is known of them: {_some(unread)}")
    _print_shared(shared)
    if not shared and not unread:
        print("no image is in both")
    return 1 if shared or unread else 0


def _rows(path: Path) -> list[dict[str, Any]]:
    if not export_files(path):
        raise UsageError(f"there is no file {path}")
    return list(read_rows(path, row_id_of))


def _folder(path: Path) -> Path:
    return (path if path.is_dir() else path.parent).absolute()


def _images(path: Path, workers: int) -> dict[str, list[Glance]]:
    """The images of a set by row; [] for a row that has one that can't be read. Rows need no row_id."""
    from data_juicer_ext.annotation.balanced_sample import images_in
    from data_juicer_ext.annotation.image_fingerprint import Glance

    paths = {
        f"{path.name}: {row.get('row_id') or f'row {number}'}": images_in(row, _folder(path))
        for number, row in enumerate(_rows(path), 1)
    }
    seen = _seen([image for images in paths.values() for image in images], workers)
    found = {}
    for owner, images in paths.items():
        glances = [glance for image in images if isinstance(glance := seen[image], Glance)]
        found[owner] = glances if len(glances) == len(images) else []
    return found


def _seen(paths: Sequence[str], workers: int) -> Mapping[str, Any]:
    from data_juicer_ext.annotation.image_fingerprint import glance_at_all

    return glance_at_all(paths, workers)


def _told(found: BalancedSample, order: SampleOrder, given: argparse.Namespace, excluded: int) -> list[str]:
    counts = found.counts()
    reasons = [reason for reason in _REASONS if any(count[reason] for count in counts.values())]
    width = max(len(order.by), *map(len, counts), 5) if counts else 5
    head = f"{order.by:<{width}}  {'taken':>7}" + "".join(f"{name.replace('_', ' '):>18}" for name in reasons)
    table = [
        f"{name or '(none)':<{width}}  {count['taken']:>7}" + "".join(f"{count[reason]:>18}" for reason in reasons)
        for name, count in counts.items()
    ]
    whole = sum(counts.values(), start=Counter[str]())
    total = f"{'all':<{width}}  {whole['taken']:>7}" + "".join(f"{whole[reason]:>18}" for reason in reasons)
    short = [name for name, count in counts.items() if name and count["taken"] < order.per_category]
    fallen = [left for left in found.left_out if left.match is not None or left.message]
    rows = sum(len(unit.rows) for unit in found.taken)
    return [
        head, *table, total,
        *([f"fewer than {order.per_category}: {', '.join(short)}"] if short else []),
        *map(_why, fallen[:_SHOWN]),
        *([f"  ... and {len(fallen) - _SHOWN:,} more"] if len(fallen) > _SHOWN else []),
        f"{len(found.taken):,} images, {rows:,} rows: {given.out}",
        *([f"checked against {excluded:,} rows of {', '.join(map(str, given.exclude))}"] if given.exclude else []),
    ]  # fmt: skip


def _why(left: LeftOutUnit) -> str:
    if left.match is None:
        return f"  {_called(left.unit)}: {left.message}"
    return f"  {_called(left.unit)}: {_shares(left.match)}"


def _called(unit: Unit) -> str:
    return f"{unit.id} ({Path(unit.images[0]).name})" if unit.images else unit.id


def _shares(match: ImageMatch) -> str:
    what = "the bytes of" if match.kind == "same_bytes" else f"the picture, {match.distance} bits apart, of"
    return f"{match.path} has {what} {match.other_path} ({match.owner})"


def _print_shared(shared: Sequence[tuple[str, ImageMatch]]) -> None:
    for owner, match in shared:
        print(f"SHARED {owner}: {_shares(match)}")
    if shared:
        print(f"{len(shared):,} rows share an image")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
