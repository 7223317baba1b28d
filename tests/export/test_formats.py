import base64
import io
import json
import shutil
from pathlib import Path

import pytest
import yaml
from PIL import Image

from data_juicer_ext.export.tokens import unescape
from data_juicer_ext.siqa.levels import LEVELS
from tests.export.made_runs import HARD, exported, files, lines, pairs, picture, row, run_of


@pytest.fixture(scope="module")
def hard_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hard")
    image = picture(folder / "figures", "one", 1)
    options = ["\\alpha", 'a "b"', "شكل", HARD]
    rows = [
        row(0, image, row_id="a", options=options, answer="D", caption=HARD, context=HARD, rationale=HARD, year="2024"),
        row(1, picture(folder / "figures", "two", 2), row_id="b", context="", year=""),
    ]
    rows[0]["question"] = HARD
    return run_of(folder, rows), rows


# https://swift.readthedocs.io/en/latest/Customization/Custom-dataset.html: `messages` of role and content, `images`,
# and as many `<image>` tags in the content as there are images.
def test_ms_swift_lines_have_the_documented_form(hard_run, tmp_path):
    exported(hard_run[0], tmp_path / "out", "ms-swift")
    found = lines(tmp_path / "out" / "train.jsonl")
    assert len(found) == 2
    for entry in found:
        assert set(entry) == {"messages", "images"}
        assert [message["role"] for message in entry["messages"]] == ["user", "assistant"]
        assert all(set(message) == {"role", "content"} for message in entry["messages"])
        asked = entry["messages"][0]["content"]
        assert asked.count("<image>") == len(entry["images"]) == 1 and asked.startswith("<image>")
        assert "<|image_pad|>" not in asked
        assert not Path(entry["images"][0]).is_absolute()
        Image.open(tmp_path / "out" / entry["images"][0]).load()
    assert found[0]["messages"][1]["content"] == "D"
    asked = unescape(found[0]["messages"][0]["content"].removeprefix("<image>"))
    assert asked.startswith(HARD + "\nA. \\alpha\nB. ") and f"\nD. {HARD}\n" in asked


# https://github.com/haotian-liu/LLaVA/blob/main/docs/Finetune_Custom_Data.md: a list of id, image and conversations
# from human and gpt in turn; the first value begins with "<image>\n".
def test_llava_is_one_list_in_the_documented_form(hard_run, tmp_path):
    exported(hard_run[0], tmp_path / "out", "llava")
    found = json.loads((tmp_path / "out" / "train.json").read_text(encoding="utf-8"))
    assert [entry["id"] for entry in found] == ["a", "b"]
    for entry in found:
        assert set(entry) == {"id", "image", "conversations"} and isinstance(entry["image"], str)
        assert [turn["from"] for turn in entry["conversations"]] == ["human", "gpt"]
        asked = entry["conversations"][0]["value"]
        assert asked.startswith("<image>\n") and asked.count("<image>") == 1
        Image.open(tmp_path / "out" / entry["image"]).load()


# https://developers.openai.com/api/docs/guides/vision-fine-tuning: messages whose user content is a list of parts of
# type text or image_url; the URL may be a data URL of a PNG, JPEG or WEBP in base64; the assistant has no images.
def test_openai_lines_hold_their_images(hard_run, tmp_path):
    made, rows = hard_run
    exported(made, tmp_path / "out", "openai")
    for entry, given in zip(lines(tmp_path / "out" / "train.jsonl"), rows, strict=True):
        assert set(entry) == {"messages"}
        user, assistant = entry["messages"]
        assert user["role"] == "user" and assistant == {"role": "assistant", "content": given["answer"]}
        assert [part["type"] for part in user["content"]] == ["image_url", "text"]
        head, _, data = user["content"][0]["image_url"]["url"].partition(",")
        assert head == "data:image/png;base64"
        assert base64.b64decode(data) == Path(given["images"][0]).read_bytes()
        assert unescape(user["content"][1]["text"]).startswith(given["question"])
    assert not (tmp_path / "out" / "images").exists()


@pytest.mark.parametrize("form", ["ms-swift", "llava", "openai"])
def test_the_sidecar_has_every_other_column_by_row(hard_run, tmp_path, form):
    made, rows = hard_run
    exported(made, tmp_path / "out", form)
    for place, (entry, given) in enumerate(zip(lines(tmp_path / "out" / "provenance.jsonl"), rows, strict=True), 1):
        assert (entry["row_id"], entry["split"], entry["line"]) == (given["row_id"], "train", place)
        assert entry["provenance"] == json.loads(given["provenance"])
        columns = set(given) - {"images", "provenance"}
        assert {name: entry[name] for name in columns} == {name: given[name] for name in columns}


def test_plain_lines_give_every_field_back(hard_run, tmp_path):
    made, rows = hard_run
    exported(made, tmp_path / "out")
    for entry, given in zip(lines(tmp_path / "out" / "train.jsonl"), rows, strict=True):
        assert {**given, "images": entry["images"], "provenance": json.loads(given["provenance"])} == entry


def test_parquet_gives_every_field_and_the_bytes_back(hard_run, tmp_path):
    from pyarrow import parquet

    made, rows = hard_run
    exported(made, tmp_path / "out", "parquet")
    found = parquet.read_table(tmp_path / "out" / "data" / "train-00000-of-00001.parquet").to_pylist()
    for entry, given in zip(found, rows, strict=True):
        assert entry.pop("images") == [Path(given["images"][0]).read_bytes()]
        assert len(entry.pop("image_files")) == 1
        assert entry == {name: value for name, value in given.items() if name != "images"}


