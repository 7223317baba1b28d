"""How a run becomes a set: what is chosen, how it is split, and what no byte may say."""

import getpass
import json
import random
from pathlib import Path

import pytest

from data_juicer_ext.export.export import UndecidedError
from data_juicer_ext.export.order import FORMATS
from data_juicer_ext.review import ratings
from tests.export.made_runs import exported, files, lines, pairs, picture, row, run_of
from tests.report.run_folders import RunFolder

THIRDS = (("train", 0.5), ("validation", 0.25), ("test", 0.25))


def ids(folder: Path, split: str = "train") -> list[str]:
    path = folder / f"{split}.jsonl"
    return [entry["row_id"] for entry in lines(path)] if path.exists() else []


def splits_of(folder: Path) -> dict[str, str]:
    return {entry["row_id"]: name for name, _ in THIRDS for entry in lines(folder / f"{name}.jsonl")}


def test_no_paper_is_in_two_splits_and_shares_are_kept(tmp_path):
    rows = []
    for paper in range(8):
        for one in range(2):
            index = paper * 10 + one
            made = row(index, picture(tmp_path / "f", str(index), index))
            rows.append({**made, "paper_id": f"p{paper}"})
    contents = exported(run_of(tmp_path, rows), tmp_path / "out", splits=THIRDS)
    assert [of.rows for of in contents.splits.values()] == [8, 4, 4]
    found = splits_of(tmp_path / "out")
    assert len(found) == 16
    assert len({(one["paper_id"], found[one["row_id"]]) for one in rows}) == 8


@pytest.mark.parametrize("seed", range(3))
def test_papers_that_show_the_same_picture_stay_together(tmp_path, seed):
    rows = pairs(tmp_path, 8)
    rows[7]["images"] = [picture(tmp_path / "figures", "copy", 0, size=(320, 240))]  # the first picture, larger
    rows[6]["images"] = rows[5]["images"]  # the same file
    exported(run_of(tmp_path, rows), tmp_path / "out", splits=THIRDS, seed=seed)
    found = splits_of(tmp_path / "out")
    assert found["qa-0"] == found["qa-7"] and found["qa-5"] == found["qa-6"]
    assert len(set(found.values())) == 3


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_seed_makes_the_same_bytes_whatever_the_order_of_rows(tmp_path, form):
    rows = pairs(tmp_path, 5)
    rows += [{**rows[0], "row_id": f"more-{index}", "question": f"Is item {index}{index} shown?"} for index in range(4)]
    made = run_of(tmp_path, rows)
    exported(made, tmp_path / "first", form, splits=THIRDS, max_per_figure=2, seed=5)
    random.Random(1).shuffle(rows)
    made.export.write_text("".join(json.dumps(one) + "\n" for one in rows))
    exported(made, tmp_path / "second", form, splits=THIRDS, max_per_figure=2, seed=5)
    assert files(tmp_path / "first") == files(tmp_path / "second")
    exported(made, tmp_path / "third", form, splits=THIRDS, max_per_figure=2, seed=6)
    assert files(tmp_path / "first") != files(tmp_path / "third")


