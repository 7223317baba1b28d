"""Where figures stand in the live text: their environments, captions, labels, images and panels.

One pass over the commands that matter. Nothing is looked for ahead, so broken input costs no more than sound input.
"""

import re
from functools import lru_cache
from itertools import islice

from data_juicer_ext.latex.expand.tex_buffer import Buffer
from data_juicer_ext.latex.floats.float_contents import (
    BOXES,
    CAPTION_COMMANDS,
    COUNTED,
    DRAWINGS,
    FIGURES,
    IMAGE_COMMANDS,
    OTHER_FLOATS,
    PANEL_COMMANDS,
    PANEL_ENVIRONMENTS,
    TABLE_COMMANDS,
    FloatBox,
    Floats,
    LatexCaption,
    LatexLabel,
)
from data_juicer_ext.latex.floats.image_paths import image_at
from data_juicer_ext.latex.floats.open_environments import OpenBoxes
from data_juicer_ext.latex.word_patterns import any_of

_ENVIRONMENTS = FIGURES | OTHER_FLOATS | PANEL_ENVIRONMENTS | BOXES | DRAWINGS | COUNTED | {"overpic"}
_OTHERS = frozenset(("label", "ContinuedFloat", "captionsetup", "teaser", "@captype"))
_COMMANDS = PANEL_COMMANDS | CAPTION_COMMANDS | IMAGE_COMMANDS | TABLE_COMMANDS | _OTHERS
_FLOAT_MAKERS = ("\\newfloat", "\\DeclareNewFloatType", "\\DeclareFloatingEnvironment")
_NEW_FLOAT = re.compile(
    r"\\(?:newfloat|DeclareNewFloatType|DeclareFloatingEnvironment)\s*(?:\[[^\]]{0,500}\]\s*)?\{([A-Za-z]{1,40})\}"
)
_LABEL = re.compile(r"\s*(?:\[[^\]\n]{0,100}\])?\s*\{([^{}]{1,200})\}")
_TYPE = re.compile(r"\s*\*?\s*\{([A-Za-z]{1,40})\*?\}")
_TORN_END = re.compile(r"\n\n|\\(?:begin|end|caption)(?![A-Za-z@])")
_SET_TYPE = re.compile(r"\s*\{[^{}]{0,200}type\*?\s*=\s*figure|\s*\{figure\}")


@lru_cache(maxsize=16)
def _tokens(own: frozenset[str]) -> re.Pattern[str]:
    environments = any_of(_ENVIRONMENTS | own)
    return re.compile(
        rf"\\(?:(begin|end)\s*\{{({environments}|[A-Za-z]{{1,20}}figure)\*?\}}"
        rf"|({any_of(_COMMANDS)})(?![A-Za-z@])"
        r"|([A-Za-z]+caption|caption[A-Za-z]+|[A-Za-z]+Caption)(?![A-Za-z@])"
        r"|[^A-Za-z])"
    )


def find_floats(buffer: Buffer) -> Floats:
    """The floats of a live text (a buffer of `Flat.mask`), in order."""
    return _Scan(buffer).run()


