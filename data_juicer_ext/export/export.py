"""A run's rows as a finished set: chosen, checked, split, and written into a folder that is whole or not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from data_juicer_ext.annotation.glance import Glance, glance_at_all
from data_juicer_ext.annotation.sampling import Seen
from data_juicer_ext.export.candidates import Candidates, accepted_rows, candidates
from data_juicer_ext.export.card import card, counts_in_words
from data_juicer_ext.export.cleaning import Cleaner
from data_juicer_ext.export.columns import columns_of
from data_juicer_ext.export.contents import Contents, SplitCounts
from data_juicer_ext.export.folder import whole_folder
from data_juicer_ext.export.line_files import LineFiles
from data_juicer_ext.export.order import DIALOGUES, SCORED, Order
from data_juicer_ext.export.parquet_files import ParquetFiles
from data_juicer_ext.export.picked import Picked, Picture
from data_juicer_ext.export.pictures import (
    Places,
    file_name,
    form_of,
    image_name,
    join_same_pictures,
    read_checked,
    unusable,
)
from data_juicer_ext.export.splitting import Groups, assign
from data_juicer_ext.export.thinning import thin
from data_juicer_ext.figures.image_parts import MIME, ImageError
from data_juicer_ext.report.counted import Counted, count
from data_juicer_ext.report.exported import read_rows
from data_juicer_ext.report.funnel import funnel
from data_juicer_ext.report.scope import Scope
from data_juicer_ext.report.shortcuts import blind_baselines

Row = dict[str, Any]
_CHAT_IMAGES = ("PNG", "JPEG", "WEBP", "GIF")  # what the chat API takes
_NAMED_BROKEN = 10  # rows with broken images that the screen names


class UndecidedError(Exception):
    """The run has undecided rows, and none were to be left behind."""


class Writer(Protocol):
    """Writes rows of one split after the other."""

    def add(self, picked: Picked) -> None:
        """Write one row."""

    def end(self) -> dict[str, str]:
        """Close everything; returns each split's files, as a pattern."""


@dataclass
class _Plan:
    """The rows to write in their order, with their images, and the split of each paper."""

    rows: list[Row]
    images: dict[str, list[str]]
    seen: Seen
    split_of: dict[str, str] = field(default_factory=dict)

    def glances(self, row: Row) -> list[Glance]:
        """The images of a row as they were seen."""
        found = (self.seen[path] for path in self.images[str(row["row_id"])])
        return [one for one in found if isinstance(one, Glance)]

    def shown(self, row: Row) -> tuple[str, ...]:
        """The images of a row by content."""
        return tuple(one.sha256 for one in self.glances(row))

    def paper(self, row: Row) -> str:
        """What a row's split goes by: its paper, or its image where it has none."""
        named = str(row.get("paper_id") or "")
        return f"paper:{named}" if named else image_name(self.shown(row)[0])


def export(
    scope: Scope, order: Order, target: Path, overwrite: bool = False, strict: bool = False, workers: int = 2
) -> Contents:
    """Write the export of a run into the folder `target`; returns what it holds.

    Raises UndecidedError with `strict` where rows are undecided; ValueError where there is nothing to export, rows of
    a kind that can't be exported (so), or a folder in the way; OSError where it can't be written.
    """
    counted = count(scope)
    undecided = _undecided(counted)
    if strict and undecided:
        raise UndecidedError(f"{len(undecided):,} rows of the run are undecided; run it again to decide them")
    if scope.export is None:
        raise ValueError(" ".join(scope.notes) or "the run has no export")
    accepted = accepted_rows(scope.run_dir) if order.accepted else set[str]()
    chosen = candidates(read_rows(scope.export), order, undecided, accepted)
    if chosen.kind == SCORED and order.format in DIALOGUES:
        raise ValueError(f"scored figures hold no dialogue for {order.format}; take --format jsonl, hf or parquet")
    contents = Contents(chosen.kind, {name: SplitCounts() for name, _ in order.splits}, funnel(counted.decisions()),
                        blind_baselines(counted), len(undecided), chosen.left_out, notes=scope.notes)  # fmt: skip
    plan = _plan(chosen, Places(scope.run_dir, scope.export), order, contents, workers)
    if not plan.rows:
        raise ValueError(f"no row is left to export: {_why(contents)}")
    with whole_folder(target, overwrite) as folder:
        _write(plan, scope, order, contents, folder)
    return contents


def _undecided(counted: Counted) -> set[str]:
    decided = (rows.items() for rows in counted.decided.values())
    return {row_id for rows in decided for row_id, made in rows if made.verdict == "undecided"}


