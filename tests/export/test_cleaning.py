import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.export.cleaning import Cleaner

CLEANER = Cleaner([Path("/data/lab/run"), Path("/x")])


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("/data/lab/run/images/a.png", "images/a.png"),
        ("file:///data/lab/run/images/a.png", "images/a.png"),
        ("/somewhere/else/a.png", "a.png"),
        ("~/own/a.png", "a.png"),
        ("D:\\sets\\a.png", "a.png"),
        ("see /home/jo/t/a.png: broken", "see a.png: broken"),
        ("main.tex:3", "main.tex:3"),
        ("a/b/c.png", "a/b/c.png"),
        ("https://example.org/home/jo/x", "https://example.org/home/jo/x"),
    ],
)
def test_paths_of_machines_go(given, left):
    assert CLEANER.value(given) == left
    assert CLEANER.value(json.dumps({"k": [given]})) == json.dumps({"k": [left]})


def test_what_papers_say_stays_but_for_folders_of_this_run():
    text = "Stored in /home/alice/data, \\alpha/\\beta and /data/lab/run/a.png, not /data/lab/runner."
    assert CLEANER.row({"caption": text})["caption"] == text.replace("/data/lab/run/a.png", "a.png")


@given(st.text(alphabet='{}[]":,\\/ab1 \n', max_size=40))
def test_text_without_paths_is_left_byte_for_byte(text):
    relative = text.replace("/", "|").replace(":", ";")
    assert CLEANER.value(relative) == relative
