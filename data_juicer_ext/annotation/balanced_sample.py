"""A balanced sample of images: at most so many a category, none twice, none that an excluded set has.

What is chosen hangs on the images, the rows and the seed, not on the order of the rows or on where files lie.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from data_juicer_ext.annotation.image_fingerprint import Glance
from data_juicer_ext.annotation.image_overlap import MAX_HAMMING, ImageIndex, ImageMatch
from data_juicer_ext.errors import UsageError
from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.rows import Row, seeded, to_json

EXCLUDED, UNREADABLE, NO_CATEGORY, OVER = "excluded", "unreadable_image", "no_category", "over_the_limit"

Glances = Mapping[str, Glance | ImageError]


@dataclass(frozen=True)
class Unit:
    """What is sampled as one: a figure, with all its questions where the rows are questions."""

    id: str
    rows: tuple[Row, ...]
    images: tuple[str, ...]
    category: str


@dataclass(frozen=True)
class LeftOutUnit:
    """A unit that is not in the sample, and why: a kind of `ImageMatch`, or one of this module's reasons."""

    unit: Unit
    reason: str
    match: ImageMatch | None = None
    message: str = ""


@dataclass(frozen=True)
class SampleOrder:
    """What is asked for: at most `per_category` units of each value of column `by`."""

    per_category: int
    by: str = "image_category"
    seed: int = 0
    max_hamming: int = MAX_HAMMING
    confirm: bool = True


@dataclass
class BalancedSample:
    """The units taken, and those left out."""

    taken: list[Unit] = field(default_factory=list)
    left_out: list[LeftOutUnit] = field(default_factory=list)

    def counts(self) -> dict[str, Counter[str]]:
        """By category, how many units were taken ("taken") and left out, by reason."""
        found: dict[str, Counter[str]] = {}
        for unit in self.taken:
            found.setdefault(unit.category, Counter())["taken"] += 1
        for left in self.left_out:
            found.setdefault(left.unit.category, Counter())[left.reason] += 1
        return dict(sorted(found.items()))


def units_of(rows: Iterable[Row], by: str, base: Path | None = None) -> list[Unit]:
    """The units of a set, in an order of their own; each is named by the least `row_id` in it.

    Relative image paths start at `base`. Rows with a `question` are one unit where they have the paper, figure and
    images in common; any other row is a unit by itself. Raises UsageError where a row has no row_id, or none has the
    column `by`.
    """
    groups: dict[tuple[str, ...], list[Row]] = {}
    known = False
    for row in rows:
        if not row.get("row_id"):
            raise UsageError("a row has no row_id; make figure rows first (image_rows_mapper, figure_rows_mapper)")
        known |= by in row
        shared = (str(row.get("paper_id") or ""), str(row.get("figure_id") or ""), *images_in(row))
        groups.setdefault(shared if row.get("question") else (str(row["row_id"]),), []).append(row)
    if groups and not known:
        raise UsageError(f"no row has the column {by}; image_category_mapper sets image_category, --by names another")
    units = (_unit(sorted(group, key=lambda row: str(row["row_id"])), by, base) for group in groups.values())
    return sorted(units, key=lambda unit: unit.id)


def images_in(row: Row, base: Path | None = None) -> list[str]:
    """The image files of a row, of its `images` or its `image`; relative ones start at `base`."""
    given = row.get("images")
    paths = list(given) if given is not None and not isinstance(given, str) and len(given) else [row.get("image")]
    return [str(base / path) if base else str(path) for path in paths if path]


def _unit(rows: Sequence[Row], by: str, base: Path | None) -> Unit:
    categories = Counter(str(row.get(by) or "") for row in rows)
    category = min(categories, key=lambda name: (name == "", -categories[name], name))
    return Unit(str(rows[0]["row_id"]), tuple(rows), tuple(images_in(rows[0], base)), category)


def sample(
    units: Sequence[Unit], seen: Glances, excluded: Mapping[str, Sequence[Glance]], order: SampleOrder
) -> BalancedSample:
    """The sample of `units`, whose images were `seen`; `excluded` are the images to stay clear of, by owner.

    A near-duplicate falls to the unit with the least id that shows the same. Raises UsageError for fewer than
    one per category.
    """
    if order.per_category < 1:
        raise UsageError(f"{order.per_category} a category: at least 1 is needed")
    found, pool = BalancedSample(), dict[str, list[Unit]]()
    away, here = (ImageIndex(order.max_hamming, order.confirm) for _ in range(2))
    for owner, images in excluded.items():
        for image in images:
            away.add(image, owner)
    for unit in units:
        left = _left_out(unit, seen, away, here)
        if left is not None:
            found.left_out.append(left)
            continue
        for image in glances(unit, seen):
            here.add(image, unit.id)
        pool.setdefault(unit.category, []).append(unit)
    for _, those in sorted(pool.items()):
        those.sort(key=lambda unit: (seeded(order.seed, unit.id), unit.id))
        found.taken += those[: order.per_category]
        found.left_out += [LeftOutUnit(unit, OVER) for unit in those[order.per_category :]]
    found.taken.sort(key=lambda unit: unit.id)
    return found


def _left_out(unit: Unit, seen: Glances, away: ImageIndex, here: ImageIndex) -> LeftOutUnit | None:
    broken = next((str(seen[path]) for path in unit.images if isinstance(seen[path], ImageError)), "")
    if broken or not unit.images:
        return LeftOutUnit(unit, UNREADABLE, message=broken or "the row names no image")
    if not unit.category:
        return LeftOutUnit(unit, NO_CATEGORY)
    for image in glances(unit, seen):
        if (match := away.match(image)) is not None:
            return LeftOutUnit(unit, EXCLUDED, match)
        if (match := here.match(image)) is not None:
            return LeftOutUnit(unit, match.kind, match)
    return None


def glances(unit: Unit, seen: Glances) -> list[Glance]:
    """The images of a unit, as far as they could be read."""
    return [glance for path in unit.images if isinstance(glance := seen[path], Glance)]


def lines(units: Iterable[Unit]) -> str:
    """The rows of units as JSON Lines in one fixed form: by row_id, columns by name, without the host's own."""
    rows = sorted((row for unit in units for row in unit.rows), key=lambda row: str(row["row_id"]))
    plain = ({key: row[key] for key in sorted(row) if not key.startswith("__dj__")} for row in rows)
    return "".join(to_json(row) + "\n" for row in plain)
