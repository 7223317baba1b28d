"""The rows of a run to audit: kept, refused by each step, and undecided ones, each with all that is known of it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_juicer_ext.report.ledger_decisions import Counted, ListingKey, count
from data_juicer_ext.report.run_selection import RunSelection
from data_juicer_ext.report.sample_choice import Chosen, FigureKey
from data_juicer_ext.report.samples import (
    FigureDecisions,
    SampleRow,
    evidence,
    figure_of,
    from_ledger,
    from_row,
    undecided_rows,
)
from data_juicer_ext.review.citing_text import places_of
from data_juicer_ext.review.ledger_trails import Trails
from data_juicer_ext.review.review_sample import Loaded, ReviewItem, load_items, sampled
from data_juicer_ext.rows import object_in
from data_juicer_ext.runs.exported_rows import read_rows

_TITLES = {"keep": "Kept", "drop": "Refused", "undecided": "Undecided"}
CitingPlaces = list[Mapping[str, Any]]


@dataclass(frozen=True)
class Audited:
    """A row to audit: the group it is in, what it says, and its citing paragraphs as far as they are known.

    `source` says where its claim is from: sentence, paragraph (an index), place, section; {} where it has none.
    """

    row_id: str
    place: int
    group: str
    sample: SampleRow
    source: Mapping[str, Any] = field(default_factory=dict)
    places: CitingPlaces = field(default_factory=list)


@dataclass
class AuditTab:
    """Rows of one kind, a tab of the page: its verdict, by which step ("": any), and how many the run has in all."""

    verdict: str
    tag: str = ""
    total: int = 0

    @property
    def title(self) -> str:
        """What it is called."""
        return f"{_TITLES[self.verdict]} by {self.tag}" if self.tag else _TITLES[self.verdict]


@dataclass
class Audit:
    """What there is to audit: groups by key, rows in their order, and what the ledger says of them."""

    groups: dict[str, AuditTab] = field(default_factory=dict)
    rows: list[Audited] = field(default_factory=list)
    trails: Trails = field(default_factory=lambda: Trails(FigureDecisions()))
    broken: list[str] = field(default_factory=list)


def audit_of(scope: RunSelection, sample: int = 0, seed: int = 0) -> Audit:
    """Up to `sample` rows (0: all) of each group: kept, refused by each listing, undecided; drawn by `seed`.

    Kept rows are those of the export; while there is none, those that the last listing has kept so far.
    """
    counted = count(scope)
    kept = load_items(scope.export, lambda row: True, sample, seed) if scope.export else Loaded()
    made = Audit(broken=kept.broken)
    if scope.export:
        made.groups["keep"] = AuditTab("keep", total=kept.total)
    chosen = list(_chosen(counted, made.groups, sample, seed, kept_too=not scope.export))
    figures = {figure_of(item.row) for item in kept.items} | {one.figure for _, one in chosen}
    made.trails = Trails(evidence(scope, figures))
    places = _places(scope.export, {one.figure for _, one in chosen})
    whole = {str(row["row_id"]): row for row in undecided_rows(scope, {one.row_id for _, one in chosen})}
    made.rows = [_kept(item, made.trails) for item in kept.items]
    for key, one in chosen:
        made.rows.append(_decided(key, one, len(made.rows), made.trails, whole.get(one.row_id), places))
    return made


def _chosen(
    counted: Counted, groups: dict[str, AuditTab], sample: int, seed: int, kept_too: bool
) -> Iterator[tuple[str, Chosen]]:
    """Decided rows with the keys of their groups, a group after the other; notes the groups."""
    last = next(reversed(counted.decided), None)
    by_key: dict[str, list[Chosen]] = {}
    for verdict in ("keep", "drop", "undecided"):
        for listing, rows in counted.decided.items():
            if verdict == "keep" and (not kept_too or listing != last):
                continue
            found = [Chosen(listing, row_id, made) for row_id, made in rows.items() if made.verdict == verdict]
            if found:
                key = _group(groups, verdict, listing, len(found))
                by_key.setdefault(key, []).extend(found)
    for key, rows_of_key in by_key.items():
        items = [ReviewItem(one.row_id, {}, place) for place, one in enumerate(rows_of_key)]
        yield from ((key, rows_of_key[item.place]) for item in sampled(items, sample or len(items), seed))


def _group(groups: dict[str, AuditTab], verdict: str, listing: ListingKey, number: int) -> str:
    """The key of a group, which is noted with the number of its rows; listings share all groups but refusals."""
    key = "/".join((verdict, *(listing if verdict == "drop" else ())))
    group = groups.setdefault(key, AuditTab(verdict, listing[1] if verdict == "drop" else ""))
    group.total += number
    return key


def _kept(item: ReviewItem, trails: Trails) -> Audited:
    sample = from_row(item.row)
    sample.verdict = "keep"
    return Audited(item.row_id, item.place, "keep", sample, _source(item.row, trails), places_of(item.row))


def _decided(
    key: str,
    one: Chosen,
    place: int,
    trails: Trails,
    row: Mapping[str, Any] | None,
    places: Mapping[FigureKey, CitingPlaces],
) -> Audited:
    undecided = row if one.decision.verdict == "undecided" else None
    sample = from_ledger(one, trails, undecided)
    if not sample.picture.images:
        sample.picture = trails.pictures.get(one.figure) or sample.picture
    source = _source(undecided or {"row_id": one.row_id}, trails)
    return Audited(one.row_id, place, key, sample, source, places_of(undecided or {}) or places.get(one.figure, []))


def _source(row: Mapping[str, Any], trails: Trails) -> Mapping[str, Any]:
    """Where a row's claim is from: as the row says, else as the ledger does."""
    source = object_in(row.get("provenance")).get("source")
    return source if isinstance(source, dict) else trails.source(str(row.get("row_id") or ""))


def _places(export: Path | None, figures: Collection[FigureKey]) -> dict[FigureKey, CitingPlaces]:
    """The citing paragraphs of figures, from the kept rows about the same ones: refused rows are not kept whole."""
    found: dict[FigureKey, CitingPlaces] = {}
    for row in read_rows(export, broken=lambda said: None) if export and figures else ():
        figure = figure_of(row)
        if figure in figures and figure not in found:
            found[figure] = places_of(row)
    return found
