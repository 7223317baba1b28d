"""Sentences cut into clauses that each state one thing, without their references to a figure."""

import re
from collections.abc import Collection, Iterable

from data_juicer_ext.offline.text.quantities import quantities
from data_juicer_ext.offline.text.sentences import FIGURE, OTHER, UNKNOWN, readable, sentences
from data_juicer_ext.offline.text.statements import VERBS, TrendStatement, statement

_SAYS = (
    r"(?:shows?|indicates?|reveals?|demonstrates?|illustrates?|confirms?|suggests?|depicts?|highlights?|"
    r"makes? (?:it )?clear)"
)
_SEEN = (
    r"(?:shown|seen|illustrated|depicted|displayed|plotted|reported|summari[sz]ed|demonstrated|indicated|"
    r"visible)"
)
_WE = r"(?:we|one|you)(?: can| may)?(?: also| clearly)? (?:see|observe|note|find|notice|read|read off)"
# Each takes the words of the reference away and leaves what the sentence says of the figure.
_FRAMES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"^{FIGURE}(?: (?:also|clearly|further))? {_SAYS} (?:us )?that (?P<body>.+)$",
        rf"^as {FIGURE}(?: also)? {_SAYS},? (?P<body>.+)$",
        rf"^as (?:is |can be |also )*{_SEEN} (?:in|by|from|on) {FIGURE},? (?P<body>.+)$",
        rf"^(?:it (?:is|can be) (?:{_SEEN}|clear|evident) (?:from|in|by) {FIGURE} that|"
        rf"{_WE} (?:in|from) {FIGURE} that|(?:in|from) {FIGURE},? {_WE} that) (?P<body>.+)$",
        rf"^(?:in|from|on|according to) {FIGURE},? (?P<body>.+)$",
        rf"^(?P<body>.+?),? \((?:see |cf\. |compare )?(?:also )?{FIGURE}\)\.?$",
        rf"^(?P<body>.+?),? as (?:is |can be |also )*{_SEEN} (?:in|by|from|on) {FIGURE}\.?$",
        rf"^(?P<body>.+?),? (?:as {FIGURE} {_SAYS}|see {FIGURE})\.?$",
        rf"^(?P<body>.+?) \((?:see )?{FIGURE}\)(?P<more>,? .+)$",
        rf"^(?P<body>.+? (?:{'|'.join(sorted(VERBS))}) .+?) in {FIGURE}\.?$",
    )
)
_NOUN_PHRASE = re.compile(rf"^{FIGURE} (?:also )?(?:{_SAYS}|plots?|gives?|compares?|presents?) (?P<body>.+)$", re.I)
_OPENING = re.compile(
    r"^(?:notably|clearly|interestingly|importantly|here|moreover|furthermore|in addition|in particular|"
    r"overall|specifically|indeed|finally|first|second|however|thus|therefore|hence|again|in contrast|by contrast|"
    r"we (?:find|see|observe|note) that|it is clear that|the reader can see that),? ",
    re.I,
)
_ANNOUNCES = re.compile(
    rf"\b(?:is|are|was|were|be|been) (?:also |again |further )?(?:{_SEEN}|described|presented|given|sketched|"
    r"visuali[sz]ed|outlined|provided|drawn|compared|found|schemati[sz]ed)$"
)
_MENTION = re.compile(rf",? ?\((?:see )?{FIGURE}[^()]{{0,80}}\)|{FIGURE}")
_BY_ITSELF = re.compile(r"\b(?:this|the) figure\b", re.I)
_JOINT = re.compile(r"; (?:and |while |whereas |but )?|, (?:and|while|whereas|but) | while | whereas | and ")
_RESPECTIVELY = re.compile(
    rf"^(?P<names>.{{3,160}}?) (?P<verb>{'|'.join(sorted(VERBS))}) (?P<rest>.+?),? respectively\.?$"
)
_FROM_TO = re.compile(
    r"^(?P<subject>.{3,160}?) (?:rises|falls|drops|grows|increases|decreases|climbs|declines|changes|goes) "
    r"from (?P<first>.{1,40}?) (?P<where>(?:at|in|for|after|with|on) .{1,60}?) to (?P<second>.{1,40}?) "
    r"(?P<there>(?:at|in|for|after|with|on) .{1,60}?)\.?$"
)
_FOR_EACH = re.compile(r"^(?P<value>.{1,30}?) (?P<where>(?:at|in|for|after|with|on|under) .{1,60})$")


def said(sentence: str, alone: bool) -> str:
    """What `sentence` says of the figure, without its reference; "" if it says nothing of it.

    `alone`: its paragraph refers to nothing else, so that "this figure" is the one asked about. A
    bare noun phrase ("the spread of the values") comes back behind a NUL.
    """
    if alone:
        sentence = _BY_ITSELF.sub(FIGURE, sentence)
    sentence = re.sub(r"\bthe " + FIGURE, FIGURE, sentence)
    if FIGURE not in sentence or OTHER in sentence or UNKNOWN in sentence:
        return ""
    sentence = _OPENING.sub("", sentence)
    for frame in _FRAMES:
        if found := frame.match(sentence):
            return _clean(found["body"] + (found.groupdict().get("more") or ""))
    if found := _NOUN_PHRASE.match(sentence):
        body = _clean(found["body"])
        return "\0" + body if body else ""
    return ""


