"""One float, one or several figures: which caption, label, image and panel belong together.

A float may hold several captions (two minipages side by side, each a numbered figure), panels with
captions of their own under one outer caption, or images without any markup.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from data_juicer_ext.latex.floats.float_contents import OTHER_FLOATS, FloatBox, LatexCaption, LatexLabel
from data_juicer_ext.latex.floats.image_paths import Image

_PANELS = frozenset(
    ("subfigure", "subcaptionblock", "subcaptiongroup", "subfig", "subfloat", "sidesubfloat",
     "subcaptionbox", "subtable")
)  # fmt: skip
_MOST_SHARED = 1000  # images of one float that several captions speak of, all told


@dataclass
class Panel:
    """A part of a figure with its own images, and a caption and labels of its own where it has them."""

    at: int
    caption: LatexCaption | None
    labels: list[LatexLabel]
    images: list[Image]


@dataclass
class LatexFigure:
    """One figure as it stands in the text; `images` are its own and its panels', in order."""

    box: FloatBox
    caption: LatexCaption | None = None
    labels: list[LatexLabel] = field(default_factory=list)
    own_images: list[Image] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)

    @property
    def images(self) -> list[Image]:
        """The figure's own images and its panels', in the order of the text."""
        every = [*self.own_images, *(image for panel in self.panels for image in panel.images)]
        return sorted(every, key=lambda image: image.at)

    @property
    def at(self) -> int:
        """Where the caption stands, or the float begins: the order of figures."""
        return self.caption.at if self.caption else self.box.start


@dataclass
class _BoxParts:
    """What a box holds once its boxes are opened; `captioned` are inner boxes with a caption of their own."""

    captions: list[LatexCaption] = field(default_factory=list)
    labels: list[LatexLabel] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)
    captioned: "list[_BoxParts]" = field(default_factory=list)
    at: int = 0

    def absorb(self, other: "_BoxParts") -> None:
        """Take over what `other` holds."""
        self.captions += other.captions
        self.labels += other.labels
        self.images += other.images
        self.panels += other.panels
        self.captioned += other.captioned

    def as_panel(self) -> Panel:
        """All of it as one panel; the first caption that says something is the panel's."""
        captions = [*self.captions, *(panel.caption for panel in self.panels if panel.caption)]
        told = [caption for caption in captions if not caption.empty] or captions
        labels = [*self.labels, *(label for panel in self.panels for label in panel.labels)]
        images = [*self.images, *(image for panel in self.panels for image in panel.images)]
        return Panel(self.at, told[0] if told else None, labels, images)


def figures_of(box: FloatBox) -> list[LatexFigure]:
    """The figures in the float `box`, in order; none if it turns out to be a table."""
    parts = _open(box)
    main = _main(parts.captions)
    if main or len(parts.captioned) == 1:
        _settle_inner(parts, has_outer=bool(main))
        main = main or _main(parts.captions)
    _bare_subcaptions(parts)
    if parts.captioned:
        return _side_by_side(box, parts)
    others = [caption for caption in parts.captions if caption.kind == "other"]
    if not main and not (parts.images or parts.panels) and (others or not (parts.labels or _is_drawn(box))):
        return []
    main = [caption for caption in main if not caption.empty] or main[:1]
    if len(main) > 1:
        return _by_caption(box, parts, main)
    labels = _labels_of(parts, main[0] if main else None) if others else parts.labels
    return [LatexFigure(box, main[0] if main else None, labels, parts.images, parts.panels)]


def _main(captions: list[LatexCaption]) -> list[LatexCaption]:
    """The captions that figures have; one without a number beside one that has it only adds notes."""
    main = [caption for caption in captions if caption.kind == "figure"]
    return [caption for caption in main if caption.numbered] or main


def _open(box: FloatBox) -> _BoxParts:
    parts = _BoxParts(list(box.captions), list(box.labels), list(box.images), at=box.start)
    for inner in box.panels:
        opened = _open(inner)
        kinds = {caption.kind for caption in opened.captions}
        if inner.name in _PANELS:
            for captioned in opened.captioned:
                opened.absorb(captioned)
            panel = opened.as_panel()
            if panel.caption or panel.labels or panel.images or inner.drawn or opened.panels:
                parts.panels.append(panel)
        elif inner.name in OTHER_FLOATS or kinds == {"other"}:
            continue
        elif "figure" in kinds:
            parts.captioned.append(opened)
        elif "panel" in kinds and (opened.images or opened.panels):
            parts.panels.append(opened.as_panel())
        else:
            parts.absorb(opened)
    return parts


