"""Images of every kind that papers hold, made fit for a vision model."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, JpegImagePlugin

from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, ImagePart, plain_image, prepare


def save(image: Image.Image, path: Path, **options: object) -> Path:
    image.save(path, **options)  # type: ignore[arg-type]
    return path


def drawing(mode: str = "RGB", size: tuple[int, int] = (60, 40)) -> Image.Image:
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).rectangle((5, 5, 20, 20), fill="red")
    return image.convert(mode)


def opened(part: ImagePart) -> Image.Image:
    image = Image.open(io.BytesIO(part.data))
    image.load()
    assert image.size == (part.width, part.height)
    assert Image.MIME[image.format or ""] == part.mime
    assert part.sha256 == hashlib.sha256(part.data).hexdigest()
    return image


def close(colour: object, expected: tuple[int, ...], tolerance: int = 12) -> bool:
    assert isinstance(colour, tuple)
    return all(abs(a - b) <= tolerance for a, b in zip(colour, expected, strict=True))


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1"])
def test_a_png_that_fits_goes_out_byte_for_byte(tmp_path: Path, mode: str) -> None:
    path = save(drawing(mode), tmp_path / "a.png")
    part = prepare(path)
    assert (part.data, part.mime, part.flags) == (path.read_bytes(), "image/png", ())
    opened(part)


def test_an_opaque_alpha_channel_changes_nothing(tmp_path: Path) -> None:
    path = save(drawing("RGBA"), tmp_path / "a.png")
    assert prepare(path).data == path.read_bytes()


def test_a_jpeg_that_fits_goes_out_byte_for_byte(tmp_path: Path) -> None:
    path = save(drawing(), tmp_path / "a.jpg")
    part = prepare(path)
    assert (part.data, part.mime, part.flags) == (path.read_bytes(), "image/jpeg", ())


def test_the_name_of_the_file_does_not_matter(tmp_path: Path) -> None:
    path = save(drawing(), tmp_path / "a.png", format="JPEG")
    assert prepare(path).mime == "image/jpeg"


@pytest.mark.parametrize("form", ["gif", "bmp", "tiff", "webp", "ppm"])
def test_other_formats_become_png(tmp_path: Path, form: str) -> None:
    options = {"lossless": True} if form == "webp" else {}
    part = prepare(save(drawing(), tmp_path / f"a.{form}", **options))
    assert (part.mime, part.flags) == ("image/png", ())
    image = opened(part).convert("RGB")
    assert close(image.getpixel((10, 10)), (255, 0, 0))
    assert close(image.getpixel((40, 30)), (255, 255, 255))


def test_transparency_lies_on_white(tmp_path: Path) -> None:
    image = Image.new("RGBA", (20, 20), (0, 0, 0, 0))
    ImageDraw.Draw(image).rectangle((0, 0, 5, 5), fill=(0, 0, 255, 255))
    ImageDraw.Draw(image).rectangle((10, 10, 15, 15), fill=(0, 0, 0, 128))
    part = prepare(save(image, tmp_path / "a.png"))
    assert (part.mime, part.flags) == ("image/png", ("flattened",))
    flat = opened(part)
    assert flat.mode == "RGB"
    assert flat.getpixel((19, 19)) == (255, 255, 255)
    assert flat.getpixel((2, 2)) == (0, 0, 255)
    assert close(flat.getpixel((12, 12)), (127, 127, 127), 2)


@pytest.mark.parametrize("mode", ["P", "L", "LA"])
def test_transparency_of_other_colour_models(tmp_path: Path, mode: str) -> None:
    image = Image.new(mode, (20, 20), (0, 0) if mode == "LA" else 0)
    part = prepare(save(image, tmp_path / "a.png", **({} if mode == "LA" else {"transparency": 0})))
    assert part.flags == ("flattened",)
    assert opened(part).convert("RGB").getpixel((5, 5)) == (255, 255, 255)


def test_exif_orientation_is_applied(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned by a quarter
    part = prepare(save(drawing(), tmp_path / "a.jpg", exif=exif, quality=95))
    assert (part.mime, part.flags, part.width, part.height) == ("image/jpeg", ("turned",), 40, 60)
    image = opened(part)
    assert image.getexif().get(0x0112, 1) == 1
    assert close(image.getpixel((28, 12)), (254, 0, 0), 20)


def test_cmyk_becomes_rgb(tmp_path: Path) -> None:
    part = prepare(save(drawing("CMYK"), tmp_path / "a.jpg", quality=95))
    assert (part.mime, part.flags) == ("image/jpeg", ("converted",))
    image = opened(part)
    assert image.mode == "RGB"
    assert close(image.getpixel((10, 10)), (255, 0, 0), 20)


def test_sixteen_bit_grey_keeps_its_tones(tmp_path: Path) -> None:
    image = Image.new("I;16", (30, 10))
    for x in range(30):
        for y in range(10):
            image.putpixel((x, y), (0, 32768, 65535)[x // 10])
    part = prepare(save(image, tmp_path / "a.png"))
    assert (part.mime, part.flags) == ("image/png", ("converted",))
    grey = opened(part)
    assert grey.mode == "L"
    assert [grey.getpixel((x, 5)) for x in (5, 15, 25)] == [0, pytest.approx(127, abs=1), 255]


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, 255.0), (-3.0, 7.0), (0.0, 1e6), (5.0, 5.0)])
def test_floating_point_tiff_keeps_its_order(tmp_path: Path, low: float, high: float) -> None:
    image = Image.new("F", (20, 10), low)
    image.paste(high, (10, 0, 20, 10))
    grey = opened(prepare(save(image, tmp_path / "a.tiff")))
    dark, light = grey.getpixel((2, 2)), grey.getpixel((15, 2))
    assert (dark, light) == ((dark, dark) if low == high else (0, pytest.approx(255, abs=1)))


def sixteen_bit_rgb_png() -> bytes:
    """A PNG of 2 x 1 pixels with 16 bits a channel, which Pillow cannot write."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    pixels = b"\x00" + struct.pack(">6H", 65535, 0, 0, 0, 0, 65535)
    head = struct.pack(">IIBBBBB", 2, 1, 16, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


def test_sixteen_bit_colour_is_sent_in_eight(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(sixteen_bit_rgb_png())
    part = prepare(path)
    assert part.flags == ("converted",)
    assert part.data[24] == 8  # the bit depth in the header
    assert [opened(part).getpixel((x, 0)) for x in (0, 1)] == [(255, 0, 0), (0, 0, 255)]


@pytest.mark.parametrize("form", ["gif", "png", "webp", "tiff"])
def test_an_animation_gives_its_first_frame(tmp_path: Path, form: str) -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    path = save(frames[0], tmp_path / f"a.{form}", save_all=True, append_images=frames[1:])
    part = prepare(path)
    assert (part.mime, part.flags) == ("image/png", ("first_frame",))
    assert close(opened(part).convert("RGB").getpixel((5, 5)), (255, 0, 0))
    assert getattr(Image.open(io.BytesIO(part.data)), "n_frames", 1) == 1


@pytest.mark.parametrize(
    ("size", "expected"),
    [((300, 100), (100, 33)), ((50, 400), (12, 100)), ((5000, 3), (100, 1)), ((100, 100), (100, 100))],
)
def test_the_longest_side_is_bounded(tmp_path: Path, size: tuple[int, int], expected: tuple[int, int]) -> None:
    part = prepare(save(drawing(size=size), tmp_path / "a.png"), ImageLimits(max_side=100))
    assert (part.width, part.height) == expected
    assert part.flags == (("scaled_down",) if size != expected else ())
    opened(part)


def test_nothing_is_scaled_up(tmp_path: Path) -> None:
    part = prepare(save(drawing(size=(10, 8)), tmp_path / "a.png"), ImageLimits(max_side=4000))
    assert (part.width, part.height) == (10, 8)


def test_too_many_bytes_fall_to_jpeg_of_the_same_size(tmp_path: Path) -> None:
    noise = Image.effect_noise((200, 200), 80).convert("RGB")
    path = save(noise, tmp_path / "a.png")
    limit = path.stat().st_size * 2 // 3
    part = prepare(path, ImageLimits(max_bytes=limit))
    assert (part.mime, part.flags, part.width) == ("image/jpeg", ("jpeg",), 200)
    assert len(part.data) <= limit
    assert JpegImagePlugin.get_sampling(opened(part)) == 0  # full colour resolution


def test_when_quality_is_not_enough_the_sides_shrink(tmp_path: Path) -> None:
    path = save(Image.effect_noise((400, 300), 80).convert("RGB"), tmp_path / "a.png")
    part = prepare(path, ImageLimits(max_bytes=5000))
    assert part.flags == ("jpeg", "scaled_down")
    assert len(part.data) <= 5000
    assert part.width / part.height == pytest.approx(4 / 3, abs=0.05)


def test_bytes_that_cannot_be_met_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="cannot be brought under 100 bytes"):
        prepare(save(drawing(), tmp_path / "a.png"), ImageLimits(max_side=8, max_bytes=100))


def png_that_claims(width: int, height: int) -> bytes:
    whole = sixteen_bit_rgb_png()
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return whole[:12] + head + struct.pack(">I", zlib.crc32(head)) + whole[33:]


@pytest.mark.parametrize(("width", "height"), [(20_000, 15_000), (12_000, 9_000), (60_000, 60_000)])
def test_a_decompression_bomb_is_refused_by_its_header(tmp_path: Path, width: int, height: int) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png_that_claims(width, height))
    with pytest.raises(ImageError, match=r"bomb\.png.*80,000,000 pixels allowed"):
        prepare(path)


