"""Splits by paper: no paper is in two, nor is a picture that two papers show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from data_juicer_ext.export.order import Splits
from data_juicer_ext.export.thinning import rank


class Groups:
    """Names that belong together (union-find); the least name of a group stands for it."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The name that stands for the group of `name`."""
        root = name
        while (above := self._above.get(root, root)) != root:
            root = above
        while (above := self._above.get(name, name)) != root:
            self._above[name], name = root, above
        return root

    def join(self, names: Iterable[str]) -> None:
        """Put the groups of some names together."""
        roots = sorted({self.of(name) for name in names})
        for root in roots[1:]:
            self._above[root] = roots[0]


def assign(papers: Mapping[str, int], groups: Groups, splits: Splits, seed: int) -> dict[str, str]:
    """The split of each paper, given how many rows each has.

    Groups come in an order that hangs on the seed; each goes where the most rows are missing to the split's share.
    """
    sizes: Counter[str] = Counter()
    for paper, rows in papers.items():
        sizes[groups.of(paper)] += rows
    missing = {name: share * sizes.total() for name, share in splits}
    split_of: dict[str, str] = {}
    for group in sorted(sizes, key=lambda name: rank(seed, name)):
        name = max(missing, key=lambda split: missing[split])
        split_of[group] = name
        missing[name] -= sizes[group]
    return {paper: split_of[groups.of(paper)] for paper in papers}
