"""Figure files made readable."""

from __future__ import annotations

import io
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from data_juicer_ext.figures import rasterize
from data_juicer_ext.figures.rasterize import DrawingError, RasterLimits, View, kind_of, readable_image
from data_juicer_ext.storage import file_access, papers
from data_juicer_ext.storage.addresses import own_name
from data_juicer_ext.storage.papers import StorageError
from tests.latex.papers import pdf, png, pretending
from tests.s3_server import S3

SVG = (
    b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="72" height="36">'
    b'<rect width="72" height="36"/></svg>'
)
EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 72 36\nnewpath 0 0 moveto 72 36 lineto stroke\nshowpage\n%%EOF\n"


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def opened(path: str | Path) -> Image.Image:
    with Image.open(path) as image:
        image.load()
        return image


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_plain_images_are_left_as_they_are(tmp_path: Path, kind: str, mode: str) -> None:
    data = saved(Image.new(mode, (30, 20), 77), kind)
    path = Path(readable_image(data, tmp_path))
    assert path.read_bytes() == data
    assert path.suffix == (".png" if kind == "PNG" else ".jpg")


@pytest.mark.parametrize(
    "data",
    [
        saved(Image.new("CMYK", (30, 20), (0, 255, 255, 0)), "JPEG"),
        saved(Image.new("P", (30, 20)), "PNG"),
        saved(Image.new("1", (30, 20)), "PNG"),
        saved(Image.new("I;16", (30, 20), 60_000), "PNG"),
        saved(Image.new("RGB", (30, 20)), "GIF"),
        saved(Image.new("RGB", (30, 20)), "BMP"),
        saved(Image.new("RGB", (30, 20)), "TIFF"),
        saved(Image.new("RGB", (30, 20)), "WEBP"),
        saved(Image.new("F", (30, 20), 0.5), "TIFF"),
    ],
)
def test_other_formats_become_png(tmp_path: Path, data: bytes) -> None:
    image = opened(readable_image(data, tmp_path))
    assert (image.format, image.size) == ("PNG", (30, 20))
    assert image.mode in ("RGB", "L")


def test_sixteen_bits_keep_their_brightness(tmp_path: Path) -> None:
    image = opened(readable_image(saved(Image.new("I;16", (8, 8), 60_000), "PNG"), tmp_path))
    assert image.getpixel((0, 0)) == (233, 233, 233)


def test_transparency_lies_on_white(tmp_path: Path) -> None:
    for data in (saved(Image.new("RGBA", (8, 8), (0, 0, 0, 0)), "PNG"), saved(Image.new("LA", (8, 8), (0, 0)), "PNG"),
                 saved(Image.new("P", (8, 8)), "PNG", transparency=0)):  # fmt: skip
        assert opened(readable_image(data, tmp_path)).getpixel((0, 0)) == (255, 255, 255)


