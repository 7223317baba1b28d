from data_juicer_ext.cli import main
from tests.export.made_runs import lines, pairs, run_of


def test_the_command_exports_and_says_what_it_left_out(tmp_path, capsys):
    rows = pairs(tmp_path, 4)
    rows[1]["licence"] = ""
    made = run_of(tmp_path, rows, undecided=3)
    out = tmp_path / "out"
    asked = ["export", str(made.path), "--format", "ms-swift", "--out", str(out), "--licences", "cc-by*"]
    assert main([*asked, "--splits", "train=0.5,test=0.5"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("3 pairs\n") and "undecided in the run: 3 (never exported)" in shown
    assert "1 of another licence than asked for" in shown and shown.endswith(f"{out}\n")
    assert len(lines(out / "train.jsonl")) + len(lines(out / "test.jsonl")) == 3
    assert main(asked) == 2
    assert "take --overwrite" in capsys.readouterr().err
    assert main([*asked, "--overwrite"]) == 0


def test_strict_ends_with_1_and_writes_nothing(tmp_path, capsys):
    made = run_of(tmp_path, pairs(tmp_path, 1), undecided=1)
    assert main(["export", str(made.path), "--format", "hf", "--out", str(tmp_path / "out"), "--strict"]) == 1
    assert "1 rows of the run are undecided" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_wrong_use_is_told(tmp_path, capsys):
    made = run_of(tmp_path, pairs(tmp_path, 1))
    asked = ["export", str(made.path), "--format", "hf", "--out", str(tmp_path / "out")]
    for extra, told in (
        (["--splits", "train=2"], "--splits train=2"),
        (["--licences", "gpl"], "--licences: 'gpl' is none of"),
        (["--max-per-figure", "-1"], "--max-per-figure -1"),
        (["--workers", "0"], "--workers 0"),
        (["--export", str(tmp_path / "none")], "there is no file or folder"),
    ):
        assert main([*asked, *extra]) == 2
        assert told in capsys.readouterr().err
