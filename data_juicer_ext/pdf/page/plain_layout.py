"""A layout without the model, for pages that name no figure: blocks of text, and what looks like a heading."""

from collections.abc import Sequence

from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.geometry import union
from data_juicer_ext.pdf.page.layout_model import HEADING, TEXT, Box
from data_juicer_ext.pdf.page.lines import Line

_MOST_HEADING_LINES = 3


def plain_boxes(lines: Sequence[Line], style: Style) -> list[Box]:
    """The blocks of a page in the order of the file."""
    blocks: dict[int, list[Line]] = {}
    for line in lines:
        if not line.turn:
            blocks.setdefault(line.block, []).append(line)
    return [
        Box(union(line.rect for line in block), HEADING if _is_heading(block, style) else TEXT)
        for block in blocks.values()
    ]


def _is_heading(block: Sequence[Line], style: Style) -> bool:
    """Whether a block is short, and larger or bolder than running text throughout."""
    if len(block) > _MOST_HEADING_LINES or not any(letter.isalpha() for letter in block[0].text):
        return False
    return all(
        line.size > style.size + 0.8 or (line.bold_lead and line.font == line.lead != style.font) for line in block
    )
