from __future__ import annotations

import hashlib
import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.export.images.exported_images import (
    Copies,
    ExportedImage,
    ImageMissingError,
    ImagePlaces,
    ImageTooLargeError,
    look_at_all,
)
from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.storage import file_access as storage
from data_juicer_ext.storage.papers import StorageError
from tests.s3_server import S3
from tests.storage.down import take_down


def looked(path: Path, max_bytes: int = 0) -> ExportedImage:
    found = look_at_all([str(path)], ImagePlaces(path.parent, path.parent), 1, max_bytes)[str(path)]
    assert isinstance(found, ExportedImage), found
    return found


def opened(picture: ExportedImage) -> Image.Image:
    image = Image.open(io.BytesIO(picture.data()))
    image.load()
    return image


def test_a_plain_image_goes_out_as_it_is_named_by_its_content(tmp_path: Path) -> None:
    Image.effect_noise((60, 40), 50).convert("RGB").save(tmp_path / "a secret name.png")
    picture = looked(tmp_path / "a secret name.png")
    data = (tmp_path / "a secret name.png").read_bytes()
    assert picture.data() == data and picture.size == len(data) and picture.flags == ()
    assert picture.name == f"{hashlib.sha256(data).hexdigest()}.png" and picture.path == f"images/{picture.name}"


def test_images_look_as_models_saw_them(tmp_path: Path) -> None:
    clear = Image.new("RGBA", (40, 30), (0, 0, 0, 0))
    clear.save(tmp_path / "clear.png")
    assert opened(looked(tmp_path / "clear.png")).convert("RGB").getpixel((5, 5)) == (255, 255, 255)
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 30), "navy").save(tmp_path / "turned.jpg", exif=exif)
    turned = looked(tmp_path / "turned.jpg")
    assert opened(turned).size == (30, 40) and "turned" in turned.flags
    Image.new("I;16", (40, 30), 30_000).save(tmp_path / "deep.png")
    assert opened(looked(tmp_path / "deep.png")).mode == "L"


