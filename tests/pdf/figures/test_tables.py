"""Tables told by their captions and rules."""

from __future__ import annotations

import pytest

from data_juicer_ext.pdf.figures.tables import ruled_tables
from data_juicer_ext.pdf.page.geometry import Rect
from tests.pdf.figures.pages import caption

TABLE = caption(70, 100, 300, 110, "")


def rules(*tops: float, x0: float = 70, x1: float = 530) -> list[Rect]:
    return [Rect(x0, top, x1, top + 1) for top in tops]


@pytest.mark.parametrize(
    ("tops", "table"),
    [
        ((120, 200), (120, 201)),
        ((140, 200), (140, 201)),  # 30 points below its caption
        ((141, 200), None),
        ((120, 271), (120, 272)),  # 150 points between two rules
        ((120, 272), None),
        ((120, 200, 400), (120, 201)),
        ((120,), None),
        ((109, 200), (109, 201)),  # just within the caption
        ((40, 79), (40, 80)),  # above, as there is nothing below
        ((40, 69), (40, 70)),
        ((40, 68), None),
        ((40, 79, 120, 200), (120, 201)),
        ((200, 120), (120, 201)),
    ],
)
def test_a_table_goes_from_its_first_rule_to_its_last(tops: tuple[float, ...], table: tuple[float, float]) -> None:
    found = ruled_tables([TABLE], rules(*tops))
    assert found == ([Rect(70, table[0], 530, table[1])] if table else [])


def test_rules_elsewhere_on_the_page_are_none_of_the_tables() -> None:
    assert ruled_tables([TABLE], rules(120, 200, x0=310)) == []
    assert ruled_tables([TABLE], [*rules(120, 200), *rules(220, x0=90)]) == [Rect(70, 120, 530, 201)]
    assert ruled_tables([TABLE], [*rules(120, 200), *rules(220, x0=80, x1=536)]) == [Rect(70, 120, 536, 221)]


def test_a_table_ends_where_the_next_caption_begins() -> None:
    between, aside = caption(70, 150, 300, 160), caption(540, 150, 590, 160)
    assert ruled_tables([TABLE, between], rules(120, 200)) == []
    assert ruled_tables([TABLE, aside], rules(120, 200)) == [Rect(70, 120, 530, 201)]
    assert ruled_tables([caption(70, 100, 300, 110)], rules(120, 200)) == []
