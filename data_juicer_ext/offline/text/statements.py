"""What a sentence states, in the few shapes that can be turned into questions.

The grammar is small and errs on the side of silence: a sentence that fits no shape is nothing here.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from data_juicer_ext.offline.text.quantities import Quantity, quantities
from data_juicer_ext.offline.text.sentences import words

# Third person singular, plural, past -> base form; all may take a number as their object.
VERBS = {
    form: base
    for base, forms in {
        "be": "is are was were", "have": "has have had", "reach": "reaches reach reached",
        "attain": "attains attain attained", "achieve": "achieves achieve achieved",
        "equal": "equals equal equaled", "take": "takes take took", "need": "needs need needed",
        "require": "requires require required", "give": "gives give gave", "yield": "yields yield yielded",
        "obtain": "obtains obtain obtained", "score": "scores score scored",
        "record": "records record recorded", "measure": "measures measure measured",
        "average": "averages average averaged",
        "contain": "contains contain contained", "hold": "holds hold held", "use": "uses use used",
        "comprise": "comprises comprise comprised", "consume": "consumes consume consumed",
        "produce": "produces produce produced", "deliver": "delivers deliver delivered",
        "release": "releases release released", "cost": "costs cost", "last": "lasts last lasted",
        "peak": "peaks peak peaked", "settle": "settles settle settled", "lie": "lies lie lay",
        "stand": "stands stand stood", "amount": "amounts amount amounted", "show": "shows show showed",
        "drop": "drops drop dropped", "fall": "falls fall fell", "rise": "rises rise rose",
        "increase": "increases increase increased", "decrease": "decreases decrease decreased",
        "grow": "grows grow grew", "climb": "climbs climb climbed", "decline": "declines decline declined",
        "start": "starts start started", "end": "ends end ended", "converge": "converges converge converged",
        "saturate": "saturates saturate saturated", "retain": "retains retain retained", "keep": "keeps keep kept",
    }.items()
    for form in forms.split()
}  # fmt: skip
UP = frozenset({"rise", "increase", "grow", "climb"})
DOWN = frozenset({"drop", "fall", "decrease", "decline"})
_VERB = "|".join(VERBS)
_HEDGE = r"(?:(?:only|about|around|roughly|approximately|nearly|almost|just|exactly|as (?:high|low) as|up to) )?"
_PREPOSITION = r"(?:(?P<preposition>at|to|from|by|near|with|of) )?"
_TAIL = (
    r"(?P<tail>(?:at|for|on|in|with|after|under|when|per|during|before|over|within|without|between) "
    r".{2,200})?"
)

_BEFORE_NUMBER = re.compile(
    rf"^(?P<subject>.{{2,250}}?) (?P<verb>{_VERB}) {_PREPOSITION}{_HEDGE}"
    r"(?:(?:an?|the|its) (?P<noun>[a-z][A-Za-z -]{1,60}?) (?:of|at|to) )?"
    rf"{_HEDGE}$"
)
_AFTER_NUMBER = re.compile(rf"^(?: (?P<unit_noun>[a-z]{{2,20}}(?: [a-z]{{2,20}})?))??(?:,? {_TAIL})?[.,]?$")
_SUPERLATIVE = "highest|largest|greatest|lowest|smallest|longest|shortest|most|least|fewest|fastest|slowest|best|worst"
_COMPARATIVE = "higher|larger|greater|lower|smaller|longer|shorter|more|less|fewer|faster|slower"
_HAS_SUPERLATIVE = re.compile(
    rf"^(?P<entity>.{{2,80}}?) (?P<verb>{_VERB})(?: at)? the (?P<degree>{_SUPERLATIVE}) "
    r"(?P<measure>[a-z][^,.;]{2,60}?)(?: (?P<tail>(?:at|for|on|in|after|under|during) [^,;]{2,80}))?\.?$"
)
_IS_SUPERLATIVE = re.compile(
    rf"^(?P<measure>.{{3,80}}?) (?:is|are|was|were) (?P<degree>{_SUPERLATIVE}) "
    r"(?P<preposition>for|in|at|with|on|under|during) (?P<entity>[^,;]{2,60}?)\.?$"
)
_HAS_COMPARATIVE = re.compile(
    rf"^(?P<entity>.{{2,80}}?) (?P<verb>{_VERB})(?: at)? (?:an? )?(?P<degree>{_COMPARATIVE}) "
    r"(?P<measure>[a-z][^,.;]{2,60}?) than (?P<other>[^,;]{2,60}?)"
    r"(?: (?P<tail>(?:at|for|on|in|after|under|during) [^,;]{2,80}))?\.?$"
)
_SEQUENCE = re.compile(
    r"^(?P<entity>.{2,60}?) (?P<verb>feeds(?: into)?|is followed by|leads to|"
    r"(?:passes|sends)(?: [a-z]+){1,3} (?:on )?to|is connected to|points to|drives|triggers|activates) "
    r"(?P<other>[^,;]{2,60}?)\.?$"
)
_AXIS = re.compile(
    r"^the (?P<axis>horizontal|vertical|x|y)(?: |-)axis (?:shows|gives|is|denotes|represents|plots) "
    r"(?P<quantity>[^,;]{3,80}?)\.?$",
    re.I,
)
_DIRECTION = re.compile(
    r"^(?P<subject>.{3,120}?) "
    r"(?:(?:steadily|sharply|slowly|monotonically|strongly|slightly|gradually|clearly) )?"
    r"(?P<verb>rises|increases|grows|climbs|drops|falls|decreases|declines|rise|increase|grow|climb|drop|fall|"
    r"decrease|decline)(?: (?:steadily|sharply|slowly|monotonically|strongly|slightly|gradually))?"
    r" (?P<tail>(?:with|as|when|over|during|after|under|towards?) [^;]{3,120}?)\.?$"
)


@dataclass(frozen=True)
class Value:
    """`subject` `verb` [`preposition`] [`noun` of] quantity [`unit_noun`] [`tail`]."""

    subject: str
    verb: str
    preposition: str
    noun: str
    quantity: Quantity
    unit_noun: str
    tail: str


@dataclass(frozen=True)
class Extreme:
    """`entity` has the `degree` `measure` (superlative), or a `degree` one than `other`."""

    entity: str
    verb: str
    degree: str
    measure: str
    tail: str
    other: str = ""
    preposition: str = ""


@dataclass(frozen=True)
class Sequence:
    """`entity` `verb` `other`: what comes next in a diagram."""

    entity: str
    verb: str
    other: str


@dataclass(frozen=True)
class AxisStatement:
    """What the `axis` ("horizontal", "vertical") shows."""

    axis: str
    quantity: str


@dataclass(frozen=True)
class TrendStatement:
    """`subject` goes up or down (`verb`, as written) `tail`."""

    subject: str
    verb: str
    tail: str

    @property
    def upward(self) -> bool:
        """Whether it rises."""
        return VERBS[self.verb] in UP


Statement: TypeAlias = Value | Extreme | Sequence | AxisStatement | TrendStatement


@lru_cache(maxsize=4096)
def statement(clause: str) -> Statement | None:
    """What `clause` (one clause, without reference to a figure) states, or None."""
    clause = clause.strip().rstrip(".")
    return _axis(clause) or _extreme(clause) or _value(clause) or _sequence(clause) or _direction(clause)


def _value(clause: str) -> Value | None:
    numbers = quantities(clause)
    for number in numbers[:4]:
        before = _BEFORE_NUMBER.match(clause[: number.start])
        after = _AFTER_NUMBER.match(clause[number.end :])
        if not before or not after or _has_verb_chain(before["subject"]):
            continue
        return Value(before["subject"], before["verb"], before["preposition"] or "", before["noun"] or "",
                     number, after["unit_noun"] or "", after["tail"] or "")  # fmt: skip
    return None


_NOUNS_TOO = ("measure", "score", "record", "use", "cost", "yield", "need", "show")


def _has_verb_chain(subject: str) -> bool:
    tokens = [word.lower() for word in words(subject)]
    finite = any(t in VERBS and t.endswith("s") and VERBS[t] not in _NOUNS_TOO for t in tokens)
    return finite or tokens[:1] in (["it"], ["they"], ["this"], ["these"], ["which"], ["we"], ["there"])


def _extreme(clause: str) -> Extreme | None:
    if found := _HAS_COMPARATIVE.match(clause):
        return _named(Extreme(found["entity"], found["verb"], found["degree"], found["measure"],
                              found["tail"] or "", found["other"]))  # fmt: skip
    if found := _HAS_SUPERLATIVE.match(clause):
        return _named(Extreme(found["entity"], found["verb"], found["degree"], found["measure"],
                              found["tail"] or ""))  # fmt: skip
    if found := _IS_SUPERLATIVE.match(clause):
        return _named(Extreme(found["entity"], "is", found["degree"], found["measure"], "",
                              preposition=found["preposition"]))  # fmt: skip
    return None


_VAGUE = re.compile(r"\b(?:it|they|this|these|we|which|that|all|both|each|our|most|some|others?|and|or|not)\b", re.I)


def _named(extreme: Extreme) -> Extreme | None:
    """`extreme` unless what it speaks of is a pronoun, a list or a clause."""
    vague = _VAGUE.search(extreme.entity)
    return None if vague or _has_verb_chain(extreme.entity) or quantities(extreme.measure) else extreme


def _sequence(clause: str) -> Sequence | None:
    found = _SEQUENCE.match(clause)
    if not found or _VAGUE.search(found["entity"]) or _VAGUE.search(found["other"]):
        return None
    return Sequence(found["entity"], found["verb"], found["other"])


def _axis(clause: str) -> AxisStatement | None:
    found = _AXIS.match(clause)
    if not found:
        return None
    name = {"x": "horizontal", "y": "vertical"}.get(found["axis"].lower(), found["axis"].lower())
    return AxisStatement(name, found["quantity"])


def _direction(clause: str) -> TrendStatement | None:
    found = _DIRECTION.match(clause)
    if not found or quantities(clause) or _has_verb_chain(found["subject"]):
        return None
    return TrendStatement(found["subject"], found["verb"], found["tail"])