@pytest.mark.parametrize("form", ["GIF", "BMP", "TIFF", "WEBP"])
def test_other_formats_become_png(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{form.lower()}"
    Image.new("RGB", (40, 30), "teal").save(path, form)
    picture = looked(path)
    assert picture.mime == "image/png" and opened(picture).size == (40, 30)


def test_files_that_are_missing_broken_or_changed_are_told_without_their_place(tmp_path: Path) -> None:
    image = Image.effect_noise((90, 90), 90)
    image.save(tmp_path / "cut.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "cut.png").read_bytes()[:2000])
    (tmp_path / "text.png").write_text("no image")
    names = [str(tmp_path / name) for name in ("gone.png", "cut.png", "text.png")]
    found = look_at_all([*names, "\0", ""], ImagePlaces(tmp_path, tmp_path), 2)
    assert isinstance(found[names[0]], ImageMissingError) and isinstance(found["\0"], ImageMissingError)
    assert all(isinstance(found[name], ImageError) and str(tmp_path) not in str(found[name]) for name in found)
    image.save(tmp_path / "later.png")
    picture = looked(tmp_path / "later.png")
    Image.new("L", (9, 9)).save(tmp_path / "later.png")
    with pytest.raises(ImageError, match="changed during the export"):
        picture.data()


def test_what_is_no_image_is_refused_without_its_content(tmp_path: Path) -> None:
    (tmp_path / "link.png").symlink_to("/etc/passwd")
    names = ["/etc/passwd", str(tmp_path / "link.png"), "/dev/zero", str(tmp_path), "../" * 30 + "etc/passwd"]
    found = look_at_all(names, ImagePlaces(tmp_path, tmp_path), 2)
    assert all(isinstance(one, ImageError) and "root:" not in str(one) for one in found.values())


def test_an_image_of_300_megapixels_is_not_decoded(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 20_000, 15_000, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(b"\0" * 1000)), chunk(b"IEND", b"")
    (tmp_path / "huge.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
    (error,) = look_at_all([str(tmp_path / "huge.png")], ImagePlaces(tmp_path, tmp_path), 1).values()
    assert "pixels allowed" in str(error) and "model_params" not in str(error), "no parameter of an export"


def test_a_moved_run_folder_still_has_its_images(tmp_path: Path) -> None:
    (tmp_path / "run" / "images").mkdir(parents=True)
    Image.new("RGB", (20, 20)).save(tmp_path / "run" / "images" / "a.png")
    Image.new("RGB", (20, 20)).save(tmp_path / "b.png")
    places = ImagePlaces(tmp_path / "run", tmp_path / "pairs.jsonl")
    assert places.find("/elsewhere/run/images/a.png") == str(tmp_path / "run" / "images" / "a.png")
    assert places.find("b.png") == str(tmp_path / "b.png"), "relative paths start at the export"
    with pytest.raises(ImageMissingError):
        places.find("c.png")


@pytest.mark.parametrize("mode", ["L", "P", "1", "RGBA", "RGB"])
def test_the_chat_api_gets_colours_it_takes(mode: str, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "teal").convert(mode).save(tmp_path / "a.png")
    assert opened(looked(tmp_path / "a.png", 10_000_000)).mode in ("RGB", "RGBA")


def test_the_chat_api_gets_no_more_bytes_than_it_takes(tmp_path: Path) -> None:
    channels = [Image.effect_noise((200, 200), 60) for _ in range(3)]
    Image.merge("RGB", channels).save(tmp_path / "a.png")
    limit = int(0.8 * (tmp_path / "a.png").stat().st_size)
    picture = looked(tmp_path / "a.png", limit)
    assert picture.size <= limit and picture.mime == "image/jpeg" and "jpeg" in picture.flags
    found = look_at_all([str(tmp_path / "a.png")], ImagePlaces(tmp_path, tmp_path), 1, 900)
    assert isinstance(found[str(tmp_path / "a.png")], ImageTooLargeError)


def test_a_picture_is_copied_once(tmp_path: Path) -> None:
    Image.new("RGB", (20, 20), "teal").save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes())
    (tmp_path / "out").mkdir()
    copies = Copies(tmp_path / "out")
    paths = copies.add([looked(tmp_path / "a.png"), looked(tmp_path / "b.png")])
    assert len(set(paths)) == 1 and [path.name for path in (tmp_path / "out" / "images").iterdir()] == [paths[0][7:]]


def test_an_image_is_looked_for_where_it_is_named_then_beside_the_export_then_in_the_run(tmp_path: Path) -> None:
    places = ImagePlaces(tmp_path / "run", tmp_path / "export")
    for place in ("run/images/a.png", "export/sub/a.png", "sub/a.png"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).touch()
    assert places.find("sub/a.png") == str(tmp_path / "sub" / "a.png")
    (tmp_path / "sub" / "a.png").unlink()
    assert places.find("sub/a.png") == str(tmp_path / "export" / "sub" / "a.png"), "a folder of shards"
    (tmp_path / "export" / "sub" / "a.png").unlink()
    assert places.find("sub/a.png") == str(tmp_path / "run" / "images" / "a.png")
    with pytest.raises(ImageMissingError, match=r"^b\.png: no such file$"):
        places.find(str(tmp_path / "sub" / "b.png"))


def test_what_can_be_no_path_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ImageMissingError, match="no path of a file"):
        ImagePlaces(tmp_path, tmp_path).find("x" * 5000)


def test_an_image_on_object_storage_is_taken_from_the_run_folder_or_from_there(tmp_path: Path) -> None:
    address = f"memory://{tmp_path.name}/a.png"
    storage.write(address, b"there")
    places = ImagePlaces(tmp_path, tmp_path)
    assert places.find(address) == address
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(b"copy")
    assert places.find(address) == str(tmp_path / "images" / "a.png")
    with pytest.raises(ImageMissingError, match=r"^none\.png: no such file$"):
        places.find(f"memory://{tmp_path.name}/none.png")


def test_storage_that_fails_is_no_missing_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_down(monkeypatch)
    with pytest.raises(StorageError):
        ImagePlaces(tmp_path, tmp_path).find(f"memory://{tmp_path.name}/a.png")
    with pytest.raises(StorageError):
        look_at_all([f"memory://{tmp_path.name}/a.png"], ImagePlaces(tmp_path, tmp_path), 2)


def test_an_address_that_can_be_none_is_a_missing_file(tmp_path: Path, s3: S3) -> None:
    with pytest.raises(ImageMissingError, match="no address of a file"):
        ImagePlaces(tmp_path, tmp_path).find(s3.at("a\ud800.png"))


def test_each_image_is_looked_at_once_and_one_bad_one_costs_no_other(tmp_path: Path) -> None:
    Image.new("RGB", (20, 20), "teal").save(tmp_path / "a.png")
    (tmp_path / "bad.png").write_bytes(b"no image")
    names = [str(tmp_path / name) for name in ("a.png", "bad.png", "none.png", "a.png")]
    found = look_at_all(names, ImagePlaces(tmp_path, tmp_path), 2)
    assert list(found) == names[:3]
    good, bad, missing = found.values()
    assert isinstance(good, ExportedImage) and isinstance(missing, ImageMissingError)
    assert isinstance(bad, ImageError) and not isinstance(bad, ImageMissingError)
    assert str(bad).startswith("bad.png") and str(tmp_path) not in str(bad)


def test_a_picture_is_named_and_measured_by_what_goes_out(tmp_path: Path) -> None:
    Image.new("RGB", (20, 20), "teal").save(tmp_path / "a.jpg")
    picture = looked(tmp_path / "a.jpg")
    data = picture.data()
    assert picture.name == f"{hashlib.sha256(data).hexdigest()}.jpg" and picture.size == len(data)
    assert (picture.mime, picture.path, picture.flags) == ("image/jpeg", f"images/{picture.name}", ())


def test_a_file_that_has_changed_is_not_taken_for_what_was_looked_at(tmp_path: Path) -> None:
    Image.new("RGB", (20, 20), "teal").save(tmp_path / "a.png")
    picture = looked(tmp_path / "a.png")
    Image.new("RGB", (20, 20), "navy").save(tmp_path / "a.png")
    with pytest.raises(ImageError, match="has changed during the export"):
        picture.data()
    (tmp_path / "a.png").unlink()
    with pytest.raises(ImageError):
        picture.data()


def test_the_best_quality_that_fits_is_taken(tmp_path: Path) -> None:
    image = Image.merge("RGB", [Image.effect_noise((120, 120), 60) for _ in range(3)])
    image.save(tmp_path / "a.png")
    sizes = []
    for quality in (95, 90, 85, 75):
        out = io.BytesIO()
        image.save(out, "JPEG", quality=quality, subsampling=0)
        sizes.append(len(out.getvalue()))
    whole = looked(tmp_path / "a.png").size
    assert looked(tmp_path / "a.png", whole).mime == "image/png", "what fits stays as it is"
    for limit, size in ((whole - 1, sizes[0]), (sizes[0], sizes[0]), (sizes[0] - 1, sizes[1]), (sizes[3], sizes[3])):
        assert looked(tmp_path / "a.png", limit).size == size
    found = look_at_all([str(tmp_path / "a.png")], ImagePlaces(tmp_path, tmp_path), 1, sizes[3] - 1)
    assert str(found[str(tmp_path / "a.png")]) == f"a.png: more than {sizes[3] - 1:,} bytes, as JPEG too"


def test_grey_becomes_rgb_for_the_chat_api_and_says_so(tmp_path: Path) -> None:
    Image.new("L", (20, 20), 7).save(tmp_path / "a.png")
    picture = looked(tmp_path / "a.png", 10_000)
    assert picture.flags[-1] == "rgb" and picture.mime == "image/png" and opened(picture).getpixel((3, 3)) == (7, 7, 7)
