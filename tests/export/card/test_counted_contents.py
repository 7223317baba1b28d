"""What an export holds, counted row by row."""

from __future__ import annotations

import json
from typing import Any

from data_juicer_ext.export.card.counted_contents import Contents
from data_juicer_ext.export.images.exported_images import ExportedImage
from data_juicer_ext.export.rows.row_kinds import FIGURES, PAIRS, SIQA_S, SIQA_U
from tests.export.made_runs import row


def shown(*names: str, flags: tuple[str, ...] = ()) -> list[ExportedImage]:
    return [ExportedImage(f"/x/{name}", name, "image/png", 1, flags) for name in names]


def test_rows_are_counted_by_split_figure_and_source() -> None:
    contents = Contents(PAIRS)
    contents.add("train", row(1, "a.png"), shown("a.png"), "fig-a")
    contents.add("train", row(1, "a.png", row_id="2"), shown("a.png", "b.png"), "fig-a")
    contents.add("test", row(1, "b.png", figure_id="x"), shown("b.png"), "fig-b")
    contents.add("test", row(2, "c.png", licence="", venue="ICML", year=2024, domain="cs.LG"), shown("c.png"), "fig-c")
    contents.add("test", row(3, "c.png", paper_id="", licence=""), shown("c.png"), "fig-c")
    assert contents.total == 5 and contents.rows == {"train": 2, "test": 3} and contents.several_images == 1
    assert contents.images == {"a.png", "b.png", "c.png"}
    assert contents.figures == {"train": {"fig-a"}, "test": {"fig-b", "fig-c"}}
    assert (contents.papers_in("train"), contents.papers_in("test"), contents.papers_in("validation")) == (1, 2, 0)
    assert contents.licences() == [("cc-by-4.0", 1, 3), ("not known", 1, 2)]
    nameless, first, second = contents.source_lines()
    assert nameless["paper_id"] == "" and nameless["rows"] == {"test": 1}
    stated = {"paper_id": "p1", "licence": "cc-by-4.0", "venue": "", "year": "", "domain": "cs.CL"}
    assert first == {**stated, "figures": 2, "rows": {"train": 2, "test": 1}}
    about = [second[name] for name in ("venue", "year", "domain", "licence")]
    assert about == ["ICML", "2024", "cs.LG", "not known"]


def test_licences_with_as_many_rows_are_in_the_order_of_their_names() -> None:
    contents = Contents(PAIRS)
    for number, licence in enumerate(["cc0-1.0", "cc-by-4.0", "mit", "mit"]):
        contents.add("train", row(number, "a.png", licence=licence), shown("a.png"), "f")
    assert [name for name, *_ in contents.licences()] == ["mit", "cc-by-4.0", "cc0-1.0"]


def test_what_was_done_to_an_image_counts_once() -> None:
    contents = Contents(PAIRS)
    for number in range(2):
        contents.add("train", row(number, "a.png"), shown("a.png", flags=("scaled", "flattened")), "f")
    contents.add("train", row(3, "b.png"), shown("b.png", flags=("scaled",)), "g")
    assert contents.flags == {"scaled": 2, "flattened": 1}


def made_by(*steps: Any) -> dict[str, Any]:
    return row(1, "a.png", provenance=json.dumps({"steps": list(steps)}))


def test_who_made_a_row_counts_once_for_each_model_of_a_step() -> None:
    contents = Contents(PAIRS)
    one = {"tag": "t", "model": "m", "prompt": "p@1", "sampling": {"temperature": 0.5}}
    contents.add("train", made_by(one, one, {"tag": "vote", "models": ["x", "y"], "model": "x"}), [], "f")
    contents.add("train", made_by(one, {}, "odd", {"tag": "rule", "models": [], "model": None}), [], "f")
    contents.add("train", row(2, "a.png", provenance='{"steps": {"tag": "t"}}'), [], "f")
    assert contents.makers == {
        ("t", "m", "p@1", '{"temperature": 0.5}'): 2, ("vote", "x", "", ""): 1, ("vote", "y", "", ""): 1,
        ("", "", "", ""): 1, ("rule", "", "", ""): 1,
    }  # fmt: skip


def test_scores_of_figures_are_summed_where_they_are_numbers() -> None:
    contents = Contents(FIGURES)
    for scores, overall in (({"clarity": 4, "accuracy": None}, 3.5), ({"clarity": 2.0, "accuracy": True}, "3")):
        contents.add("train", row(1, "a.png", scores=scores, overall=overall), [], "f")
    assert contents.scores == {"clarity": (2, 6.0), "overall": (1, 3.5)}


def test_ratings_have_levels_and_questions_dimensions() -> None:
    rated, asked = Contents(SIQA_S), Contents(SIQA_U)
    for perception in (5.0, 3.0):
        rated.add("train", row(1, "a.png", rating_perception=perception, rating_knowledge=1.0), [], "f")
    assert rated.scores == {"perception": (2, 8.0), "knowledge": (2, 2.0)}
    assert rated.levels["perception", "Excellent"] == rated.levels["perception", "Fair"] == 1
    assert rated.levels["knowledge", "Bad"] == 2 and not rated.dimensions
    asked.add("train", row(1, "a.png", dimension="cognitive_clarity"), [], "f")
    assert asked.dimensions == {"cognitive_clarity": 1} and not asked.levels and not asked.scores
