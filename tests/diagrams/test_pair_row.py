from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.diagrams.pair_row import pair_of
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
