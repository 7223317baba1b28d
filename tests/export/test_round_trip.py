"""Every field comes back from every format, whatever characters are in it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from data_juicer_ext.export.formats.format_samples import opened
from data_juicer_ext.export.formats.trainer_tokens import unescape
from data_juicer_ext.rows import scrub
from tests.export.made_runs import HARD, exported, lines, picture, row, run_of

PIECES = ("", " ", "\\", "\\frac{a}{b}", '"', "'", "{", "[", "}", "📈", "שלום", "عالم", "\u202e", "\u2028", "\u2029",
          "\x85", "\r\n", "\t", "\x00", "\x1b", "\ud800", "\udfff", "\ufeff", "<image>", "<\\image>", "<|image_pad|>",
          "</s>", "[/INST]", "ASSISTANT:", "%s", "null", "NaN", "x" * 3000, "2024-05-01", HARD)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=5).map("".join)
asked = texts.map(lambda text: f"{text}?")
nested = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts.map(scrub),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts.map(scrub), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A picture for all rows."""
    return picture(tmp_path_factory.mktemp("pictures"), "a", 1)


def clean(value: Any) -> Any:
    """A value as rows hold it: without control characters and lone surrogates."""
    if isinstance(value, list):
        return [clean(item) for item in value]
    return scrub(value) if isinstance(value, str) else value


@settings(max_examples=12, deadline=None)
@given(
    written=st.fixed_dictionaries(
        {"question": asked, "options": st.lists(texts, min_size=2, max_size=4), "caption": texts, "rationale": texts,
         "context": texts, "claim": texts | st.none()}
    ),
    provenance=st.dictionaries(st.sampled_from(("source", "steps", "more")), nested, max_size=3),
    row_id=texts.map(lambda text: f"id-{text}"),
)  # fmt: skip
def test_every_field_comes_back(written: dict[str, Any], provenance: dict[str, Any], row_id: str, image: str) -> None:
    given_row = {**row(0, image), "answer": "A", **written, "row_id": row_id, "provenance": json.dumps(provenance)}
    given_row = json.loads(json.dumps(given_row))  # as a file brings it: two halves of a character are that character
    wanted = {name: clean(value) for name, value in given_row.items() if name != "images"}
    plain = {**opened(wanted), "provenance": provenance}
    with tempfile.TemporaryDirectory() as folder:
        run = run_of(Path(folder), [given_row])
        for form in ("hf", "parquet", "jsonl", "ms-swift", "llava", "openai"):
            exported(run, Path(folder) / form, form, caption=True, rationale=True)
        for form in ("hf", "parquet"):
            (one,) = parquet.read_table(Path(folder) / form / "data").to_pylist()
            assert {**one, "provenance": json.loads(one["provenance"])} == {
                **wanted, "provenance": provenance, "images": one["images"],
                **({"image_files": one["image_files"]} if form == "parquet" else {}),
            }  # fmt: skip
        (one,) = lines_of(Path(folder) / "jsonl" / "train.jsonl")
        assert {name: one[name] for name in plain} == plain
        for form in ("ms-swift", "llava", "openai"):
            (one,) = lines_of(Path(folder) / form / "provenance.jsonl")
            assert {name: one[name] for name in plain} == plain
        said = dialogues_in(Path(folder))
        assert said["ms-swift"] == said["llava"] == said["openai"]
        question, answer = said["openai"]
        assert wanted["question"] in question and all(option in question for option in wanted["options"])
        assert answer.endswith("A") and wanted["rationale"].strip() in answer


@pytest.mark.parametrize("form", ["jsonl", "ms-swift"])
def test_a_lone_surrogate_in_a_nested_value_costs_nothing_else(form: str, image: str, tmp_path: Path) -> None:
    rows = [{**row(0, image), "provenance": json.dumps({"source": "a\ud800b", "page": 3})}]
    exported(run_of(tmp_path, rows), tmp_path / "out", form)
    (one,) = lines_of(tmp_path / "out" / ("train.jsonl" if form == "jsonl" else "provenance.jsonl"))
    assert one["provenance"] == {"source": "ab", "page": 3}


def lines_of(path: Path) -> list[dict[str, Any]]:
    """A JSON Lines file, which readers that end lines elsewhere take for the same."""
    assert len(path.read_text(encoding="utf-8").splitlines()) == path.read_bytes().count(b"\n")
    return lines(path)


def dialogues_in(folder: Path) -> dict[str, list[str]]:
    """The one question and answer of each dialogue format, as they were before any escape."""
    swift = lines_of(folder / "ms-swift" / "train.jsonl")[0]["messages"]
    llava = json.loads((folder / "llava" / "train.json").read_text(encoding="utf-8"))[0]["conversations"]
    chat = lines_of(folder / "openai" / "train.jsonl")[0]["messages"]
    assert swift[0]["content"].count("<image>") == llava[0]["value"].count("<image>") == 1
    return {
        "ms-swift": [unescape(swift[0]["content"].removeprefix("<image>")), unescape(swift[1]["content"])],
        "llava": [unescape(llava[0]["value"].removeprefix("<image>\n")), unescape(llava[1]["value"])],
        "openai": [chat[0]["content"][-1]["text"], chat[1]["content"]],
    }
