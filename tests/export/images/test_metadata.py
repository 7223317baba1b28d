from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image, PngImagePlugin

from data_juicer_ext.export.images.metadata import without_metadata

SECRET = b"/home/jane"


def noise(mode: str = "RGB") -> Image.Image:
    return Image.effect_noise((70, 50), 90).convert(mode)


def saved(image: Image.Image, form: str, **how: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **how)
    return out.getvalue()


def png_with_text() -> bytes:
    about = PngImagePlugin.PngInfo()
    about.add_text("Thumb::URI", f"file://{SECRET.decode()}/a.png")
    about.add_itxt("Author", SECRET.decode())
    about.add_text("Comment", SECRET.decode(), zip=True)
    about.add(b"prVt", SECRET)
    exif = Image.Exif()
    exif[270] = SECRET.decode()
    return saved(noise(), "PNG", pnginfo=about, exif=exif, dpi=(300, 300))


def jpeg_with_text(**how: Any) -> bytes:
    exif = Image.Exif()
    exif[270] = SECRET.decode()
    return saved(noise(), "JPEG", exif=exif, comment=SECRET, xmp=SECRET, dpi=(300, 300), **how)


@pytest.mark.parametrize(
    "data",
    [png_with_text(), jpeg_with_text(), jpeg_with_text(progressive=True), saved(noise("P"), "PNG"),
     saved(noise("CMYK"), "JPEG"), jpeg_with_text() + SECRET, png_with_text() + SECRET],
)  # fmt: skip
def test_the_picture_stays_and_what_is_beside_it_goes(data: bytes) -> None:
    bare = without_metadata(data)
    assert SECRET not in bare and without_metadata(bare) == bare
    with Image.open(io.BytesIO(data)) as before, Image.open(io.BytesIO(bare)) as after:
        assert (after.mode, after.size) == (before.mode, before.size)
        assert after.tobytes() == before.tobytes(), "no pixel changes"
        assert not after.getexif() and "comment" not in after.info and "xmp" not in after.info


def test_resolution_and_colour_profile_stay() -> None:
    for form in ("PNG", "JPEG"):
        data = saved(noise(), form, icc_profile=b"profile" * 20, dpi=(300, 300))
        with Image.open(io.BytesIO(without_metadata(data))) as after:
            assert after.info["icc_profile"] == b"profile" * 20 and round(after.info["dpi"][0]) == 300


@pytest.mark.parametrize(
    "data", [b"", b"GIF89a", png_with_text()[:-20], jpeg_with_text()[:-2], b"\xff\xd8\xff", b"\xff\xd8" + b"x" * 9]
)
def test_what_is_not_built_as_it_must_be_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        without_metadata(data)