def _why(contents: Contents) -> str:
    first = next(iter(contents.broken_images.values()), "")
    told = counts_in_words(contents.left_out) or "the run kept none"
    return f"{told} ({first})" if first else told


def _plan(chosen: Candidates, places: Places, order: Order, contents: Contents, workers: int) -> _Plan:
    images = {str(row["row_id"]): places.images(row) for row in chosen.rows}
    seen = glance_at_all((path for paths in images.values() for path in paths), workers)
    plan = _Plan([], images, seen)
    for row in chosen.rows:
        why = unusable(images[str(row["row_id"])], seen)
        if why:
            _refuse(contents, row, why)
        else:
            plan.rows.append(row)
    plan.rows, fell = thin(plan.rows, lambda row: "+".join(plan.shown(row)), order.max_per_figure, order.seed)
    contents.left_out += fell
    plan.split_of = _split(plan, order)
    names = [name for name, _ in order.splits]
    plan.rows.sort(key=lambda row: (names.index(plan.split_of[plan.paper(row)]), str(row["row_id"])))
    return plan


def _refuse(contents: Contents, row: Row, why: str) -> None:
    contents.left_out["image"] += 1
    contents.broken_images[str(row["row_id"])] = why


def _split(plan: _Plan, order: Order) -> dict[str, str]:
    groups, papers = Groups(), dict[str, int]()
    shown: dict[str, Glance] = {}
    for row in plan.rows:
        paper = plan.paper(row)
        papers[paper] = papers.get(paper, 0) + 1
        groups.join((paper, *map(image_name, plan.shown(row))))
        shown |= {one.sha256: one for one in plan.glances(row)}
    if len(order.splits) > 1:
        join_same_pictures(shown.values(), groups)
    return assign(papers, groups, order.splits, order.seed)


def _write(plan: _Plan, scope: Scope, order: Order, contents: Contents, folder: Path) -> None:
    cleaner = Cleaner(_roots(plan, scope))
    writer = _writer(plan, order, contents, cleaner, folder)
    for row in plan.rows:
        try:
            pictures = tuple(_pictures(plan, row, order.format))
        except ImageError as error:
            _refuse(contents, row, str(error))
            continue
        split, cleaned = plan.split_of[plan.paper(row)], cleaner.row(row)
        writer.add(Picked(split, cleaned, pictures))
        contents.add(cleaned, split, plan.paper(row), plan.shown(row))
    contents.files = writer.end()
    (folder / "README.md").write_text(card(contents, order), encoding="utf-8")


def _writer(plan: _Plan, order: Order, contents: Contents, cleaner: Cleaner, folder: Path) -> Writer:
    if order.format in ("hf", "parquet"):
        columns = columns_of(cleaner.row(row) for row in plan.rows)
        return ParquetFiles(folder, columns, as_features=order.format == "hf")
    return LineFiles(folder, order.format, contents.kind)


def _pictures(plan: _Plan, row: Row, form: str) -> Iterator[Picture]:
    for path, sha256 in zip(plan.images[str(row["row_id"])], plan.shown(row), strict=True):
        data = read_checked(path, sha256)
        kind = form_of(data)
        if form == "openai" and kind not in _CHAT_IMAGES:
            raise ImageError(f"{path}: {kind} is none of {', '.join(_CHAT_IMAGES)}, which the chat API takes")
        yield Picture(file_name(data, sha256), MIME.get(kind, "application/octet-stream"), data)


def _roots(plan: _Plan, scope: Scope) -> list[Path]:
    """The folders of this machine that rows may name."""
    folders = {scope.run_dir, Path.cwd(), *([scope.export.parent] if scope.export else [])}
    named = folders | {Path(path).parent for paths in plan.images.values() for path in paths}
    return sorted({*named, *(path.absolute() for path in named), *(path.resolve() for path in named)})


def summary(contents: Contents, target: Path) -> list[str]:
    """What was exported, in a few lines for the screen."""
    lines = [f"{contents.rows:,} {contents.kind}"]
    lines += [f"  {name}: {of.rows:,} rows of {len(of.papers):,} papers" for name, of in contents.splits.items()]
    if contents.left_out:
        lines.append(f"left out: {counts_in_words(contents.left_out)}")
    lines += [f"  {row_id}: {why}" for row_id, why in list(contents.broken_images.items())[:_NAMED_BROKEN]]
    lines.append(f"undecided in the run: {contents.undecided:,} (never exported)")
    return [*lines, *contents.notes, f"{target}"]
