from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.annotation.similar_hashes import FARTHEST, NearHashes
from data_juicer_ext.figures.image_appearance import hamming


def turned(value: int, bits: int, seed: int) -> int:
    for bit in random.Random(seed).sample(range(64), bits):
        value ^= 1 << bit
    return value


@given(st.integers(0, 2**64 - 1), st.integers(0, FARTHEST), st.data())
def test_what_is_found_is_what_comparing_each_finds(value: int, most: int, data: st.DataObject) -> None:
    away = data.draw(st.lists(st.tuples(st.integers(0, 24), st.integers(0, 10_000)), max_size=12))
    others = [turned(value, bits, seed) for bits, seed in away]
    index = NearHashes[int](most)
    for place, other in enumerate(others):
        index.add(other, place)
    found = index.near(value)
    assert sorted(place for _, place in found) == [p for p, other in enumerate(others) if hamming(value, other) <= most]
    assert [distance for distance, _ in found] == sorted(hamming(value, others[place]) for _, place in found)


@pytest.mark.parametrize("most", [-1, FARTHEST + 1, 64])
def test_distances_at_which_hashes_tell_nothing_are_refused(most: int) -> None:
    with pytest.raises(ValueError, match="allowed are 0 to 15"):
        NearHashes[str](most)
