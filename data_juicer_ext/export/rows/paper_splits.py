"""Splits by paper: no paper is in two, nor is a picture that two papers show."""

from collections import Counter
from collections.abc import Iterable, Mapping

from data_juicer_ext.annotation.image_fingerprint import Glance
from data_juicer_ext.annotation.image_overlap import MAX_HAMMING
from data_juicer_ext.annotation.similar_hashes import NearHashes
from data_juicer_ext.export.options import Splits
from data_juicer_ext.figures.same_picture import same_picture
from data_juicer_ext.rows import seeded


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


def join_same_pictures(images: Mapping[str, Glance], groups: Groups, max_hamming: int = MAX_HAMMING) -> int:
    """Put images that show the same picture into one group; returns how many groups that joined.

    `images` are by the names that `groups` has them under. Two show the same if their perceptual hashes, as they are
    or without margins, are within `max_hamming` bits and their pixels agree. Images that are in one group already are
    not compared, so that the groups do not hang on the order of the images.
    """
    by_hash = [NearHashes[str](max_hamming) for _ in range(2)]
    joined = 0
    for name, image in sorted(images.items()):
        close = {other for hashes, value in zip(by_hash, image.hashes, strict=True) for _, other in hashes.near(value)}
        for other in sorted(close):
            apart = groups.of(name) != groups.of(other)
            if apart and image.may_show_the_same(images[other]) and same_picture(image.path, images[other].path):
                groups.join((name, other))
                joined += 1
        for hashes, value in zip(by_hash, image.hashes, strict=True):
            hashes.add(value, name)
    return joined


def assign(papers: Mapping[str, int], groups: Groups, splits: Splits, seed: int) -> dict[str, str]:
    """The split of each paper, given how many rows each has.

    Groups come in an order that hangs on the seed; each goes where the most rows are missing to the split's share. A
    split that gets none that way gets one of the split that has most groups, as long as that has two.
    """
    sizes: Counter[str] = Counter()
    for paper, rows in papers.items():
        sizes[groups.of(paper)] += rows
    missing = {name: share * sizes.total() for name, share in splits}
    held: dict[str, list[str]] = {name: [] for name in missing}
    for group in sorted(sizes, key=lambda name: rank(seed, name)):
        name = max(missing, key=lambda split: missing[split])
        held[name].append(group)
        missing[name] -= sizes[group]
    _fill_empty(held)
    split_of = {group: name for name, those in held.items() for group in those}
    return {paper: split_of[groups.of(paper)] for paper in papers}


def _fill_empty(held: dict[str, list[str]]) -> None:
    for mine in held.values():
        most = max(held.values(), key=len)
        if not mine and len(most) > 1:
            mine.append(most.pop())


def rank(seed: int, name: str) -> tuple[bytes, str]:
    """A place in an order that hangs on the seed."""
    return seeded(seed, name), name