def _is_drawn(box: FloatBox) -> bool:
    return box.drawn or any(map(_is_drawn, box.panels))


def _settle_inner(parts: _BoxParts, has_outer: bool) -> None:
    """Inner boxes with captions: panels of the outer caption, or all one if there is no other."""
    captioned, parts.captioned = parts.captioned, []
    for inner in captioned:
        for deeper in inner.captioned:
            inner.absorb(deeper)
        inner.captioned = []
        if has_outer:
            parts.panels.append(inner.as_panel())
        else:
            parts.absorb(inner)


def _bare_subcaptions(parts: _BoxParts) -> None:
    """\\subcaption straight in the float: each takes the images since the last one, and its label."""
    bare = sorted((caption for caption in parts.captions if caption.kind == "panel"), key=lambda caption: caption.at)
    if not bare:
        return
    parts.captions = [caption for caption in parts.captions if caption.kind != "panel"]
    panels = [Panel(caption.at, caption, [], []) for caption in bare]
    starts = [caption.at for caption in bare]
    images, parts.images = parts.images, []
    for image in images:
        index = bisect_left(starts, image.at)
        (panels[index].images if index < len(panels) else parts.images).append(image)
    labels, parts.labels = parts.labels, []
    for label in labels:
        index = bisect_right(starts, label.at) - 1
        inside = index >= 0 and label.at <= bare[index].end + 1
        (panels[index].labels if inside else parts.labels).append(label)
    parts.panels += panels


def _side_by_side(box: FloatBox, parts: _BoxParts) -> list[LatexFigure]:
    """Several captioned boxes without an outer caption: each is a figure of its own."""
    figures = []
    bare = [inner for inner in parts.captioned if not (inner.images or inner.panels)]
    each = len(parts.images) == len(bare)
    spare = list(parts.images) if each or len(bare) * len(parts.images) < _MOST_SHARED else []
    for inner in parts.captioned:
        for deeper in inner.captioned:
            inner.absorb(deeper)
        if spare and not (inner.images or inner.panels):
            # A row of images over a row of captions, or one image that all of them speak of.
            inner.images += [spare.pop(0)] if each else spare
        main = _main(inner.captions)
        if len(main) > 1:
            figures += _by_caption(box, inner, main)
        else:
            figures.append(LatexFigure(box, main[0] if main else None, inner.labels, inner.images, inner.panels))
    starts = [figure.at for figure in figures]
    for label in parts.labels:
        figures[max(0, bisect_right(starts, label.at) - 1)].labels.append(label)
    return figures


def _by_caption(box: FloatBox, parts: _BoxParts, main: list[LatexCaption]) -> list[LatexFigure]:
    """Several captions in one float: images go to the caption below them, or above if it comes first."""
    main = sorted(main, key=lambda caption: caption.at)
    starts = [caption.at for caption in main]
    shown = [image.at for image in parts.images] + [panel.at for panel in parts.panels]
    caption_last = any(at < starts[0] for at in shown)

    def index(at: int) -> int:
        if caption_last:
            return min(bisect_left(starts, at), len(main) - 1)
        return max(0, bisect_right(starts, at) - 1)

    figures = [LatexFigure(box, caption) for caption in main]
    for image in parts.images:
        figures[index(image.at)].own_images.append(image)
    for panel in parts.panels:
        figures[index(panel.at)].panels.append(panel)
    for label, owner in zip(parts.labels, _captions_before(parts), strict=True):
        if owner is None or owner.kind == "figure":
            figures[max(0, bisect_right(starts, label.at) - 1)].labels.append(label)
    return figures


def _labels_of(parts: _BoxParts, main: LatexCaption | None) -> list[LatexLabel]:
    """The labels that are the figure's where a table's caption stands in the same float."""
    owners = _captions_before(parts)
    return [label for label, owner in zip(parts.labels, owners, strict=True) if owner is None or owner is main]


def _captions_before(parts: _BoxParts) -> list[LatexCaption | None]:
    """For each label the caption that it follows, as LaTeX numbers the last caption."""
    captions = sorted(parts.captions, key=lambda caption: caption.at)
    starts = [caption.at for caption in captions]
    places = [bisect_right(starts, label.at) - 1 for label in parts.labels]
    return [captions[place] if place >= 0 else None for place in places]
