"""Whether the kept questions can be answered without looking: by place, by length, by words, or by a blind model.

A rule that picks an option without the figure should be right as often as chance, one in the number of options.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.report.ledger_decisions import Blind, Counted, QuestionMade

_WORD = re.compile(r"\w+")
_READ = 4000  # characters of a text that are looked at
_Z = 1.96  # a 95% interval


@dataclass
class Baseline:
    """How often a way of answering is right. `hits` may be a fraction: a rule splits its guess over a tie.

    `expected` is the sum of the chances, `spread` that of their variances. A rule that `knows` the answers has looked
    at them to choose its letter: it is above chance on any small set.
    """

    name: str
    knows: bool = False
    tried: int = 0
    hits: float = 0.0
    expected: float = 0.0
    spread: float = 0.0

    def add(self, hit: float, options: int) -> None:
        """Count one try at a question with so many options."""
        self.tried += 1
        self.hits += hit
        self.expected += 1 / options
        self.spread += (1 / options) * (1 - 1 / options)

    @property
    def accuracy(self) -> float:
        """The share of right answers, 0 to 1."""
        return self.hits / self.tried if self.tried else 0.0

    @property
    def chance(self) -> float:
        """The share that blind guessing gets."""
        return self.expected / self.tried if self.tried else 0.0

    @property
    def above_chance(self) -> bool:
        """Whether it is right more often than guessing would be in 97.5% of such sets."""
        return not self.knows and self.hits - self.expected > _Z * math.sqrt(self.spread)


@dataclass
class Shortcuts:
    """The audit over kept questions. `letters` counts right letters by the number of options.

    `unused` counts rows whose options and answer do not fit together. Lengths are in characters.
    """

    letters: dict[int, Counter[str]] = field(default_factory=dict)
    rules: dict[str, Baseline] = field(default_factory=dict)
    longest: int = 0
    answer_length: int = 0
    other_length: int = 0
    others: int = 0
    unused: int = 0

    @property
    def rows(self) -> int:
        """The questions that were looked at."""
        return sum(counted.total() for counted in self.letters.values())

    @property
    def mean_lengths(self) -> tuple[float, float]:
        """The mean length of a right option and of a wrong one."""
        return self.answer_length / max(1, self.rows), self.other_length / max(1, self.others)

    def add(self, row: Mapping[str, Any]) -> None:
        """Look at one question; rows without options are none."""
        options = row.get("options")
        if not isinstance(options, list):
            return
        texts, answer = [str(option)[:_READ] for option in options], str(row.get("answer") or "")
        place = ord(answer) - ord("A") if len(answer) == 1 else -1
        if len(texts) < 2 or not 0 <= place < len(texts):
            self.unused += 1
            return
        self.letters.setdefault(len(texts), Counter())[answer] += 1
        self._lengths([len(text) for text in texts], place)
        for name, values in _rules(texts, row).items():
            best = [index for index, value in enumerate(values) if value == max(values)]
            rule = self.rules.setdefault(name, Baseline(name))
            rule.add(1 / len(best) if place in best else 0.0, len(texts))

    def _lengths(self, lengths: Sequence[int], place: int) -> None:
        self.longest += lengths[place] == max(lengths) and lengths.count(max(lengths)) == 1
        self.answer_length += lengths[place]
        self.other_length += sum(lengths) - lengths[place]
        self.others += len(lengths) - 1

    def baselines(self) -> list[Baseline]:
        """The rules, that of the commonest letter first."""
        letter = Baseline("always the commonest letter", knows=True)
        for options, counted in self.letters.items():
            for place, (_, count) in enumerate(counted.most_common()):
                for _ in range(count):
                    letter.add(float(place == 0), options)
        return [letter, *self.rules.values()] if self.rows else []

    def position_p(self) -> float | None:
        """How probable letters at least this uneven are by chance (chi-squared); None with less than 5 a letter."""
        if not self.letters or any(counted.total() < 5 * options for options, counted in self.letters.items()):
            return None
        from scipy.special import chdtrc  # type: ignore[import-untyped]

        statistic, freedom = 0.0, 0
        for options, counted in self.letters.items():
            even = counted.total() / options
            statistic += sum((counted[chr(ord("A") + place)] - even) ** 2 / even for place in range(options))
            freedom += options - 1
        return float(chdtrc(freedom, statistic))


def _rules(options: Sequence[str], row: Mapping[str, Any]) -> dict[str, list[float]]:
    """For each rule, how much it likes each option; it picks the one that it likes most."""
    words = [set(_WORD.findall(option.casefold())) for option in options]
    question, caption = (set(_WORD.findall(str(row.get(name) or "")[:_READ].casefold())) for name in _TEXTS)
    return {
        "the longest option": [float(len(option)) for option in options],
        "the shortest option": [-float(len(option)) for option in options],
        "most words of the question": [float(len(own & question)) for own in words],
        "most words of the caption": [float(len(own & caption)) for own in words],
        "most like the other options": [_likeness(own, words) for own in words],
    }


_TEXTS = ("question", "caption")


def _likeness(own: set[str], words: Sequence[set[str]]) -> float:
    """The words of an option that others have, summed, for an option of average length."""
    return sum(len(own & other) / max(1, len(own | other)) for other in words)


def blind_baselines(counted: Counted) -> list[Baseline]:
    """How models did without the figure, a draw a try, by listing: over all questions asked, not the kept ones.

    Questions whose number of options the ledger does not say count with four.
    """
    options = {
        made.rest.row_id: made.rest.options
        for rows in counted.decided.values()
        for made in rows.values()
        if isinstance(made.rest, QuestionMade)
    }
    found = []
    for (_, tag), rows in counted.decided.items():
        checked = {row_id: made.rest for row_id, made in rows.items() if isinstance(made.rest, Blind)}
        if checked:
            found.append(_blind(tag, checked.items(), options))
    return found


def _blind(tag: str, checked: Iterable[tuple[str, Blind]], options: Mapping[str, int]) -> Baseline:
    made = Baseline(tag)
    for row_id, check in checked:
        for draw in range(check.draws):
            made.add(float(draw < check.hits), options.get(row_id, 4))
    return made