def test_exif_rotation_is_applied(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    image = opened(readable_image(saved(Image.new("RGB", (30, 20)), "JPEG", exif=exif), tmp_path))
    assert image.size == (20, 30)


def test_the_first_frame_of_an_animation(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert opened(readable_image(data, tmp_path)).getpixel((0, 0)) == (255, 0, 0)


def test_pdf_at_the_resolution_asked_for(tmp_path: Path) -> None:
    assert opened(readable_image(pdf(144, 72), tmp_path, RasterLimits(dpi=100))).size == (200, 100)
    assert opened(readable_image(pdf(144, 72), tmp_path, RasterLimits(dpi=300))).size == (600, 300)


def test_the_longest_side_is_bounded(tmp_path: Path) -> None:
    image = opened(readable_image(pdf(14_000, 7_000), tmp_path, RasterLimits(dpi=300, max_side=500)))
    assert max(image.size) <= 501


def test_pages(tmp_path: Path) -> None:
    data = pdf(pages=2)
    paths = [Path(readable_image(data, tmp_path, view=View(page=page))) for page in (1, 2)]
    assert paths[0].read_bytes() != paths[1].read_bytes()
    last = Path(readable_image(data, tmp_path, view=View(page=9)))
    assert last.read_bytes() == paths[1].read_bytes()


def test_svg(tmp_path: Path) -> None:
    image = opened(readable_image(SVG, tmp_path, RasterLimits(dpi=72)))
    assert max(image.size) >= 72
    assert image.getpixel((2, 2)) == (0, 0, 0)


@pytest.mark.skipif(shutil.which("gs") is None, reason="ghostscript is not installed")
def test_eps(tmp_path: Path) -> None:
    assert opened(readable_image(EPS, tmp_path, RasterLimits(dpi=72))).size == (72, 36)


def test_eps_without_ghostscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rasterize.shutil, "which", lambda name: None)
    with pytest.raises(DrawingError) as problem:
        readable_image(EPS, tmp_path)
    assert problem.value.flag == "needs_ghostscript"


def test_eps_resolution_follows_its_bounding_box() -> None:
    assert rasterize._dpi_for(EPS, RasterLimits(dpi=200, max_side=2000)) == 200
    assert rasterize._dpi_for(EPS.replace(b"72 36", b"72000 36"), RasterLimits(dpi=200, max_side=2000)) == 2.0
    assert rasterize._dpi_for(b"%!PS", RasterLimits(dpi=200)) == 150


def test_viewport(tmp_path: Path) -> None:
    options = {"viewport": "0 0 36 18", "clip": "true"}
    view = View.from_options(options)
    assert opened(readable_image(pdf(144, 72), tmp_path, RasterLimits(dpi=72), view)).size == (36, 18)
    picture = Image.new("RGB", (40, 40), "white")
    picture.paste("red", (0, 20, 20, 40))  # lower left
    shown = readable_image(saved(picture, "PNG"), tmp_path, view=View.from_options(options | {"viewport": "0 0 20 20"}))
    assert opened(shown).getcolors() == [(400, (255, 0, 0))]


def test_a_box_of_a_page(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=200, height=100)
    page.draw_rect((20, 10, 60, 40), color=(1, 0, 0), fill=(1, 0, 0))
    whole = bytes(document.tobytes())
    image = opened(readable_image(whole, tmp_path, RasterLimits(dpi=72), View(box=(22, 12, 58, 38))))
    assert (image.size, image.getcolors()) == ((36, 26), [(36 * 26, (255, 0, 0))])
    turned = opened(readable_image(whole, tmp_path, RasterLimits(dpi=72), View(box=(22, 12, 58, 38), angle=270)))
    assert turned.size == (26, 36)
    page.set_rotation(90)  # the box is that of the page as it is shown
    again = opened(
        readable_image(bytes(document.tobytes()), tmp_path, RasterLimits(dpi=72), View(box=(62, 22, 88, 58)))
    )
    assert (again.size, again.getcolors()) == ((26, 36), [(36 * 26, (255, 0, 0))])
    with pytest.raises(DrawingError):
        readable_image(whole, tmp_path, view=View(box=(300, 10, 400, 40)))


def test_trim_and_angle(tmp_path: Path) -> None:
    view = View.from_options({"trim": "36 0 36 0", "clip": "true", "angle": "90"})
    assert opened(readable_image(pdf(144, 72), tmp_path, RasterLimits(dpi=72), view)).size == (72, 72)
    assert View.from_options({"trim": "1cm 0pt 0in 2mm", "clip": "true"}).trim == pytest.approx(
        (28.35, 0, 0, 5.67), abs=0.01
    )
    assert View.from_options({"trim": "36 0 36 0"}) == View()
    assert View.from_options({"trim": "nonsense", "clip": "true", "angle": "x", "page": "z"}) == View()
    assert View.from_options({"angle": "-90"}).angle == 270
    assert View.from_options({"angle": "30"}).angle == 0


def encrypted() -> bytes:
    document = pymupdf.open()
    document.new_page()
    return bytes(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o"))


@pytest.mark.parametrize(
    ("data", "flag"),
    [
        (b"", "image_unreadable"),
        (b"no image", "image_unreadable"),
        (png(300, 300)[:200], "image_unreadable"),
        (saved(Image.new("RGB", (300, 300), "red"), "JPEG")[:400], "image_unreadable"),
        (b"%PDF-1.4 broken", "image_unreadable"),
        (encrypted(), "image_unreadable"),
        (b"<svg broken", "image_unreadable"),
        (pretending(60_000, 60_000), "image_too_large"),
        (pretending(11_000, 11_000), "image_too_large"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, data: bytes, flag: str) -> None:
    with pytest.raises(DrawingError) as problem:
        readable_image(data, tmp_path)
    assert problem.value.flag == flag
    assert list(tmp_path.iterdir()) == []


def test_a_page_of_absurd_size(tmp_path: Path) -> None:
    data = pdf(144, 72).replace(b"[0 0 144 72]", b"[0 0 9e9 72]")
    assert b"9e9" in data or b"144" in data
    try:
        image = opened(readable_image(data, tmp_path, RasterLimits(max_side=500)))
    except DrawingError as problem:
        assert problem.flag in ("image_too_large", "image_unreadable")
    else:
        assert max(image.size) <= 501


def endless_pdf() -> bytes:
    """A PDF of a few kilobytes that takes ten to the twelfth strokes to draw: forms that draw forms."""
    count = 13
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R"
               " /Resources << /XObject << /F 5 0 R >> >> >>", "<< /Length 4 >>\nstream\n/F Do\nendstream"]  # fmt: skip
    for number in range(count):
        inner = f"/Resources << /XObject << /F {number + 6} 0 R >> >>" if number < count - 1 else ""
        draws = "/F Do " * 10 if number < count - 1 else "0 0 m 200 200 l S "
        objects.append(f"<< /Type /XObject /Subtype /Form /BBox [0 0 200 200] {inner} /Length {len(draws)} >>\n"
                       f"stream\n{draws}\nendstream")  # fmt: skip
    body = "".join(f"{number} 0 obj\n{text}\nendobj\n" for number, text in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer << /Root 1 0 R /Size {len(objects) + 1} >>\n%%EOF\n".encode()


def test_a_page_that_takes_for_ever_costs_only_itself(tmp_path: Path) -> None:
    with pytest.raises(DrawingError, match=r"took over 0\.5 s") as problem:
        readable_image(endless_pdf(), tmp_path, RasterLimits(seconds=0.5))
    assert problem.value.flag == "image_unreadable"
    assert opened(readable_image(pdf(144, 72), tmp_path, RasterLimits(dpi=72))).size == (144, 72)


def test_a_page_that_crashes_the_library_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(DrawingError) as problem:
        patch.setattr(rasterize, "_DRAW", "tests.figures.bounded_jobs:crash_on_page")
        readable_image(pdf(), tmp_path)
    assert problem.value.flag == "image_unreadable"
    assert Path(readable_image(pdf(), tmp_path)).is_file()


def test_the_name_is_the_content(tmp_path: Path) -> None:
    data = pdf()
    first = Path(readable_image(data, tmp_path))
    again = Path(readable_image(data, tmp_path / "other"))
    assert len({readable_image(png(), tmp_path, RasterLimits(dpi=dpi)) for dpi in (72, 300)}) == 1
    assert len({readable_image(SVG, tmp_path, RasterLimits(dpi=dpi)) for dpi in (72, 300)}) == 2
    assert first.name == again.name and len(first.stem) == 32


def test_many_at_once_write_one_whole_file(tmp_path: Path) -> None:
    data = saved(Image.effect_noise((200, 200), 50).convert("P"), "PNG")
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: readable_image(data, tmp_path), range(16)))
    assert len(set(paths)) == 1
    assert [path.name for path in tmp_path.iterdir()] == [own_name(paths[0])]


def test_kinds() -> None:
    assert [kind_of(data) for data in (pdf(), EPS, SVG, png(), b"\n<svg>")] == ["pdf", "eps", "svg", "raster", "svg"]


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([png(), SVG, pdf(), saved(Image.new("RGB", (9, 9)), "GIF")]), st.integers(0), st.binary(max_size=9)
)
def test_damage_never_ends_in_another_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, at: int, put: bytes
) -> None:
    at %= len(data)
    try:
        readable_image(
            data[:at] + put + data[at + len(put) :],
            tmp_path_factory.getbasetemp() / "damaged",
            RasterLimits(max_side=200),
        )
    except DrawingError as problem:
        assert problem.flag in ("image_unreadable", "image_too_large", "needs_ghostscript")


