"""A run's rows as a finished set: chosen, checked, split, and written into a folder that is there whole or not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from data_juicer_ext import __version__
from data_juicer_ext.annotation.image_fingerprint import Glance, glance_at_all
from data_juicer_ext.errors import DjExtError, UsageError
from data_juicer_ext.export.atomic_folder import check_target, content_digest, whole_folder
from data_juicer_ext.export.card.counted_contents import Contents
from data_juicer_ext.export.card.dataset_card import LEFT_OUT, SOURCES, RunFacts, WrittenExport, card, licence_file
from data_juicer_ext.export.card.front_matter import LICENCE_FILE
from data_juicer_ext.export.formats.json_files import CHAT_IMAGE_BYTES, CHAT_IMAGES, LineFiles, json_line
from data_juicer_ext.export.formats.parquet_files import ParquetFiles
from data_juicer_ext.export.images.exported_images import (
    ExportedImage,
    ImageMissingError,
    ImagePlaces,
    ImageTooLargeError,
    Looked,
    look_at_all,
)
from data_juicer_ext.export.options import DIALOGUES, ExportOptions
from data_juicer_ext.export.rows.first_pass import Intake, RowEntry, Taken
from data_juicer_ext.export.rows.left_out import LeftOut
from data_juicer_ext.export.rows.letter_balance import LetterBalance
from data_juicer_ext.export.rows.near_duplicate_questions import thin
from data_juicer_ext.export.rows.paper_splits import Groups, assign, join_same_pictures
from data_juicer_ext.export.rows.path_cleaning import Cleaner
from data_juicer_ext.export.rows.selection import audit_verdicts, select, undecided_rows
from data_juicer_ext.report.funnel import funnel
from data_juicer_ext.report.ledger_decisions import Counted, count
from data_juicer_ext.report.run_selection import RunSelection
from data_juicer_ext.report.shortcut_audit import blind_baselines
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.runs.operator_words import words_in


class UndecidedError(DjExtError, ValueError):
    """The run has undecided rows, and none were to be left behind."""


@dataclass(frozen=True)
class ExportSource:
    """Where the rows are: the file or folder at `path`, kept by the run in `run_dir` that `scope` tells of, if any."""

    run_dir: Path
    path: Path
    scope: RunSelection | None = None


class SplitWriter(Protocol):
    """Writes rows of one split after the other."""

    def add(self, split: str, row: Mapping[str, Any], pictures: Sequence[ExportedImage]) -> None:
        """Write one row."""

    def end(self) -> dict[str, list[str]]:
        """Close everything; returns each split's files."""


@dataclass
class _ExportPlan:
    """The rows to write in their order, the pictures of each, its group and its split."""

    entries: list[RowEntry]
    looked: Looked
    split_of: Mapping[str, str]
    joined: int

    def pictures(self, entry: RowEntry) -> list[ExportedImage]:
        """The pictures of a row that is written."""
        return [one for name in entry.images if isinstance(one := self.looked[name], ExportedImage)]

    def split(self, entry: RowEntry) -> str:
        """The split that a row is in."""
        return self.split_of[_paper(entry, self.looked)]


