"""Which small segments are joined, and when."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.models.store.segments.compaction import JOINED_AT_ONCE, LARGE, MOST_LEFT, Joins

MB = 1_000_000


def written(joins: Joins, sizes: dict[str, int]) -> dict[str, int]:
    """What is left when all that is due was joined."""
    sizes = dict(sizes)
    while names := joins.next():
        assert names == sorted(names)
        size = sum(sizes.pop(name) for name in names)
        joined = names[0] + "j"
        sizes[joined] = size
        joins.done(names, joined, size)
    return sizes


def test_so_many_commits_become_one_and_so_many_of_those_one_more() -> None:
    joins, left = Joins(), dict[str, int]()
    for number in range(JOINED_AT_ONCE**2 + 10):
        left[f"{number:06}"] = 1
        joins.wrote(f"{number:06}", 1)
        left = written(joins, left)
        assert len(left) <= 3 * JOINED_AT_ONCE
    assert sum(left.values()) == JOINED_AT_ONCE**2 + 10
    assert sorted(left.values()) == [1] * 10 + [JOINED_AT_ONCE**2]


def test_large_ones_are_joined_no_more() -> None:
    joins = Joins()
    joins.wrote("a", LARGE)
    joins.wrote("b", LARGE)
    assert joins.next() == []
    joins.wrote("c", LARGE - 1)
    assert joins.next() == []
    joins.wrote("d", 1)
    assert joins.next() == ["c", "d"]  # before there are 64, as they are large enough together


def test_what_comes_while_segments_are_joined_waits_for_the_next_join() -> None:
    joins = Joins()
    for number in range(JOINED_AT_ONCE):
        joins.wrote(f"{number:06}", 1)
    names = joins.next()
    joins.wrote("late", 1)
    joins.done(names)  # they were gone
    assert joins.next() == []
    for number in range(JOINED_AT_ONCE - 1):
        joins.wrote(f"next-{number:06}", 1)
    assert "late" in joins.next() and len(joins.next()) == JOINED_AT_ONCE


def test_few_leftovers_are_left_alone() -> None:
    joins = Joins()
    joins.adopt({f"{number:06}": 1 for number in range(MOST_LEFT)})
    assert joins.next() == []


@given(st.lists(st.sampled_from([1, MB, 20 * MB, 31 * MB, 33 * MB, LARGE]), min_size=MOST_LEFT, max_size=500))
def test_leftovers_are_joined_with_their_neighbours_alone(list_of_sizes: list[int]) -> None:
    sizes = {f"{number:06}": size for number, size in enumerate(list_of_sizes)}
    joins, groups = Joins(), []
    joins.adopt(sizes)
    while names := joins.next():
        groups.append(names)
        joins.done(names, "joined", 1)
    joined = [name for group in groups for name in group]
    assert len(set(joined)) == len(joined)
    order = list(sizes)
    for group in groups:
        begin = order.index(group[0])
        assert group == order[begin : begin + len(group)] and len(group) > 1
        assert all(sizes[name] < LARGE // 2 for name in group)
        assert sum(sizes[name] for name in group) < 2 * LARGE
    if sum(size < LARGE // 2 for size in list_of_sizes) > MOST_LEFT:
        lone = [name for name in order if name not in joined and sizes[name] < LARGE // 2]
        assert not any(order.index(one) + 1 == order.index(two) for one, two in itertools.pairwise(lone))
    else:
        assert groups == []
