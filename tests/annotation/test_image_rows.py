from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.annotation.image_rows import NoImageError, image_row, named
from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.rows import FIGURE_ROW


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "cell.png"
    Image.new("RGB", (40, 30), "red").save(path)
    return path


def test_a_row_with_a_path_alone_has_every_column_of_a_figure_row(image: Path, tmp_path: Path) -> None:
    made = image_row({"image": "cell.png"}, tmp_path)
    assert tuple(made) == FIGURE_ROW and None not in made.values()
    assert made["images"] == [str(image)] and made["figure_id"] == "cell.png" and made["caption"] == ""
    told = json.loads(made["provenance"])
    assert told["image_sha256"] == [hashlib.sha256(image.read_bytes()).hexdigest()]
    assert told["image_sources"] == ["cell.png"]


def test_what_the_row_says_of_the_image_comes_along(image: Path, tmp_path: Path) -> None:
    given = {"images": ["cell.png", str(image)], "caption": "Cells\x00 in water.", "domain": "q-bio.CB", "number": 3,
             "label": "fig:c", "paper_id": "p", "figure_id": "f", "context": "One.\n\nTwo.", "year": 2020}  # fmt: skip
    made = image_row(given, tmp_path)
    assert made["images"] == [str(image)] * 2 and made["caption"] == "Cells in water." and made["year"] == "2020"
    assert (made["paper_id"], made["figure_id"], made["number"]) == ("p", "f", "3")
    assert json.loads(made["labels"]) == ["fig:c"] and made["context"] == "One.\n\nTwo."
    assert [place["paragraph"] for place in json.loads(made["context_places"])] == ["One.", "Two."]


def test_the_id_hangs_on_bytes_and_text_not_on_the_place(image: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/other.png").write_bytes(image.read_bytes())
    one = image_row({"image": "cell.png", "caption": "c"}, tmp_path)
    moved = image_row({"images": ["other.png"], "caption": "c"}, tmp_path / "elsewhere")
    other = image_row({"image": "cell.png", "caption": "d"}, tmp_path)
    Image.new("RGB", (40, 30), "blue").save(tmp_path / "blue.png")
    blue = image_row({"image": "blue.png", "caption": "c"}, tmp_path)
    assert one["row_id"] == moved["row_id"]
    assert len({one["row_id"], other["row_id"], blue["row_id"]}) == 3


def test_a_path_that_the_host_has_led_into_the_folder_is_found(
    image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path.parent)
    made = image_row({"images": [f"{tmp_path.name}/cell.png"]}, tmp_path)
    assert made["images"] == [str(image)]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({}, "names no image"),
        ({"image": ""}, "names no image"),
        ({"images": [], "image": None}, "names no image"),
        ({"images": ["a.png", None]}, "names no image"),
        ({"images": "a.png"}, "list of paths"),
        ({"image": {"bytes": b"x"}}, "dict, not a path"),
    ],
)
def test_a_row_without_a_path_is_told_what_to_write(row: dict[str, object], says: str, tmp_path: Path) -> None:
    with pytest.raises(NoImageError, match=says):
        image_row(row, tmp_path)


def test_files_that_are_no_whole_image_are_refused(image: Path, tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no image")
    Image.effect_noise((300, 300), 60).save(tmp_path / "noise.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "noise.png").read_bytes()[:20_000])
    for name in ("gone.png", "text.png", "cut.png", "nul\x00.png", "."):
        with pytest.raises(ImageError):
            image_row({"image": name}, tmp_path)
    with pytest.raises(ImageError, match="pixels allowed"):
        image_row({"image": "cell.png"}, tmp_path, max_pixels=1000)


def test_further_columns_come_along_in_the_provenance(image: Path, tmp_path: Path) -> None:
    made = image_row({"image": "cell.png", "mos": 3.5, "tags": ["a\x00"]}, tmp_path, ("mos", "tags", "absent"))
    assert json.loads(made["provenance"])["given"] == {"mos": 3.5, "tags": ["a"], "absent": None}
    assert tuple(made) == FIGURE_ROW


def test_a_row_is_called_by_what_it_has() -> None:
    assert named({"paper_id": "p", "figure_id": "f", "image": "x"}) == "paper_id p, figure_id f"
    assert named({"image": "x.png"}) == "image x.png" and named({}) == "image not named"
