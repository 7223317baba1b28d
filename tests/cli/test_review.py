from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import krippendorff
import pytest

from data_juicer_ext.cli.main import main
from data_juicer_ext.ratings.rating_file import Rating, append, ratings_path
from tests.review import folders


def started(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    """The command as people run it, and the address that it prints."""
    process = subprocess.Popen(
        [str(Path(sys.executable).parent / "dj-ext"), "review", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if line.startswith("http://"):
            return process, line.strip()
    raise AssertionError(said)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=20)
    return process.returncode, said


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    folder = folders.questions_run(tmp_path)
    process, address = started(str(folder.path), "--annotator", "Anna")
    try:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        with urllib.request.urlopen(f"{address}api/about", timeout=10) as answer:
            assert json.load(answer)["annotator"] == "Anna" and "server" not in answer.headers
    finally:
        code, said = ended(process)
    assert code == 0 and "Traceback" not in said and "Nothing was answered." in said


def test_at_its_end_it_says_where_the_answers_are(tmp_path: Path) -> None:
    folder = folders.questions_run(tmp_path)
    append(ratings_path(folder.path), Rating("Anna", "verisciqa", "q", {"overall_quality": 4}))
    process, _ = started(str(folder.path))
    _, said = ended(process)
    assert f"The answers: {ratings_path(folder.path)}\n" in said
    assert f"dj-ext review {folder.path} --agreement" in said


def test_elsewhere_it_has_a_token(tmp_path: Path) -> None:
    folder = folders.questions_run(tmp_path)
    process, address = started(str(folder.path), "--host", "0.0.0.0", "--mode", "audit")
    try:
        found = re.fullmatch(r"http://[^/]+:(\d+)/\?token=([\w-]{32,})", address)
        assert found is not None
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"http://127.0.0.1:{found[1]}/api/about", timeout=10)
        jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with jar.open(f"http://127.0.0.1:{found[1]}/?token={found[2]}", timeout=10) as answer:
            assert answer.url.endswith("/") and b"<title>" in answer.read()
        with jar.open(f"http://127.0.0.1:{found[1]}/api/about", timeout=10) as answer:
            assert json.load(answer)["mode"] == "audit"
    finally:
        assert ended(process)[0] == 0


def test_agreement_in_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(tmp_path), "--agreement"]) == 0
    assert "Nobody has rated anything yet." in capsys.readouterr().out
    table = {"Anna": [1, 2, 4, 5], "Bert": [1, 3, 4, 4]}
    for name, scores in table.items():
        for item, score in enumerate(scores):
            append(ratings_path(tmp_path), Rating(name, "siqa", f"r{item}", {"knowledge": score}))
    assert main(["review", str(tmp_path), "--agreement"]) == 0
    expected = krippendorff.alpha(reliability_data=list(table.values()), level_of_measurement="ordinal")
    assert re.search(rf"siqa +knowledge +{expected:.3f} +2 +4 +8\n", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--order", "disagreement"], "would tell how models have voted"),
        (["--sample", "-1"], "--sample -1"),
        (["--port", "70000"], "--port 70000"),
        (["--export", "gone.jsonl"], "there is no file or folder gone.jsonl"),
        (["--calibration", "gone.jsonl"], "there is no file gone.jsonl"),
        (["--mode", "audit", "--form", "siqa"], "are for --mode rate"),
        (["--calibration", __file__], "is for the form siqa, not for verisciqa"),
        (["--criteria", __file__], "is for the form scidiag, not for verisciqa"),
        (["--form", "scidiag"], "none of 4 rows can be rated with the form scidiag"),
        (["--token", "short"], "--token"),
        (["--annotator", "<b>"], "A name has"),
        (["--host", "192.0.2.1"], "192.0.2.1, port 0: "),
    ],
)
def test_wrong_use_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    folder = folders.questions_run(tmp_path)
    assert main(["review", str(folder.path), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_no_run_and_no_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(tmp_path)]) == 2
    folder = folders.questions_run(tmp_path / "a")
    folder.export.unlink()
    assert main(["review", str(folder.path)]) == 2
    assert main(["review", str(tmp_path / "gone"), "--agreement"]) == 2
    said = capsys.readouterr().err
    assert "holds no run" in said and "There is no export" in said and "there is no folder" in said
