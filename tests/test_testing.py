from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.rows import Figure, claim_row, figure_row
from data_juicer_ext.testing import answering, run_operator

TASK = "verisciqa/mcq_generation"
QUESTION = "<question>What rises?</question>\n<options>\nA. ice\nB. fire\n</options>\n<answer>B</answer>"


def claims() -> list[dict[str, object]]:
    figure = Figure(figure_id="f1", caption="A plot.", images=["a.png"], context=["As shown, fire rises."])
    row = figure_row({"paper_id": "p"}, figure)
    return [claim_row(row, f"The figure shows that {thing} rises.", {}) for thing in ("fire", "smoke")]


def test_any_operator_runs_on_a_scripted_model_and_tells_what_became_of_each_row(tmp_path: Path) -> None:
    rows = claims()
    with answering(TASK, lambda fields, images: QUESTION if "fire" in fields["claim"] else "None") as asked:
        ran = run_operator("mcq_generator_mapper", rows, tmp_path)
    assert [row["question"] for row in ran.rows] == ["What rises?"] and ran.undecided == []
    assert list(ran.verdicts.values()) == [("keep", "question"), ("drop", "too_vague")]
    assert sorted(fields["claim"] for fields in asked) == sorted(row["claim"] for row in rows)


def test_two_runs_into_a_folder_are_told_apart(tmp_path: Path) -> None:
    for answer, verdict in (("None", "drop"), (QUESTION, "keep")):
        with answering(TASK, lambda fields, images, answer=answer: answer):
            ran = run_operator("mcq_generator_mapper", claims()[:1], tmp_path)
        assert [found for found, _ in ran.verdicts.values()] == [verdict]


def test_a_parameter_that_a_recipe_could_not_have_ends_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run_operator("vision_vote_filter", claims(), tmp_path, draws=0)
    assert "draws: 0" in capfd.readouterr().err