@pytest.mark.parametrize("form", FORMATS)
def test_no_byte_names_this_machine(tmp_path, form, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/jane-q-doe"))
    monkeypatch.chdir(tmp_path)
    rows = pairs(tmp_path, 2)
    inside = {
        "image_sources": [
            rows[0]["images"][0],
            "figs/a.pdf",
            "/home/jane-q-doe/private/b.png",
            "C:\\Users\\jane-q-doe\\c.png",
        ],
        "source": {
            "place": f"{tmp_path}/papers/main.tex:12",
            "message": "could not open /home/jane-q-doe/x/y.tex, sorry",
        },
        "steps": [{"tag": "t", "model": "/scratch/jane-q-doe/models/qwen", "prompt": "p@1"}],
    }
    rows[0] |= {
        "provenance": json.dumps(inside), "image": rows[0]["images"][0], "paper_path": f"{tmp_path}/papers/p0.tar",
        "caption": f"Saved in {tmp_path}/figures/f0.png, from /usr/share/doc.", "label": f"{tmp_path}/run",
    }  # fmt: skip
    exported(run_of(tmp_path, rows), tmp_path / "out", form)
    whole = b"\n".join(files(tmp_path / "out").values())
    if form in ("hf", "parquet"):
        from pyarrow import parquet

        (shard,) = (tmp_path / "out" / "data").glob("*.parquet")
        whole += json.dumps(parquet.read_table(shard).drop_columns("images").to_pylist()).encode()
    for named in (str(tmp_path), "jane-q-doe", tmp_path.name, f"/{getpass.getuser()}/"):
        assert named.encode() not in whole, named
    assert b"Saved in f0.png, from /usr/share/doc." in whole
    assert b"papers/main.tex:12" in whole and b"figs/a.pdf" in whole and b"qwen" in whole


def test_undecided_rows_are_told_never_exported_and_an_error_if_strict(tmp_path):
    rows = pairs(tmp_path, 2)
    made = RunFolder(tmp_path)
    made.note("vision_vote", "qa-0")
    made.note("vision_vote", "qa-1", "undecided", "timeout")
    made.note("vision_vote", "gone", "undecided", "timeout")
    made.end(rows)
    contents = exported(made, tmp_path / "out")
    assert ids(tmp_path / "out") == ["qa-0"]
    assert contents.undecided == 2 and contents.left_out == {"undecided": 1}
    assert "The run has 2 rows that are undecided" in (tmp_path / "out" / "README.md").read_text()
    with pytest.raises(UndecidedError, match="2 rows"):
        exported(made, tmp_path / "strict", strict=True)
    assert not (tmp_path / "strict").exists()


def test_only_what_most_reviewers_accepted(tmp_path):
    made = run_of(tmp_path, pairs(tmp_path, 5))
    votes = {"qa-0": [True], "qa-1": [True, False], "qa-2": [False], "qa-3": [True, True, False]}
    for row_id, given in votes.items():
        for rater, accepted in enumerate(given):
            answer = ratings.Rating(f"r{rater}", "audit", row_id, accepted=accepted)
            ratings.append(ratings.ratings_path(made.path), answer)
    changed = ratings.Rating("r0", "audit", "qa-0", accepted=True)
    ratings.append(ratings.ratings_path(made.path), changed)  # an answer again does not count twice
    ratings.append(ratings.ratings_path(made.path), ratings.Rating("r1", "verisciqa", "qa-2", {"overall_quality": 5}))
    contents = exported(made, tmp_path / "out", accepted=True)
    assert ids(tmp_path / "out") == ["qa-0", "qa-3"]
    assert contents.left_out == {"not_accepted": 3}


def test_a_missing_or_broken_image_refuses_its_row_alone(tmp_path):
    rows = pairs(tmp_path, 4)
    Path(rows[1]["images"][0]).unlink()
    whole = Path(rows[2]["images"][0]).read_bytes()
    Path(rows[2]["images"][0]).write_bytes(whole[: len(whole) // 2])
    rows[3]["images"] = [""]
    contents = exported(run_of(tmp_path, rows), tmp_path / "out")
    assert ids(tmp_path / "out") == ["qa-0"]
    assert contents.left_out == {"image": 3} and set(contents.broken_images) == {"qa-1", "qa-2", "qa-3"}
    assert "no such file" in contents.broken_images["qa-1"]


def test_images_of_a_run_folder_that_was_moved_are_found(tmp_path):
    made = RunFolder(tmp_path)
    image = Path(made.image("fig"))
    made.note("vision_vote", "qa-0")
    made.end([row(0, f"/nowhere/run/images/{image.name}")])
    exported(made, tmp_path / "out")
    assert ids(tmp_path / "out") == ["qa-0"]


def test_near_duplicate_questions_fall_and_the_cap_holds(tmp_path):
    image = picture(tmp_path, "i", 1)
    texts = ("Which of the methods in the figure has the highest accuracy?",
             "Which of the methods in the figure has the highest accuracy ?",
             "Which of the methods in the figure has the lowest accuracy?",
             "What is drawn in blue?", "How many bars are there?")  # fmt: skip
    answers = ("A", "A", "B", "C", "D")
    rows = [
        {**row(0, image), "row_id": f"q{place}", "question": text, "answer": answer}
        for place, (text, answer) in enumerate(zip(texts, answers, strict=True))
    ]
    made = run_of(tmp_path, rows)
    contents = exported(made, tmp_path / "out")
    assert len(ids(tmp_path / "out")) == 4 and contents.left_out == {"near_duplicate_question": 1}
    contents = exported(made, tmp_path / "capped", max_per_figure=2)
    assert len(ids(tmp_path / "capped")) == 2
    assert contents.left_out["over_the_limit"] + contents.left_out["near_duplicate_question"] == 3


def test_licences_are_chosen_and_counted(tmp_path):
    rows = pairs(tmp_path, 4)
    for one, licence in zip(rows, ("cc-by-4.0", "", "arxiv-nonexclusive-distrib-1.0", "cc0-1.0"), strict=True):
        one["licence"] = licence
    made = run_of(tmp_path, rows)
    contents = exported(made, tmp_path / "out", licences=("cc-by", "cc0"))
    assert ids(tmp_path / "out") == ["qa-0", "qa-3"] and contents.left_out == {"licence": 2}
    exported(made, tmp_path / "all")
    text = (tmp_path / "all" / "README.md").read_text()
    assert "| not known | 1 |" in text and "Of 1 rows the licence is not known" in text
    assert "license: other\n" in text


def test_the_card_tells_models_prompts_funnel_audit_and_limits(tmp_path):
    exported(run_of(tmp_path, pairs(tmp_path, 3), undecided=1), tmp_path / "out", "hf")
    text = (tmp_path / "out" / "README.md").read_text()
    assert "| vision_vote | seer-2 | verisciqa/vision_vote@abc | 3 |" in text
    assert "| after vision_vote | 3 |" in text
    assert "always the commonest letter" in text and "| Bar Chart | 1 |" in text and "| cs | 3 |" in text
    assert "## Known limits" in text


def test_rows_that_cannot_be_exported_are_named(tmp_path):
    claims = [{"row_id": "c", "paper_id": "p", "figure_id": "f", "images": ["x"], "claim": "It is."}]
    with pytest.raises(ValueError, match="the rows of this export are claims"):
        exported(run_of(tmp_path, claims), tmp_path / "out")
    with pytest.raises(ValueError, match="no row is left to export: 1 lacks what its kind consists of"):
        exported(run_of(tmp_path / "again", claims), tmp_path / "out", kind="pairs")


def test_an_answer_that_is_no_option_leaves_its_row_out(tmp_path):
    rows = pairs(tmp_path, 3)
    rows[1]["answer"], rows[2]["options"] = "E", ["only one"]
    assert exported(run_of(tmp_path, rows), tmp_path / "out").left_out == {"not_whole": 2}


def test_answered_questions_are_exported_as_pairs(tmp_path):
    rows = [{**one, "model_answer": "A", "answer_kind": "letter", "answer_correct": 1} for one in pairs(tmp_path, 1)]
    assert exported(run_of(tmp_path, rows), tmp_path / "out", "llava").kind == "pairs"
