from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from data_juicer_ext.ratings.rating_file import Rating, RatingsFile, append, ratings_path, read_ratings

WHOLE = Rating("Anna", "verisciqa", "qa-1", {"overall_quality": 4}, "fair", None, 3, 12.5, "2026-01-02T03:04:05+00:00")
ENDLESS = """
import sys
from pathlib import Path
from data_juicer_ext.ratings.rating_file import Rating, append
number = 0
while True:
    append(Path(sys.argv[1]), Rating("Anna", "quality", f"r-{number}", {"VC": 5}, "x" * 20_000))
    print(number, flush=True)
    number += 1
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return ratings_path(tmp_path)


def test_the_line_has_the_documented_keys(path: Path) -> None:
    append(path, WHOLE)
    assert json.loads(path.read_text()) == {
        "time": "2026-01-02T03:04:05+00:00", "annotator": "Anna", "form": "verisciqa", "row_id": "qa-1", "item": 3,
        "seconds": 12.5, "ratings": {"overall_quality": 4}, "reason": "fair",
    }  # fmt: skip
    assert read_ratings(path) == [WHOLE]


def test_what_only_some_forms_have(path: Path) -> None:
    given = [
        Rating("A", "audit", "r", {}, "wrong", False, time="t"),
        Rating("A", "siqa", "c", {"perception": 3}, time="t", calibration=True, round=2),
        Rating("A", "scidiag", "d", {"overall": -1, "criteria": {"VOL": 2}}, time="t", shown_first="reference"),
    ]
    for rating in given:
        append(path, rating)
    assert read_ratings(path) == given
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["accepted"] is False and "accepted" not in lines[1]
    assert (lines[1]["calibration"], lines[1]["round"]) == (True, 2)
    assert lines[2]["shown_first"] == "reference"


def test_the_last_line_of_annotator_form_and_row_counts(path: Path) -> None:
    for score, annotator, form, row in ((1, "A", "siqa", "r"), (2, "B", "siqa", "r"), (3, "A", "quality", "r"),
                                        (4, "A", "siqa", "s"), (5, "A", "siqa", "r")):  # fmt: skip
        append(path, Rating(annotator, form, row, {"x": score}))
    assert [rating.ratings["x"] for rating in read_ratings(path)] == [2, 3, 4, 5]


def test_lines_that_are_no_answers_do_not_count(path: Path) -> None:
    path.parent.mkdir()
    good = {"annotator": "A", "form": "siqa", "row_id": "r", "ratings": {}}
    lines = ["", "[]", "nonsense", '{"annotator": "A"}', json.dumps({**good, "annotator": 5}),
             json.dumps({**good, "ratings": 5}),
             json.dumps({**good, "seconds": "long", "item": None, "accepted": "yes"}),
             '{"annotator": "A", "form'[:-1]]  # fmt: skip
    path.write_text("\n".join(lines))
    [rating] = read_ratings(path)
    assert (rating.key, rating.seconds, rating.item, rating.accepted) == (("A", "siqa", "r"), 0.0, 0, None)


def test_there_is_no_file_yet(path: Path) -> None:
    assert read_ratings(path) == [] and dict(RatingsFile(path).latest()) == {}


def test_two_servers_see_each_others_answers(path: Path) -> None:
    one, other = RatingsFile(path), RatingsFile(path)
    one.append(Rating("A", "siqa", "r", {"perception": 1}))
    assert other.latest()["A", "siqa", "r"].ratings == {"perception": 1}
    other.append(Rating("A", "siqa", "r", {"perception": 2}))
    assert one.latest()["A", "siqa", "r"].ratings == {"perception": 2}


def test_what_was_appended_before_a_kill_is_there(path: Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    told = [int(writer.stdout.readline()) for _ in range(5)][-1]
    os.kill(writer.pid, signal.SIGKILL)
    told = max([told, *map(int, writer.stdout.read().split())])
    writer.wait()
    append(path, Rating("Bert", "quality", "after", {"VC": 1}))
    found = read_ratings(path)
    assert {f"r-{number}" for number in range(told + 1)} <= {rating.row_id for rating in found}
    assert found[-1].row_id == "after" and all(len(rating.reason) in (0, 20_000) for rating in found)
