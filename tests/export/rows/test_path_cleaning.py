from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.export.rows.path_cleaning import Cleaner

RUN = Path("/data/jane/runs/one")


@pytest.fixture
def cleaner(monkeypatch: pytest.MonkeyPatch) -> Cleaner:
    monkeypatch.setenv("HOME", "/home/jane")
    return Cleaner([RUN, Path("relative")])


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("/data/jane/runs/one/images/a.png", "images/a.png"),
        ("/data/jane/runs/one", ""),
        ("file:///data/jane/runs/one/x.tar.gz", "x.tar.gz"),
        ("/home/jane/papers/2101.00001.tar.gz", "papers/2101.00001.tar.gz"),
        ("/mnt/My Disk/papers/x.tar.gz", "x.tar.gz"),
        ("~/papers/x.pdf", "x.pdf"),
        ("C:\\Users\\Jane\\x.pdf", "x.pdf"),
        ("converted from /nfs/store/jane/fig.eps by gs", "converted from fig.eps by gs"),
        ("/data/jane/runs/one-and-more/y.png", "y.png"),
        ("sections/method.tex:14", "sections/method.tex:14"),
        ("https://arxiv.org/abs/2101.00001", "https://arxiv.org/abs/2101.00001"),
        ("verisciqa/vision_vote@abc", "verisciqa/vision_vote@abc"),
        ("and/or", "and/or"),
        ("1 / 2", "1 / 2"),
    ],
)
def test_paths_of_the_machine_go_out_of_what_nobody_wrote(given: str, left: str, cleaner: Cleaner) -> None:
    assert cleaner.path(given) == left


def test_a_row_is_cleaned_to_its_depth(cleaner: Cleaner) -> None:
    sentence = "We read /usr/local/lib/x.so, as Fig. 1 shows."
    provenance = {"archive": "/mnt/store/jane/a.tar.gz", "source": {"sentence": sentence, "place": "ms.tex:3"},
                  "steps": [{"model": "/home/jane/models/seer"}], "/data/jane/runs/one/k": 1}  # fmt: skip
    row: dict[str, Any] = {
        "row_id": "r", "images": ["/data/jane/runs/one/images/a.png"], "paper_path": "/x/y.tar", "__dj__stats__": {},
        "provenance": json.dumps(provenance), "question": "Is /usr/bin/env shown? \\frac", "options": ["/a/b", "c"],
        "caption": "From /data/jane/runs/one/images/a.png.", "own": "/srv/jane/x.csv", "number": 3, "nothing": None,
    }  # fmt: skip
    cleaned = cleaner.row(row)
    assert set(cleaned) == set(row) - {"images", "paper_path", "__dj__stats__"}
    assert json.loads(cleaned["provenance"]) == {
        "archive": "a.tar.gz", "source": {"sentence": sentence, "place": "ms.tex:3"},
        "steps": [{"model": "models/seer"}], "k": 1,
    }  # fmt: skip
    assert cleaned["question"] == row["question"] and cleaned["options"] == row["options"], "what a paper prints stays"
    assert cleaned["caption"] == "From images/a.png." and cleaned["own"] == "x.csv"
    assert cleaned["number"] == 3 and cleaned["nothing"] is None


def test_json_without_paths_stays_byte_for_byte(cleaner: Cleaner) -> None:
    text = '{"b":  [1, 2.0],"a": "é"}'
    assert cleaner.value(text) == text and cleaner.value("[not json") == "[not json"


def test_a_home_of_one_part_is_looked_for_where_nobody_wrote_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/root")
    cleaned = Cleaner([]).row({"question": "What is in /root/x?", "place": "/root/x"})
    assert cleaned == {"question": "What is in /root/x?", "place": "x"}


def test_a_user_without_a_home_can_export(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert Cleaner([RUN]).path("~/papers/x.pdf") == "x.pdf"


@pytest.mark.parametrize("text", ["{not JSON", "[" * 3000 + "]" * 3000, "[1", '{"a": 1', "{}x"])
def test_what_only_begins_like_json_is_text(text: str, cleaner: Cleaner) -> None:
    assert cleaner.row({"row_id": "a", "provenance": text})["provenance"] == text