# ---- object storage


def test_images_at_an_address_are_those_in_a_folder(s3: S3, tmp_path: Path) -> None:
    jpeg, grey = (saved(Image.new(mode, (30, 20), 77), "JPEG") for mode in ("RGB", "L"))
    for data in (png(), jpeg, grey, saved(Image.new("CMYK", (30, 20)), "JPEG"), SVG, pdf()):
        local, there = readable_image(data, tmp_path), readable_image(data, s3.at("run/images/"))
        assert there == s3.at(f"run/images/{own_name(local)}")
        assert file_access.read(there) == Path(local).read_bytes()


def test_an_object_is_asked_for_once_and_drawn_once(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pdf()
    first = readable_image(data, s3.at("images"))
    before = file_access.read(first)
    monkeypatch.setattr(rasterize, "_known", type(rasterize._known)())
    asked: list[str] = []

    def size(place: str) -> int | None:
        asked.append(place)
        return file_access.size(place)

    def unexpected(*_: object) -> None:
        raise AssertionError("drawn or written once more")

    monkeypatch.setattr(papers, "size", size)
    monkeypatch.setattr(papers, "write", unexpected)
    monkeypatch.setattr(rasterize, "_vector", unexpected)
    assert [readable_image(data, s3.at("images")) for _ in range(3)] == [first] * 3
    assert len(asked) == 1 and file_access.read(first) == before


def test_what_is_known_is_forgotten_in_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rasterize, "_known", type(rasterize._known)())
    monkeypatch.setattr(rasterize, "_MOST_KNOWN", 2)
    folder = f"memory://{tmp_path.name}"
    made = [readable_image(png(width), folder) for width in (1, 2, 3)]
    assert list(rasterize._known) == made[1:]
    assert readable_image(png(1), folder) == made[0]


def test_a_storage_that_cannot_be_written_is_not_the_images_fault() -> None:
    with pytest.raises(StorageError, match=r"s3://no-such-bucket/images/\w+\.png can't be written") as error:
        readable_image(png(), "s3://no-such-bucket/images")
    assert "bucket" in str(error.value)


def test_a_cut_image_is_refused_where_others_have_pillow_fill_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.raises(DrawingError):
        readable_image(saved(Image.effect_noise((64, 64), 50).convert("RGB"), "PNG")[:-3000], tmp_path)
    assert ImageFile.LOAD_TRUNCATED_IMAGES is True


def test_a_large_image_is_not_warned_of_by_pillow(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    readable_image(saved(Image.new("1", (10_000, 9_500)), "PNG"), tmp_path, limits=RasterLimits())
    assert not [warning for warning in recwarn if "DecompressionBomb" in warning.category.__name__]
