"""Answers read from text alone, by how well a sentence covers a question and one of its options."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data_juicer_ext.offline.text.quantities import Quantity, as_quantity, quantities
from data_juicer_ext.offline.text.sentences import content, words
from data_juicer_ext.offline.text.statements import DOWN, UP, VERBS

ENOUGH = 0.6  # share of the question's words that a clause must hold to count
MARGIN = 0.12  # by which the best option must lead
_DIRECTIONS = {"increase": UP, "decrease": DOWN}


@dataclass(frozen=True)
class Support:
    """How well a text supports one option, and the clause that does best."""

    letter: str
    score: float
    clause: str


def best_options(question: str, options: Sequence[tuple[str, str]], clauses: Iterable[str]) -> tuple[list[str], str]:
    """The letters of the options that `clauses` support best, and the clause or the reason.

    `options` are (letter, text) pairs. No option is supported by less than `ENOUGH` of the
    question's words in one clause with it (then: no letter); those less than `MARGIN` behind the
    best are as good as it (then: several letters, in order).
    """
    supports = sorted(_supports(question, options, list(clauses)), key=lambda support: -support.score)
    if not supports or supports[0].score < ENOUGH:
        return [], "No sentence speaks of what is asked."
    best = sorted(s.letter for s in supports if supports[0].score - s.score < MARGIN)
    if len(best) > 1:
        return best, f"The text supports {' and '.join(best)} alike."
    return best, supports[0].clause


def _supports(question: str, options: Sequence[tuple[str, str]], clauses: list[str]) -> list[Support]:
    shared = frozenset.intersection(*(content(text) for _, text in options)) if options else frozenset()
    asked = content(_without_options(question, [text for _, text in options])) - shared
    found = []
    for letter, option in options:
        best = Support(letter, 0.0, "")
        for clause in clauses:
            score = _score(asked, option, clause, question)
            if score > best.score:
                best = Support(letter, score, clause)
        found.append(best)
    return found


def _without_options(question: str, options: Sequence[str]) -> str:
    head, colon, tail = question.rpartition(": ")
    return head if colon and all(option.lower() in tail.lower() for option in options) else question


def _score(asked: frozenset[str], option: str, clause: str, question: str) -> float:
    if not asked or not holds(clause, option):
        return 0.0
    held = content(clause)
    covered = len(asked & held) / len(asked)
    if as_quantity(option) is None and question.lower().startswith("which"):
        # "Which has a higher ...": what the clause is about counts more than what it is compared with.
        covered += 0.2 if clause.lower().lstrip("the ").startswith(option.lower().lstrip("the ")) else 0.0
    return covered


def holds(text: str, option: str) -> bool:
    """Whether `text` names `option`: the same quantity, direction, or words in a row."""
    number = as_quantity(option)
    if number is not None:
        return any(equal(number, other) for other in quantities(text))
    for direction, verbs in _DIRECTIONS.items():
        if re.fullmatch(rf"(?:it|they) {direction}s?", option.lower()):
            return any(VERBS.get(word.lower()) in verbs for word in words(text))
    wanted, given = _plain(option), _plain(text)
    return bool(wanted) and f" {wanted} " in f" {given} "


def _plain(text: str) -> str:
    return " ".join(word.lower() for word in words(text) if word.lower() not in ("the", "a", "an"))


def equal(one: Quantity, other: Quantity) -> bool:
    """Equal values with units that do not contradict each other (a figure often leaves them out)."""
    units = {one.unit, other.unit} - {""}
    return abs(one.value - other.value) < 1e-9 and len(units) <= 1
