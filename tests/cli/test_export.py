from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.cli.export import _KINDS
from data_juicer_ext.cli.main import main
from data_juicer_ext.export.rows.row_kinds import KINDS
from tests.export.made_runs import lines, pairs, run_of
from tests.report.run_folders import RunFolder


@pytest.fixture
def made(tmp_path: Path) -> RunFolder:
    """A run that kept six pairs and left one row undecided."""
    return run_of(tmp_path, pairs(tmp_path, 6), undecided=1)


def run(made: RunFolder, out: str, *arguments: str) -> int:
    return main(["export", str(made.path), "--out", str(made.path.parent / out), *arguments])


@pytest.mark.parametrize("form", ["hf", "ms-swift", "llava", "openai", "parquet", "jsonl"])
def test_one_command_makes_each_format(form: str, made: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(made, "out", "--format", form) == 0
    shown = capsys.readouterr().out
    assert f"6 pairs, 6 images, as {form}" in shown and "train: 4 rows of 4 papers, 4 figures" in shown
    assert "1 rows of the run are undecided and not exported" in shown
    assert shown.endswith(f"{made.path.parent / 'out'}\n") and (made.path.parent / "out" / "README.md").is_file()


def test_strict_ends_with_one_and_writes_nothing(made: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(made, "out", "--format", "hf", "--strict") == 1
    assert "1 rows of the run are undecided" in capsys.readouterr().err
    assert not (made.path.parent / "out").exists()


def test_only_accepted_rows_go_out(made: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    votes = {"qa-0": "yy", "qa-1": "yn", "qa-2": "n", "refused": "y"}
    said = [
        {"annotator": f"n{place}", "form": "audit", "row_id": row_id, "ratings": {}, "accepted": vote == "y"}
        for row_id, given in votes.items()
        for place, vote in enumerate(given)
    ]
    (made.path / "review").mkdir()
    (made.path / "review" / "ratings.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))
    assert run(made, "out", "--format", "jsonl", "--accepted", "--splits", "train=1") == 0
    assert [one["row_id"] for one in lines(made.path.parent / "out" / "train.jsonl")] == ["qa-0"]
    shown = capsys.readouterr().out
    assert "5 not accepted by most reviewers" in shown and "1 accepted rows are not among the kept ones" in shown
    assert "accepted by most reviewers" in (made.path.parent / "out" / "README.md").read_text()


def test_a_missing_image_is_named_on_the_screen(made: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    Path(lines(made.export)[0]["images"][0]).unlink()
    assert run(made, "out", "--format", "jsonl") == 0
    shown = capsys.readouterr().out
    assert "left out: 1 with an image that is missing" in shown and "  qa-0: f0.png: no such file" in shown


def test_rows_without_a_run_can_be_named(made: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["export", str(tmp_path / "none"), "--out", str(tmp_path / "out"), "--format", "llava"]
    assert main([*arguments, "--export", str(made.export)]) == 0
    assert "No run was found" in capsys.readouterr().out
    assert main(arguments) == 2 and "holds no run" in capsys.readouterr().err


def test_an_export_is_replaced_only_on_demand(made: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(made, "out", "--format", "hf") == 0
    assert run(made, "out", "--format", "jsonl") == 2 and "take --overwrite" in capsys.readouterr().err
    assert run(made, "out", "--format", "jsonl", "--overwrite") == 0
    assert not (made.path.parent / "out" / "data").exists()


def test_an_interrupt_leaves_nothing_and_says_so(
    made: RunFolder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("data_juicer_ext.export.export_run._write", interrupted)
    assert run(made, "out", "--format", "hf") == 130
    assert "nothing was written" in capsys.readouterr().err
    assert not (made.path.parent / "out").exists() and not list(made.path.parent.glob(".out*"))


def test_the_current_folder_will_do_if_it_is_empty(made: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    (made.path.parent / "here").mkdir()
    monkeypatch.chdir(made.path.parent / "here")
    assert main(["export", str(made.path), "--out", ".", "--format", "jsonl"]) == 0
    assert (made.path.parent / "here" / "README.md").is_file()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--format", "hf", "--splits", "train=2"), "--splits train=2"),
        (("--format", "openai", "--images", "copy"), "means nothing to the API"),
        (("--format", "hf", "--licences", "mit"), "no row has one of these"),
        (("--format", "hf", "--licences", ""), "--licences is empty"),
        (("--format", "hf", "--max-per-figure", "-1"), "--max-per-figure -1"),
        (("--format", "hf", "--near-questions", "2"), "--near-questions 2"),
        (("--format", "hf", "--workers", "-1"), "--workers -1"),
        (("--format", "hf", "--export", "/no/such"), "there is no file or folder /no/such"),
        (("--format", "hf", "--kind", "siqa-s"), "no row has the columns that it needs"),
    ],
)
def test_wrong_use_is_told(
    arguments: tuple[str, ...], says: str, made: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(made, "out", *arguments) == 2
    assert says in capsys.readouterr().err
    assert not (made.path.parent / "out").exists() and not list(made.path.parent.glob(".out*"))


def test_rows_of_no_kind_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claims: list[dict[str, Any]] = [{"row_id": "c", "claim": "It rises.", "images": ["a.png"]}]
    assert run(run_of(tmp_path, claims), "out", "--format", "hf") == 2
    assert "the rows are claims, which can't be exported" in capsys.readouterr().err


def test_kinds_are_those_that_there_are() -> None:
    assert set(_KINDS) == set(KINDS)


def test_strict_needs_the_run(made: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["export", str(tmp_path / "none"), "--out", str(tmp_path / "out"), "--format", "hf", "--strict"]
    assert main([*arguments, "--export", str(made.export)]) == 2
    assert "--strict needs the run folder" in capsys.readouterr().err