def export(
    source: ExportSource,
    order: ExportOptions,
    target: Path,
    overwrite: bool = False,
    strict: bool = False,
    workers: int = 2,
) -> WrittenExport:
    """Write the rows of a run as a finished set into the folder `target`.

    Raises UndecidedError with `strict` where rows are undecided; ValueError where there is nothing to export, the rows
    are of no kind that can be, or a folder is in the way; OSError where it can't be written.
    """
    check_target(target, overwrite)
    if target.absolute().is_relative_to(source.path.absolute()):
        raise UsageError(f"--out {target} lies in the folder of the rows; name one elsewhere")
    counted = count(source.scope) if source.scope else None
    undecided = undecided_rows(counted) if counted else set[str]()
    if strict and counted is None:
        raise UsageError("--strict needs the run folder of the rows: without it nobody knows what is undecided")
    if strict and undecided:
        raise UndecidedError(f"{len(undecided):,} rows of the run are undecided; run it again to decide them")
    cleaner, left_out = Cleaner(_roots(source)), LeftOut(len(undecided))
    about: dict[str, Any] = {}
    with whole_folder(target, overwrite, about) as folder, Intake(folder.parent, cleaner, left_out) as intake:
        taken = intake.take(read_rows(source.path, lambda row: ("",)), order.kind)
        if order.format in DIALOGUES and not taken.kind.talks:
            told = f"{taken.kind.words} are no dialogues for {order.format}; take --format jsonl, hf or parquet"
            raise UsageError(told)
        votes = audit_verdicts(source.run_dir) if order.accepted else None
        chosen = select(taken.entries, undecided, votes, order.licences, left_out)
        plan = _plan(chosen, ImagePlaces(source.run_dir, source.path), order, left_out, workers)
        if not plan.entries:
            raise UsageError(f"no row is left to export: {_why(left_out)}")
        facts = _facts(
            source,
            counted,
            len(undecided),
            [*_gone(votes, taken), *map(cleaner.path, source.scope.notes if source.scope else ())],
        )
        about |= _about(made := _write(plan, taken, intake, order, facts, left_out, folder))
    return made


def _plan(
    chosen: Sequence[RowEntry], places: ImagePlaces, order: ExportOptions, left_out: LeftOut, workers: int
) -> _ExportPlan:
    for_chat = order.format == "openai"
    named = (name for entry in chosen for name in entry.images)
    looked = look_at_all(named, places, workers, CHAT_IMAGE_BYTES if for_chat else 0)
    most = CHAT_IMAGES if for_chat else 0
    shown = [entry for entry in chosen if _has_images(entry, looked, most, left_out)]
    entries = thin(
        shown, lambda entry: _figure(entry, looked), order.near_questions, order.max_per_figure, order.seed, left_out
    )
    groups, papers = Groups(), dict[str, int]()
    for entry in entries:
        paper = _paper(entry, looked)
        papers[paper] = papers.get(paper, 0) + 1
        groups.join((paper, *_names(entry, looked)))
    joined = 0
    if len(order.splits) > 1:
        joined = len(papers) - len({groups.of(paper) for paper in papers})
        joined += join_same_pictures(_glances(entries, looked, workers), groups)
    split_of = assign(papers, groups, order.splits, order.seed)
    rank = {name: place for place, name in enumerate(order.split_names)}
    entries.sort(key=lambda entry: (rank[split_of[_paper(entry, looked)]], entry.row_id))
    return _ExportPlan(entries, looked, split_of, joined)


def _has_images(entry: RowEntry, looked: Looked, most: int, left_out: LeftOut) -> bool:
    wrong = next((one for name in entry.images if not isinstance(one := looked[name], ExportedImage)), None)
    if not entry.images:
        left_out.add("no_image", entry.row_id, "the row names no image")
    elif isinstance(wrong, Exception):
        known: dict[type[Exception], str] = {ImageMissingError: "image_missing", ImageTooLargeError: "image_too_large"}
        reason = known.get(type(wrong), "image_unreadable")
        left_out.add(reason, entry.row_id, str(wrong))
    elif most and len(entry.images) > most:
        left_out.add("too_many_images", entry.row_id, f"{len(entry.images)} images, allowed are {most}")
    else:
        return True
    return False


def _names(entry: RowEntry, looked: Looked) -> list[str]:
    return [f"image:{one.name}" for name in entry.images if isinstance(one := looked[name], ExportedImage)]


def _paper(entry: RowEntry, looked: Looked) -> str:
    """What a row's split goes by: its paper, or its first image where it has none."""
    return f"paper:{entry.paper}" if entry.paper else _names(entry, looked)[0]


def _figure(entry: RowEntry, looked: Looked) -> str:
    return "\x1f".join(("figure", entry.paper, entry.figure) if entry.paper else _names(entry, looked))


