from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_juicer_ext.siqa.answer_balance import BalanceOrder, balance, image_of, line_of
from data_juicer_ext.siqa.set_counts import comparison, count_rows
from tests.siqa.sets import holds, how_row, is_present, question_set, what_row, yes_no_row

Row = dict[str, Any]


def of_type(rows: list[Row], kind: str) -> list[Row]:
    return [row for row in rows if row["question_type"] == kind]


def yes_share(rows: list[Row]) -> float:
    asked = of_type(rows, "yes_no")
    return sum(row["options"]["AB".index(row["answer"])] == "Yes" for row in asked) / len(asked)


def letters(rows: list[Row]) -> Counter[str]:
    return Counter(row["answer"] for row in of_type(rows, "what"))


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return question_set()


@pytest.fixture(scope="module")
def few() -> list[Row]:
    return question_set(300)


def test_two_thousand_rows(rows: list[Row]) -> None:
    assert all(map(holds, rows)) and yes_share(rows) > 0.6 and letters(rows) == {"A": 667}
    found = balance(rows, BalanceOrder())
    assert len(found.rows) == 2000 and not found.missing and not found.refused
    assert all(map(holds, found.rows)), "every label is true of its question"
    assert abs(yes_share(found.rows) - 0.5) <= 0.5 / len(of_type(rows, "yes_no"))
    held = letters(found.rows)
    assert set(held) == set("ABCD") and all(abs(count / 667 - 0.25) <= 0.02 for count in held.values())
    before = {row["row_id"]: line_of(row) for row in of_type(rows, "how")}
    assert before == {row["row_id"]: line_of(row) for row in of_type(found.rows, "how")}
    assert found.turned == sum(a["question"] != b["question"] for a, b in zip(rows, found.rows, strict=True)) > 50
    assert found.moved == sum(row["answer"] != "A" for row in of_type(found.rows, "what")) > 300


def test_only_what_has_to_change_changes(rows: list[Row]) -> None:
    for old, new in zip(rows, balance(rows, BalanceOrder()).rows, strict=True):
        changed = {name for name in old if old[name] != new[name]}
        assert old.keys() == new.keys()
        assert changed <= {"yes_no": {"question", "answer", "negated"}, "what": {"options", "answer"}}.get(
            old["question_type"], set()
        )
        assert sorted(old["options"]) == sorted(new["options"])
        if "None of the above" in old["options"]:
            assert new["options"][3] == "None of the above"


def test_the_order_of_the_input_does_not_matter(few: list[Row]) -> None:
    shuffled = list(few)
    random.Random(3).shuffle(shuffled)
    mixed = [dict(reversed(row.items())) for row in shuffled]  # and not that of the columns
    once, twice = (list(map(line_of, balance(given, BalanceOrder(seed=5)).rows)) for given in (few, mixed))
    assert once == twice
    assert once != list(map(line_of, balance(few, BalanceOrder(seed=6)).rows))


def test_repeated_rows_count_once(rows: list[Row]) -> None:
    assert balance([*rows[:50], *rows[:50]], BalanceOrder()).rows == balance(rows[:50], BalanceOrder()).rows


@pytest.mark.parametrize("share", ["0.3", "0.5", "0.75", "0.01"])
def test_any_share(share: str, few: list[Row]) -> None:
    found = balance(few, BalanceOrder(yes_share=Fraction(share)))
    assert all(map(holds, found.rows)) and found.missing == 0
    assert abs(yes_share(found.rows) - float(share)) <= 0.5 / len(of_type(few, "yes_no"))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40), st.integers(0, 3), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_share_is_as_near_as_can_be(states: list[tuple[bool, bool]], seed: int, drop: bool) -> None:
    given_rows = [yes_no_row(number, negated, both) for number, (negated, both) in enumerate(states)]
    found = balance(given_rows, BalanceOrder(seed=seed, drop=drop))
    assert all(map(holds, found.rows))
    yes = sum(row["answer"] == "A" for row in found.rows)
    turnable = sum(both for _, both in states)
    if not drop:
        assert len(found.rows) == len(states) and found.dropped_yes_no == 0
        fixed_yes = sum(row["answer"] == "A" for row, (_, both) in zip(given_rows, states, strict=True) if not both)
        reachable = range(fixed_yes, fixed_yes + turnable + 1)
        best = min(abs(count - len(states) / 2) for count in reachable)
        assert abs(yes - len(states) / 2) == best
        assert (found.missing > 0) == (best > 0.5)
    elif found.rows and len({row["answer"] for row in found.rows}) > 1:
        assert abs(yes - len(found.rows) / 2) <= 0.5


def test_too_few_negations_are_told_and_dropped_on_demand() -> None:
    rows = [yes_no_row(number, both=number < 60 and is_present(number)) for number in range(400)]
    yes = sum(row["answer"] == "A" for row in rows)
    found = balance(rows, BalanceOrder())
    turnable = sum(row["question_negated"] != "" for row in rows)
    assert found.turned == turnable and found.missing == yes - 200 - turnable > 0 and len(found.rows) == 400
    dropped = balance(rows, BalanceOrder(drop=True))
    assert abs(yes_share(dropped.rows) - 0.5) <= 0.5 / len(dropped.rows)
    assert dropped.dropped_yes_no == 400 - len(dropped.rows) == 2 * found.missing
    assert all(map(holds, dropped.rows))
    again = balance(list(reversed(rows)), BalanceOrder(drop=True))
    assert again.rows == dropped.rows


