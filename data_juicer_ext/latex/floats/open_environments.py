"""The environments and panels that are open at a point of the live text, and what becomes of one that ends.

Each is a `FloatBox`. One that ends is a figure, a panel of the figure around it, or hands what is in it over to the box
around it. A box whose end never comes goes as far as its last part.
"""

from data_juicer_ext.latex.floats.float_contents import BOXES, OTHER_FLOATS, FloatBox, Floats

_DEEPEST = 200  # boxes in one another; deeper ones are taken for part of the last
_OUTERMOST = 8  # among which an open figure is: it is the first of the stack, or boxes around it are few
_BACK = 41  # boxes that one end can close
_BEFORE_CAPTION = 1500  # characters in which an image without a float belongs to the caption that follows


class OpenBoxes:
    """A stack of open boxes over a live text; `loose` holds what stands in none, `found` what has ended."""

    def __init__(self, mask: str) -> None:
        self.mask = mask
        self.found = Floats()
        self.stack: list[FloatBox] = []
        self.loose = FloatBox("text", 0)

    @property
    def top(self) -> FloatBox:
        """The innermost open box."""
        return self.stack[-1] if self.stack else self.loose

    def figure(self) -> FloatBox | None:
        """The figure that is open, if any."""
        return next((box for box in self.stack[:_OUTERMOST] if box.is_figure), None) if self.stack else None

    def push(self, box: FloatBox) -> None:
        """Open a box."""
        if len(self.stack) < _DEEPEST:
            self.stack.append(box)

    def end(self, name: str, start: int, end: int) -> None:
        """Close the innermost box of that name, and those in it; its `\\end` stands at `start` to `end`."""
        for depth in range(len(self.stack) - 1, max(-1, len(self.stack) - _BACK), -1):
            if self.stack[depth].name == name:
                while len(self.stack) > depth + 1:
                    self.close(start)
                self.close(end)
                return

    def close_ended(self, at: int) -> None:
        """Close the boxes whose end is known and lies before a place."""
        while self.stack and 0 <= self.stack[-1].end <= at:
            self.close(self.stack[-1].end)

    def close_unclosed(self) -> None:
        """Close the innermost box, whose end never came."""
        box = self.stack[-1]
        ends = [box.start, *(caption.end for caption in box.captions), *(panel.end for panel in box.panels)]
        ends += [*(image.end for image in box.images), *(label.at for label in box.labels)]
        box.unclosed = box.name not in BOXES
        self.close(max(ends))

    def close(self, end: int) -> None:
        """Close the innermost box at `end`."""
        box = self.stack.pop()
        box.end = end
        outer = self.top
        if box.is_figure:
            if not box.captions and not any(panel.captions for panel in box.panels):
                box.captions = box.unknown_captions
            if box.captions or box.images or box.panels or box.labels or box.drawn:
                self.found.figures.append(box)
            self.found.spans.append((box.start, end))
        elif self.figure() is not None:
            outer.panels.append(box)
        elif self._makes_figure(box):
            self._typed_figure(box)
        elif box.name in OTHER_FLOATS:
            self.found.spans.append((box.start, end))
        else:
            self._hand_over(box, outer)

    def _makes_figure(self, box: FloatBox) -> bool:
        return any(caption.kind == "figure" for caption in box.captions) and bool(box.images or box.drawn or box.panels)

    def _typed_figure(self, box: FloatBox) -> None:
        """A box outside any float whose caption was given by \\captionof or a set type."""
        self.found.figures.append(box)
        self.found.spans.append((box.start, box.end))
        box.name = "captionof"

    def _hand_over(self, box: FloatBox, outer: FloatBox) -> None:
        captions = [caption for caption in box.captions if caption.kind == "figure"]
        if captions and not self.stack:
            self.loose_caption(box)
            return
        outer.absorb(box)

    def loose_caption(self, box: FloatBox) -> None:
        """A figure's caption in the running text: the images shortly before it are its own."""
        first = box.captions[0].at
        mine = [image for image in self.loose.images if first - _BEFORE_CAPTION <= image.at]
        box.images = mine + box.images
        box.start = min([box.start, *(self.mask.rfind("\\", 0, image.at) for image in mine)])
        box.drawn |= self.loose.drawn
        box.labels = [label for label in self.loose.labels if label.at >= box.start] + box.labels
        self.loose = FloatBox("text", box.end)
        self._typed_figure(box)
