"""PNG and JPEG files without what they say beside the picture: comments, EXIF, XMP, names and dates of files.

Such text can hold paths, people and places. Pixels, colour profiles and resolutions stay as they are, byte for byte.
"""

_PNG = b"\x89PNG\r\n\x1a\n"
# Chunks that the picture consists of, or that say how its colours and sizes are meant.
_PNG_KEPT = (
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP", b"bKGD", b"hIST",
    b"pHYs", b"sPLT",
)  # fmt: skip
_EOI, _SOS = 0xD9, 0xDA
# Segments that decoders need: JFIF, the colour profile, Adobe's colour transform.
_KEPT_APPS = (0xE0, 0xE2, 0xEE)
_COMMENT = 0xFE


def without_metadata(data: bytes) -> bytes:
    """A PNG or JPEG file without its metadata, and without anything behind its end.

    Raises ValueError for a file that is not built as its format demands.
    """
    if data.startswith(_PNG):
        return _png(data)
    if data[:2] == b"\xff\xd8":
        return _jpeg(data)
    raise ValueError("neither PNG nor JPEG")


def _png(data: bytes) -> bytes:
    kept, at = [_PNG], len(_PNG)
    while at + 12 <= len(data):
        kind, end = data[at + 4 : at + 8], at + 12 + int.from_bytes(data[at : at + 4], "big")
        if end > len(data):
            break
        if kind in _PNG_KEPT:
            kept.append(data[at:end])
        if kind == b"IEND":
            return b"".join(kept)
        at = end
    raise ValueError("a PNG file without its end")


def _jpeg(data: bytes) -> bytes:
    kept, at = [data[:2]], 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            raise ValueError("a JPEG file with something between its segments")
        marker = data[at + 1]
        if marker == 0xFF:  # padding before a marker
            at += 1
            continue
        if marker == _EOI:
            break
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _SOS:
            end = _scan_end(data, end)
        if not (0xE0 <= marker <= 0xEF and marker not in _KEPT_APPS) and marker != _COMMENT:
            kept.append(data[at:end])
        at = end
    if data[at : at + 2] != b"\xff\xd9":
        raise ValueError("a JPEG file without its end")
    return b"".join([*kept, b"\xff\xd9"])


def _scan_end(data: bytes, at: int) -> int:
    """Where the coded data that begins at `at` ends: at the next marker that is no restart."""
    while (at := data.find(b"\xff", at)) >= 0 and at + 1 < len(data):
        following = data[at + 1]
        if following != 0 and not 0xD0 <= following <= 0xD7 and following != 0xFF:
            return at
        at += 1 if following == 0xFF else 2
    raise ValueError("a JPEG file without its end")
