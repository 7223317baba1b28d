"""S1: figures that are no usable picture: they do not decode, are tiny, strips or one colour, or repeat another."""

from collections.abc import Iterable

from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.thresholds import S1, Rules
from data_juicer_ext.figures.image_appearance import ImageLook, hamming, look_at
from data_juicer_ext.figures.image_preparation import ImageError, UnreachableImageError
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


def hard_filter(items: list[Item], rules: Rules) -> None:
    """Delete figures by their images; sets `looks` and `deleted` of `items`.

    A figure of several images goes if one of them does not decode, or if every one of them is too small, a strip
    or one colour: a legend that is a narrow strip takes no figure with it. Of two near-duplicates the first in the
    paper stays.
    """
    for item in items:
        item.deleted = unusable(item, rules)
    kept: list[Item] = []
    for item in items:
        if item.deleted is None:
            item.deleted = repeated(item, kept, rules)
        if item.deleted is None:
            kept.append(item)


def unusable(item: Item, rules: Rules) -> Finding | None:
    """Why the images of a figure cannot be used, None if they can; sets its `looks`.

    Raises UnreachableImageError where their storage fails, which is no reason to delete a figure.
    """
    if not item.figure.images:
        flags = ", ".join(item.figure.flags)
        return Finding(S1, "no_image", message=f"the figure has no image that can be read ({flags or 'no flags'})")
    try:
        item.looks = [look_at(path, rules.max_pixels) for path in item.figure.images]
    except UnreachableImageError:
        raise
    except ImageError as error:
        return Finding(S1, "does_not_decode", message=str(error))
    found = [bad_image(look, rules) for look in item.looks]
    return found[0] if all(found) else None


def bad_image(look: ImageLook, rules: Rules) -> Finding | None:
    """What is wrong with one image that decodes, None if nothing."""
    side = min(look.width, look.height)
    if side < rules.min_side:
        return Finding(S1, "too_small", side, rules.min_side)
    if look.aspect > rules.max_aspect:
        return Finding(S1, "extreme_aspect", round(look.aspect, 3), rules.max_aspect)
    if look.dominant > rules.max_dominant:
        return Finding(S1, "one_colour", round(look.dominant, 5), rules.max_dominant)
    return None
