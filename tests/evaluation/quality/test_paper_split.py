from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from data_juicer_ext.evaluation.quality.paper_split import Split, SplitOrder, split

Rows = list[dict[str, Any]]
TYPES = {"plot": 0.5, "diagram": 0.3, "table": 0.2}


def corpus(papers: int = 200, seed: int = 1) -> tuple[Rows, dict[int, int]]:
    """Papers of two venues with 1 to 6 figures of three types; one figure in six has two ratings only."""
    draw, rows = random.Random(seed), list[dict[str, Any]]()
    for paper in range(papers):
        for figure in range(draw.randint(1, 6)):
            [kind] = draw.choices(list(TYPES), list(TYPES.values()))
            venue = "ACL" if paper % 3 else "ICML"
            rows.append({"paper_id": f"{venue}-{paper}", "figure_id": str(figure), "venue": venue, "figure_type": kind})
    return rows, {index: 2 if draw.random() < 1 / 6 else 3 for index in range(len(rows))}


def made(rows: Rows, ratings: dict[int, int], **order: Any) -> Split:
    return split(rows, ratings, SplitOrder(**{"size": 120, **order}))


def papers(rows: Any) -> set[str]:
    return {row["paper_id"] for row in rows}


def test_papers_stay_whole_quotas_are_met_and_nothing_is_lost() -> None:
    rows, ratings = corpus()
    found = made(rows, ratings)
    assert Counter(row["venue"] for row in found.test) == {"ACL": 60, "ICML": 60}
    assert found.quotas == {"ACL": (60, 60), "ICML": (60, 60)}
    assert not papers(found.test) & papers(found.rest)
    assert papers(found.held_out) <= papers(found.test)
    keys = [(row["paper_id"], row["figure_id"]) for part in (found.test, found.rest, found.held_out) for row in part]
    assert sorted(keys) == sorted((row["paper_id"], row["figure_id"]) for row in rows)


def test_test_figures_have_enough_ratings_and_held_out_ones_have_not() -> None:
    rows, ratings = corpus()
    count = {(row["paper_id"], row["figure_id"]): ratings[index] for index, row in enumerate(rows)}
    found = made(rows, ratings)
    assert {count[row["paper_id"], row["figure_id"]] for row in found.test} == {3}
    assert found.held_out and {count[row["paper_id"], row["figure_id"]] for row in found.held_out} == {2}
    assert made(rows, ratings, least_ratings=4).test == []


def test_the_mix_of_figure_types_is_the_corpuss() -> None:
    rows, ratings = corpus()
    found = made(rows, ratings)
    assert set(found.types) == set(TYPES)
    for name, (there, here) in found.types.items():
        assert abs(there - here) < 0.02, name
        assert here == pytest.approx(sum(row["figure_type"] == name for row in found.test) / len(found.test))


def test_a_seed_gives_one_split_whatever_the_order_of_the_rows() -> None:
    rows, ratings = corpus()
    once = made(rows, ratings)
    places = list(range(len(rows)))
    random.Random(5).shuffle(places)
    shuffled = [rows[place] for place in places]
    again = made(shuffled, {new: ratings[old] for new, old in enumerate(places)})
    assert papers(once.test) == papers(again.test)
    assert papers(made(rows, ratings, seed=7).test) != papers(once.test)


def test_quotas_of_ones_own_and_a_shortfall_that_is_told() -> None:
    rows, ratings = corpus(papers=12)
    found = made(rows, ratings, quotas={"ICML": 5})
    assert found.quotas == {"ICML": (5, 5)} and {row["venue"] for row in found.test} == {"ICML"}
    short = made(rows, ratings, quotas={"ICML": 500})
    assert short.quotas["ICML"][1] < 500


def test_a_quota_is_reached_by_an_exchange_where_no_paper_fits() -> None:
    rows = [
        {"paper_id": f"p{n}", "figure_id": str(f), "venue": "V"}
        for n, size in enumerate((2, 2, 3))
        for f in range(size)
    ]
    for seed in range(6):
        found = made(rows, dict.fromkeys(range(len(rows)), 3), size=5, seed=seed)
        assert found.quotas == {"V": (5, 5)}


@pytest.mark.parametrize(
    ("rows", "order", "told"),
    [
        ([{"paper_id": "", "venue": "V"}], {}, "no paper_id"),
        ([{"paper_id": "p", "venue": "V"}, {"paper_id": "p", "venue": "W"}], {}, "two venues: V and W"),
        ([{"paper_id": "p", "venue": "V"}], {"quotas": {"X": 3}}, "venue X; there are: V"),
        ([{"paper_id": "p", "venue": "V"}], {"size": 0}, "from 1 on"),
        ([], {}, "needs rows"),
    ],
)
def test_what_can_not_be_split_is_an_error(rows: Rows, order: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        made(rows, {}, **order)
