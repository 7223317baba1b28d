from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.diagrams.criteria import (
    CriteriaError,
    criteria_of,
    criterion_id,
    document_text,
    load_criteria,
    read_document,
)
from data_juicer_ext.diagrams.diagram_types import TYPES
from data_juicer_ext.diagrams.dimension_weights import type_weights
from data_juicer_ext.diagrams.dimensions import DIMENSIONS, PARTS


def document(**changes: Any) -> dict[str, Any]:
    """A criteria file with one type, two criteria in VOL and one in each other part."""

    def entry(part: str, number: int = 1, weight: float = 1) -> dict[str, Any]:
        return {"id": f"AF-{part}-{number}", "text": f"criterion {number} of {part}", "weight": weight}

    dimensions = {
        "Structure": {"VOL": [entry("VOL", 1, 1), entry("VOL", 2, 3)], "LA": [entry("LA", 1, 4)]},
        "Content": {"VER": [entry("VER", 1, 1)], "CA": [entry("CA", 1, 3)]},
        "Aesthetics": [entry("AES", 1, 7)],
    }
    return {"types": {"AF": {"dimensions": dimensions, **changes}}}


def test_weights_are_brought_to_one_within_a_dimension_over_its_parts() -> None:
    found = criteria_of(document(), "x").of("AF")
    assert {c.id: c.weight for c in found.criteria} == {
        "AF-VOL-1": 0.125, "AF-VOL-2": 0.375, "AF-LA-1": 0.5, "AF-VER-1": 0.25, "AF-CA-1": 0.75, "AF-AES-1": 1.0
    }  # fmt: skip
    assert [c.part for c in found.criteria] == ["VOL", "VOL", "LA", "VER", "CA", "Aesthetics"]
    assert found.weights == type_weights("AF")


def test_weights_of_a_file_come_before_the_shipped_ones() -> None:
    own = {"Structure": 0.2, "Content": 0.3, "Aesthetics": 0.5}
    assert criteria_of(document(weights=own), "x").of("AF").weights == own


def broken(path: str, value: Any) -> dict[str, Any]:
    """The document with one value replaced; `path` is dotted, numbers are places in lists."""
    made = document()
    *way, last = path.split(".")
    holder: Any = made
    for name in way:
        holder = holder[int(name) if isinstance(holder, list) else name]
    holder[int(last) if isinstance(holder, list) else last] = value
    return made


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("types", {}, "types"),
        ("types.XX", document()["types"]["AF"], "XX is no diagram type"),
        ("types.AF.dimensions.Structure.LA", [], "types.AF.dimensions.Structure.LA"),
        ("types.AF.dimensions.Structure.VOL.1.id", "AF-VOL-1", "AF-VOL-1 stands for more than one"),
        ("types.AF.dimensions.Aesthetics.0.weight", 0, "Aesthetics.0.weight"),
        ("types.AF.dimensions.Aesthetics.0.weight", "much", "Aesthetics.0.weight"),
        ("types.AF.dimensions.Aesthetics.0.text", " ", "Aesthetics.0.text"),
        ("types.AF.dimensions.Aesthetics.0.id", "a b", "Aesthetics.0.id"),
        ("types.AF.dimensions.Aesthetics.0.note", "x", "Aesthetics.0.note"),
        ("types.AF.weights", {"Structure": 1}, "types.AF.weights"),
        ("types.AF.weights", {"Structure": 0.5, "Content": 0.4, "Aesthetics": 0.3}, "sum to 1.2"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(path: str, value: Any, told: str) -> None:
    with pytest.raises(CriteriaError, match="my file: ") as raised:
        criteria_of(broken(path, value), "my file")
    assert told in str(raised.value)


def test_a_type_without_criteria_names_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="no criteria for TL; the criteria file has: AF"):
        criteria_of(document(), "x").of("TL")


def test_a_file_is_written_and_read_again(tmp_path: Path) -> None:
    made = {**document(), "development": {"papers": ["p1", 2305], "rows": ["r"]}, "about": {"reviewed": False}}
    path = tmp_path / "c.yaml"
    path.write_text(document_text(made, "Two\nlines"), encoding="utf-8")
    assert path.read_text("utf-8").startswith("# Two\n# lines\n")
    assert read_document(path) == made
    found = load_criteria(path)
    assert found.development == {"p1", "2305"} and found.types == criteria_of(made, "x").types


def test_the_fingerprint_is_of_what_a_judge_is_told_and_how_it_is_weighed() -> None:
    plain = criteria_of(document(), "x").fingerprint
    assert criteria_of({**document(), "about": {"by": "me"}}, "y").fingerprint == plain
    reworded = broken("types.AF.dimensions.Aesthetics.0.text", "other")
    weighed = broken("types.AF.dimensions.Structure.LA.0.weight", 5)
    told = broken("types.AF.dimensions.Aesthetics.0.instructions", ["Mind the type."])
    assert len({plain, *(criteria_of(made, "x").fingerprint for made in (reworded, weighed, told))}) == 4


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"[1]", "no mapping"), (b"a: [", "not YAML"), (b"\xff\xfe\xff", "not YAML"), (None, "can't be")],
)
def test_files_that_are_no_criteria_are_told(content: bytes | None, told: str, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CriteriaError, match=told):
        load_criteria(path)


def test_the_shipped_file_has_all_types_and_parts_and_is_marked() -> None:
    found = load_criteria()
    assert list(found.types) == list(TYPES) and not found.development
    for code, criteria in found.types.items():
        assert {c.part for c in criteria.criteria} == set(PARTS)
        assert all(c.id.startswith(f"{code}-") and not c.instructions for c in criteria.criteria)
        assert criteria.weights == type_weights(code)
        for dimension in DIMENSIONS:
            shares = [c.weight for c in criteria.criteria if c.dimension == dimension]
            assert math.fsum(shares) == pytest.approx(1, abs=1e-12)
    texts = [c.text for criteria in found.types.values() for c in criteria.criteria]
    assert len(set(texts)) == len(texts)


def test_the_shipped_file_is_plain_yaml_by_type_and_dimension() -> None:
    from data_juicer_ext.diagrams.criteria import shipped_criteria

    told = yaml.safe_load(shipped_criteria().read_text("utf-8"))
    assert told["about"]["reviewed"] is True
    assert {"id", "text", "weight"} <= set(told["types"]["AF"]["dimensions"]["Structure"]["VOL"][0])


def test_another_text_gets_another_id_and_the_same_the_same() -> None:
    first = criterion_id("AF", "Aesthetics", "Even lines.")
    assert first == criterion_id("AF", "Aesthetics", "Even lines.") and first.startswith("AF-AES-")
    assert len({first, criterion_id("AF", "VOL", "Even lines."), criterion_id("AF", "Aesthetics", "Thin lines.")}) == 3


def test_reading_leaves_the_document_as_it_is() -> None:
    made = document()
    before = copy.deepcopy(made)
    criteria_of(made, "x")
    assert made == before
