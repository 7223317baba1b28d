"""Sentences of LaTeX paragraphs, with their places."""

import re
from bisect import bisect_right

# Words whose dot does not end a sentence, in lower case and without it.
_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        "fig figs eq eqs eqn eqns sec secs sect ref refs tab tabs table app appx ch chap def thm lem prop cor alg "
        "algs no nos vol pp p ed eds al etc e.g i.e eg ie cf vs viz resp approx ca incl excl dr mr mrs ms prof st "
        "jr sr inc ltd dept univ est max min avg std temp conc ver a.k.a w.r.t i.i.d s.t et suppl supp obs exp",
    )
)
_MATH = re.compile(
    r"\\\\|\\\$|(?P<dollar>\$\$?)|\\(?P<open>[(\[])|\\(?P<close>[)\]])"
    r"|\\(?P<word>begin|end)\s?\{(?P<name>[A-Za-z*]{1,30})\}"
)
_END = re.compile(r"[.!?]+[)\]}'\"”’]{0,4}(?=\s|\\[\s\\)\]]|\$|$)|\n[ \t]*\n\s*")
_WORD_BEFORE = re.compile(r"[^\s~({\[,;:]{1,24}\Z")


def split_sentences(paragraph: str) -> list[tuple[int, str]]:
    """The sentences of a LaTeX paragraph with their offsets in it, in order; linear time.

    Dots in "Fig.~\\ref{..}", "et al.", "e.g.", initials, decimals, math and braced arguments end no
    sentence; a blank line does.
    """
    inner = _inner_spans(paragraph)
    starts = [start for start, _ in inner]
    cuts = list[int]()
    for match in _END.finditer(paragraph):
        index = bisect_right(starts, match.start()) - 1
        span_end = inner[index][1] if index >= 0 and inner[index][1] > match.start() else 0
        at_math = paragraph.startswith(("$", "\\)", "\\]"), match.end())
        if (span_end and not _closes_span(paragraph, match.end(), span_end)) or (at_math and not span_end):
            continue
        cut = max(match.end(), span_end)
        if paragraph[match.start()] == "\n" or _ends_sentence(paragraph, match.start(), cut):
            cuts.append(cut)
    return _pieces(paragraph, cuts)


def _pieces(paragraph: str, cuts: list[int]) -> list[tuple[int, str]]:
    pieces, last = list[tuple[int, str]](), 0
    for cut in [*cuts, len(paragraph)]:
        body = paragraph[last:cut]
        stripped = body.strip()
        if stripped and cut > last:
            pieces.append((last + len(body) - len(body.lstrip()), stripped))
        last = max(last, cut)
    return pieces


def _closes_span(paragraph: str, dot_end: int, span_end: int) -> bool:
    """Whether a dot is the last thing inside math ("$x = 1.$"): then the sentence ends after the math."""
    left = paragraph[dot_end : min(span_end, dot_end + 60)]
    return dot_end + 60 >= span_end and re.fullmatch(r"\s*(?:\$\$?|\\[)\]]|\\end\s?\{\w{1,30}\*?\})", left) is not None


def _ends_sentence(paragraph: str, dot: int, cut: int) -> bool:
    follows = re.compile(r"(?:\s|\\\\|\\\s|~)*").match(paragraph, cut)
    after = paragraph[follows.end() : follows.end() + 1] if follows else ""
    if after.islower():
        return False
    if paragraph[dot] != ".":
        return True
    word = _WORD_BEFORE.search(paragraph[max(0, dot - 24) : dot])
    if word is None:
        return True
    name = word.group().lstrip("'\"`").lower()
    if name in ("etc", "al") or name not in _ABBREVIATIONS:
        initial = len(name) == 1 and word.group().isupper() and not paragraph[dot - 2 : dot - 1].isdigit()
        return not (initial and after.isupper()) and not (name == "al" and not after.isupper())
    return False


def _inner_spans(paragraph: str) -> list[tuple[int, int]]:
    """The outermost spans of math and of braces, sorted; what is never closed makes no span."""
    spans = sorted(_math_spans(paragraph) + _brace_spans(paragraph))
    outer = list[tuple[int, int]]()
    for start, end in spans:
        if not outer or start >= outer[-1][1]:
            outer.append((start, end))
    return outer


def _math_spans(paragraph: str) -> list[tuple[int, int]]:
    spans, opened = list[tuple[int, int]](), dict[str, int]()
    for mark in _MATH.finditer(paragraph):
        kind, opens, closes = _math_mark(mark, opened)
        if closes and kind in opened:
            spans.append((opened.pop(kind), mark.end()))
        elif opens:
            opened.setdefault(kind, mark.start())
    return spans


def _math_mark(mark: re.Match[str], opened: dict[str, int]) -> tuple[str, bool, bool]:
    if mark.group("dollar"):
        kind = mark.group("dollar")
        return kind, kind not in opened, kind in opened
    if mark.group("word"):
        return mark.group("name"), mark.group("word") == "begin", mark.group("word") == "end"
    kind = {"(": "(", ")": "(", "[": "[", "]": "["}.get(mark.group("open") or mark.group("close") or "", "")
    return kind, bool(mark.group("open")), bool(mark.group("close"))


def _brace_spans(paragraph: str) -> list[tuple[int, int]]:
    spans, stack = list[tuple[int, int]](), list[int]()
    for mark in re.finditer(r"\\[\s\S]|[{}]", paragraph):
        if mark.group() == "{":
            stack.append(mark.start())
        elif mark.group() == "}" and stack:
            spans.append((stack.pop(), mark.end()))
    return spans