def test_load_dataset_needs_nothing_but_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    rows = pairs(tmp_path / "made", 8)
    rows[0]["question"] = HARD
    given = {one["row_id"]: one for one in rows}
    made = run_of(tmp_path / "made", rows)
    exported(made, tmp_path / "out", "hf", splits=(("train", 0.5), ("test", 0.5)))
    shutil.rmtree(tmp_path / "made")
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert {name: part.num_rows for name, part in loaded.items()} == {"train": 4, "test": 4}
    for part in loaded.values():
        assert "Image" in str(part.features["images"])
        for one in part:
            assert [image.size for image in one.pop("images")] == [(160, 120)]
            assert one == {name: value for name, value in given[one["row_id"]].items() if name != "images"}


def test_load_dataset_reads_plain_lines_too(hard_run, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    exported(hard_run[0], tmp_path / "out", "ms-swift")
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert loaded["train"].num_rows == 2 and set(loaded["train"].column_names) == {"messages", "images"}


def test_rated_images_are_asked_about_one_aspect_at_a_time(tmp_path):
    rated = {"rating": json.dumps({"perception": {"score": 4.6}}), "rating_mean": 3.5, "rating_method": "logprobs",
             "rating_perception": 4.6, "rating_knowledge": 2}  # fmt: skip
    image = picture(tmp_path, "i", 3)
    rows = [{"row_id": "r", "paper_id": "", "figure_id": "", "images": [image], "provenance": "{}", **rated}]
    exported(run_of(tmp_path, rows), tmp_path / "out", "ms-swift")
    perception, knowledge = lines(tmp_path / "out" / "train.jsonl")
    assert [one["messages"][1]["content"] for one in (perception, knowledge)] == ["Excellent", "Poor"]
    asked = perception["messages"][0]["content"]
    assert "perception" in asked and "knowledge" not in asked and all(level in asked for level in LEVELS)
    assert [one["id"] for one in lines(tmp_path / "out" / "provenance.jsonl")] == ["r:perception", "r:knowledge"]


def scored_row(image):
    quality = {
        "protocol": "agent", "run_id": "F3", "models": ["m"], "call_budget": 5, "scores": {"VC": 7, "C": None},
        "reasons": {"VC": "Clear.", "C": None}, "overall": 7.0, "reports": {"vision": {"evidence": ["axis"]}},
    }  # fmt: skip
    row_of = {"row_id": "s", "paper_id": "p", "figure_id": "f", "images": [image], "provenance": "{}", "caption": HARD}
    return {**row_of, "quality": json.dumps(quality), "quality_overall": 7.0, "quality_VC": 7.0}, quality


def test_scored_figures_are_released_with_scores_reasons_reports_run_and_budget(tmp_path):
    given, quality = scored_row(picture(tmp_path, "i", 3))
    exported(run_of(tmp_path, [given]), tmp_path / "out")
    (entry,) = lines(tmp_path / "out" / "train.jsonl")
    assert {name: entry[name] for name in quality} == quality
    assert entry["caption"] == HARD and "quality" not in entry
    with pytest.raises(ValueError, match="no dialogue for llava"):
        exported(run_of(tmp_path / "again", [given]), tmp_path / "other", "llava")


def test_a_question_about_two_images_has_two_placeholders(tmp_path):
    rows = [row(0, "", images=[picture(tmp_path, "i", 3), picture(tmp_path, "j", 4)])]
    made = run_of(tmp_path, rows)
    exported(made, tmp_path / "swift", "ms-swift")
    (entry,) = lines(tmp_path / "swift" / "train.jsonl")
    assert entry["messages"][0]["content"].count("<image>") == len(entry["images"]) == 2
    exported(made, tmp_path / "llava", "llava")
    (entry,) = json.loads((tmp_path / "llava" / "train.json").read_text())
    assert entry["conversations"][0]["value"].startswith("<image>\n<image>\n") and len(entry["image"]) == 2


# https://huggingface.co/docs/hub/datasets-cards and .../datasets-manual-configuration
@pytest.mark.parametrize("form", ["hf", "ms-swift", "llava", "openai", "parquet", "jsonl"])
def test_the_card_has_a_head_that_the_hub_reads(hard_run, tmp_path, form):
    exported(hard_run[0], tmp_path / "out", form)
    head = yaml.safe_load((tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    assert head["license"] == "cc-by-4.0" and head["size_categories"] == ["n<1K"]
    assert head["task_categories"] == ["visual-question-answering", "multiple-choice"]
    (config,) = head["configs"]
    (of_train,) = config["data_files"]
    assert of_train["split"] == "train" and list((tmp_path / "out").glob(of_train["path"]))


def test_large_sets_are_written_in_shards(tmp_path):
    from data_juicer_ext.export.parquet_files import ParquetFiles
    from data_juicer_ext.export.picked import Picked, Picture

    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "PNG")
    files_of = ParquetFiles(tmp_path, {"row_id": "string"}, as_features=True, shard_bytes=3 * len(buffer.getvalue()))
    for index in range(7):
        files_of.add(Picked("train", {"row_id": str(index)}, (Picture("x.png", "image/png", buffer.getvalue()),)))
    assert files_of.end() == {"train": "data/train-*.parquet"}
    assert list(files(tmp_path)) == [f"data/train-{shard:05d}-of-00003.parquet" for shard in range(3)]
