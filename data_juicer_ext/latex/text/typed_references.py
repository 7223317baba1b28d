"""References that are typed instead of made: "Figure 3", "Figs. 2--4", "Fig. S1b", without any \\ref."""

import re
from collections.abc import Iterator, Sequence

from data_juicer_ext.latex.floats.figure_grouping import LatexFigure

_SPACE = r"(?:[ \t~]|\{\}|\\[,;: ]){0,20}"
_GAP = rf"{_SPACE}\n?{_SPACE}"
_WORD = re.compile(
    rf"(?:(?<![A-Za-z\\])[Ff]ig(?:ure)?(s?)|(?<![A-Za-z\\])FIG(?:URE)?(S?)|\\figurename(?![A-Za-z@]))(?![A-Za-z])\.?{_GAP}"
)
_NUMBER = re.compile(r"[A-Z]{0,3}[.-]?\d{1,4}(?:[.-]\d{1,4}){0,3}|[IVXLC]{1,7}(?![A-Za-z])")
_PANEL = re.compile(rf"(?:{_GAP}\((?P<a>[A-Za-z])\)|(?P<b>[A-Za-z]))(?![A-Za-z0-9])")
_MORE_PANELS = re.compile(
    rf"(?:,{_GAP}|{_GAP}and{_GAP}|(?P<dash>{_GAP}(?:-{{1,3}}|[–—]){_GAP}))(?:\((?P<a>[A-Za-z])\)|(?P<b>[b-z]))(?![A-Za-z0-9])"
)
_DASH = re.compile(rf"{_GAP}(?:-{{1,3}}|[–—]|(?:to|through)(?![A-Za-z])){_GAP}")
_LIST = re.compile(rf"{_GAP}(?:,{_GAP}(?:(?:and|or)(?![A-Za-z]))?|(?:and|or)(?![A-Za-z])|\\?&){_GAP}")
# A figure of another work: in a citation's bracket, behind a citation, "their Fig. 3", "Fig. 3 of [5]".
_OF_OTHERS_BEFORE = re.compile(
    r"(?:\\[A-Za-z]*cite[A-Za-z]*\*?\s*(?:\[[^\[\]]*\]\s*)?\[[^\[\]]*"
    r"|\\[A-Za-z]*cite[A-Za-z]*\*?\s*(?:\[[^\[\]]*\]\s*){0,2}\{[^{}]*\}[\s~,;:(]*(?:see[\s~]+)?"
    r"|(?<![A-Za-z])(?:their|his|her|whose)[\s~]+)\Z"
)
_OF_OTHERS_AFTER = re.compile(
    r"[\s~,]*(?:of|in|from|by)[\s~]+(?:(?:[A-Z][\w.'-]{0,40}|et|al\.?|and|the|Refs?\.?)[\s~,]*){0,8}"
    r"(?:\\[A-Za-z]*cite|\[\d|(?:[Ss]upplement|[Ss]upporting|[Cc]ompanion|[Oo]nline)[a-z]*(?![A-Za-z]))"
)
_SUPPLEMENT = re.compile(r"(?:[Ss]upplement(?:ary|al)|[Ss]upporting|[Ee]xtended[\s~]+[Dd]ata)[\s~]+\Z")
_WINDOW = 150
_MOST_IN_LIST = 50

Target = tuple[int, int]


class PlainReferences:
    """Finds figures by the numbers that they print; a number that several figures print means none of them."""

    def __init__(self, figures: Sequence[LatexFigure], numbers: Sequence[str]) -> None:
        self._panels = [len(figure.panels) for figure in figures]
        self._by_number: dict[str, list[int]] = {}
        for index, number in enumerate(numbers):
            if number and not (number in self._by_number and not figures[index].box.continued):
                self._by_number.setdefault(number, []).append(index)
            elif number:
                self._by_number[number] = []

    def find(self, mask: str) -> Iterator[tuple[int, list[Target]]]:
        """Offset and targets, (figure, panel or -1), of each mention of figures of this paper, in order."""
        for match in _WORD.finditer(mask):
            before = mask[max(0, match.start() - _WINDOW) : match.start()]
            if _OF_OTHERS_BEFORE.search(before):
                continue
            prefix = "S" if _SUPPLEMENT.search(before) else ""
            targets, end = self._read(mask, match.end(), bool(match.group(1) or match.group(2)), prefix)
            if targets and not _OF_OTHERS_AFTER.match(mask, end, end + _WINDOW):
                yield match.start(), list(dict.fromkeys(targets))

    def _read(self, mask: str, at: int, plural: bool, prefix: str) -> tuple[list[Target], int]:
        """The figures named from `at` on, and the offset behind them; after the singular one, or a range."""
        targets: list[Target] = []
        end, ranged = at, False
        for _ in range(_MOST_IN_LIST):
            named = self._named(mask, at, prefix)
            if named is None:
                break
            if ranged and targets:
                after = targets[-1][0] + 1
                targets += [(index, -1) for index in range(after, min(named[0][0][0], after + 100))]
            targets += named[0]
            end = named[1]
            dash = _DASH.match(mask, end)
            more = dash or (_LIST.match(mask, end) if plural else None)
            if more is None:
                break
            at, ranged = more.end(), dash is not None
        return targets, end

    def _named(self, mask: str, at: int, prefix: str) -> tuple[list[Target], int] | None:
        """The figure, or panels of it, whose number stands at `at`, and the offset behind; None if it has none."""
        match = _NUMBER.match(mask, at)
        if match is None:
            return None
        token, end = match.group(), match.end()
        if mask[end : end + 1].isalpha() and token + mask[end] in self._by_number:
            token, end = token + mask[end], end + 1  # a continued float: 2a
        if token.startswith(prefix):
            prefix = ""
        if prefix + token not in self._by_number and "-" in token[1:]:
            token = token[: token.index("-", 1)]  # a range: 2-4
            end = at + len(token)
        owners = self._by_number.get(prefix + token, [])
        if not owners or (mask[end : end + 1].isalnum() and not _PANEL.match(mask, end)):
            return None
        letters, end = _letters(mask, end)
        return [target for owner in owners for target in self._panels_of(owner, letters)], end

    def _panels_of(self, owner: int, letters: list[int]) -> list[Target]:
        known = [(owner, letter) for letter in letters if letter < self._panels[owner]]
        return known or [(owner, -1)]


def _letters(mask: str, at: int) -> tuple[list[int], int]:
    """The panels named right behind a number, by position: 3b, 3(b), 3a-c, 3a,b."""
    first = _PANEL.match(mask, at)
    if first is None:
        return [], at
    found, end = [_position(first)], first.end()
    while len(found) < 26 and (more := _MORE_PANELS.match(mask, end)) is not None:
        last = _position(more)
        found += range(found[-1] + 1, last) if more["dash"] else ()
        found.append(last)
        end = more.end()
    return found, end


def _position(match: re.Match[str]) -> int:
    return ord((match["a"] or match["b"]).lower()) - ord("a")
