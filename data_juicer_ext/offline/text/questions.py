"""Multiple-choice questions from claims: the question, wrong options, and where the right one stands."""

import hashlib
import re
from collections.abc import Sequence as Several
from dataclasses import dataclass

from data_juicer_ext.offline.text.clauses import clauses_of
from data_juicer_ext.offline.text.entities import alternatives, axis_quantities, bare
from data_juicer_ext.offline.text.quantities import nearby, quantities
from data_juicer_ext.offline.text.sentences import readable, words
from data_juicer_ext.offline.text.statements import (
    VERBS,
    AxisStatement,
    Extreme,
    Sequence,
    Statement,
    TrendStatement,
    Value,
    statement,
)

LETTERS = "ABCD"
_SAID = re.compile(r"(?:(?:The|This) figure shows that |(?!(?:The|This) figure ))(.+)$", re.S)
_BLANK = "____"
_BLANK_LIMIT = 10  # words before or after the blank; more would quote the paper at length
_PASSING = {"passes": "pass", "sends": "send"}
_COUNTED = frozenset({"have", "contain", "hold", "use", "comprise", "need", "require", "take", "produce", "keep"})
_VAGUE_SUBJECTS = frozenset({"it", "they", "this", "these", "we", "which", "that", "there", "method", "approach"})


@dataclass(frozen=True)
class Question:
    """A question with 2 to 4 options and the letter of the right one."""

    text: str
    options: tuple[str, ...]
    answer: str


def question_for(claim: str, caption: str, paragraphs: Several[str]) -> Question | None:
    """A question whose answer is what `claim` states; None for a claim that states nothing specific.

    Wrong options are other values and things of the caption and the paragraphs (LaTeX), then
    invented ones. The same claim always gives the same question.
    """
    said = _SAID.match(claim.strip())
    if said is None:
        return None
    clause = said.group(1).rstrip(". ")
    texts = [readable(caption), *(readable(paragraph) for paragraph in paragraphs)]
    stated = statement(clause)
    if stated is None:
        return _blank(clause, texts)
    seed = _seed(claim)
    clauses = clauses_of([caption, *paragraphs])
    asked = _ask(stated, clauses, texts, seed)
    if asked is None:
        return None
    text, right, wrong = asked
    return _arrange(text, right, wrong, seed)


def _seed(claim: str) -> int:
    return int.from_bytes(hashlib.sha256(claim.encode("utf-8", "replace")).digest()[:6], "big")


def _arrange(text: str, right: str, wrong: Several[str], seed: int) -> Question | None:
    distinct = [option for option in dict.fromkeys(wrong) if option.lower() != right.lower()][:3]
    if not distinct:
        return None
    place = seed % (len(distinct) + 1)
    options = (*distinct[:place], right, *distinct[place:])
    return Question(text[:1].upper() + text[1:], options, LETTERS[place])


_Asked = tuple[str, str, list[str]]


def _ask(stated: Statement, clauses: Several[str], texts: list[str], seed: int) -> _Asked | None:
    if isinstance(stated, Value):
        return _ask_value(stated, texts, seed)
    if isinstance(stated, Extreme):
        return _ask_extreme(stated, clauses, texts)
    if isinstance(stated, Sequence):
        return _ask_sequence(stated, clauses, texts)
    if isinstance(stated, AxisStatement):
        others = [other for other in axis_quantities(clauses) if other.lower() != stated.quantity.lower()]
        return f"What does the {stated.axis} axis show?", stated.quantity, others
    return _ask_direction(stated)


def _auxiliary(subject: str, verb: str) -> str:
    """ "does", "do" or "did" for a verb as it was written with its subject."""
    if verb.endswith("s") or verb == "has":
        return "does"
    return "do" if verb == VERBS[verb] else "did"


def _ask_value(value: Value, texts: list[str], seed: int) -> _Asked | None:
    tokens = {word.lower() for word in words(value.subject)}
    if not tokens or (tokens & _VAGUE_SUBJECTS and len(tokens) <= 2):
        return None
    unit = f" {value.unit_noun}" if value.unit_noun else ""
    others = [other for text in texts for other in quantities(text)]
    base, tail = VERBS[value.verb], f" {value.tail}" if value.tail else ""
    right = value.quantity.text
    wrong = nearby(value.quantity, others, seed)
    auxiliary = _auxiliary(value.subject, value.verb)
    if base == "be" and not value.preposition:
        if unit:
            return None
        return f"what {value.verb} {value.subject}{tail}?", right, wrong
    if base == "be":
        asked = f"{value.preposition} what value {value.verb} {value.subject}{tail}?"
        return asked, right + unit, _with(wrong, unit)
    if unit and base in _COUNTED and not value.noun and not value.preposition and not value.quantity.unit:
        return f"how many {value.unit_noun} {auxiliary} {value.subject} {base}{tail}?", right, wrong
    asked = f"what {value.noun or 'value'} {auxiliary} {value.subject} {base}{tail}?"
    if value.preposition:
        asked = f"{value.preposition} {asked}"
    return asked, right + unit, _with(wrong, unit)


