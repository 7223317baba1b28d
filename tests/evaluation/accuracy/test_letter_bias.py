from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from data_juicer_ext.evaluation.accuracy.letter_bias import GOLD, LetterCounts, letter_table, marginal_test
from data_juicer_ext.evaluation.accuracy.model_answers import AnswerSource, read_answers
from data_juicer_ext.evaluation.statistics import alpha_and_kappa

# A. Stuart, A test for homogeneity of the marginal distributions, 1955: unaided vision of 7,477 women, right and left.
VISION = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]


def pairs_of(table: list[list[int]]) -> list[tuple[str, str]]:
    return [
        ("ABCD"[row], "ABCD"[column])
        for row, counts in enumerate(table)
        for column, count in enumerate(counts)
        for _ in range(count)
    ]


def test_stuarts_published_example() -> None:
    statistic, freedom, p = marginal_test(pairs_of(VISION))
    assert statistic.value == pytest.approx(11.96, abs=0.005) and freedom == 3
    assert p.value == pytest.approx(0.0075, abs=0.0001)


@given(st.integers(0, 40), st.integers(0, 40))
def test_two_letters_are_mcnemars_test(first: int, second: int) -> None:
    statistic, freedom, p = marginal_test(pairs_of([[7, first], [second, 9]]))
    if first + second < 10:
        assert p.value is None and f"only {first + second} clear answers differ" in p.note
        return
    by_hand = (first - second) ** 2 / (first + second)
    assert statistic.value == pytest.approx(by_hand) and freedom == 1
    assert p.value == pytest.approx(float(stats.chi2.sf(by_hand, 1)), abs=1e-12)


def test_a_letter_that_never_differs_changes_nothing() -> None:
    some = pairs_of([[5, 12, 0], [4, 6, 3], [2, 1, 0]])
    assert marginal_test(some + [("D", "D")] * 50) == marginal_test(some)
    without = [pair for pair in some if pair[0] != pair[1]]
    assert marginal_test(without)[0].value == pytest.approx(marginal_test(some)[0].value)


def test_letters_that_are_never_mixed_up_have_no_test() -> None:
    _, _, p = marginal_test([("A", "B")] * 6 + [("B", "A")] * 2 + [("C", "D")] * 6)
    assert p.value is None and "never mixed up" in p.note


def test_without_the_extra_the_rest_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(alpha_and_kappa.importlib, "import_module", missing)
    _, _, p = marginal_test(pairs_of(VISION))
    assert p.value is None and "pip install 'data-juicer-ext[eval]'" in p.note


def answers(*given_: tuple[str, str, str], options: int = 4, **more: Any) -> list[dict[str, Any]]:
    return [
        {"row_id": row_id, "answer": answer, "model_answer": letter, "answer_kind": "letter" if letter else "declined",
         "answer_model": "m", "options": ["x"] * options, **more}
        for row_id, answer, letter in given_
    ]  # fmt: skip


def table(rows: list[dict[str, Any]]) -> dict[tuple[str, str], LetterCounts]:
    found = read_answers([AnswerSource("a", rows)])
    return {(row.kind, row.model): row for row in letter_table(found, tuple(sorted(found.questions)))}


def test_letters_are_counted_beside_the_right_ones_by_number_of_options() -> None:
    two = answers(("y1", "A", "A"), ("y2", "B", "A"), options=2)
    found = table(answers(("q1", "A", "A"), ("q2", "B", "A"), ("q3", "D", "")) + two)
    assert found["4 options", GOLD].counts == {"A": 1, "B": 1, "C": 0, "D": 1}
    assert found["4 options", "m"].counts == {"A": 2, "B": 0, "C": 0, "D": 0} and found["4 options", "m"].unclear == 1
    assert found["4 options", "m"].n == 3
    assert found["2 options", "m"].counts == {"A": 2, "B": 0} and found["2 options", GOLD].counts == {"A": 1, "B": 1}


def test_siqas_question_types_are_apart_too() -> None:
    rows = answers(("q1", "A", "A"), question_type="how", dimension="cognitive_clarity")
    rows += answers(("q2", "B", "C"), question_type="what", dimension="cognitive_clarity")
    assert {kind for kind, _ in table(rows)} == {"4 options", "how", "what"}
    assert {kind for kind, _ in table(answers(("q1", "A", "A"), question_type="Relational"))} == {"4 options"}


def test_a_model_that_likes_one_place_is_found_out() -> None:
    letters = "ABCD" * 30
    fair = [(f"q{n}", letter, letters[(n * 7) % 120]) for n, letter in enumerate(letters)]
    biased = [(f"q{n}", letter, "A" if n % 2 else letter) for n, letter in enumerate(letters)]
    assert (table(answers(*fair))["4 options", "m"].p.value or 0) > 0.2
    assert (table(answers(*biased))["4 options", "m"].p.value or 1) < 1e-6
    assert Counter(letter for _, _, letter in biased)["A"] > 60
