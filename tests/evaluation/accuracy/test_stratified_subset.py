from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.evaluation.accuracy.stratified_subset import allocation, stratified

STRATA = st.dictionaries(st.sampled_from("abcdef").map(lambda name: (name,)), st.integers(1, 40), min_size=1)


def members(sizes: dict[tuple[str, ...], int]) -> dict[str, tuple[str, ...]]:
    return {f"{stratum[0]}{number}": stratum for stratum, size in sizes.items() for number in range(size)}


def test_the_largest_remainder_worked_by_hand() -> None:
    # Shares of 10 in 21: 10/21, 5/21 and 6/21 of 10 are 4.76, 2.38 and 2.86.
    assert allocation({("a",): 10, ("b",): 5, ("c",): 6}, 10) == {("a",): 5, ("b",): 2, ("c",): 3}
    assert allocation({("a",): 1, ("b",): 1, ("c",): 1}, 2) == {("a",): 1, ("b",): 1, ("c",): 0}
    assert allocation({("a",): 3, ("b",): 5}, 9) == {("a",): 3, ("b",): 5}


@given(STRATA, st.integers(1, 120))
def test_every_stratum_gets_its_share_to_within_one(sizes: dict[tuple[str, ...], int], size: int) -> None:
    whole, quotas = sum(sizes.values()), allocation(sizes, size)
    assert sum(quotas.values()) == min(size, whole)
    for name, quota in quotas.items():
        assert 0 <= quota <= sizes[name]
        assert size >= whole or abs(quota - size * sizes[name] / whole) < 1


@given(STRATA, st.integers(1, 60), st.integers(0, 3), st.randoms(use_true_random=False))
def test_the_subset_does_not_hang_on_the_order_of_rows(
    sizes: dict[tuple[str, ...], int], size: int, seed: int, chance: random.Random
) -> None:
    rows = list(members(sizes).items())
    found = stratified(dict(rows), size, seed)
    chance.shuffle(rows)
    assert stratified(dict(rows), size, seed) == found
    assert list(found.row_ids) == sorted(set(found.row_ids)) and set(found.row_ids) <= set(dict(rows))
    taken = Counter(dict(rows)[row_id] for row_id in found.row_ids)
    assert {name: taken[name] for name in sizes} == {name: part for name, (part, _) in found.strata.items()}
    assert {name: of for name, (_, of) in found.strata.items()} == sizes


def test_another_seed_gives_another_subset_and_a_larger_one_keeps_the_smaller() -> None:
    one_stratum = members({("a",): 200})
    small, large = stratified(one_stratum, 50, 1), stratified(one_stratum, 80, 1)
    assert set(small.row_ids) < set(large.row_ids)
    assert stratified(one_stratum, 50, 2).row_ids != small.row_ids


@pytest.mark.parametrize("size", [0, -1])
def test_a_subset_of_nothing_is_an_error(size: int) -> None:
    with pytest.raises(ValueError, match="from 1 on"):
        stratified({"a": ("x",)}, size)
