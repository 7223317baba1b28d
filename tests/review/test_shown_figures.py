from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.review import shown_figures
from data_juicer_ext.review.shown_figures import FULL_SIDE, SIDE, EncodedImage, ImageEncoder
from tests.locks import waits_for

MARK = b"s3cretmeta"


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "TIFF"])
def test_nothing_of_a_file_but_its_picture_goes_out(tmp_path: Path, form: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = MARK.decode()
    path = tmp_path / f"s3cretmeta.{form.lower()}"
    image = Image.new("RGB", (300, 200), "navy")
    image.save(path, form, exif=exif, icc_profile=MARK, comment=MARK)
    assert MARK in path.read_bytes()
    made = ImageEncoder(tmp_path).of(str(path))
    assert MARK not in made.data
    shown = Image.open(io.BytesIO(made.data))
    assert shown.size == (300, 200) and set(shown.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_sides_are_capped(tmp_path: Path) -> None:
    path = tmp_path / "wide.png"
    Image.new("L", (7000, 70)).save(path)
    pictures = ImageEncoder(tmp_path)
    sizes = [Image.open(io.BytesIO(pictures.of(str(path), full).data)).size for full in (False, True)]
    assert sizes == [(SIDE, 16), (FULL_SIDE, 60)]


def test_noise_goes_out_as_jpeg(tmp_path: Path) -> None:
    path = tmp_path / "noise.png"
    Image.effect_noise((1500, 1200), 90).convert("RGB").save(path)
    made = ImageEncoder(tmp_path).of(str(path))
    assert made.mime == "image/jpeg" and len(made.data) < 1_500_000


def test_a_moved_folder_is_helped_with(tmp_path: Path) -> None:
    Image.new("RGB", (30, 20)).save(tmp_path / "a.png")
    assert ImageEncoder(tmp_path).of("/gone/images/a.png").mime == "image/png"


@pytest.mark.parametrize(
    "content", [b"", b"not an image", b"%PDF-1.4", b"<svg xmlns='http://www.w3.org/2000/svg'/>", None]
)
def test_what_is_no_image(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.png"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ImageError):
        ImageEncoder(tmp_path).of(str(path))


def test_a_cut_off_image_is_none(tmp_path: Path) -> None:
    whole = tmp_path / "whole.png"
    Image.effect_noise((200, 200), 50).save(whole)
    (tmp_path / "cut.png").write_bytes(whole.read_bytes()[:-9000])
    with pytest.raises(ImageError):
        ImageEncoder(tmp_path).of(str(tmp_path / "cut.png"))


def test_paths_out_of_the_ordinary(tmp_path: Path) -> None:
    for path in ("", "a\x00b.png", str(tmp_path), "x" * 5000):
        with pytest.raises(ImageError):
            ImageEncoder(tmp_path).of(path)


def test_threads_wait_for_one_another_and_few_decode_at_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        Image.new("RGB", (30, 20)).save(tmp_path / f"{name}.png")
    pictures = ImageEncoder(tmp_path)
    with pictures._decoding:
        assert waits_for(pictures._decoding, lambda: pictures.of(str(tmp_path / "a.png")))
    assert waits_for(pictures._lock, lambda: pictures.of(str(tmp_path / "a.png"))), "it is kept"
    assert not waits_for(pictures._decoding, lambda: pictures.of(str(tmp_path / "a.png")))


def test_a_picture_is_put_among_the_kept_when_nobody_looks_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.new("RGB", (30, 20)).save(tmp_path / "a.png")
    pictures, made = ImageEncoder(tmp_path), threading.Event()
    encoded = pictures._encoded

    def encoding(path: str, side: int) -> EncodedImage:
        picture = encoded(path, side)
        pictures._lock.acquire()
        made.set()
        return picture

    monkeypatch.setattr(pictures, "_encoded", encoding)
    thread = threading.Thread(target=pictures.of, args=(str(tmp_path / "a.png"),))
    thread.start()
    assert made.wait(30)
    thread.join(0.1)
    assert thread.is_alive() and not pictures._kept
    pictures._lock.release()
    thread.join(30)
    assert len(pictures._kept) == 1


def test_the_pictures_that_were_asked_for_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        Image.effect_noise((30, 20), 50).save(tmp_path / f"{name}.png")
    pictures = ImageEncoder(tmp_path)
    paths = [str(tmp_path / f"{name}.png") for name in "abc"]
    sizes = [len(pictures.of(path).data) for path in paths]
    monkeypatch.setattr(shown_figures, "_CACHE_BYTES", sizes[0] + sizes[2])
    pictures = ImageEncoder(tmp_path)
    for path in (paths[0], paths[1], paths[0], paths[2]):
        pictures.of(path)
    assert [key[0] for key in pictures._kept] == [paths[0], paths[2]]
    monkeypatch.setattr(shown_figures, "_CACHE_BYTES", 1)
    pictures.of(paths[1])
    assert [key[0] for key in pictures._kept] == [paths[1]]
