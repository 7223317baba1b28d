"""Numbers with their units in running text, and plausible wrong ones beside them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_UNIT = (
    r"(?:%|°C|°F|°|‰|ppm|ppb|dB|[kMGTmµμnp]?(?:m|s|g|L|l|V|A|W|J|N|Pa|Hz|eV|mol|M|K|T|B|bit|b)|cm|mL|min|h"
    r"|bar|fps|px|rpm|d|yr|kb|Mb|bp|kbp|x|×)"
)
_NUMBER = re.compile(
    r"(?<![\w.,^])(?<!\w-)(?P<number>[-+]?\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,8})?|[-+]?\d{1,12}(?:\.\d{1,8})?)"
    rf"(?P<unit>\s?{_UNIT}(?:/{_UNIT}|·{_UNIT})?(?![\w^])|\s(?:percent|per cent|percentage points)\b)?"
    r"(?![\w^]|[.,]\d|-\w)"
)
_LIMIT = 40


@dataclass(frozen=True)
class Quantity:
    """A number as the text has it: `text` with unit, `unit` without blank, `start:end` its place."""

    text: str
    value: float
    decimals: int
    unit: str
    start: int
    end: int

    @property
    def key(self) -> tuple[float, str]:
        """Equal for equal quantities, however they are written."""
        return self.value, self.unit


def quantities(text: str) -> list[Quantity]:
    """The quantities of `text` in order (at most 40); numbers inside names (`GPT-4`) are none."""
    found = []
    for match in _NUMBER.finditer(text):
        number = match.group("number").replace(",", "")
        unit = (match.group("unit") or "").strip().replace("μ", "µ")
        unit = "%" if unit in ("percent", "per cent") else unit
        decimals = len(number.partition(".")[2])
        found.append(Quantity(match.group(0).strip(), float(number), decimals, unit, match.start(), match.end()))
        if len(found) == _LIMIT:
            break
    return found


def as_quantity(text: str) -> Quantity | None:
    """The quantity that `text` is as a whole (one or two words may follow: "12 layers"), else None."""
    found = quantities(text)
    if len(found) != 1 or found[0].start != 0:
        return None
    rest = text[found[0].end :].strip()
    return found[0] if re.fullmatch(r"(?:[a-z]{2,20}(?: [a-z]{2,20})?)?", rest) else None


def _written(value: float, like: Quantity) -> str:
    number = f"{value:.{like.decimals}f}"
    if "," in like.text:
        number = f"{value:,.{like.decimals}f}"
    return number + re.sub(r"^[-+]?[\d,]+(?:\.\d+)?", "", like.text)


def nearby(right: Quantity, others: Iterable[Quantity], seed: int, count: int = 3) -> list[str]:
    """`count` wrong quantities, written like `right`: first those of the text with the same unit.

    Invented ones lie 8 to 40 percent off, differ from all of the text, keep sign and decimals, and
    stay within 0 to 100 for percentages that do.
    """
    taken = {right.value}
    chosen: list[str] = []
    for other in others:
        comparable = other.unit == right.unit and other.decimals == right.decimals
        if comparable and other.value not in taken and len(chosen) < count:
            taken.add(other.value)
            chosen.append(_written(other.value, right))
    for value in _invented(right, seed):
        if len(chosen) == count:
            break
        if all(abs(value - other) > 0.03 * abs(other) for other in taken):
            taken.add(value)
            chosen.append(_written(value, right))
    return chosen


def _invented(right: Quantity, seed: int) -> list[float]:
    step = 10.0**-right.decimals
    factors = [0.9, 1.12, 0.78, 1.25, 0.65, 1.4, 0.5, 1.6]
    turn = seed % len(factors)
    values = [right.value * factor for factor in factors[turn:] + factors[:turn]]
    values += [right.value + step * move for move in (2, -2, 3, -3, 4, 5, 6, 7)]
    if right.unit == "%" and 0 <= right.value <= 100:
        values = [value for value in values if 0 <= value <= 100]
    kept = (round(value, right.decimals) for value in values)
    return [value for value in kept if value * right.value > 0 or (right.value == 0 and value > 0)]