class _Scan(OpenBoxes):
    def __init__(self, buffer: Buffer) -> None:
        super().__init__(buffer.text)
        self.buffer = buffer
        self.counted = 0
        self.caption_end = 0
        declares = any(command in self.mask for command in _FLOAT_MAKERS)
        declared = islice(_NEW_FLOAT.finditer(self.mask), 100) if declares else ()
        self.own = frozenset(match.group(1) for match in declared) - _ENVIRONMENTS

    def run(self) -> Floats:
        """Scan the whole text."""
        for match in _tokens(self.own).finditer(self.mask):
            if match.lastindex is None:  # an escaped character
                continue
            self.close_ended(match.start())
            side, environment, command, caption_like = match.groups()
            if side == "begin":
                self._begin(self._meant(environment), match)
            elif side == "end":
                self._end(self._meant(environment), match)
            elif command:
                self._command(command, match)
            elif caption_like:
                self._caption_like(match)
        while self.stack:
            self.close_unclosed()
        self.found.figures.sort(key=lambda figure: figure.start)
        self.found.spans.sort()
        return self.found

    def _meant(self, name: str) -> str:
        """The name of an environment; "figure" or "scheme" for a float of the paper or of a class that is not there."""
        if name in self.own:
            return "figure" if "fig" in name.lower() else "scheme"
        return name if name in _ENVIRONMENTS else "figure"

    def _begin(self, name: str, match: re.Match[str]) -> None:
        if name in DRAWINGS:
            self.top.drawn = True
        elif name in COUNTED:
            self.counted += 1
        elif name == "overpic":
            self._add_image("overpic", match.end())
        elif name == "wrapfloat" and not self.mask.startswith("{figure}", match.end()):
            self.push(FloatBox("wraptable", match.start()))
        else:
            if name in FIGURES or name in OTHER_FLOATS:
                self.counted = 0
                while self.figure() is not None and name in FIGURES:
                    self.close_unclosed()
            self.push(FloatBox(name, match.start()))

    def _end(self, name: str, match: re.Match[str]) -> None:
        if name in COUNTED:
            self.counted = max(0, self.counted - 1)
        else:
            self.end(name, match.start(), match.end())

    def _command(self, name: str, match: re.Match[str]) -> None:
        if name == "label":
            self._label(match)
        elif name in IMAGE_COMMANDS:
            self._add_image(name, match.end())
        elif match.start() < self.caption_end:  # in a caption; text is taken in once
            return
        elif name in PANEL_COMMANDS:
            self._panel(name, match)
        elif name in CAPTION_COMMANDS:
            self._caption(name, match)
        elif name == "teaser":
            group = self.buffer.group(match.end())
            if group is not None and self.figure() is None:
                self.push(FloatBox("teaser", match.start(), group[2]))
        elif name in TABLE_COMMANDS:
            first = self.buffer.group(match.end())
            second = self.buffer.group(first[2]) if first else None
            if second is not None:
                self.push(FloatBox("table", match.start(), second[2]))
        elif name == "ContinuedFloat":
            figure = self.figure()
            if figure is not None:  # the star begins such a series
                figure.continued = not self.mask.startswith("*", match.end())
        elif _SET_TYPE.match(self.mask, match.end()):
            self.top.typed = True

    def _label(self, match: re.Match[str]) -> None:
        found = _LABEL.match(self.mask, match.end())
        if found is None:
            return
        label = LatexLabel(" ".join(found.group(1).split()), match.start())
        self.found.labels.append(label)
        if self.counted and self.figure() is not None:
            return
        recent = self.found.figures[-1] if self.found.figures else None
        between = self.mask[recent.end : match.start()] if recent and match.start() - recent.end < 40 else "x"
        if not self.stack and recent and recent.name == "captionof" and not between.strip():
            recent.labels.append(label)
            recent.end = found.end()
            self.found.spans[-1] = (recent.start, recent.end)
        else:
            self.top.labels.append(label)

    def _add_image(self, command: str, position: int) -> None:
        self.top.images += image_at(command, self.buffer, position)

    def _panel(self, name: str, match: re.Match[str]) -> None:
        """\\subfloat[..][caption]{content}, \\subfigure[caption]{content}, \\subcaptionbox{caption}{content}."""
        if self.figure() is None and name == "subfigure":
            return
        at = match.end() + self.mask.startswith("*", match.end())
        brackets: list[tuple[int, int, int]] = []
        while len(brackets) < 2 and (bracket := self.buffer.bracket(at)) is not None:
            brackets.append(bracket)
            at = bracket[2]
        group = self.buffer.group(at)
        if group is None:
            return
        caption = brackets[-1] if brackets else None
        if name == "subcaptionbox":
            caption, width = group, self.buffer.bracket(group[2])
            width = self.buffer.bracket(width[2]) or width if width else None
            group = self.buffer.group(width[2] if width else group[2]) or group
        box = FloatBox(name, match.start(), group[2])
        if caption is not None:
            empty = not self.mask[caption[0] : caption[1]].strip()
            box.captions.append(LatexCaption(match.start(), caption[0], caption[1], "panel", empty=empty))
            self.caption_end = caption[1]
        self.push(box)

    def _caption(self, name: str, match: re.Match[str]) -> None:
        starred = self.mask.startswith("*", match.end())
        at, kind = match.end() + starred, "figure"
        typed = _TYPE.match(self.mask, match.end()) if name == "captionof" else None
        if typed is not None:
            at, kind = typed.end(), "figure" if typed.group(1) == "figure" else "other"
        bracket = self.buffer.bracket(at)
        at = bracket[2] if bracket else at
        group = self.buffer.group(at) or self._torn(at)
        if group is None:
            return
        if name == "subcaption":
            kind = "panel"
        elif name == "figcaption" and bracket and self.figure() is None:
            self.top.images += image_at("figcaption", self.buffer, match.end())
        empty = not self.mask[group[0] : group[1]].strip()
        caption = LatexCaption(match.start(), group[0], group[1], kind, not starred, empty)
        self.caption_end = group[1]
        self._place_caption(caption, name, group[2])

    def _caption_like(self, match: re.Match[str]) -> None:
        """A caption command of a class that is not there: its last argument, if nothing better comes."""
        figure = self.figure()
        group = last = self.buffer.group(match.end()) if figure is not None else None
        while group is not None:
            last, group = group, self.buffer.group(group[2]) if self.mask.startswith("{", group[2]) else None
        known = figure.unknown_captions[-1].end if figure is not None and figure.unknown_captions else 0
        if figure is not None and last is not None and last[1] - last[0] > 10 and match.start() >= known:
            numbered = match.group(4) != "appendcaption"  # it is given its number
            figure.unknown_captions.append(LatexCaption(match.start(), last[0], last[1], "figure", numbered))
            figure.continued |= match.group(4) == "contcaption"

    def _torn(self, at: int) -> tuple[int, int, int] | None:
        """The text of a caption whose brace never closes: up to a blank line, an environment or another caption."""
        start = self.buffer.skip_space(at)
        if not self.mask.startswith("{", start):
            return None
        found = _TORN_END.search(self.mask, start, start + 2000)
        stop = found.start() if found else min(len(self.mask), start + 2000)
        return start + 1, stop, stop

    def _place_caption(self, caption: LatexCaption, name: str, end: int) -> None:
        box = self.top
        in_figure = self.figure() is not None
        named = name in ("captionof", "figcaption") and caption.kind == "figure"
        if in_figure or named or any(open_box.typed for open_box in self.stack[-4:]):
            if box is self.loose:
                self.loose_caption(FloatBox("captionof", caption.at, end, captions=[caption]))
            else:
                box.captions.append(caption)
        elif box is self.loose and self.loose.typed:
            self.loose_caption(FloatBox("captionof", caption.at, end, captions=[caption]))
