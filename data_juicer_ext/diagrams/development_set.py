"""Pairs of a development set with what people prefer on them, criterion by criterion."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, Protocol

from data_juicer_ext.diagrams.anonymous_pair import anonymous
from data_juicer_ext.diagrams.criteria import CriteriaSet
from data_juicer_ext.diagrams.diagram_types import type_code
from data_juicer_ext.diagrams.pair_row import images_of
from data_juicer_ext.errors import UsageError
from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, UnreachableImageError
from data_juicer_ext.rows import visible

_REASON_CHARACTERS = 400


class PairRating(Protocol):
    """One person's comparison of a pair, as `dj-ext review` keeps it (form `scidiag`)."""

    @property
    def form(self) -> str: ...
    @property
    def row_id(self) -> str: ...
    @property
    def ratings(self) -> Mapping[str, Any]: ...
    @property
    def reason(self) -> str: ...


@dataclass(frozen=True)
class RatedPair:
    """A pair with what people prefer on it.

    `preferences`: by criterion the median over raters, -2 to 2, above 0 where the generated diagram is better;
    criteria that raters contradict each other on are left out. `images`: generated, reference.
    """

    row_id: str
    paper_id: str
    code: str
    images: tuple[str, str]
    caption: str
    preferences: Mapping[str, float]
    reasons: tuple[str, ...]


@dataclass
class Gathered:
    """The pairs of a development set, and in words what of the ratings could not be used."""

    pairs: list[RatedPair] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)


def gather(ratings: Iterable[PairRating], rows: Iterable[Mapping[str, Any]], criteria: CriteriaSet) -> Gathered:
    """The rated pairs, in the order of their ids; every rating that can't be used is told."""
    by_row: dict[str, list[PairRating]] = {}
    for rating in ratings:
        if rating.form == "scidiag":
            by_row.setdefault(rating.row_id, []).append(rating)
    found, known = Gathered(), {str(row.get("row_id") or ""): row for row in rows}
    for row_id in sorted(by_row):
        row = known.get(row_id)
        if row is None:
            found.unused.append(f"{row_id}: no such row")
            continue
        try:
            found.pairs.append(_rated(row, by_row[row_id], criteria, found.unused))
        except ValueError as error:
            found.unused.append(f"{row_id}: {error}")
    return found


def _rated(row: Mapping[str, Any], ratings: list[PairRating], criteria: CriteriaSet, unused: list[str]) -> RatedPair:
    row_id, images = str(row["row_id"]), images_of(row)
    if len(images) != 2:
        raise UsageError(f"images holds {len(images)} files, not the generated diagram and its reference")
    code = type_code(str(row.get("diagram_type") or ""))
    known = criteria.of(code).ids
    given: dict[str, list[float]] = {}
    for rating in ratings:
        for identity, value in (rating.ratings.get("criteria") or {}).items():
            if identity not in known:
                unused.append(f"{row_id}: the criteria of {code} have no {identity}")
            elif not isinstance(value, bool) and isinstance(value, (int, float)) and -2 <= value <= 2:
                given.setdefault(identity, []).append(value)
    contradicted = [identity for identity, values in given.items() if min(values) < 0 < max(values)]
    unused += [f"{row_id}: raters contradict each other on {identity}" for identity in contradicted]
    agreed = {identity: float(median(given[identity])) for identity in given if identity not in contradicted}
    reasons = [visible(rating.reason).strip()[:_REASON_CHARACTERS] for rating in ratings]
    return RatedPair(
        row_id, str(row.get("paper_id") or ""), code, (images[0], images[1]), str(row.get("caption") or ""), agreed,
        tuple(reason for reason in reasons if reason),
    )  # fmt: skip


def made_alike(found: Gathered, folder: str | Path, limits: ImageLimits) -> Gathered:
    """The pairs with their images made alike as for judging; one whose images can't be read is told instead.

    Raises OSError where `folder` can't be written, UnreachableImageError where object storage fails.
    """
    made = Gathered(unused=list(found.unused))
    for pair in found.pairs:
        try:
            generated, reference = anonymous(pair.images, folder, limits)
        except UnreachableImageError:
            raise
        except ImageError as error:
            made.unused.append(f"{pair.row_id}: {error}")
        else:
            made.pairs.append(replace(pair, images=(generated.path, reference.path)))
    return made