def _with(options: list[str], unit: str) -> list[str]:
    return [option + unit for option in options]


def _ask_extreme(extreme: Extreme, clauses: Several[str], texts: list[str]) -> _Asked | None:
    tail = f" {extreme.tail}" if extreme.tail else ""
    if extreme.other:
        pair = sorted((extreme.entity, extreme.other), key=str.lower)
        asked = (
            f"which of the two {_third(extreme.verb)} the {extreme.degree} {extreme.measure}{tail}: "
            f"{pair[0]} or {pair[1]}?"
        )
        return asked, extreme.entity, [extreme.other]
    wrong = alternatives(extreme.entity, clauses, texts)
    asked = f"which of these {_third(extreme.verb)} the {extreme.degree} {extreme.measure}{tail}?"
    if extreme.preposition:
        asked = f"{extreme.preposition} which of these is {extreme.measure} {extreme.degree}?"
    return asked, extreme.entity, wrong


def _third(verb: str) -> str:
    if verb in ("have", "are", "were"):
        return {"have": "has", "are": "is", "were": "was"}[verb]
    if verb != VERBS[verb]:
        return verb
    return f"{verb}es" if verb.endswith("ch") else f"{verb}s"


def _ask_sequence(stated: Sequence, clauses: Several[str], texts: list[str]) -> _Asked | None:
    entity, verb = stated.entity, stated.verb
    steps = [clause for clause in clauses if isinstance(statement(clause), Sequence)]
    wrong = [other for other in alternatives(stated.other, steps, texts) if bare(other) != bare(entity)]
    first = verb.split()[0]
    if verb == "is followed by":
        asked = f"what is {entity} directly followed by?"
    elif verb == "is connected to":
        asked = f"to what is {entity} connected?"
    elif first in ("passes", "sends"):
        given = verb.removeprefix(first).removesuffix(" to").removesuffix(" on").strip()
        asked = f"to what does {entity} {_PASSING[first]} {given}?"
    else:
        asked = f"what does {entity} {_base(verb)}?"
    return asked, stated.other, wrong


def _base(verb: str) -> str:
    first, _, rest = verb.partition(" ")
    return f"{first.removesuffix('s')} {rest}".strip()


def _ask_direction(direction: TrendStatement) -> _Asked | None:
    tokens = {word.lower() for word in words(direction.subject)}
    if tokens & _VAGUE_SUBJECTS:
        return None
    auxiliary = "does" if direction.verb.endswith("s") else "do"
    right, wrong = ("It increases", "It decreases") if direction.upward else ("It decreases", "It increases")
    if auxiliary == "do":
        right, wrong = right.replace("It", "They")[:-1], wrong.replace("It", "They")[:-1]
    constant = "It stays constant" if auxiliary == "does" else "They stay constant"
    return f"how {auxiliary} {direction.subject} change {direction.tail}?", right, [wrong, constant]


# A bound is met by many values, so that wrong options would be right as well.
_BOUND = re.compile(
    r"\b(?:not|never|no|above|below|exceeds?|exceeded|under|over|at least|at most|within|up to"
    r"|(?:more|less|fewer) than)\b"
)


def _blank(clause: str, texts: list[str]) -> Question | None:
    """A fill-in-the-blank question for a clause of no known shape with exactly one number."""
    numbers = quantities(clause)
    if _BOUND.search(clause):
        return None
    if len(numbers) != 1 or len(words(clause)) < 5:
        return None
    number = numbers[0]
    if max(len(words(clause[: number.start])), len(words(clause[number.end :]))) > _BLANK_LIMIT:
        return None
    cloze = f"{clause[: number.start]}{_BLANK}{clause[number.end :]}"
    seed = _seed(clause)
    wrong = nearby(number, [other for text in texts for other in quantities(text)], seed)
    return _arrange(f'Fill in the blank: "{cloze[:1].upper()}{cloze[1:]}."', number.text, wrong, seed)
