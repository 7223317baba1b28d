from __future__ import annotations

import argparse
import errno
import subprocess
import sys
from pathlib import Path

import pytest

from data_juicer_ext.cli import main as module
from data_juicer_ext.cli import summary
from data_juicer_ext.errors import DjExtError, UsageError


def command_raises(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def run(given: argparse.Namespace) -> int:
        raise error

    parser = argparse.ArgumentParser()
    parser.set_defaults(run=run)
    monkeypatch.setattr(module, "_parser", lambda: parser)


@pytest.mark.parametrize(
    "error",
    [UsageError("--size 0: write 1 or more"), DjExtError("--size 0: write 1 or more"),
     OSError(errno.EIO, "--size 0: write 1 or more")],
)  # fmt: skip
def test_what_a_user_can_put_right_is_one_line(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command_raises(monkeypatch, error)
    assert module.main([]) == 2
    said = capsys.readouterr().err
    assert said.startswith("dj-ext: ") and said.endswith("--size 0: write 1 or more\n") and said.count("\n") == 1


@pytest.mark.parametrize("defect", [ValueError("too many values to unpack"), KeyError("row_id"), TypeError("None")])
def test_a_defect_is_not_taken_for_a_users_mistake(defect: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    command_raises(monkeypatch, defect)
    with pytest.raises(type(defect)) as caught:
        module.main([])
    assert caught.value is defect


DEFECT = """
import sys
from data_juicer_ext.cli import main, summary
def broken(given):
    raise ValueError("a defect")
summary._summary = broken
sys.argv = ["dj-ext", "summary"]
sys.exit(main.main())
"""


def test_a_defect_shows_its_traceback_and_fails() -> None:
    assert callable(summary._summary)
    ended = subprocess.run([sys.executable, "-c", DEFECT], capture_output=True, text=True, check=False)
    assert ended.returncode not in (0, 2)
    assert "Traceback (most recent call last)" in ended.stderr and "in broken" in ended.stderr


MISTAKES = {
    "a recipe that is no text": ["run", "{binary}"],
    "a recipe with a date that is none": ["run", "{date}"],
    "rows that are no Parquet": ["balance", "{parquet}", "--out", "out.jsonl"],
    "a broken line": ["split", "{torn}", "--out", "out"],
    "no such file": ["split", "nothing.jsonl", "--out", "out"],
    "a count that is no number": ["split", "{nan}", "--size", "1", "--out", "out"],
    "a model parameter that is no mapping": [
        "diagram", "criteria", "--out", "c.yaml", "--model-params", "2024-99-99", "--api-model", "offline",
    ],
    "a run whose note is broken": ["summary", "{run}"],
    "an address where a path is meant": ["balance", "s3://bucket/rows.jsonl", "--out", "out.jsonl"],
}  # fmt: skip


@pytest.mark.parametrize("command", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_that_only_show_when_a_file_is_read(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "binary": b"\xff\xfe\x00", "date": b"process: 2024-99-99\n", "parquet.parquet": b"no parquet",
        "torn": b'{"paper_id": "p"\n', "nan": b'{"paper_id": "p", "venue": "v", "annotator_count": NaN}\n',
        "run/runs/1.json": b"{", "run/ledger/1.host.1.jsonl": b'{"row_id": "r"}\n',
    }  # fmt: skip
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    named = {name.split(".")[0].split("/")[0]: str(tmp_path / name.split("/")[0]) for name in files}
    assert module.main([word.format(**named) for word in command]) in (1, 2)
    said = capsys.readouterr()
    assert (said.err or said.out).strip()
