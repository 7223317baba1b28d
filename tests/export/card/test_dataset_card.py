from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext import __version__
from data_juicer_ext.export.card.card_texts import FLAGS
from data_juicer_ext.export.card.front_matter import size_category
from data_juicer_ext.export.card.tables import cell, table
from data_juicer_ext.export.images import exported_images
from data_juicer_ext.figures import image_preparation
from tests.export.made_runs import exported, lines, pairs, picture, row, run_of
from tests.report.run_folders import RunFolder


def head_of(folder: Path) -> dict[str, Any]:
    """The YAML head of a card."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    found = re.match(r"---\n(.*?)\n---\n", text, re.S)
    assert found is not None
    return dict(yaml.safe_load(found[1]))


def section(folder: Path, heading: str) -> str:
    """A section of a card."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    assert found is not None, heading
    return found[1]


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run with a funnel, three licences and a blind check."""
    rows = pairs(tmp_path, 6)
    for one, licence in zip(rows, ("cc-by-4.0", "cc-by-4.0", "cc0-1.0", "", "", ""), strict=True):
        one["licence"] = licence
    made = RunFolder(tmp_path, recipe=["/home/jane/verisciqa.yaml"])
    made.note("claim_extractor", "figure-1", made=9)
    made.note("mcq_generator", "claim-1", made=1)
    for n in range(9):
        made.note("source_consistency", f"qa-{n}", "keep" if n < 8 else "drop", "agrees" if n < 8 else "none")
    for n in range(8):
        made.note("vision_vote", f"qa-{n}", "keep" if n < 6 else "drop", "majority" if n < 6 else "no_majority")
    made.end(rows)
    return made


def test_the_head_is_what_the_hub_reads(run: RunFolder, tmp_path: Path) -> None:
    exported(run, tmp_path / "out", "hf", splits=(("train", 0.5), ("test", 0.5)))
    head = head_of(tmp_path / "out")
    assert head["license"] == ["unknown", "cc-by-4.0", "cc0-1.0"] and head["size_categories"] == ["n<1K"]
    assert head["task_categories"] == ["visual-question-answering", "multiple-choice"]
    files = [{"split": split, "path": f"data/{split}-*.parquet"} for split in ("train", "test")]
    (told,) = head["configs"]
    assert told["config_name"] == "default" and told["data_files"] == files
    assert re.fullmatch(r"SHA-256 of the files: [0-9a-f]{64}", told["description"])
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(tmp_path / "out" / "README.md")
    assert card.data.license == head["license"] and card.data.configs == head["configs"]


def test_a_licence_that_the_hub_has_no_name_for_is_other_with_its_name(tmp_path: Path) -> None:
    rows = pairs(tmp_path, 2)
    for one in rows:
        one["licence"] = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
    exported(run_of(tmp_path, rows), tmp_path / "out", "hf")
    head = head_of(tmp_path / "out")
    assert (head["license"], head["license_name"]) == ("other", "arxiv-nonexclusive-distrib-1.0")
    assert (tmp_path / "out" / head["license_link"]).read_text().count("arxiv-nonexclusive-distrib-1.0") == 1


def test_licences_are_counted_and_unknown_ones_said_plainly(run: RunFolder, tmp_path: Path) -> None:
    exported(run, tmp_path / "out")
    told = section(tmp_path / "out", "Licences")
    assert "| cc-by-4.0 | 2 | 2 |" in told and "| not known | 3 | 3 |" in told and "| cc0-1.0 | 1 | 1 |" in told
    assert "3 of 6 rows is not known: **do not pass them on" in told
    sources = lines(tmp_path / "out" / "sources.jsonl")
    assert [one["paper_id"] for one in sources] == [f"p{n}" for n in range(6)]
    assert sources[0]["licence"] == "cc-by-4.0" and sources[0]["rows"] == {"train": 1} and sources[0]["figures"] == 1
    only = exported(run, tmp_path / "some", licences=("cc-by-4.0",))
    assert only.contents.total == 2 and head_of(tmp_path / "some")["license"] == "cc-by-4.0"


def test_the_funnel_the_models_and_the_making_are_told(run: RunFolder, tmp_path: Path) -> None:
    exported(run, tmp_path / "out", seed=7, max_per_figure=4)
    funnel = section(tmp_path / "out", "Funnel")
    assert "| claims | 1 | 9 | 100.0% |" in funnel
    assert r"| after vision\_vote | 8 | 6 | 66.7% | 2 | 0 | no\_majority 2 |" in funnel
    assert r"| vision\_vote | seer-2 | verisciqa/vision\_vote@abc |" in section(tmp_path / "out", "Models and prompts")
    making = section(tmp_path / "out", "How it was made")
    assert "recipe verisciqa.yaml on the default executor" in making and f"data-juicer-ext {__version__}" in making
    assert "| seed | 7 |" in making and "| rows per figure | 4 |" in making and "jane" not in making
    text = (tmp_path / "out" / "README.md").read_text()
    assert "A row was kept if what the paper says" in text and "did not find the answer" not in text, "checks that ran"


def test_counts_shortcuts_and_limits_are_told(run: RunFolder, tmp_path: Path) -> None:
    exported(run, tmp_path / "out", splits=(("train", 0.5), ("test", 0.5)))
    assert re.search(r"\| train \| 50.0% \| 3 \| 3 \| 3 \|", section(tmp_path / "out", "Splits"))
    audit = section(tmp_path / "out", "Shortcut audit")
    assert "| 4 | 2 (33%) | 2 (33%) | 1 (17%) | 1 (17%) |" in audit and "the longest option" in audit
    assert "A right option has 2 characters on average, a wrong one 3." in audit
    assert "| Options a question | rows |" in section(tmp_path / "out", "What is in it")
    limits = section(tmp_path / "out", "Known limits")
    assert "People have not accepted each row" in limits and "A share of them is wrong" in limits


def test_how_uneven_the_letters_are_is_told_of_many_rows(tmp_path: Path) -> None:
    exported(run_of(tmp_path, pairs(tmp_path, 24)), tmp_path / "out")
    audit = section(tmp_path / "out", "Shortcut audit")
    assert re.search(r"Letters at least this uneven come about by chance with a probability of \d", audit)


def test_the_offline_model_is_called_what_it_is(tmp_path: Path) -> None:
    step = {"tag": "t", "model": "offline", "prompt": "p@1", "sampling": {"temperature": 1.0}}
    rows = [{**row(0, picture(tmp_path / "f", "a", 0)), "provenance": json.dumps({"steps": [step]})}]
    exported(run_of(tmp_path, rows), tmp_path / "out")
    told = section(tmp_path / "out", "Models and prompts")
    assert "no data to train on or to publish" in told and '{"temperature": 1.0}' in told.replace("\\", "")


def test_without_a_run_the_card_says_what_is_not_known(tmp_path: Path) -> None:
    from data_juicer_ext.export.export_run import ExportSource, export
    from data_juicer_ext.export.options import ExportOptions

    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in pairs(tmp_path, 2)))
    made = export(
        ExportSource(tmp_path / "none", path), ExportOptions("jsonl", splits=(("train", 1.0),)), tmp_path / "out"
    )
    assert not made.run.known and "nothing is known of what was refused" in section(tmp_path / "out", "Funnel")


def test_rows_of_another_file_than_the_runs_own_are_called_so(run: RunFolder, tmp_path: Path) -> None:
    from data_juicer_ext.export.export_run import ExportSource, export
    from data_juicer_ext.export.options import ExportOptions
    from data_juicer_ext.report.run_selection import select_runs

    exported(run, tmp_path / "own")
    assert "| rows | all of what the run kept |" in section(tmp_path / "own", "How it was made")
    other = run.export.with_name("balanced.jsonl")
    other.write_text(run.export.read_text())
    export(ExportSource(run.path, other, select_runs(run.path, export=other)), ExportOptions("jsonl"), tmp_path / "out")
    assert "| rows | all of balanced.jsonl |" in section(tmp_path / "out", "How it was made")


def test_rated_images_and_dimensions_are_counted(tmp_path: Path) -> None:
    image = picture(tmp_path / "f", "a", 0)
    rated = [
        {"row_id": f"r{n}", "images": [image], "provenance": "{}", "rating_perception": 1.0 + n, "rating_knowledge": 5}
        for n in range(2)
    ]
    exported(run_of(tmp_path / "s", rated), tmp_path / "rated")
    scores = section(tmp_path / "rated", "Scores")
    assert "| Excellent | 0 | 2 |" in scores and "| Bad | 1 | 0 |" in scores
    asked = [{**row(n, image), "dimension": "cognitive_clarity"} for n in range(3)]
    made = RunFolder(tmp_path / "u")
    made.note("siqa_mcq", "figure-1", made=12)
    made.end(asked)
    exported(made, tmp_path / "asked")
    assert r"| cognitive\_clarity | 3 |" in section(tmp_path / "asked", "What is in it")
    assert not re.search(r"\d{4}\.\d%", section(tmp_path / "asked", "Funnel")), "no share of more than all"


def test_what_papers_and_models_wrote_stays_text(tmp_path: Path) -> None:
    bad = "x | y\n# head <script>alert(1)</script> [a](http://b) `c` *d* \u202e" + "z" * 500
    rows = [{**row(0, picture(tmp_path / "f", "a", 0)), "figure_type": bad, "licence": bad, "paper_id": bad}]
    rows[0]["provenance"] = json.dumps({"steps": [{"tag": bad, "model": bad, "prompt": bad, "sampling": {bad: bad}}]})
    exported(run_of(tmp_path, rows), tmp_path / "out", "hf")
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    body = text.partition("\n---\n")[2]
    assert "<script>" not in body and "\u202e" not in text and not re.search(r"^# head", body, re.M)
    assert not re.search(r"(?<!\\)\[a(?<!\\)\]\(", body)
    assert head_of(tmp_path / "out")["license"] == "other"
    columns = {line.count(" | ") for line in body.splitlines() if line.startswith("| x \\|")}
    assert columns <= {1, 2, 4}, "no cell breaks out of its table"


def test_what_a_step_says_of_itself_may_be_anything(tmp_path: Path) -> None:
    steps = [{"tag": ["x"], "models": "seer", "model": "seer-2", "prompt": {"a": 1}, "sampling": [1]}, "step", None]
    rows = [{**row(0, picture(tmp_path / "f", "a", 0)), "provenance": json.dumps({"steps": steps})}]
    exported(run_of(tmp_path, rows), tmp_path / "out")
    assert "| seer-2 |" in section(tmp_path / "out", "Models and prompts")


def test_a_name_of_a_licence_for_the_hub_is_plain(tmp_path: Path) -> None:
    rows = [{**row(0, picture(tmp_path / "f", "a", 0)), "licence": "Größe & Söhne: ../licence"}]
    exported(run_of(tmp_path, rows), tmp_path / "out")
    assert re.fullmatch(r"[a-z0-9.-]+", head_of(tmp_path / "out")["license_name"])


def test_cells_and_sizes() -> None:
    assert cell(12_345) == "12,345" and cell("a_b|c\nd") == r"a\_b\|c d"
    assert table(("a", "b"), [(1, "x")]) == "| a | b |\n| --- | --- |\n| 1 | x |"
    assert [size_category(n) for n in (1, 999, 1000, 99_999, 2_000_000, 10**9)] == [
        "n<1K", "n<1K", "1K<n<10K", "10K<n<100K", "1M<n<10M", "100M<n<1B",
    ]  # fmt: skip


def test_operators_of_other_packages_have_their_own_words(tmp_path: Path) -> None:
    words = {"my_filter": {"kept_rows": "legible <b>", "kept_if": "all its labels can be *read*"}}
    made = RunFolder(tmp_path, operators=words)
    made.note("legible", "qa-0", operator="my_filter")
    made.end([row(0, picture(tmp_path / "f", "a", 0))])
    exported(made, tmp_path / "out")
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert r"A row was kept if all its labels can be \*read\*." in text
    assert r"| legible \<b\> | 1 | 1 |" in section(tmp_path / "out", "Funnel")


def test_all_that_is_done_to_images_has_words() -> None:
    makers = (image_preparation, exported_images)
    source = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in makers)
    assert [flag for flag in FLAGS if f'"{flag}"' not in source] == [], "words for what is never done"
    assert {"turned", "first_frame", "converted", "jpeg", "scaled_down"} <= set(FLAGS)
