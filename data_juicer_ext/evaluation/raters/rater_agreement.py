"""How far the raters of a review agree, by form and dimension (VeriSciQA table 2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeGuard

from data_juicer_ext.evaluation.statistics.alpha_and_kappa import counts_of, fleiss_kappa, krippendorff_alpha
from data_juicer_ext.evaluation.statistics.bootstrap import Resampling
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined

if TYPE_CHECKING:
    from data_juicer_ext.ratings.rating_file import Rating

DIRECTION, ACCEPTED = "direction", "accepted"
_BETWEEN = "\x1f"

RatedUnits = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Agreement:
    """One row per form and dimension, by `form` the counts, and the names of the `sources` that means are given for."""

    rows: list[dict[str, Any]]
    forms: dict[str, dict[str, int]]
    sources: list[str]


def evaluate(
    ratings: Iterable[Rating], order: Resampling, form: str = "", sources: Mapping[str, str] | None = None
) -> Agreement:
    """The agreement of the raters by form (or in one form) and dimension.

    Dimensions are those of the ratings; `accepted` (1, 0) in form audit; in form scidiag also the `direction` (-1, 0,
    1) of `overall`, and `criteria`, every criterion of every pair being an item. Calibrations are left out. `sources`
    gives for a row id where it comes from, for means by source.
    """
    counted = [rating for rating in ratings if form in ("", rating.form)]
    tables: dict[str, dict[str, RatedUnits]] = {}
    for rating in counted:
        if not rating.calibration:
            for dimension, item, value in values_of(rating):
                units = tables.setdefault(rating.form, {}).setdefault(dimension, {})
                units.setdefault(item, {})[rating.annotator] = value
    names = sorted(set(sources.values())) if sources else []
    rows = [
        {"form": name, "dimension": dimension, **_measures(units, order), **_means(units, sources or {}, names)}
        for name, dimensions in sorted(tables.items())
        for dimension, units in dimensions.items()
    ]
    forms = {name: _counts([r for r in counted if r.form == name]) for name in sorted({r.form for r in counted})}
    return Agreement(rows, forms, names)


def _counts(ratings: list[Rating]) -> dict[str, int]:
    kept = [rating for rating in ratings if not rating.calibration]
    return {
        "items": len({rating.row_id for rating in kept}), "raters": len({rating.annotator for rating in kept}),
        "ratings": len(kept), "calibration": len(ratings) - len(kept),
    }  # fmt: skip


def values_of(rating: Rating) -> Iterator[tuple[str, str, float]]:
    """(dimension, item, value) of all that an answer rates; nulls and texts are passed over."""
    if rating.accepted is not None:
        yield ACCEPTED, rating.row_id, float(rating.accepted)
    for name, value in rating.ratings.items():
        if _is_number(value):
            yield name, rating.row_id, float(value)
        elif isinstance(value, Mapping):
            yield from (
                (name, f"{rating.row_id}{_BETWEEN}{key}", float(v)) for key, v in value.items() if _is_number(v)
            )
    overall = rating.ratings.get("overall")
    if rating.form == "scidiag" and _is_number(overall):
        yield DIRECTION, rating.row_id, float((overall > 0) - (overall < 0))


def _row_of(item: str) -> str:
    """The row that an item belongs to: a criterion's items are by row and criterion."""
    return item.partition(_BETWEEN)[0]


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _measures(units: RatedUnits, order: Resampling) -> dict[str, Any]:
    counts = counts_of(units, _row_of)
    kappa, left_out = fleiss_kappa(counts, order)
    given = [value for ratings in units.values() for value in ratings.values()]
    return {
        "items": len(units), "raters": len({rater for ratings in units.values() for rater in ratings}),
        "ratings": len(given), "mean": Measure(fmean(given)) if given else undefined("no ratings"),
        "alpha_ordinal": krippendorff_alpha(counts, "ordinal", order),
        "alpha_nominal": krippendorff_alpha(counts, "nominal", order),
        "fleiss_kappa": kappa, "kappa_left_out": left_out,
    }  # fmt: skip


def _means(units: RatedUnits, sources: Mapping[str, str], names: Iterable[str]) -> dict[str, Any]:
    by_source: dict[str, list[float]] = {name: [] for name in names}
    for item, ratings in units.items():
        if (source := sources.get(_row_of(item))) is not None:
            by_source[source] += ratings.values()
    return {
        f"mean_{name}": Measure(fmean(given)) if given else undefined("no ratings") for name, given in by_source.items()
    }
