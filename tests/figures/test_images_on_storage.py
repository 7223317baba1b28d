"""Images on object storage: read, measured, sent; what is missing against a storage that fails."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from data_juicer_ext.annotation.image_fingerprint import glance_at, glance_at_all
from data_juicer_ext.annotation.image_rows import image_row
from data_juicer_ext.curation.findings import Item
from data_juicer_ext.curation.hard_filter import unusable
from data_juicer_ext.curation.thresholds import Rules
from data_juicer_ext.diagrams.anonymous_pair import anonymous
from data_juicer_ext.estimate.image_tokens import sent_size
from data_juicer_ext.export.images.exported_images import ImageMissingError, ImagePlaces, look_at_all
from data_juicer_ext.figures.features.figure_features import FeatureError, figure_features
from data_juicer_ext.figures.image_preparation import (
    ImageError,
    ImageLimits,
    UnreachableImageError,
    image_and_bytes,
    plain_image,
    prepare,
)
from data_juicer_ext.figures.ocr import UnreadableImageError, read_picture
from data_juicer_ext.figures.same_picture import same_picture
from data_juicer_ext.offline.judging import siqa_facts
from data_juicer_ext.report.thumbnails import Thumbnails
from data_juicer_ext.review.shown_figures import ImageEncoder
from data_juicer_ext.rows import Figure
from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.papers import StorageError
from tests.latex.papers import png, pretending
from tests.s3_server import S3
from tests.storage.down import take_down

DATA = png(400, 300)


@pytest.fixture
def image(tmp_path: Path) -> str:
    address = f"memory://{tmp_path.name}/run/images/a.png"
    file_access.write(address, DATA)
    return address


@pytest.fixture
def gone(tmp_path: Path) -> str:
    return f"memory://{tmp_path.name}/run/images/gone.png"


def test_an_object_is_prepared_as_a_file_is(s3: S3, tmp_path: Path) -> None:
    file_access.write(s3.at("a.png"), DATA)
    (tmp_path / "a.png").write_bytes(DATA)
    assert prepare(s3.at("a.png")) == prepare(tmp_path / "a.png")
    pixels, data = image_and_bytes(s3.at("a.png"))
    assert data == DATA and pixels.tobytes() == plain_image(tmp_path / "a.png").tobytes()


def test_errors_are_those_of_files(tmp_path: Path, gone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, large = gone.replace("gone", "broken"), gone.replace("gone", "large")
    file_access.write(broken, DATA[:-200])
    file_access.write(large, pretending(20_000, 20_000))
    for address, words in ((gone, "gone.png: no such file"), (broken, "does not decode"), (large, "pixels allowed")):
        with pytest.raises(ImageError, match=words) as error:
            prepare(address)
        assert address in str(error.value) and not isinstance(error.value, UnreachableImageError)
    monkeypatch.setattr("data_juicer_ext.figures.image_preparation.MAX_FILE_BYTES", 100)
    with pytest.raises(ImageError, match="more than 100 bytes"):
        prepare(broken)


def test_missing_objects_are_missing_images(gone: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableImageError, match="cannot be read"):
        read_picture(gone)
    with pytest.raises(FeatureError, match="no such file"):
        figure_features([gone], "", ocr=False)
    found = unusable(Item(Figure(images=[gone])), Rules())
    assert found is not None and found.reason == "does_not_decode"
    assert not same_picture(gone, gone)
    assert isinstance(glance_at_all([gone], 1)[gone], ImageError)
    assert sent_size(gone, 100) is None
    (looked,) = look_at_all([gone], ImagePlaces(tmp_path, tmp_path), 1).values()
    assert isinstance(looked, ImageMissingError) and str(looked) == "gone.png: no such file"
    assert Thumbnails(tmp_path).of(gone).problem == "gone.png: no such file"
    with pytest.raises(ImageError):
        ImageEncoder(tmp_path).of(gone)


def test_a_storage_that_fails_is_told_from_that(
    image: str, gone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_down(monkeypatch)
    for ask in (
        prepare, plain_image, read_picture, glance_at, lambda place: figure_features([place], "", ocr=False),
        lambda place: unusable(Item(Figure(images=[place])), Rules()), lambda place: same_picture(place, place),
        lambda place: glance_at_all([place], 2), lambda place: image_row({"image": place}, tmp_path),
        lambda place: siqa_facts.gather([place]),
    ):  # fmt: skip
        with pytest.raises(UnreachableImageError, match=r"a\.png can't be read at the moment"):
            ask(image)
    for ask in (
        lambda place: sent_size(place, 100),
        lambda place: look_at_all([place], ImagePlaces(tmp_path, tmp_path), 1),
    ):
        with pytest.raises(StorageError):
            ask(image)
    assert "a.png can't be read at the moment" in Thumbnails(tmp_path).of(image).problem


def test_what_is_measured_of_an_object(image: str, tmp_path: Path) -> None:
    local = tmp_path / "a.png"
    local.write_bytes(DATA)
    assert figure_features([image], "", ocr=False) == figure_features([str(local)], "", ocr=False)
    assert same_picture(image, str(local))
    assert glance_at(image).sha256 == hashlib.sha256(DATA).hexdigest() == glance_at(str(local)).sha256
    assert sent_size(image, 200) == (200, 150)
    assert unusable(Item(Figure(images=[image])), Rules(max_dominant=1.0)) is None


def test_plain_images_below_an_address(image: str, tmp_path: Path) -> None:
    root = image.rpartition("/")[0]
    made = image_row({"image": "a.png"}, root)
    (tmp_path / "a.png").write_bytes(DATA)
    local = image_row({"image": "a.png"}, tmp_path)
    assert made["images"] == [image] and made["row_id"] == local["row_id"] and made["figure_id"] == "a.png"
    assert image_row({"images": [image]}, tmp_path)["figure_id"] == "a.png"
    with pytest.raises(ImageError, match="no such file"):
        image_row({"image": "b.png"}, root)


def test_a_pair_made_alike_at_an_address(image: str, tmp_path: Path) -> None:
    there = anonymous((image, image), f"memory://{tmp_path.name}/alike", ImageLimits())
    local = anonymous((image, image), tmp_path / "alike", ImageLimits())
    assert [file_access.read(shown.path) for shown in there] == [Path(shown.path).read_bytes() for shown in local]
    with pytest.raises(StorageError, match="no such bucket"):
        anonymous((image, image), "s3://no-such-bucket/alike", ImageLimits())


def test_pages_take_the_copy_in_the_run_folder_first(
    image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Thumbnails(tmp_path / "none").of(image)
    assert shown.uri and (shown.width, shown.height) == (400, 300)
    assert ImageEncoder(tmp_path / "none").of(image).mime == "image/png"
    (looked,) = look_at_all([image], ImagePlaces(tmp_path / "none", tmp_path), 1).values()
    assert looked.data()  # type: ignore[union-attr]
    images = tmp_path / "run" / "images"
    images.mkdir(parents=True)
    (images / "a.png").write_bytes(DATA)
    take_down(monkeypatch)
    assert Thumbnails(images).of(image).uri == shown.uri
    assert ImageEncoder(images).of(image).mime == "image/png"
    (again,) = look_at_all([image], ImagePlaces(tmp_path / "run", tmp_path), 1).values()
    assert again.name == looked.name and again.source == str(images / "a.png")  # type: ignore[union-attr]
