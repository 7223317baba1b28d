from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.annotation.image_categories import IMAGE_CATEGORIES
from data_juicer_ext.ops.mapper.image_category_mapper import ImageCategoryMapper
from tests.fake_openai import FakeServer
from tests.ops.mapper.annotating import Rows, annotated, drawn, ledger, question

OP = "image_category_mapper"
OWN = [{"name": "Map", "description": "land seen from above"}, {"name": "Portrait"}]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer(lambda body: "<category>Chemical structure</category>") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return [question(drawn(tmp_path / "one.png"), 1)]


def test_the_seven_categories_are_listed_with_what_they_are_for(server: FakeServer, rows: Rows, run_dir: Path) -> None:
    [sorted_row] = annotated(rows, OP, run_dir)
    assert sorted_row["image_category"] == "molecular or chemical structure"
    [asked] = server.requests
    assert len(IMAGE_CATEGORIES) == 7 and len(asked.images) == 1
    assert all(f"- {name}: {about}" in asked.system_text for name, about in IMAGE_CATEGORIES.items())


def test_categories_of_ones_own(server: FakeServer, rows: Rows, run_dir: Path) -> None:
    server.responder = lambda body: "<category>maps</category>"
    [sorted_row] = annotated(rows, OP, run_dir, categories=OWN)
    assert sorted_row["image_category"] == "Map"
    assert "- Map: land seen from above\n- Portrait\n" in server.requests[0].system_text
    server.responder = lambda body: "<category>data plot</category>"
    assert annotated(rows, OP, run_dir / "again", categories=OWN) == []
    assert ledger(run_dir / "again")[0]["reason"] == "unparsable"


@pytest.mark.parametrize(
    ("categories", "says"),
    [
        ([{"name": "one"}], "a choice needs two"),
        ([], "a choice needs two"),
        (["a", "b"], "a list of mappings"),
        ({"a": "b", "c": "d"}, "a list of mappings"),
        ([{"name": "a"}, {"name": "a"}], "each name once"),
        ([{"name": "a"}, {"title": "b"}], "each name once"),
        ([{"name": "a map"}, {"name": "Map"}], "names two classes"),
    ],
)
def test_a_wrong_list_stops_the_run_plainly(
    categories: Any, says: str, run_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        ImageCategoryMapper(categories=categories, run_dir=str(run_dir))
    assert says in capfd.readouterr().err