def test_fixed_places_are_made_up_for_by_rows_that_can_move() -> None:
    rows = [{**what_row(number), "options": ["10%", "20%", "30%", "40%"], "answer": "B"} for number in range(20)]
    rows += [what_row(number) for number in range(20, 100)]
    found = balance(rows, BalanceOrder())
    assert letters(found.rows) == dict.fromkeys("ABCD", 25)
    assert all(row["options"] == ["10%", "20%", "30%", "40%"] for row in found.rows[:20])


def test_at_most_so_many_images_a_category(rows: list[Row]) -> None:
    found = balance(rows, BalanceOrder(max_per_category=5))
    images: dict[str, set[str]] = {}
    for row in found.rows:
        images.setdefault(row["image_category"], set()).add(image_of(row))
    assert {len(members) for members in images.values()} == {5} and len(images) == 7
    assert found.dropped_by_category == 2000 - len(found.rows)
    kept = {(row["image_category"], image_of(row)) for row in found.rows}
    whole = [row["row_id"] for row in rows if (row["image_category"], image_of(row)) in kept]
    assert [row["row_id"] for row in found.rows] == whole, "all rows of an image stay together"
    assert all(map(holds, found.rows)) and abs(yes_share(found.rows) - 0.5) <= 0.5 / len(of_type(found.rows, "yes_no"))


def test_a_broken_row_costs_only_itself(rows: list[Row]) -> None:
    broken = [{**yes_no_row(9001), "options": ["No", "Yes"]}, {**what_row(9002), "answer": "E"}, how_row(9003)]
    del broken[2]["options"]
    found = balance([*broken, *rows[:90]], BalanceOrder())
    assert [row_id for row_id, _ in found.refused] == ["qa-09001", "qa-09002", "qa-09003"]
    assert "needs the options" in found.refused[0][1] and "'options' is missing" in found.refused[2][1]
    assert found.rows == balance(rows[:90], BalanceOrder()).rows


def test_rows_of_other_types_pass() -> None:
    other = {"row_id": "qa-1", "question": "Why?", "options": ["a", "b"], "answer": "A", "question_type": "Relational"}
    assert balance([other], BalanceOrder()).rows == [other]
    assert balance([], BalanceOrder()).rows == []


@pytest.mark.parametrize(
    ("given_rows", "order", "says"),
    [
        ([{"question": "?"}], BalanceOrder(), "row 1 has no row_id"),
        ([yes_no_row(1), {**yes_no_row(1), "caption": "x"}], BalanceOrder(), "two different rows"),
        ([yes_no_row(1)], BalanceOrder(yes_share=Fraction(1)), "between 0 and 1"),
        ([yes_no_row(1)], BalanceOrder(yes_share=Fraction(0)), "between 0 and 1"),
        ([{**yes_no_row(1), "image_category": ""}], BalanceOrder(max_per_category=1), "image_category_mapper"),
    ],
)
def test_what_can_not_be_balanced_is_an_error(given_rows: list[Row], order: BalanceOrder, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        balance(given_rows, order)


def test_counts_and_their_comparison(rows: list[Row]) -> None:
    found = balance(rows, BalanceOrder())
    before, after = count_rows(rows), count_rows(found.rows)
    assert before.yes_share == pytest.approx(yes_share(rows)) and after.yes_share == pytest.approx(0.5, abs=0.001)
    assert sum(before.types.values()) == 2000 and before.types == after.types
    assert before.letters["what"] == letters(rows) and after.letters["what"] == letters(found.rows)
    text = "\n".join(comparison(before, after))
    assert "Yes share after: 50.0%" in text or "Yes share after: 49.9%" in text or "Yes share after: 50.1%" in text
    assert "category 3: " in text and "scientific_validity, How: " in text
    assert comparison(count_rows([]), count_rows([])) == [
        "rows: 0 before, 0 after",
        "dimension, question type: before -> after",
    ]


def test_a_line_is_the_row_whatever_it_came_from() -> None:
    row = {**yes_no_row(1), "zebra": 1.5, "__dj__stats__": {"x": 1}, "alpha": None}
    told = json.loads(line_of(row))
    assert list(told)[:2] == ["row_id", "paper_id"] and list(told)[-3:] == ["alpha", "image_category", "zebra"]
    assert "__dj__stats__" not in told and told["caption"] == row["caption"]


@given(st.integers(0, 12), st.integers(0, 12), st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10))
@settings(max_examples=100, deadline=None)
def test_what_no_negation_can_balance_loses_the_fewest_rows(yes: int, no: int, share: Fraction) -> None:
    given_rows = [
        {**yes_no_row(number, False, False), "options": ["Yes", "No"], "answer": "A" if number < yes else "B"}
        for number in range(yes + no)
    ]
    found = balance(given_rows, BalanceOrder(yes_share=share, drop=True))
    left_yes = sum(row["answer"] == "A" for row in found.rows)
    if found.missing and found.rows:
        too_many = yes > (yes + no) * share
        ways = [(yes - gone, no) if too_many else (yes, no - gone) for gone in range(yes + no)]
        off = [abs(Fraction(a, a + b) - share) for a, b in ways if a >= 0 and b >= 0 and a + b]
        assert (len(found.rows), left_yes) == (yes + no - off.index(min(off)), ways[off.index(min(off))][0])
