"""The twelve types of figures (VeriSciQA, appendix C.1), and which of them an answer names.

What each type shows stands in `prompts/annotation/figure_type.jinja`. A histogram counts as a Bar Chart, a violin
plot as a Box Plot, a contour map as a Heatmap; tables and radar charts are Other.
"""

import re
from dataclasses import dataclass

from data_juicer_ext.annotation.class_answers import Classes, parse_class
from data_juicer_ext.qa.answer_tags import find_tags, without_thinking

COMPOSITE, OTHER = "Composite", "Other"
FIGURE_TYPES = (
    "Line Plot", "Scatter Plot", "Bar Chart", "Box Plot", "Pie Chart", "Heatmap", "Diagram", "Graph", "Photo",
    "Illustration", COMPOSITE, OTHER,
)  # fmt: skip

_FURTHER = {
    "Line Plot": "line chart|line graph|line|curve plot|curve|line diagram|time series|time series plot|line series|"
    "multi-line plot|roc curve",
    "Bar Chart": "bar plot|bar graph|bar|bar diagram|column chart|histogram|barplot",
    "Pie Chart": "pie|pie plot|pie graph|pie diagram|donut chart|doughnut chart|donut plot",
    "Scatter Plot": "scatter chart|scatter|scatter graph|scattergram|point plot|dot plot|bubble chart|stem plot|"
    "t-sne plot|scatter diagram",
    "Box Plot": "box|box chart|box-and-whisker plot|box and whisker|boxplot|violin plot|violin",
    "Heatmap": "heat map|heatmap plot|confusion matrix|contour plot|contour map|density map|intensity map|matrix plot|"
    "attention map|colour map|color map|correlation matrix",
    "Diagram": "schematic|schematic diagram|flowchart|flow chart|flow diagram|block diagram|architecture diagram|"
    "architecture|pipeline|pipeline diagram|technical diagram|geometric diagram|process diagram",
    "Graph": "network|network graph|graph/network|node-link diagram|network diagram|tree|tree diagram|knowledge graph",
    "Photo": "photograph|photography|photographic|natural image",
    "Illustration": "drawing|rendering|render|artistic illustration",
    COMPOSITE: "composite plot|composite chart|mixed|mixed types|mixed panels",
    OTHER: "others|other chart|table|radar chart|radar plot|sankey diagram|sankey|parallel coordinates|ternary plot",
}
_MODIFIERS = frozenset(
    re.findall(
        r"\S+",
        "stacked grouped clustered horizontal vertical multi multiple single panel 2d 3d annotated simple color colour "
        "statistical scientific time series log scaled neural network system process architecture",
    )
)
CLASSES = Classes(FIGURE_TYPES, {name: further.split("|") for name, further in _FURTHER.items()}, _MODIFIERS)


@dataclass(frozen=True)
class FigureTypeParse:
    """The type that an answer gives a figure; "" with a `problem` where it can't be told.

    `panels` are the types that it gives the panels, each once. `by_panels`: the answer said Composite, and all its
    panels are of the type given here.
    """

    name: str
    problem: str = ""
    panels: tuple[str, ...] = ()
    by_panels: bool = False


def parse_figure_type(text: str) -> FigureTypeParse:
    """Read a figure's type; a Composite whose panels are all of one type has that type."""
    panels = _panels(without_thinking(text))
    parse = parse_class(text, CLASSES, tag="type", keys=("type", "figure_type", "category"))
    if parse.name == COMPOSITE and len(panels) == 1 and panels[0] not in ("", COMPOSITE, OTHER):
        return FigureTypeParse(panels[0], "", panels, by_panels=True)
    return FigureTypeParse(parse.name, parse.problem, tuple(filter(None, panels)))


def _panels(shown: str) -> tuple[str, ...]:
    """The types of the panels as named in their tag, each once; "" stands for those that are no type."""
    tags = [tag.content(shown) for tag in find_tags(shown, ("panels",), stop=("type",)) if tag.content(shown).strip()]
    return tuple(CLASSES.listed(tags[-1].replace("\n", ","))) if tags else ()
