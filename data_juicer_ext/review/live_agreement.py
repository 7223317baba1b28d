"""How far annotators agree: Krippendorff's alpha of each dimension, or why there is none."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from data_juicer_ext.evaluation.statistics.alpha_and_kappa import counts_of, krippendorff_alpha
from data_juicer_ext.ratings.line_file import number_in
from data_juicer_ext.ratings.rating_file import FORMS, Rating
from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.review.forms.form import texts
from data_juicer_ext.text_table import aligned

ACCEPTED = "accepted"
_SPANS = {"verisciqa": 4.0, "quality": 9.0, "siqa": 4.0, "scidiag": 4.0, "audit": 1.0}


@dataclass(frozen=True)
class Alpha:
    """The agreement on one dimension of a form.

    `alpha` is at most 1; None where there is none, and `note` says why. `items` counts those that at least two of
    the `annotators` have rated, `ratings` all scores.
    """

    form: str
    dimension: str
    alpha: float | None
    note: str
    annotators: int
    items: int
    ratings: int


def alphas(ratings: Iterable[Rating]) -> list[Alpha]:
    """Alpha by form and dimension: ordinal for scores, nominal for what was accepted or rejected.

    The reference images of a calibration are left out. Where only one item has two scores there is no number: it
    would tell an annotator what the other one gave.
    """
    by_dimension: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for rating in ratings:
        for dimension, score in _scores(rating).items():
            units = by_dimension.setdefault((rating.form, dimension), {})
            units.setdefault(rating.row_id, {})[rating.annotator] = score
    return [_alpha(*key, by_dimension[key]) for key in sorted(by_dimension, key=_place)]


def spread(ratings: Iterable[Rating]) -> float:
    """How far the raters of one row are apart, in the dimension where they are furthest: 0 to 1 of its scale."""
    by_dimension: dict[tuple[str, str], list[float]] = {}
    for rating in ratings:
        for dimension, score in _scores(rating).items():
            by_dimension.setdefault((rating.form, dimension), []).append(score)
    return max(((max(s) - min(s)) / _SPANS.get(form, 1.0) for (form, _), s in by_dimension.items()), default=0.0)


def _scores(rating: Rating) -> dict[str, float]:
    if rating.calibration:
        return {}
    if rating.form == "audit":
        return {} if rating.accepted is None else {ACCEPTED: float(rating.accepted)}
    criteria = rating.ratings.get("criteria")
    flat = {**rating.ratings, **(criteria if isinstance(criteria, dict) else {})}
    return {name: score for name in flat if (score := number_in(flat, name)) is not None}


def _place(key: tuple[str, str]) -> tuple[int, int, str]:
    """Where a dimension stands: forms and dimensions in their order, criteria by name before the overall."""
    form, dimension = key
    known = list(texts(form)["dimensions"]) if form in FORMS and form != "audit" else []
    place = known.index(dimension) if dimension in known else max(0, len(known) - 1)
    return FORMS.index(form) if form in FORMS else len(FORMS), place, dimension


def _alpha(form: str, dimension: str, units: Mapping[str, Mapping[str, float]]) -> Alpha:
    annotators = {annotator for scores in units.values() for annotator in scores}
    found = krippendorff_alpha(counts_of(units), "nominal" if form == "audit" else "ordinal")
    note = "not defined: fewer than two annotators" if len(annotators) < 2 else found.note
    shared = sum(len(scores) > 1 for scores in units.values())
    return Alpha(form, dimension, found.value, note, len(annotators), shared, sum(map(len, units.values())))


def as_text(found: Iterable[Alpha]) -> str:
    """Agreement as a table."""
    heads = ("form", "dimension", "alpha", "annotators", "items", "ratings")
    lines = [heads, *(_cells(alpha) for alpha in found)]
    return "Nobody has rated anything yet." if len(lines) == 1 else "\n".join(aligned(lines, "<"))


def _cells(found: Alpha) -> tuple[str, ...]:
    number = "none" if found.alpha is None else f"{found.alpha:.3f}"
    counts = (str(found.annotators), str(found.items), str(found.ratings) + (f"  ({found.note})" if found.note else ""))
    return found.form, shown_text(found.dimension, 60), number, *counts
