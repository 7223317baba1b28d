"""Figures that running text names by number: "Figure 3", "Figs. 1, 3-5 and A.2", "Supplementary Fig. S2"."""

import re
from collections.abc import Iterable, Iterator

from data_juicer_ext.pdf.page.caption_cues import NUMBER, figure_number

_WORD = re.compile(
    r"(?<![A-Za-z])(?:(?P<prefix>[Ss]upplement(?:ary|al)?|[Ss]upporting|[Ee]xtended [Dd]ata)\.? )?"
    r"(?:[Ff]ig(?:ure)?(?P<many>s?)|F ?I ?G(?: ?U ?R ?E)?(?P<MANY>S?)|[Aa]bb(?:ildung(?P<viele>en)?)?)(?![A-Za-z])\.? ?"
)
_NUMBER = re.compile(NUMBER + r"|[IVX]{1,5}(?![A-Za-z])")
_PANEL = re.compile(r" ?\([A-Za-z]{1,2}\)|(?: ?[a-z]|[A-H])(?![A-Za-z0-9])")
_MORE_PANELS = re.compile(
    r"(?:, ?(?:and |or )?| ?(?:and|&|or|to) | ?[-–—] ?)(?:\([A-Za-z]{1,2}\)|[a-zA-H](?![A-Za-z0-9.]))"
)
_RANGE = re.compile(r" ?(?:-|–|—|(?:to|through)(?![A-Za-z])) ?")
_AND = re.compile(r" ?(?:[,;] ?(?:(?:and|or)(?![A-Za-z]) ?)?|(?:and|or|as well as)(?![A-Za-z]) ?|& ?)")
_AGAIN = re.compile(r"(?:[Ff]ig(?:ure)?s?|FIG(?:URE)?S?)\.? ?")
# A figure of another work.
_OTHERS_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])(?:their|his|her|whose) |\[\d[\d,– -]{0,40}, ?(?:see )?"
    r"|\([^()]{0,50}(?:19|20)\d\d[a-z]?[,;:] ?(?:see )?|\((?:19|20)\d\d[a-z]?\),? ?(?:see )?)\Z"
)
_OTHERS_AFTER = re.compile(
    r"[ ,]*(?:of|in|from|by) (?:(?:the )?(?:[Rr]efs?\.? ?)?\[\d|[Rr]efs?\."
    r"|(?:the )?(?:[Ss]upplement|[Ss]upporting|[Cc]ompanion|[Oo]nline)"
    r"|[A-Z][\w.'-]{1,30}(?: (?:et al|and [A-Z]|& [A-Z])| ?[(\[](?:19|20)\d\d))"
)
_WINDOW = 60
_MOST_IN_LIST = 40
_MOST_IN_RANGE = 60
_SPLIT = re.compile(r"([A-Z]*)[.\-]?(\d+)\Z")


class FigureNumbers:
    """The numbers of a paper's figures, and which of them a text names."""

    def __init__(self, numbers: Iterable[str]) -> None:
        self._known: dict[str, list[str]] = {}
        for number in dict.fromkeys(numbers):
            self._known.setdefault(_plain(number), []).append(number)
        for number in list(self._known):
            whole = number.rstrip("abcdefgh")
            if whole != number and whole[-1:].isdigit():  # panels that are figures of their own
                self._known.setdefault(whole, []).extend(self._known[number])

    def named_in(self, text: str) -> list[str]:
        """The numbers that `text` names, in order, each once; those of figures that are not known are left out."""
        found: list[str] = []
        for match in _WORD.finditer(text):
            if _OTHERS_BEFORE.search(text[max(0, match.start() - _WINDOW) : match.start()]):
                continue
            prefix = match["prefix"] or ""
            numbers, end = self._list(text, match.end(), prefix)
            if not _OTHERS_AFTER.match(text, end, end + _WINDOW):
                found += numbers
        return list(dict.fromkeys(found))

    def _list(self, text: str, at: int, prefix: str) -> tuple[list[str], int]:
        found: list[str] = []
        last, end, ranged = "", at, False
        for _ in range(_MOST_IN_LIST):
            read = self._one(text, at, prefix)
            if read is None:
                break
            number, end = read
            if ranged:
                found += self._between(last, number)
            found += self._known.get(number, [])
            last = number
            dash = _RANGE.match(text, end)
            more = dash or _AND.match(text, end)
            if more is None:
                break
            again = _AGAIN.match(text, more.end())
            at, ranged = (again or more).end(), dash is not None
        return found, end

    def _one(self, text: str, at: int, prefix: str) -> tuple[str, int] | None:
        """The number at `at` as it is known, and where it and its panels end; None where there is none."""
        match = _NUMBER.match(text, at)
        if match is None:
            return None
        for token, end in _readings(match.group(), at):
            number = _plain(figure_number(token, prefix))
            letter = text[end : end + 1]
            if letter.isalpha() and number + letter in self._known:
                return number + letter, end + 1
            if number in self._known and not letter.isdigit():
                return number, _after_panels(text, end)
        return _plain(figure_number(match.group(), prefix)), _after_panels(text, match.end())

    def _between(self, first: str, last: str) -> Iterator[str]:
        start, stop = _SPLIT.match(first), _SPLIT.match(last)
        if start is None or stop is None or (stop[1] and stop[1] != start[1]):
            return
        for number in range(int(start[2]) + 1, min(int(stop[2]), int(start[2]) + _MOST_IN_RANGE)):
            yield from self._known.get(f"{start[1]}{number}", [])


def _readings(token: str, at: int) -> Iterator[tuple[str, int]]:
    """A number as it stands, then what is before its first dash: "2-4" may be a range."""
    yield token, at + len(token)
    for mark in ("-", "–"):
        place = token.find(mark, 1)
        if place > 0 and token[:place].strip(" -–")[-1:].isdigit():
            yield token[:place], at + place


def _plain(number: str) -> str:
    """A number without the mark between its letter and its digits: A.1, A-1 and A1 are one."""
    return re.sub(r"^([A-Za-z]+)[.\-]", r"\1", number.replace(" ", "").replace("–", "-"))


def _after_panels(text: str, at: int) -> int:
    """Where the panels named behind a number end: 3b, 3(b), 3a-c, 3a,b."""
    first = _PANEL.match(text, at)
    if first is None:
        return at
    end = first.end()
    while (more := _MORE_PANELS.match(text, end)) is not None:
        end = more.end()
    return end
