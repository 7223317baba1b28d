"""References in the live text, and the figure that each label means."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from data_juicer_ext.latex.floats.figure_grouping import LatexFigure
from data_juicer_ext.latex.floats.float_contents import LatexLabel
from data_juicer_ext.latex.word_patterns import any_of

_PREFIXES = ("fig:", "f:", "figure:", "fig.", "fig-", "fig_", "Fig:", "fg:", "figsupp:")
_NO_FIGURE = frozenset(("href", "pageref", "eqref", "cpageref", "Cpageref", "vpageref", "bibref", "xref", "secref",
                        "tabref", "appref", "algref", "thmref", "tableref", "Eqref", "lemref", "propref"))  # fmt: skip
# Commands of LaTeX and its packages: their argument is the label itself, never part of one.
_EXACT = frozenset(("ref", "cref", "Cref", "autoref", "vref", "Vref", "subref", "nameref", "labelcref",
                    "hyperref", "crefrange", "Crefrange", "vrefrange", "namecref", "zcref", "zref"))  # fmt: skip
_RANGE = re.compile(r"range\Z")


class Reference(NamedTuple):
    """One reference: where it stands, and the labels that it names (both ends of a range)."""

    at: int
    labels: tuple[str, ...]
    is_range: bool
    exact: bool


@lru_cache(maxsize=16)
def _pattern(commands: frozenset[str]) -> re.Pattern[str]:
    wild = "|[A-Za-z]*[rR]efs?|[Ff]ig[A-Za-z]{0,12}|FIG[A-Z]{0,10}" if "ref" in commands else ""
    names = any_of(commands) or "(?!)"
    return re.compile(
        rf"\\({names}{wild})(?![A-Za-z@])\*?\s*(?:\[\{{?([^\[\]{{}}]{{0,300}})\}}?\]\s*)?"
        r"(?:\{([^{}]{0,2000})\}(?:\s*\{([^{}]{0,300})\})?)?"
    )


def find_references(mask: str, commands: Sequence[str]) -> Iterator[Reference]:
    """The references in `mask` made by `commands`, in order (see `LatexOptions.citation_commands`)."""
    known = frozenset(commands)
    for match in _pattern(known).finditer(mask):
        name, bracket, first, second = match.groups()
        if name == "hyperref":
            names_found = bracket or ""
        elif name in _NO_FIGURE and name not in known:
            continue
        elif name.startswith("FIG") and bracket:  # eLife: a supplement of that figure
            names_found = f"{bracket},{first or ''}"
        else:
            names_found = first or ""
        labels = [" ".join(label.split()) for label in names_found.split(",")]
        ranged = _RANGE.search(name) is not None and second is not None
        if ranged:
            labels.append(" ".join((second or "").split()))
        labels = [label for label in labels if label]
        if labels:
            yield Reference(match.start(), tuple(labels), ranged, name in _EXACT)


class LabelIndex:
    """Which figure a label means: the last \\label of that name decides, as in LaTeX."""

    def __init__(self, figures: Sequence[LatexFigure], labels: Sequence[LatexLabel]) -> None:
        by_place: dict[int, tuple[int, int]] = {}
        for index, figure in enumerate(figures):
            for label in figure.labels:
                by_place[label.at] = (index, -1)
            for position, panel in enumerate(figure.panels):
                for label in panel.labels:
                    by_place[label.at] = (index, position)
        last = {label.name: label.at for label in labels}
        self._owner = {name: by_place[at] for name, at in last.items() if at in by_place}

    def owner(self, label: str, exact: bool = True) -> tuple[int, int] | None:
        """(figure, panel or -1) of a label. A wrapper of an unknown class may add a prefix to it."""
        found = self._owner.get(label)
        if found is None and not exact:
            found = next(filter(None, (self._owner.get(prefix + label) for prefix in _PREFIXES)), None)
        return found

    def targets(self, reference: Reference) -> list[tuple[int, int]]:
        """The figures and panels that a reference names, with those between the ends of a range."""
        owners = [self.owner(label, reference.exact) for label in reference.labels]
        found = [owner for owner in owners if owner is not None]
        if reference.is_range and len(found) == 2:
            (first, _), (last, _) = found
            found += [(index, -1) for index in range(first + 1, min(last, first + 101))]
        return found

    def numbers(self, numbers: Sequence[str], letters: Mapping[tuple[int, int], str]) -> dict[str, str]:
        """What each label of a figure prints: its number, with the letter for a panel."""
        return {
            name: numbers[owner[0]] + (letters.get(owner, "") if owner[1] >= 0 else "")
            for name, owner in self._owner.items()
        }
