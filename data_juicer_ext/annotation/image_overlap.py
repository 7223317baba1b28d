"""Which images show what another one shows: the same bytes, or the same picture rendered anew."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from data_juicer_ext.annotation.image_fingerprint import Glance
from data_juicer_ext.annotation.similar_hashes import NearHashes
from data_juicer_ext.curation.thresholds import Rules
from data_juicer_ext.figures.same_picture import same_picture

SAME_BYTES, NEAR_DUPLICATE = "same_bytes", "near_duplicate"
MAX_HAMMING = Rules().max_hamming


@dataclass(frozen=True)
class ImageMatch:
    """What an image repeats: `owner` is the row (or file) that has the other one, `distance` in bits of 64."""

    kind: str
    path: str
    owner: str
    other_path: str
    distance: int = 0


class ImageIndex:
    """Images with their owners, for others to be held against.

    Images whose pHash is within `max_hamming` bits, as they are or both without their margins, are near-duplicates if
    their pixels agree as well; without `confirm`, by their hash alone.
    """

    def __init__(self, max_hamming: int = MAX_HAMMING, confirm: bool = True) -> None:
        self.confirm = confirm
        self._by_bytes: dict[str, tuple[Glance, str]] = {}
        self._by_hash = [NearHashes[tuple[Glance, str]](max_hamming) for _ in range(2)]

    def add(self, image: Glance, owner: str) -> None:
        """Put an image here."""
        if image.sha256 not in self._by_bytes:
            self._by_bytes[image.sha256] = (image, owner)
            for by_hash, value in zip(self._by_hash, image.hashes, strict=True):
                by_hash.add(value, (image, owner))

    def match(self, image: Glance) -> ImageMatch | None:
        """The image here that `image` repeats: one of the same bytes, else the nearest that shows the same."""
        if image.sha256 in self._by_bytes:
            other, owner = self._by_bytes[image.sha256]
            return ImageMatch(SAME_BYTES, image.path, owner, other.path)
        for distance, (other, owner) in self._near(image):
            if not self.confirm or (image.may_show_the_same(other) and same_picture(image.path, other.path)):
                return ImageMatch(NEAR_DUPLICATE, image.path, owner, other.path, distance)
        return None

    def _near(self, image: Glance) -> list[tuple[int, tuple[Glance, str]]]:
        close: dict[str, tuple[int, tuple[Glance, str]]] = {}
        for by_hash, value in zip(self._by_hash, image.hashes, strict=True):
            for distance, (other, owner) in by_hash.near(value):
                if other.sha256 not in close or distance < close[other.sha256][0]:
                    close[other.sha256] = (distance, (other, owner))
        return sorted(close.values(), key=lambda found: (found[0], found[1][0].sha256))


def overlaps(
    first: Mapping[str, Sequence[Glance]],
    second: Mapping[str, Sequence[Glance]],
    max_hamming: int = MAX_HAMMING,
    confirm: bool = True,
) -> list[tuple[str, ImageMatch]]:
    """Which owners in `first` have an image that one in `second` has as well, with the first such image of each.

    Both are images by owner (a row's id).
    """
    there = ImageIndex(max_hamming, confirm)
    for owner, images in second.items():
        for image in images:
            there.add(image, owner)
    found = ((owner, _first(there, images)) for owner, images in first.items())
    return [(owner, match) for owner, match in found if match is not None]


def _first(there: ImageIndex, images: Iterable[Glance]) -> ImageMatch | None:
    return next((match for image in images if (match := there.match(image)) is not None), None)
