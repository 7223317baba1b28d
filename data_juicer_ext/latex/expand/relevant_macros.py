"""Which of a paper's macros the extraction needs to see written out."""

import re
from collections.abc import Iterable

from data_juicer_ext.latex.expand.macros import Macro

_CARRIED = re.compile(
    r"\\(?:(?:[A-Za-z]*ref(?:range)?|(?:sub)*section|chapter|label|caption(?:of)?|subcaption|subcaptionbox|subfloat|subfigure|includegraphics"
    r"|includesvg|epsfig|epsfbox|psfig|plotone|plottwo|input|include|import|subimport|ContinuedFloat|appendix"
    r"|thefigure|numberwithin|counterwithin)(?![A-Za-z@])|(?:set|addto|step|refstep)counter\s*\{figure\}"
    r"|(?:begin|end)\s*\{(?:[A-Za-z]*figure|figure|comment|minipage|overpic|subcaptionblock|teaserfigure|strip"
    r"|table|algorithm|tikzpicture|verbatim|lstlisting)\*?\})"
)
_NEVER = frozenset(["href", "Href", "pageref", "eqref"])
_CONTROL = re.compile(r"\\([A-Za-z@]+|.)", re.DOTALL)


def carries(body: str) -> bool:
    """Whether a body holds a figure, caption, label, image, input or reference of its own."""
    return any(match.group()[1:] not in _NEVER for match in _CARRIED.finditer(body))


def commands_in(body: str) -> list[str]:
    """The names of the commands in a body."""
    return _CONTROL.findall(body)


def drops_argument(macro: Macro) -> bool:
    """Whether a macro leaves one of its arguments out, so that it is not part of the paper."""
    count = sum(argument.kind not in "ls" for argument in macro.arguments)
    return any(f"#{index + 1}" not in macro.body for index in range(count))


class Worth:
    """Knows the macros that hold or drop a figure, label, image or reference, themselves or through others.

    Definitions come in one by one; taking one in costs what its body is long, however many there are.
    A macro stays known where one that it calls is later defined as something else.
    """

    def __init__(self, known: Iterable[Macro] = ()) -> None:
        self._names: set[str] = set()
        self._callers: dict[str, set[str]] = {}
        self._fresh = list(known)

    def define(self, macro: Macro) -> None:
        """Take in a definition (it is looked at when something is asked)."""
        self._fresh.append(macro)

    def holds(self, name: str) -> bool:
        """Whether the macro `name` holds or drops something that the extraction needs to see."""
        for macro in self._fresh:
            self._look_at(macro)
        self._fresh.clear()
        return name in self._names

    def _look_at(self, macro: Macro) -> None:
        body = macro.body + macro.end_body
        called = set(commands_in(body)) if "\\" in body else set()
        for name in called:
            self._callers.setdefault(name, set()).add(macro.name)
        drops = not macro.environment and drops_argument(macro)
        if drops or not self._names.isdisjoint(called) or (called and carries(body)):
            self._mark(macro.name)
        else:
            self._names.discard(macro.name)

    def _mark(self, name: str) -> None:
        todo = [name]
        while todo:
            name = todo.pop()
            if name not in self._names:
                self._names.add(name)
                todo += self._callers.get(name, ())
