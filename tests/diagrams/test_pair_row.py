from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.diagrams.pair_row import STANDARD, misfit, nearest, pair_of, ratio
from tests.diagrams.judges import pair_row


def test_a_row_holds_a_pair() -> None:
    pair = pair_of(pair_row("r", "g.png", "d.png", diagram_type="mechanism diagram", aspect_ratio="16:9"))
    assert (pair.generated, pair.reference, pair.code) == ("g.png", "d.png", "MD")
    assert pair.aspect_ratio == "16:9" and pair.instance_id == "instance of r" and not pair.cut


def test_long_text_is_cut_at_a_word_and_told() -> None:
    pair = pair_of(pair_row("r", "g", "d", paper_text="word " * 500), max_paper_tokens=100)
    assert pair.cut and len(pair.paper_text) <= 402 and pair.paper_text.endswith("word …")


def test_hidden_characters_do_not_reach_a_judge() -> None:
    assert pair_of(pair_row("r", "g", "d", caption="a\u200bb\u202e\x00c")).caption == "abc"


@pytest.mark.parametrize(
    ("changes", "told"),
    [({"images": ["a"]}, "images holds 1 files: two are needed"), ({"images": None}, "images holds 0"),
     ({"diagram_type": "XX"}, "'XX'.*TL"), ({"diagram_type": ""}, "diagram_type is empty"),
     ({"aspect_ratio": "wide"}, "aspect_ratio is 'wide'"),
     ({"paper_text": " ", "caption": ""}, "nothing to judge")],
)  # fmt: skip
def test_what_a_row_lacks_is_told(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        pair_of(pair_row("r", "g", "d", **changes))


@pytest.mark.parametrize(
    ("width", "height", "name"),
    [(1920, 1080, "16:9"), (1000, 660, "3:2"), (500, 500, "1:1"), (3000, 1000, "21:9"), (700, 1000, "2:3"),
     (760, 1000, "3:4"), (1, 5000, "9:16")],
)  # fmt: skip
def test_the_nearest_standard_ratio(width: int, height: int, name: str) -> None:
    assert nearest(width, height) == name


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_no_other_ratio_is_nearer_and_turning_an_image_turns_its_ratio(width: int, height: int) -> None:
    name = nearest(width, height)
    assert all(misfit(name, width, height) <= misfit(other, width, height) for other in STANDARD)
    if name not in ("21:9", "16:9", "9:16"):  # 9:21 is none
        across, down = name.split(":")
        assert misfit(f"{down}:{across}", height, width) == pytest.approx(misfit(name, width, height))


@pytest.mark.parametrize("text", ["16:9", " 16 : 9 ", "16/9", "16x9", "16×9"])
def test_ratios_are_read(text: str) -> None:
    assert ratio(text) == pytest.approx(16 / 9)


@pytest.mark.parametrize("text", ["wide", "16", "16:0", "0:9", "-1:2", "1:2:3"])
def test_what_is_no_ratio_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="aspect_ratio"):
        ratio(text)