def _glances(entries: Sequence[RowEntry], looked: Looked, workers: int) -> dict[str, Glance]:
    sources: dict[str, str] = {}
    for entry in entries:
        for name in entry.images:
            if isinstance(one := looked[name], ExportedImage):
                sources.setdefault(f"image:{one.name}", one.source)
    seen = glance_at_all(sources.values(), workers)
    return {name: found for name, source in sources.items() if isinstance(found := seen[source], Glance)}


def _write(
    plan: _ExportPlan,
    taken: Taken,
    intake: Intake,
    order: ExportOptions,
    facts: RunFacts,
    left_out: LeftOut,
    folder: Path,
) -> WrittenExport:
    writer: SplitWriter = (
        ParquetFiles(folder, order, intake.columns.types)
        if order.format in ("hf", "parquet")
        else LineFiles(folder, order, taken.kind)
    )
    contents, letters = Contents(taken.kind), LetterBalance(order.seed)
    for entry in plan.entries:
        row, pictures, split = intake.row(entry), plan.pictures(entry), plan.split(entry)
        if order.shuffle_options and taken.kind.asks:
            row = letters.placed(row)
        writer.add(split, row, pictures)
        contents.add(split, row, pictures, _figure(entry, plan.looked))
    files, columns = writer.end(), intake.columns.line_types
    digest = content_digest(folder, files)
    made = WrittenExport(order, facts, contents, left_out, files, columns, digest, plan.joined, letters.moved)
    _put(folder / SOURCES, "".join(map(json_line, contents.source_lines())))
    if left_out.rows:
        _put(folder / LEFT_OUT, "".join(map(json_line, left_out.sorted())))
    _put(folder / LICENCE_FILE, licence_file(contents))
    _put(folder / "README.md", card(made))
    return made


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _about(made: WrittenExport) -> dict[str, Any]:
    rows = {split: made.contents.rows[split] for split in made.order.split_names}
    asked = {**vars(made.order), "kind": made.contents.kind.name, "images": "embed" if made.order.embeds else "copy"}
    asked |= {"splits": dict(made.order.splits), "licences": list(made.order.licences)}
    return {"version": __version__, "order": asked, "rows": rows, "left_out": made.left_out.counts(),
            "undecided": made.run.undecided, "splits": made.files}  # fmt: skip


def _gone(votes: Mapping[str, int] | None, taken: Taken) -> Iterator[str]:
    gone = sum(balance > 0 and row_id not in taken.entries for row_id, balance in (votes or {}).items())
    if gone:
        yield f"{gone:,} accepted rows are not among the kept ones: a run does not keep whole what it refused."


def _facts(source: ExportSource, counted: Counted | None, undecided: int, notes: Sequence[str]) -> RunFacts:
    scope = source.scope
    if scope is None or counted is None:
        return RunFacts(notes=notes, file=source.path.name)
    recipe = next((str(path) for path in scope.about.get("recipe") or []), "")
    own = Path(str(scope.about.get("export_path") or ""))
    return RunFacts(
        True, Path(recipe).name, str(scope.about.get("executor") or ""),
        funnel(counted.decisions(), words_in(scope.about)),
        blind_baselines(counted), undecided, notes, "" if own.stem == source.path.stem else source.path.name,
    )  # fmt: skip


def _roots(source: ExportSource) -> set[Path]:
    named = {source.run_dir, source.path.parent, Path.cwd()}
    about = source.scope.about if source.scope else {}
    for key in ("dataset_path", "export_path"):
        if about.get(key):
            named.add(Path(str(about[key])).parent)
    return {*named, *(path.absolute() for path in named), *(path.resolve() for path in named)}


def _why(left_out: LeftOut) -> str:
    first = next((f" ({row_id}: {message})" for _, row_id, message in left_out.rows if message), "")
    return f"{left_out.in_words() or 'the run kept none'}{first}"
