"""Balance over a whole set of questions: the share of Yes, the letters of What, images per category.

What no single row can decide. The result hangs on the rows and the seed alone: rows are taken by `row_id`,
never as they happen to come. Source: SIQA, sections 3.2 (balanced sampling and refinement).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.rows import QA_ROW, object_in, seeded, to_json
from data_juicer_ext.siqa.dimensions import QUESTION_TYPES
from data_juicer_ext.siqa.refine import REFINED, check_yes_no, is_yes, orders, reordered, turned

_FIRST_COLUMNS = (*QA_ROW, "dimension", *REFINED)


@dataclass(frozen=True)
class BalanceOrder:
    """What is wanted: the share of Yes among the Yes/No rows, and at most so many images per category (0: all).

    `drop`: where the share can't be reached by turning questions around, rows fall until it is.
    """

    yes_share: Fraction = Fraction(1, 2)
    max_per_category: int = 0
    category_column: str = "image_category"
    drop: bool = False
    seed: int = 0


@dataclass
class Balanced:
    """The rows in the order of their ids, and what was done.

    `turned` Yes/No rows got their other wording, `moved` What rows another letter; `dropped_yes_no` and
    `dropped_by_category` rows were left out; `refused` are (row_id, why) of rows that break their type's rules.
    `missing`: how many more rows with both wordings the share of Yes would have needed.
    """

    rows: list[dict[str, Any]]
    turned: int = 0
    moved: int = 0
    dropped_yes_no: int = 0
    dropped_by_category: int = 0
    missing: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)


def balance(rows: Iterable[Mapping[str, Any]], order: BalanceOrder) -> Balanced:
    """Balance a set of question rows; How rows, and rows of other types, come out as they went in.

    Raises UsageError for rows without `row_id`, two different rows of one id, a share outside 0 to 1, and a
    limit by category where no row has one.
    """
    if not 0 < order.yes_share < 1:
        raise UsageError(f"the share of Yes must lie between 0 and 1, it is {float(order.yes_share):g}")
    known = _by_id(rows)
    found = Balanced([])
    taken = {row_id: row for row_id, row in known.items() if _fits(row, found)}
    if order.max_per_category:
        taken = _within_categories(taken, order, found)
    made = {**taken, **_turn(_of_type(taken, "yes_no"), order, found), **_spread(_of_type(taken, "what"), order, found)}
    gone = _to_drop(_of_type(made, "yes_no"), order, found)
    found.rows = [made[row_id] for row_id in sorted(made) if row_id not in gone]
    return found


def line_of(row: Mapping[str, Any]) -> str:
    """A row as one line of JSON, the same for the same row whatever file or executor it came from."""
    names = [name for name in _FIRST_COLUMNS if name in row]
    names += sorted(name for name in row if name not in _FIRST_COLUMNS and not name.startswith("__dj__"))
    return to_json({name: row[name] for name in names}) + "\n"


def _by_id(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    known: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows, 1):
        row_id = str(row.get("row_id") or "")
        if not row_id:
            raise UsageError(f"row {number} has no row_id: name an export of this package's operators")
        if row_id in known and line_of(known[row_id]) != line_of(row):
            raise UsageError(f"the row_id {row_id} stands for two different rows: balance one export at a time")
        known[row_id] = dict(row)
    return {row_id: known[row_id] for row_id in sorted(known)}


def _of_type(rows: Mapping[str, dict[str, Any]], question_type: str) -> list[dict[str, Any]]:
    return [row for row in rows.values() if row.get("question_type") == question_type]


def _fits(row: dict[str, Any], found: Balanced) -> bool:
    """Whether a row keeps the rules of its type; one that does not is noted as refused."""
    try:
        if row.get("question_type") == "yes_no":
            check_yes_no(row)
        elif row.get("question_type") in QUESTION_TYPES:
            orders(row, 0)
    except (KeyError, ValueError, TypeError) as error:
        why = f"the column {error} is missing" if isinstance(error, KeyError) else str(error)
        found.refused.append((str(row["row_id"]), why))
        return False
    return True


def _rank(order: BalanceOrder, purpose: str) -> Callable[[dict[str, Any]], bytes]:
    return lambda row: seeded(purpose, order.seed, row["row_id"])


# ---- Yes and No


def can_turn(row: Mapping[str, Any]) -> bool:
    """Whether a Yes/No row has both wordings."""
    return bool(row.get("question_plain") and row.get("question_negated") and row.get("negated") in ("yes", "no"))


def _turn(rows: Sequence[dict[str, Any]], order: BalanceOrder, found: Balanced) -> dict[str, dict[str, Any]]:
    """Those Yes/No rows that get their other wording, as few as bring Yes to its share."""
    yes = sum(map(is_yes, rows))
    surplus = yes - _nearest(len(rows) * order.yes_share, yes)
    several = [row for row in rows if is_yes(row) == (surplus > 0) and can_turn(row)]
    chosen = sorted(several, key=_rank(order, "turn"))[: abs(surplus)]
    found.turned, found.missing = len(chosen), abs(surplus) - len(chosen)
    return {str(row["row_id"]): turned(row) for row in chosen}


def _nearest(target: Fraction, now: int) -> int:
    """The whole number nearest to `target`; of two equally near ones that nearer to `now`."""
    below = target.numerator // target.denominator
    return min((below, below + 1), key=lambda count: (abs(count - target), abs(count - now)))


def _to_drop(rows: Sequence[dict[str, Any]], order: BalanceOrder, found: Balanced) -> set[str]:
    """The ids of the fewest Yes/No rows without which Yes comes nearest to its share."""
    if not order.drop or not found.missing:
        return set()
    yes, share = sum(map(is_yes, rows)), order.yes_share
    too_many = yes > len(rows) * share
    excess = (yes - len(rows) * share) / (1 - share) if too_many else (len(rows) * share - yes) / share
    below = excess.numerator // excess.denominator

    def distance(gone: int) -> Fraction:
        left = len(rows) - gone
        return abs(Fraction(yes - gone if too_many else yes, left) - share) if left else Fraction(1)

    count = min((below, below + 1), key=lambda gone: (distance(gone), gone))
    falling = sorted((row for row in rows if is_yes(row) == too_many), key=_rank(order, "drop"))[:count]
    found.dropped_yes_no = len(falling)
    return {str(row["row_id"]) for row in falling}


# ---- the letters of What


def _spread(rows: Sequence[dict[str, Any]], order: BalanceOrder, found: Balanced) -> dict[str, dict[str, Any]]:
    """What rows with their options in a seeded order, chosen so that all letters hold the answer equally often.

    Rows whose answer can stand in few places come first; those that can go anywhere then even it out.
    """
    reachable = {str(row["row_id"]): orders(row, order.seed) for row in rows}
    rank = _rank(order, "letters")
    held, made = Counter[str](), dict[str, dict[str, Any]]()
    for row in sorted(rows, key=lambda row: (len(reachable[str(row["row_id"])]), rank(row))):
        row_id = str(row["row_id"])
        ways = [reordered(row, way) for way in reachable[row_id]]
        best = min(ways, key=lambda way: (held[way["answer"]], seeded("tie", order.seed, row_id, way["answer"])))
        held[best["answer"]] += 1
        found.moved += best["answer"] != row["answer"]
        made[row_id] = best
    return made


# ---- images per category


def _within_categories(
    rows: Mapping[str, dict[str, Any]], order: BalanceOrder, found: Balanced
) -> dict[str, dict[str, Any]]:
    """The rows of at most so many images per category; all rows of an image stay or fall together."""
    if not any(row.get(order.category_column) for row in rows.values()):
        raise UsageError(f"no row has a {order.category_column}: run image_category_mapper first")
    images: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows.values():
        image = image_of(row)
        images.setdefault(str(row.get(order.category_column) or ""), {})[image] = {"row_id": image}
    rank = _rank(order, "category")
    kept = {
        (category, image)
        for category, members in images.items()
        for image in sorted(members, key=lambda name: rank(members[name]))[: order.max_per_category]
    }
    taken = {
        row_id: row for row_id, row in rows.items()
        if (str(row.get(order.category_column) or ""), image_of(row)) in kept
    }  # fmt: skip
    found.dropped_by_category = len(rows) - len(taken)
    return taken


def image_of(row: Mapping[str, Any]) -> str:
    """What the rows about one image share: the id of its figure row, else paper and figure, else its own id."""
    of_figure = object_in(row.get("provenance")).get("figure_row_id")
    named = "\x1f".join((str(row.get("paper_id") or ""), str(row.get("figure_id") or "")))
    return str(of_figure or (named if row.get("figure_id") else row["row_id"]))
