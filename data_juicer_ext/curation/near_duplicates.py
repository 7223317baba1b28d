"""Which figures of a paper show what an earlier one shows."""

from collections.abc import Iterable

from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.thresholds import S1, Rules
from data_juicer_ext.figures.image_appearance import hamming
from data_juicer_ext.figures.same_picture import same_picture


def repeated(item: Item, earlier: Iterable[Item], rules: Rules) -> Finding | None:
    """The finding that `item` is a near-duplicate of one of `earlier`, the first that fits; None if it is of none.

    Figures are compared image by image, panels with panels only. Hashes within `rules.max_hamming` make a
    candidate; with `rules.confirm` the pixels have to agree as well, since charts of one template hash alike.
    """
    for other in earlier:
        distance = _distance(item, other)
        if distance is None or distance > rules.max_hamming:
            continue
        if not rules.confirm or _same_pixels(item, other):
            return Finding(S1, "near_duplicate", distance, rules.max_hamming, other.figure.figure_id)
    return None


def _distance(item: Item, other: Item) -> int | None:
    """The greatest distance between images that correspond; None where they do not."""
    if item.whole != other.whole or len(item.looks) != len(other.looks) or not item.looks:
        return None
    return max(hamming(mine.phash, its.phash) for mine, its in zip(item.looks, other.looks, strict=True))


def _same_pixels(item: Item, other: Item) -> bool:
    return all(same_picture(mine.path, its.path) for mine, its in zip(item.looks, other.looks, strict=True))
