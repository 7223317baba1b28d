"""The files that trainers read, held against what the tools' own documents say of them."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from openai.types.chat import ChatCompletionMessageParam
from PIL import Image
from pydantic import TypeAdapter

from data_juicer_ext import __version__
from data_juicer_ext.export.formats import json_files
from data_juicer_ext.export.formats.format_samples import opened
from data_juicer_ext.export.formats.trainer_tokens import unescape
from tests.export.made_runs import HARD, exported, files, lines, pairs, picture, row, run_of

TEXT = {"type": "string", "minLength": 1}
# https://swift.readthedocs.io/en/latest/Customization/Custom-dataset.html: "messages" is required, of roles and texts;
# "images" are paths, URLs or Base64; <image> stands where an image goes; other keys are left out.
MS_SWIFT = {
    "type": "object",
    "required": ["messages", "images"],
    "properties": {
        "messages": {
            "type": "array", "minItems": 2,
            "items": {"type": "object", "required": ["role", "content"], "additionalProperties": False,
                      "properties": {"role": {"enum": ["system", "user", "assistant"]}, "content": TEXT}},
        },
        "images": {"type": "array", "minItems": 1, "items": TEXT},
        "row_id": TEXT,
    },
    "additionalProperties": False,
}  # fmt: skip
# https://github.com/haotian-liu/LLaVA/blob/main/docs/Finetune_Custom_Data.md: a list of all samples with id, image (a
# path) and conversations between human and gpt. LLaVA-NeXT's train.py also takes a list of paths.
LLAVA = {
    "type": "array",
    "items": {
        "type": "object", "required": ["id", "image", "conversations"], "additionalProperties": False,
        "properties": {
            "id": TEXT,
            "image": {"oneOf": [TEXT, {"type": "array", "minItems": 2, "items": TEXT}]},
            "conversations": {
                "type": "array", "minItems": 2, "maxItems": 2,
                "prefixItems": [
                    {"properties": {"from": {"const": "human"}, "value": {"pattern": "^<image>\\n"}}},
                    {"properties": {"from": {"const": "gpt"}, "value": TEXT}},
                ],
                "items": {"type": "object", "required": ["from", "value"],
                          "properties": {"from": {}, "value": {}}, "additionalProperties": False},
            },
        },
    },
}  # fmt: skip
# https://developers.openai.com/api/docs/guides/vision-fine-tuning: messages with parts of type text and image_url;
# images are HTTP or data URLs, JPEG, PNG or WEBP, RGB or RGBA, at most 10 MB each and 10 an example, and never the
# assistant's.
OPENAI = {
    "type": "object", "required": ["messages"], "additionalProperties": False,
    "properties": {"messages": {
        "type": "array", "minItems": 2, "maxItems": 2,
        "prefixItems": [
            {"required": ["role", "content"], "properties": {
                "role": {"const": "user"},
                "content": {"type": "array", "minItems": 2, "maxItems": 11, "items": {"oneOf": [
                    {"type": "object", "required": ["type", "text"], "additionalProperties": False,
                     "properties": {"type": {"const": "text"}, "text": TEXT}},
                    {"type": "object", "required": ["type", "image_url"], "additionalProperties": False,
                     "properties": {"type": {"const": "image_url"}, "image_url": {
                         "type": "object", "required": ["url"],
                         "properties": {"url": {"pattern": "^data:image/(png|jpeg|webp);base64,"},
                                        "detail": {"enum": ["low", "high", "auto"]}}}}},
                ]}}}},
            {"required": ["role", "content"],
             "properties": {"role": {"const": "assistant"}, "content": TEXT}},
        ],
    }},
}  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """A run with plain rows, one whose every text is hard, and one of two images."""
    rows = pairs(tmp_path, 3)
    hard = picture(tmp_path / "figures", "hard", 90)
    texts = {"caption": HARD, "rationale": HARD, "claim": HARD}
    rows.append({**row(7, hard, options=[HARD, "b", "c", "d"], answer="A", **texts), "question": HARD})
    rows.append(row(8, hard, options=["a", "b"], answer="A"))
    rows[-1]["images"] = [picture(tmp_path / "figures", f"panel{n}", 70 + n) for n in range(2)]
    return run_of(tmp_path, rows)


def by_id(folder: Path) -> dict[str, dict[str, Any]]:
    return {one["row_id"]: one for one in lines(folder / "provenance.jsonl")}


def asked(one: dict[str, Any]) -> str:
    """What a user is asked in a dialogue about `one`, before any escape."""
    options = (f"{'ABCD'[place]}. {text}" for place, text in enumerate(one["options"]))
    return "\n".join([one["question"], *options, "Answer with the letter of the right option."])


def checked_images(folder: Path, paths: list[str]) -> Iterator[Image.Image]:
    for path in paths:
        assert re.fullmatch(r"images/[0-9a-f]{64}\.(png|jpg)", path), "relative, and named by content alone"
        with Image.open(folder / path) as image:
            image.load()
            yield image


def test_ms_swift(run: Any, tmp_path: Path) -> None:
    exported(run, tmp_path / "out", "ms-swift")
    rows, samples = by_id(tmp_path / "out"), lines(tmp_path / "out" / "train.jsonl")
    assert len(samples) == len(rows) == 5
    for sample in samples:
        jsonschema.validate(sample, MS_SWIFT)
        user, assistant = (message["content"] for message in sample["messages"])
        assert user.count("<image>") == len(sample["images"]) and "<image>" not in assistant
        assert not re.search(r"<\|[^|]*\|>|<(video|audio|bbox|ref-object|img)>", user)
        one = rows[sample["row_id"]]
        assert unescape(user.removeprefix("<image>" * len(sample["images"]))) == asked(one)
        assert assistant == one["answer"] and len(list(checked_images(tmp_path / "out", sample["images"]))) > 0
        assert one["images"] == sample["images"]


def test_ms_swift_with_images_inside(run: Any, tmp_path: Path) -> None:
    exported(run, tmp_path / "out", "ms-swift", images="embed")
    for sample in lines(tmp_path / "out" / "train.jsonl"):
        jsonschema.validate(sample, MS_SWIFT)
        # The form that ms-swift's load_file takes apart: swift/llm/template/vision_utils.py.
        found = [re.fullmatch(r"data:(.+?);base64,(.+)", image) for image in sample["images"]]
        assert all(one and Image.open(io.BytesIO(base64.b64decode(one[2]))).size for one in found)
    assert not (tmp_path / "out" / "images").exists()


def test_llava(run: Any, tmp_path: Path) -> None:
    exported(run, tmp_path / "out", "llava")
    assert (tmp_path / "out" / "train.json").read_bytes().isascii(), "LLaVA reads in the encoding of its machine"
    samples = json.loads((tmp_path / "out" / "train.json").read_text(encoding="utf-8"))
    jsonschema.validate(samples, LLAVA)
    rows = by_id(tmp_path / "out")
    assert [sample["id"] for sample in samples] == sorted(rows)
    for sample in samples:
        human, gpt = (turn["value"] for turn in sample["conversations"])
        images = sample["image"] if isinstance(sample["image"], list) else [sample["image"]]
        assert human.count("<image>") == len(images) == len(list(checked_images(tmp_path / "out", images)))
        # LLaVA takes all placeholders out of a turn that has one, and puts one back at its start.
        text = human.replace("<image>", "").strip()
        assert unescape(text) == asked(rows[sample["id"]]).strip() and gpt == rows[sample["id"]]["answer"]
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "1 rows have several images" in card and "LLaVA 1.5 does not" in card


def test_openai(run: Any, tmp_path: Path) -> None:
    exported(run, tmp_path / "out", "openai")
    rows, samples = by_id(tmp_path / "out"), lines(tmp_path / "out" / "train.jsonl")
    takes = TypeAdapter(list[ChatCompletionMessageParam])
    at = {(of["file"], of["line"]): one for one in rows.values() for of in one["samples"]}
    for line, sample in enumerate(samples, 1):
        jsonschema.validate(sample, OPENAI)
        takes.validate_python(sample["messages"])
        *images, text = sample["messages"][0]["content"]
        one = at["train.jsonl", line]
        assert text["text"] == asked(one), "nothing is escaped: images are parts of their own"
        assert len(images) == len(one["images"])
        for image in images:
            data = base64.b64decode(image["image_url"]["url"].partition("base64,")[2], validate=True)
            with Image.open(io.BytesIO(data)) as decoded:
                assert decoded.mode in ("RGB", "RGBA") and decoded.format in ("PNG", "JPEG", "WEBP")
    assert "images" not in {path.name for path in (tmp_path / "out").iterdir()}


def test_openai_files_and_examples_keep_to_the_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pairs(tmp_path, 5)
    rows[4]["images"] = rows[4]["images"] * 11
    monkeypatch.setattr(json_files, "CHAT_EXAMPLES", 3)
    made = exported(run_of(tmp_path, rows), tmp_path / "out", "openai")
    assert made.left_out.counts() == {"too_many_images": 1}
    assert made.files == {"train": ["train.jsonl", "train-2.jsonl"]}
    assert [len(lines(tmp_path / "out" / name)) for name in made.files["train"]] == [3, 1]
    places = [of for one in lines(tmp_path / "out" / "provenance.jsonl") for of in one["samples"]]
    assert [(of["file"], of["line"]) for of in places] == [
        *(("train.jsonl", n) for n in (1, 2, 3)),
        ("train-2.jsonl", 1),
    ]
    monkeypatch.setattr(json_files, "CHAT_FILE_BYTES", 3000)
    exported(run_of(tmp_path / "b", pairs(tmp_path, 4)), tmp_path / "small", "openai")
    assert len(list((tmp_path / "small").glob("train*.jsonl"))) == 4, "a sample alone may be larger than the limit"


def test_every_column_comes_back_from_the_sidecar(run: Any, tmp_path: Path) -> None:
    exported(run, tmp_path / "out", "ms-swift")
    told = by_id(tmp_path / "out")
    for given in lines(run.export):
        one = told[given["row_id"]]
        for name in set(given) - {"images", "provenance", "image_flags"}:
            assert one[name] == given[name], name
        assert one["provenance"] == json.loads(given["provenance"]) and one["image_flags"] == []
        assert one["split"] == "train" and one["samples"][0]["id"] == given["row_id"]


def test_rated_images_are_two_dialogues_a_row(tmp_path: Path) -> None:
    rated = [
        {"row_id": f"figure-{n}", "images": [picture(tmp_path / "f", f"{n}", n)], "licence": "", "provenance": "{}",
         "rating": "{}", "rating_perception": 1.0 + n, "rating_knowledge": 5.0, "rating_mean": 3.0}
        for n in range(3)
    ]  # fmt: skip
    exported(run_of(tmp_path, rated), tmp_path / "out", "llava")
    samples = json.loads((tmp_path / "out" / "train.json").read_text())
    jsonschema.validate(samples, LLAVA)
    levels = {sample["id"]: sample["conversations"][1]["value"] for sample in samples}
    assert levels == {"figure-0-perception": "Bad", "figure-1-perception": "Poor", "figure-2-perception": "Fair",
                      **{f"figure-{n}-knowledge": "Excellent" for n in range(3)}}  # fmt: skip
    (first, *_) = lines(tmp_path / "out" / "provenance.jsonl")
    assert [of["line"] for of in first["samples"]] == [1, 2]


def test_scored_figures_are_released_as_lines(tmp_path: Path) -> None:
    quality = {"protocol": "agent", "run_id": "F3", "models": ["seer"], "call_budget": 3, "severity": "none",
               "scores": {"VC": 8, "SL": 7, "C": None, "CTX": 6, "MR": 9}, "overall": 7.5,
               "reasons": {"VC": "Sharp \\alpha."}, "reports": {"vision": {"facts": {"axes": ["x"]}}},
               "caps": {"C": None}, "gate": {"gated": ["C"]}}  # fmt: skip
    scored = {"row_id": "figure-1", "paper_id": "p", "figure_id": "f", "images": [picture(tmp_path / "f", "a", 1)],
              "licence": "cc-by-4.0", "venue": "ACL", "year": "2024", "caption": "C", "context": "T",
              "quality": json.dumps(quality), "quality_overall": 7.5, "quality_C": 0.0, "provenance": "{}"}  # fmt: skip
    run = run_of(tmp_path, [scored])
    made = exported(run, tmp_path / "out", "jsonl")
    (one,) = lines(tmp_path / "out" / "train.jsonl")
    assert {name: one[name] for name in quality} == quality and one["venue"] == "ACL"
    assert "quality_C" not in one, "a gated dimension is null, never 0"
    assert made.contents.scores == {
        "VC": (1, 8.0),
        "SL": (1, 7.0),
        "CTX": (1, 6.0),
        "MR": (1, 9.0),
        "overall": (1, 7.5),
    }
    for form in ("ms-swift", "llava", "openai"):
        with pytest.raises(ValueError, match="--format jsonl, hf or parquet"):
            exported(run, tmp_path / form, form)
        assert not (tmp_path / form).exists()


def test_lines_hold_for_readers_that_split_at_other_ends(tmp_path: Path) -> None:
    rows = [{**row(0, picture(tmp_path / "f", "a", 0)), "question": "a\u2028b\u2029c\x85d?"}]
    exported(run_of(tmp_path, rows), tmp_path / "out", "ms-swift")
    text = files(tmp_path / "out")["train.jsonl"].decode()
    assert len(text.splitlines()) == 1 and "a\u2028b\u2029c" in json.loads(text)["messages"][0]["content"]


def test_metadata_of_images_goes_nowhere(tmp_path: Path) -> None:
    from PIL import PngImagePlugin

    path = Path(picture(tmp_path / "f", "a", 0))
    about = PngImagePlugin.PngInfo()
    about.add_text("Software", "/home/jane/draw.py")
    Image.open(path).save(path, pnginfo=about)
    for form in ("ms-swift", "openai", "hf", "parquet"):
        exported(run_of(tmp_path / form, [row(0, str(path))]), tmp_path / f"out-{form}", form)
        for data in files(tmp_path / f"out-{form}").values():
            decoded = b"".join(map(base64.b64decode, re.findall(rb"base64,([\w+/=]+)", data)))
            assert b"jane" not in data and b"jane" not in decoded
    assert b"jane" in path.read_bytes()


def test_a_file_for_openai_is_full_at_the_limit_to_the_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path, pairs(tmp_path, 3))
    exported(run, tmp_path / "whole", "openai")
    size = (tmp_path / "whole" / "train.jsonl").stat().st_size
    for limit, count in ((size, 1), (size - 1, 2)):
        monkeypatch.setattr(json_files, "CHAT_FILE_BYTES", limit)
        made = exported(run, tmp_path / f"{limit}", "openai")
        assert len(made.files["train"]) == count
        assert all((tmp_path / f"{limit}" / name).stat().st_size <= limit for name in made.files["train"])
    exported(run, tmp_path / "lines", "ms-swift", images="embed")
    assert len(list((tmp_path / "lines").glob("train*"))) == 1, "only OpenAI's files have a limit"


def test_ten_images_are_not_too_many_for_openai(tmp_path: Path) -> None:
    rows = pairs(tmp_path, 2)
    rows[0]["images"] *= 10
    rows[1]["images"] *= 11
    made = exported(run_of(tmp_path, rows), tmp_path / "out", "openai")
    (left,) = lines(tmp_path / "out" / "left_out.jsonl")
    assert made.contents.total == 1 and left == {
        "row_id": "qa-1", "reason": "too_many_images", "message": "11 images, allowed are 10",
    }  # fmt: skip
    assert exported(run_of(tmp_path / "b", rows), tmp_path / "all", "ms-swift").contents.total == 2


def test_nested_columns_are_opened_and_what_is_none_stays(tmp_path: Path) -> None:
    given = {"labels": '["a"]', "rating": "{broken", "features": 3, "judgement": "text", "curation": '{"a": 1}',
             "caption": '["not nested"]', "descriptions": "[" * 100_000}  # fmt: skip
    assert opened(given) == {**given, "labels": ["a"], "curation": {"a": 1}}


def test_a_line_with_a_lone_surrogate_is_still_written() -> None:
    assert json_files.json_line({"a": "x\ud800\x07y", "b": "é"}) == '{"a": "xy", "b": "é"}\n'
    assert json_files.json_line({"a": "x\x07", "b": "é\u2028"}) == '{"a": "x\\u0007", "b": "é\\u2028"}\n'
    assert json_files.json_line({"b": "é"}, ascii_only=True) == '{"b": "\\u00e9"}\n'


def test_the_list_of_an_export_says_what_was_asked_for_and_what_came_of_it(tmp_path: Path) -> None:
    rows = pairs(tmp_path, 3)
    rows[2]["licence"] = "mit"
    asked: dict[str, Any] = {"seed": 4, "licences": ("cc-by*",), "max_per_figure": 2, "caption": True}
    exported(
        run_of(tmp_path, rows, undecided=1), tmp_path / "out", "ms-swift", splits=(("a", 0.5), ("b", 0.5)), **asked
    )
    told = json.loads((tmp_path / "out" / "export.json").read_text())
    assert told["made_by"] == "dj-ext export" and told["version"] == __version__
    assert told["rows"] == {"a": 1, "b": 1} and told["undecided"] == 1 and told["left_out"] == {"licence": 1}
    assert told["splits"] == {"a": ["a.jsonl"], "b": ["b.jsonl"]}
    assert told["order"] == {
        "format": "ms-swift", "kind": "pairs", "images": "copy", "splits": {"a": 0.5, "b": 0.5}, "seed": 4,
        "near_questions": 0.9, "max_per_figure": 2, "licences": ["cc-by*"], "accepted": False,
        "shuffle_options": False, "caption": True, "rationale": False,
    }  # fmt: skip
    assert set(told["files"]) == set(files(tmp_path / "out")) - {"export.json"}


def test_rows_as_lines_come_with_their_images_in_either_way(tmp_path: Path) -> None:
    run = run_of(tmp_path, pairs(tmp_path, 1))
    exported(run, tmp_path / "copy", "jsonl")
    exported(run, tmp_path / "embed", "jsonl", images="embed")
    (copied,), (embedded,) = lines(tmp_path / "copy" / "train.jsonl"), lines(tmp_path / "embed" / "train.jsonl")
    (image,) = embedded["images"]
    assert (
        base64.b64decode(image.removeprefix("data:image/png;base64,"))
        == (tmp_path / "copy" / copied["images"][0]).read_bytes()
    )
    assert not (tmp_path / "embed" / "images").exists() and not (tmp_path / "copy" / "provenance.jsonl").exists()
    assert {**copied, "images": 0} == {**embedded, "images": 0}
