import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.export.order import read_splits
from data_juicer_ext.export.splitting import Groups, assign
from data_juicer_ext.export.thinning import nearly_the_same

NAMES = [f"p{number}" for number in range(12)]
JOINS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=15)


@given(JOINS, st.randoms(use_true_random=False))
def test_groups_do_not_hang_on_the_order_of_joining(joins, shuffled):
    first, second = Groups(), Groups()
    for pair in joins:
        first.join(pair)
    other = list(joins)
    shuffled.shuffle(other)
    for pair in other:
        second.join(reversed(pair))
    assert [first.of(name) for name in NAMES] == [second.of(name) for name in NAMES]
    assert all(first.of(one) == first.of(two) for one, two in joins)


def test_splits_come_near_their_shares_and_hang_on_the_seed():
    papers = {f"p{number}": 1 + number % 4 for number in range(400)}
    splits = read_splits("train=0.8,validation=0.1,test=0.1")
    found = assign(papers, Groups(), splits, 0)
    total = sum(papers.values())
    for name, share in splits:
        assert sum(rows for paper, rows in papers.items() if found[paper] == name) == pytest.approx(
            share * total, abs=4
        )
    mixed = list(papers.items())
    random.Random(3).shuffle(mixed)
    assert assign(dict(mixed), Groups(), splits, 0) == found != assign(papers, Groups(), splits, 1)


@pytest.mark.parametrize("text", ["train", "train=0.5", "train=1,test=0", "a=0.5,a=0.5", "../x=1", "train=nan", ""])
def test_splits_that_are_none_are_refused(text):
    with pytest.raises(ValueError, match="--splits"):
        read_splits(text)


def asked(question, answer="A"):
    return {"question": question, "options": ["yes", "no"], "answer": answer}


def test_near_duplicates_differ_in_neither_numbers_nor_answer():
    base = asked("Which line is the highest in the year 2019?")
    assert nearly_the_same(base, asked("Which line is highest in the year 2019?"))
    assert nearly_the_same(base, asked("which  line is the highest in the year 2019?", "B"))  # the same words
    assert not nearly_the_same(base, asked("Which line is the highest in the year 2018?"))
    assert not nearly_the_same(base, asked("Which line is the lowest in the year 2019?", "B"))
    assert not nearly_the_same({"question": ""}, {"question": ""})
