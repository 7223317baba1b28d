"""Where figures stand in the live text: their environments, captions, labels, images and panels.

One pass over the commands that matter. Nothing is looked for ahead, so broken input costs no more
than sound input.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from data_juicer_ext.latex.alternatives import any_of
from data_juicer_ext.latex.boxes import (
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
    Box,
    Caption,
    Floats,
    Label,
)
from data_juicer_ext.latex.buffer import Buffer
from data_juicer_ext.latex.images import image_at

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
    """What is looked for; `own` are the floats that the paper declares."""
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


class _Scan:
    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self.mask = buffer.text
        self.found = Floats()
        self.stack: list[Box] = []
        self.loose = Box("text", 0)
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
            while self.stack and 0 <= self.stack[-1].end <= match.start():
                self._close(self.stack[-1].end)
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
            self._close_unclosed()
        self.found.figures.sort(key=lambda figure: figure.start)
        self.found.spans.sort()
        return self.found

    # ---- boxes

    def _meant(self, name: str) -> str:
        """The name of an environment; "figure" or "scheme" for a float of the paper or of a class that is not there."""
        if name in self.own:
            return "figure" if "fig" in name.lower() else "scheme"
        return name if name in _ENVIRONMENTS else "figure"

    @property
    def _top(self) -> Box:
        return self.stack[-1] if self.stack else self.loose

    def _figure(self) -> Box | None:
        """The figure that is open, if any (its boxes are few, or it is the first of the stack)."""
        return next((box for box in self.stack[:8] if box.is_figure), None) if self.stack else None

    def _begin(self, name: str, match: re.Match[str]) -> None:
        if name in DRAWINGS:
            self._top.drawn = True
        elif name in COUNTED:
            self.counted += 1
        elif name == "overpic":
            self._add_image("overpic", match.end())
        elif name == "wrapfloat" and not self.mask.startswith("{figure}", match.end()):
            self.stack.append(Box("wraptable", match.start()))
        else:
            if name in FIGURES or name in OTHER_FLOATS:
                self.counted = 0
                while self._figure() is not None and name in FIGURES:
                    self._close_unclosed()
            if len(self.stack) < 200:
                self.stack.append(Box(name, match.start()))

    def _end(self, name: str, match: re.Match[str]) -> None:
        if name in COUNTED:
            self.counted = max(0, self.counted - 1)
            return
        for depth in range(len(self.stack) - 1, max(-1, len(self.stack) - 41), -1):
            if self.stack[depth].name == name:
                while len(self.stack) > depth + 1:
                    self._close(match.start())
                self._close(match.end())
                return

    def _close_unclosed(self) -> None:
        """A float that never ends: it goes as far as its last part."""
        box = self.stack[-1]
        ends = [box.start, *(caption.end for caption in box.captions), *(panel.end for panel in box.panels)]
        ends += [*(image.end for image in box.images), *(label.at for label in box.labels)]
        box.unclosed = box.name not in BOXES
        self._close(max(ends))

    def _close(self, end: int) -> None:
        box = self.stack.pop()
        box.end = end
        outer = self._top
        if box.is_figure:
            if not box.captions and not any(panel.captions for panel in box.panels):
                box.captions = box.unknown_captions
            if box.captions or box.images or box.panels or box.labels or box.drawn:
                self.found.figures.append(box)
            self.found.spans.append((box.start, end))
        elif self._figure() is not None:
            outer.panels.append(box)
        elif self._makes_figure(box):
            self._typed_figure(box)
        elif box.name in OTHER_FLOATS:
            self.found.spans.append((box.start, end))
        else:
            self._hand_over(box, outer)

    def _makes_figure(self, box: Box) -> bool:
        return any(caption.kind == "figure" for caption in box.captions) and bool(box.images or box.drawn or box.panels)

    def _typed_figure(self, box: Box) -> None:
        """A box outside any float whose caption was given by \\captionof or a set type."""
        self.found.figures.append(box)
        self.found.spans.append((box.start, box.end))
        box.name = "captionof"

    def _hand_over(self, box: Box, outer: Box) -> None:
        captions = [caption for caption in box.captions if caption.kind == "figure"]
        if captions and not self.stack:
            self._loose_caption(box)
            return
        outer.absorb(box)

    def _loose_caption(self, box: Box) -> None:
        """A figure's caption in the running text: the images shortly before it are its own."""
        first = box.captions[0].at
        mine = [image for image in self.loose.images if first - 1500 <= image.at]
        box.images = mine + box.images
        box.start = min([box.start, *(self.mask.rfind("\\", 0, image.at) for image in mine)])
        box.drawn |= self.loose.drawn
        box.labels = [label for label in self.loose.labels if label.at >= box.start] + box.labels
        self.loose = Box("text", box.end)
        self._typed_figure(box)

    # ---- commands

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
            if group is not None and self._figure() is None and len(self.stack) < 200:
                self.stack.append(Box("teaser", match.start(), group[2]))
        elif name in TABLE_COMMANDS:
            first = self.buffer.group(match.end())
            second = self.buffer.group(first[2]) if first else None
            if second is not None and len(self.stack) < 200:
                self.stack.append(Box("table", match.start(), second[2]))
        elif name == "ContinuedFloat":
            figure = self._figure()
            if figure is not None:  # the star begins such a series
                figure.continued = not self.mask.startswith("*", match.end())
        elif _SET_TYPE.match(self.mask, match.end()):
            self._top.typed = True

    def _label(self, match: re.Match[str]) -> None:
        found = _LABEL.match(self.mask, match.end())
        if found is None:
            return
        label = Label(" ".join(found.group(1).split()), match.start())
        self.found.labels.append(label)
        if self.counted and self._figure() is not None:
            return
        recent = self.found.figures[-1] if self.found.figures else None
        between = self.mask[recent.end : match.start()] if recent and match.start() - recent.end < 40 else "x"
        if not self.stack and recent and recent.name == "captionof" and not between.strip():
            recent.labels.append(label)
            recent.end = found.end()
            self.found.spans[-1] = (recent.start, recent.end)
        else:
            self._top.labels.append(label)

    def _add_image(self, command: str, position: int) -> None:
        self._top.images += image_at(command, self.buffer, position)

    def _panel(self, name: str, match: re.Match[str]) -> None:
        """\\subfloat[..][caption]{content}, \\subfigure[caption]{content}, \\subcaptionbox{caption}{content}."""
        if self._figure() is None and name == "subfigure":
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
        box = Box(name, match.start(), group[2])
        if caption is not None:
            empty = not self.mask[caption[0] : caption[1]].strip()
            box.captions.append(Caption(match.start(), caption[0], caption[1], "panel", empty=empty))
            self.caption_end = caption[1]
        if len(self.stack) < 200:
            self.stack.append(box)

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
        elif name == "figcaption" and bracket and self._figure() is None:
            self._top.images += image_at("figcaption", self.buffer, match.end())
        empty = not self.mask[group[0] : group[1]].strip()
        caption = Caption(match.start(), group[0], group[1], kind, not starred, empty)
        self.caption_end = group[1]
        self._place_caption(caption, name, group[2])

    def _caption_like(self, match: re.Match[str]) -> None:
        """A caption command of a class that is not there: its last argument, if nothing better comes."""
        figure = self._figure()
        group = last = self.buffer.group(match.end()) if figure is not None else None
        while group is not None:
            last, group = group, self.buffer.group(group[2]) if self.mask.startswith("{", group[2]) else None
        known = figure.unknown_captions[-1].end if figure is not None and figure.unknown_captions else 0
        if figure is not None and last is not None and last[1] - last[0] > 10 and match.start() >= known:
            numbered = match.group(4) != "appendcaption"  # it is given its number
            figure.unknown_captions.append(Caption(match.start(), last[0], last[1], "figure", numbered))
            figure.continued |= match.group(4) == "contcaption"

    def _torn(self, at: int) -> tuple[int, int, int] | None:
        """The text of a caption whose brace never closes: up to a blank line, an environment or another caption."""
        start = self.buffer.skip_space(at)
        if not self.mask.startswith("{", start):
            return None
        found = _TORN_END.search(self.mask, start, start + 2000)
        stop = found.start() if found else min(len(self.mask), start + 2000)
        return start + 1, stop, stop

    def _place_caption(self, caption: Caption, name: str, end: int) -> None:
        box = self._top
        in_figure = self._figure() is not None
        named = name in ("captionof", "figcaption") and caption.kind == "figure"
        if in_figure or named or any(open_box.typed for open_box in self.stack[-4:]):
            if box is self.loose:
                self._loose_caption(Box("captionof", caption.at, end, captions=[caption]))
            else:
                box.captions.append(caption)
        elif box is self.loose and self.loose.typed:
            self._loose_caption(Box("captionof", caption.at, end, captions=[caption]))
