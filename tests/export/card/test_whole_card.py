"""One card, section by section, as its reader sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.export.card.test_dataset_card import section
from tests.export.made_runs import exported, pairs
from tests.report.run_folders import RunFolder

SPLITS = """
| split | asked for | rows | papers | figures |
| --- | --- | --- | --- | --- |
| train | 60.0% | 4 | 3 | 4 |
| test | 40.0% | 2 | 2 | 2 |
"""
MAKING = """
| setting | value |
| --- | --- |
| format | llava |
| kind | pairs |
| seed | 0 |
| near questions | not looked at |
| rows per figure | any number |
| licences | cc\\*, none |
| rows | all of what the run kept |
| options | 0 rows in a new order |
"""
FUNNEL = """
| step | decided | went on | of claims | refused | undecided | why |
| --- | --- | --- | --- | --- | --- | --- |
| claims | 1 | 9 | 100.0% | 0 | 0 |  |
| questions | 1 | 1 | 11.1% | 0 | 0 |  |
| after source\\_consistency | 9 | 8 | 88.9% | 1 | 0 | none 1 |
| after vision\\_vote | 8 | 6 | 66.7% | 1 | 1 | no\\_majority 2 |

1 rows of the run are undecided: no verdict could be given, as a call failed. They are not in this set.
"""
MAKERS = """
| step | model | prompt@version | sampling | rows |
| --- | --- | --- | --- | --- |
| vision\\_vote | seer-2 | verisciqa/vision\\_vote@abc |  | 6 |
"""
LICENCES = """
| licence of the paper | papers | rows |
| --- | --- | --- |
| not known | 3 | 3 |
| cc-by-4.0 | 1 | 2 |
| cc0-1.0 | 1 | 1 |
"""
COMPOSITION = """
| Domain (arXiv archive) | rows |
| --- | --- |
| cs | 6 |

| Figure type | rows |
| --- | --- |
| Bar Chart | 3 |
| Line Plot | 3 |

| Options a question | rows |
| --- | --- |
| 4 | 6 |

6 images; a figure has 1 rows at most.
"""
AUDIT = """
| options | A | B | C | D |
| --- | --- | --- | --- | --- |
| 4 | 2 (33%) | 2 (33%) | 1 (17%) | 1 (17%) |

| without the figure | right | chance | above chance |
| --- | --- | --- | --- |
| always the commonest letter | 33.3% | 25.0% | no |
| the longest option | 16.7% | 25.0% | no |
| the shortest option | 33.3% | 25.0% | no |
| most words of the question | 25.0% | 25.0% | no |
| most words of the caption | 20.8% | 25.0% | no |
| most like the other options | 25.0% | 25.0% | no |

A right option has 2 characters on average, a wrong one 3.
"""
LIMITS = """
- People have not accepted each row: what is here is what the run kept.
- Questions, options and answers were written and checked by models. A share of them is wrong: a claim may not be what \
the figure shows, or the right option may be arguable.
- A model that was asked without the figure sets the bar for what needs it: a stronger one may tell more answers.
- Near-duplicates are looked for among the questions about one figure, not over all.
- Papers can be wrong, and so can what models read in them.
- A paper's licence need not hold for figures that it took from elsewhere.
- Splits keep papers and pictures apart, not authors, data sets or topics.
- The run has undecided rows: a later export of it may hold more.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set for LLaVA of six rows of five papers, one of them with two images, of a run with an undecided row."""
    folder = tmp_path_factory.mktemp("card")
    rows = pairs(folder, 6)
    for one, licence in zip(rows, ("cc-by-4.0", "cc-by-4.0", "cc0-1.0", "", "", ""), strict=True):
        one["licence"] = licence
    rows[1]["paper_id"] = "p0"
    rows[5]["images"] *= 2
    made = RunFolder(folder, recipe=["/home/jane/verisciqa.yaml"])
    made.note("claim_extractor", "figure-1", made=9)
    made.note("mcq_generator", "claim-1", made=1)
    for n in range(9):
        made.note("source_consistency", f"qa-{n}", "keep" if n < 8 else "drop", "agrees" if n < 8 else "none")
    for n in range(8):
        verdict = "keep" if n < 6 else "undecided" if n == 7 else "drop"
        made.note("vision_vote", f"qa-{n}", verdict, "majority" if n < 6 else "no_majority")
    made.end(rows)
    asked = {"shuffle_options": True, "licences": ("cc*", "none"), "near_questions": 0.0}
    exported(made, folder / "out", "llava", splits=(("train", 0.6), ("test", 0.4)), **asked)
    return folder / "out"


@pytest.mark.parametrize(
    ("heading", "told"),
    [
        ("Splits", SPLITS), ("How it was made", MAKING), ("Funnel", FUNNEL), ("Models and prompts", MAKERS),
        ("Licences", LICENCES), ("What is in it", COMPOSITION), ("Shortcut audit", AUDIT), ("Known limits", LIMITS),
    ],
)  # fmt: skip
def test_a_section_says_what_there_is_to_say(folder: Path, heading: str, told: str) -> None:
    assert told.strip() in section(folder, heading)


def test_the_sections_come_in_their_order_and_those_without_content_not_at_all(folder: Path) -> None:
    text = (folder / "README.md").read_text()
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        "Splits", "Files", "How it was made", "Funnel", "Models and prompts", "Licences", "What is in it",
        "Shortcut audit", "Known limits",
    ]  # fmt: skip
    assert "A row was kept if what the paper says of the figure confirms the answer, and if a vote of a vision" in text
    assert text.startswith("---\npretty_name: Multiple-choice") and text.endswith("may hold more.\n")


def test_the_head_tells_datasets_what_lines_hold(folder: Path) -> None:
    head = (folder / "README.md").read_text().split("---\n")[1]
    assert "- name: image\n    dtype: json\n" in head, "some rows have several images"
    assert "annotations_creators:\n- machine-generated\n" in head and "- scientific-figures\n- data-juicer\n" in head


def test_the_file_of_licences_lists_them_with_their_papers(folder: Path) -> None:
    text = (folder / "LICENSE.md").read_text()
    assert text.startswith("# Licences\n\nFigures, captions and text stay under the licence")
    assert text.endswith(
        "- not known: 3 rows of 3 papers\n- cc-by-4.0: 2 rows of 1 papers\n- cc0-1.0: 1 rows of 1 papers\n"
    )


def test_a_set_of_one_split_says_nothing_of_papers_in_two(tmp_path: Path) -> None:
    made = RunFolder(tmp_path)
    made.note("vision_vote", "qa-0")
    made.end(pairs(tmp_path, 1))
    exported(made, tmp_path / "out")
    assert "No paper is in two splits" not in (tmp_path / "out" / "README.md").read_text()