def test_pixels_at_the_limit_pass(tmp_path: Path) -> None:
    path = save(drawing(size=(60, 40)), tmp_path / "a.png")
    prepare(path, ImageLimits(max_pixels=2400))
    with pytest.raises(ImageError, match="60 x 40"):
        prepare(path, ImageLimits(max_pixels=2399))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gone.png", None, "no such file"),
        ("empty.png", b"", "not an image"),
        ("text.png", b"hello", "not an image"),
        ("post.eps", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not an image"),
        ("doc.pdf", b"%PDF-1.5\n", "not an image"),
    ],
)
def test_what_is_no_image(tmp_path: Path, name: str, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ImageError) as caught:
        prepare(tmp_path / name)
    assert said in str(caught.value)
    assert name in str(caught.value)


def test_a_folder_is_no_image(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="no such file"):
        prepare(tmp_path)


@pytest.mark.parametrize("form", ["png", "jpg"])
def test_a_cut_file_is_refused_although_its_header_is_good(tmp_path: Path, form: str) -> None:
    path = save(Image.effect_noise((200, 200), 80).convert("RGB"), tmp_path / f"a.{form}")
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(ImageError, match="does not decode"):
        prepare(path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_mutated_files_decode_or_are_image_errors(tmp_path: Path, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(["png", "jpg", "gif", "tiff", "webp", "bmp"]))
    content = bytearray(save(drawing(), tmp_path / f"a.{form}").read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "mutated").write_bytes(content)
    try:
        opened(prepare(tmp_path / "mutated"))
    except ImageError as error:
        assert "mutated" in str(error)


def test_a_plain_image_is_upright_on_white_and_whole(tmp_path: Path) -> None:
    see_through = Image.new("RGBA", (30, 20), (0, 0, 0, 0))
    plain = plain_image(save(see_through, tmp_path / "a.png"))
    assert (plain.mode, plain.size, plain.getextrema()) == ("RGB", (30, 20), ((255, 255),) * 3)
    exif = Image.Exif()
    exif[0x0112] = 6
    assert plain_image(save(drawing(), tmp_path / "b.jpg", exif=exif)).size == (40, 60)
    assert plain_image(save(Image.new("1", (9, 8)), tmp_path / "c.png")).mode == "L"


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n" + b"\0" * 40])
def test_a_plain_image_that_does_not_decode_is_an_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(ImageError, match=r"a\.png"):
        plain_image(tmp_path / "a.png")
    whole = save(drawing(size=(300, 200)), tmp_path / "b.png")
    with pytest.raises(ImageError, match="59,999 pixels allowed"):
        plain_image(whole, 59_999)
    assert plain_image(whole, 60_000).size == (300, 200)
