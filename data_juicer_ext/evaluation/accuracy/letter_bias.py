"""Which letters a model answers with, beside the right ones: a preference for a place in the list shows here."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from data_juicer_ext.evaluation.accuracy.model_answers import NOT_SAID, AnswerSet, Given, GoldQuestion
from data_juicer_ext.evaluation.statistics.alpha_and_kappa import MissingExtraError, statsmodels
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, finite, undefined

_LEAST = 10  # below, the chi-squared distribution is no good guide to the statistic's
GOLD = "right answers"
NO_TEST = Measure(None)

ModelAndKind = tuple[str, str]


@dataclass(frozen=True)
class LetterCounts:
    """A model's letters over the questions of one kind that it answered; the row of `GOLD` has the right letters.

    `counts` are by letter; `unclear` counts answers without one letter. `p` is how probable letters at least this far
    from the right ones are where the model's come in the same shares, by a chi-squared test with `freedom` degrees.
    """

    kind: str
    model: str
    n: int
    counts: dict[str, int]
    unclear: int = 0
    statistic: Measure = NO_TEST
    freedom: int = 0
    p: Measure = NO_TEST


def letter_table(found: AnswerSet, row_ids: tuple[str, ...]) -> list[LetterCounts]:
    """The letters by kind of question: by number of options, and by question type where rows have a `dimension`."""
    kinds = {row_id: _kinds(found.questions[row_id]) for row_id in row_ids}
    rows = list[LetterCounts]()
    for kind in sorted({name for names in kinds.values() for name in names}):
        own = [row_id for row_id in row_ids if kind in kinds[row_id]]
        right = Counter(found.questions[row_id].answer for row_id in own)
        width = max((found.questions[row_id].options for row_id in own), default=0)
        letters = sorted({*ascii_uppercase[:width], *right})
        rows.append(LetterCounts(kind, GOLD, len(own), {letter: right[letter] for letter in letters}))
        rows += [_of_model(kind, model, letters, found.answered(model, own), found.questions) for model in found.models]
    return [row for row in rows if row.n]


def _kinds(question: GoldQuestion) -> tuple[str, ...]:
    options = f"{question.options or 'unknown number of'} options"
    asked = question.groups.get("question_type", NOT_SAID)
    if question.groups.get("dimension", NOT_SAID) == NOT_SAID or asked == NOT_SAID:
        return (options,)
    return options, asked


def _of_model(
    kind: str, model: str, letters: Sequence[str], given: Mapping[str, Given], questions: Mapping[str, GoldQuestion]
) -> LetterCounts:
    pairs = [(questions[row_id].answer, answer.letter) for row_id, answer in given.items() if answer.letter]
    counted = Counter(letter for _, letter in pairs)
    statistic, freedom, p = marginal_test(pairs)
    counts = {letter: counted[letter] for letter in sorted({*letters, *counted})}
    return LetterCounts(kind, model, len(given), counts, len(given) - len(pairs), statistic, freedom, p)


def marginal_test(pairs: list[ModelAndKind]) -> tuple[Measure, int, Measure]:
    """Stuart and Maxwell's chi-squared test of (right letter, given letter): statistic, degrees of freedom, p.

    Both letters are of the same questions, so a test for two independent samples would be too mild. With two letters
    it is McNemar's. Not defined with fewer than 10 pairs that differ.
    """
    differ = sum(right != given for right, given in pairs)
    if differ < _LEAST:
        return _undefined(f"only {differ} clear answers differ from the right ones, fewer than {_LEAST}")
    # A letter that never differs adds nothing but a singular matrix.
    letters = sorted({letter for pair in pairs if pair[0] != pair[1] for letter in pair})
    place = {letter: index for index, letter in enumerate(letters)}
    table = np.zeros((len(letters), len(letters)))
    for right, given in pairs:
        if right in place and given in place:
            table[place[right], place[given]] += 1
    return _tested(table)


def _tested(table: NDArray[np.float64]) -> tuple[Measure, int, Measure]:
    from scipy.sparse import csgraph  # type: ignore[import-untyped]  # here, as it takes a second

    if csgraph.connected_components(table, directed=False, return_labels=False) > 1:
        return _undefined("the letters fall into groups that are never mixed up")
    try:
        result = statsmodels("stats.contingency_tables").SquareTable(table, shift_zeros=False).homogeneity()
    except MissingExtraError as error:
        return _undefined(str(error))
    why = "the answers that differ are too few for a test"
    return finite(result.statistic, why), int(result.df), finite(result.pvalue, why)


def _undefined(why: str) -> tuple[Measure, int, Measure]:
    return undefined(why), 0, undefined(why)