def _clean(body: str) -> str:
    body = _OPENING.sub("", body.strip().rstrip(". ,"))
    return "" if FIGURE in body or _ANNOUNCES.search(body) else body


def lowered(body: str, text: str) -> str:
    """`body` without a sentence's capital; a name keeps its own.

    `text` is the paragraph: a word that it also writes small is no name.
    """
    first, _, rest = body.partition(" ")
    common = first in _LOWERED or re.search(rf"(?<![\w-]){re.escape(first.lower())}(?![\w-])", text)
    return f"{first.lower()} {rest}".strip() if common else body


_LOWERED = frozenset(
    """The A An All Both Each In At On For With After Under When Its Their There These This Those No Most
    Only As By From During Between Within Without Over""".split()  # noqa: SIM905
)


def atomic(body: str) -> list[str]:
    """`body` cut into clauses that each state one thing, where the cut is safe; else `[body]`."""
    if not body:
        return []
    if body.startswith("\0"):
        return [body]
    for cut in (_pair_off, _ends, _per_place):
        if parts := cut(body):
            return parts
    return _split(body)


def _split(body: str) -> list[str]:
    joints = list(_JOINT.finditer(body))[:12]
    parts, start = [], 0
    for place, joint in enumerate(joints):
        left, after = body[start : joint.start()].strip(" ,"), joint.end()
        ends = [later.start() for later in joints[place + 1 : place + 4]] + [len(body)]
        if statement(left) and any(statement(body[after:end].strip(" ,")) for end in ends):
            parts.append(left)
            start = after
    parts.append(body[start:].strip())
    return [clause for part in parts for clause in (_pair_off(part) or _ends(part) or _per_place(part) or [part])]


def _pair_off(body: str) -> list[str]:
    """ "A and B reach 1 and 2, respectively" as two clauses."""
    found = _RESPECTIVELY.match(body)
    if not found:
        return []
    names = [part.strip() for part in re.split(r", and |, | and ", found["names"]) if part.strip()]
    values = quantities(found["rest"])
    if len(names) != len(values) or len(names) < 2:
        return []
    if found["rest"][: values[0].start].strip() not in ("", "at", "to"):
        return []
    tail = found["rest"][values[-1].end :].strip(" ,")
    verb = _singular(found["verb"])
    pairs = zip(names, values, strict=True)
    clauses = [f"{name} {verb} {value.text} {tail}".strip() for name, value in pairs]
    return clauses if all(statement(clause) for clause in clauses) else []


def _singular(verb: str) -> str:
    base = VERBS[verb]
    if base in ("be", "have"):
        return {"are": "is", "were": "was", "have": "has"}.get(verb, verb)
    if verb != base:
        return verb
    return f"{verb}es" if verb.endswith("ch") else f"{verb}s"


def _ends(body: str) -> list[str]:
    """ "S rises from V at X to W at Y" as the two values."""
    found = _FROM_TO.match(body)
    if not found or len(quantities(found["first"])) != 1 or len(quantities(found["second"])) != 1:
        return []
    verb = "are" if re.search(r"[a-z]{2}[a-rt-z]s$", found["subject"]) and " of " not in found["subject"] else "is"
    return [
        f"{found['subject']} {verb} {found['first']} {found['where']}",
        f"{found['subject']} {verb} {found['second']} {found['there']}",
    ]


def _per_place(body: str) -> list[str]:
    """ "S is V at X, W at Y and U at Z" as one clause a value."""
    numbers = quantities(body)
    if len(numbers) < 2:
        return []
    head, rest = body[: numbers[0].start], body[numbers[0].start :].rstrip(".")
    parts = [part.strip() for part in re.split(r",? and |, ", rest)]
    if len(parts) < 2 or not all(_is_place(part) for part in parts):
        return []
    clauses = [f"{head}{part}" for part in parts]
    return clauses if all(not isinstance(statement(c), (TrendStatement, type(None))) for c in clauses) else []


def _is_place(part: str) -> bool:
    return bool(_FOR_EACH.match(part)) and [q.start for q in quantities(part)][:1] == [0]


def clauses_of(paragraphs: Iterable[str], labels: Collection[str] = ()) -> list[str]:
    """The clauses of LaTeX (or plain) paragraphs, whatever figure they speak of."""
    found = []
    for paragraph in paragraphs:
        text = readable(paragraph, labels).replace(OTHER, FIGURE)
        for sentence in sentences(text):
            if UNKNOWN in sentence:
                continue
            plain = said(sentence, False) or _MENTION.sub("", sentence).strip(" .,")
            found += [part.lstrip("\0") for part in atomic(lowered(plain, text))]
    return found
