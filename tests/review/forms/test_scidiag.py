from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.diagrams.criteria import load_criteria, shipped_criteria
from data_juicer_ext.review.forms.criteria import criteria_of, read_criteria
from data_juicer_ext.review.forms.scidiag import SciDiag

ROW = {"images": ["g.png", "r.png"], "caption": "C.", "diagram_type": "AF", "row_id": "d"}
FILE = """
AF:
  weights: {Structure: 0.5}
  Structure:
    VOL: [{id: AF-VOL-1, text: Stages stand in their order., weight: 0.5}]
    LA: [{id: AF-LA-1, text: Arrows are right., weight: 0.5}]
  Aesthetics: [{id: AF-A-1, text: It looks careful., weight: 1}]
TL: {Content: [{id: TL-1, text: Dates., weight: 1}]}
"""


def keys(form: SciDiag, row: dict[str, Any] = ROW) -> list[str]:
    return [ask.key for ask in form.stages(row)[0].asks]


def test_without_criteria_the_sub_dimensions_are_asked() -> None:
    assert keys(SciDiag()) == ["VOL", "LA", "VER", "CA", "Aesthetics", "overall"]


def test_criteria_of_a_file_by_type(tmp_path: Path) -> None:
    path = tmp_path / "criteria.yaml"
    path.write_text(FILE)
    form = SciDiag(read_criteria(path))
    assert keys(form) == ["AF-VOL-1", "AF-LA-1", "AF-A-1", "overall"]
    [stage] = form.stages(ROW)
    assert (stage.asks[0].title, stage.asks[0].question) == (
        "Visual organisation and layout",
        "Stages stand in their order.",
    )
    assert "0.5" not in str([ask.shown() for ask in stage.asks])
    with pytest.raises(ValueError, match="none for diagrams of type 'GA'"):
        form.takes({**ROW, "diagram_type": "GA"})


def test_criteria_of_the_row_come_first(tmp_path: Path) -> None:
    own = json.dumps({"Content": [{"id": "X", "text": "Own."}]})
    assert keys(SciDiag({"AF": ()}), {**ROW, "criteria": own}) == ["X", "overall"]


@pytest.mark.parametrize("told", ["{", "[]", 5, None, '[{"id": "a"}]',
                                  '[{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]',
                                  '[{"id": "overall", "text": "x"}]', "[" * 100_000])  # fmt: skip
def test_criteria_of_a_row_that_are_none(told: Any) -> None:
    assert criteria_of({"criteria": told}) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("AF: [", "not YAML"),
        ("AF: {}", "no criteria"),
        ("[1]", "no mapping"),
        ("AF: [{id: a, text: x}, {id: a, text: y}]", "AF: the id a is there twice"),
        ("AF: [{id: overall, text: x}]", "stands for the whole diagram"),
        (f"AF: [{', '.join(f'{{id: a{n}, text: x}}' for n in range(61))}]", "61 criteria"),
    ],
)
def test_files_that_are_no_use(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "criteria.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=said):
        read_criteria(path)


def test_the_judges_file_is_taken_too() -> None:
    judged = load_criteria()
    found = read_criteria(shipped_criteria())
    assert {code: [c.criterion_id for c in criteria] for code, criteria in found.items()} == {
        code: list(entry.ids) for code, entry in judged.types.items()
    }
    [stage] = SciDiag(found).stages(ROW)
    assert stage.asks[0].title == "Visual organisation and layout" and stage.asks[-1].key == "overall"


@pytest.mark.parametrize("side", [1, -1])
def test_positive_is_the_generated_diagram_whichever_side_it_stood_on(side: int) -> None:
    values = {"VOL": side * 2, "LA": -side, "VER": 0, "CA": side, "Aesthetics": side, "overall": side}
    stored = SciDiag().stored(ROW, values, side)
    assert stored == {"overall": 1, "criteria": {"VOL": 2, "LA": -1, "VER": 0, "CA": 1, "Aesthetics": 1}}
    assert SciDiag().given(ROW, stored, side) == values
