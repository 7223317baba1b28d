"""Names the type of a figure."""

from typing import Any

from data_juicer_ext.annotation.figure_types import FigureTypeParse, parse_figure_type
from data_juicer_ext.ops.authoring import Request, operator, request
from data_juicer_ext.ops.base.model_kinds import ClassMapper, images_of
from data_juicer_ext.qa.arxiv_domains import spelled_out

OP_NAME = "figure_type_mapper"


@operator(OP_NAME)
class FigureTypeMapper(ClassMapper):
    """Names the type of a figure: Line Plot, Scatter Plot, Bar Chart, Box Plot, Pie Chart, Heatmap, Diagram, Graph,
    Photo, Illustration, Composite or Other.

    One vision call per figure, with its caption, however many questions it has. A figure whose panels are all of one
    type has that type; Composite is for mixed panels. A row whose type can't be read, after one repair, is undecided.

    Input columns: figure or QA rows.
    Output columns: the same rows with `figure_type`.
    Source: VeriSciQA, appendices B.6 and C.1.
    """

    needs = ("row_id", "images", "caption", "domain")
    makes = ("figure_type", "provenance")
    template = "annotation/figure_type"
    fields = ("domain", "caption")
    column = "figure_type"

    def asked(self, row: dict[str, Any]) -> Request:
        """The request about a row's figure: the same for all rows of that figure."""
        return request(self.template, self.sampling, images_of(row), domain=spelled_out(row["domain"]),
                       caption=row["caption"])  # fmt: skip

    def parse(self, text: str) -> FigureTypeParse:
        """How an answer is read."""
        return parse_figure_type(text)
