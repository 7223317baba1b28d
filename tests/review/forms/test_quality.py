from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.review.forms.quality import Quality

TEXT = json.dumps(
    [{"paragraph": "As Figure~\\ref{fig:a} shows, the rate rises with depth.", "section": "S", "place": "p"}]
)
BOTH = {
    "images": ["a.png"],
    "caption": "The rate by depth.",
    "context_places": TEXT,
    "labels": '["fig:a"]',
    "number": "3",
}


def stages(**changed: Any) -> list[tuple[str, list[str]]]:
    return [(stage.name, [ask.key for ask in stage.asks]) for stage in Quality().stages({**BOTH, **changed})]


def test_the_image_comes_first_and_what_is_missing_is_not_asked() -> None:
    assert stages() == [("image", ["VC", "SL"]), ("caption", ["C"]), ("citing text", ["CTX", "MR", "overall"])]
    assert stages(context_places="[]") == [("image", ["VC", "SL"]), ("caption", ["C", "MR", "overall"])]
    assert stages(caption="Figure 3.") == [("image", ["VC", "SL"]), ("citing text", ["CTX", "MR", "overall"])]


def test_a_stage_shows_what_belongs_to_it() -> None:
    image, caption, citing = Quality().stages(BOTH)
    assert list(image.blocks) == [] and "rate by depth" in str(caption.blocks) and "rises" not in str(caption.blocks)
    assert citing.blocks[0]["paragraphs"] == ["As Figure 3 shows, the rate rises with depth."]
    assert all(stage.needs_reason for stage in (image, caption, citing))


def test_gated_dimensions_are_stored_as_null() -> None:
    values = {"VC": 7, "SL": 8, "C": 6, "MR": 9, "overall": 7}
    assert Quality().stored(BOTH, values, 1) == {**values, "CTX": None}
    assert Quality().given(BOTH, {**values, "CTX": None}, 1) == values


@pytest.mark.parametrize("changed", [{"caption": "", "context_places": "[]"}, {"context_places": "{"}, {"images": []},
                                     {"labels": "[{}]"}, {"context_places": '[{"paragraph": 5}]'}])  # fmt: skip
def test_figures_that_cannot_be_judged(changed: dict[str, Any]) -> None:
    assert not Quality().takes({**BOTH, **changed}) and Quality().takes(BOTH)
