"""Hostile archives: what each kind is refused with, and that the rest of the paper is read all the same."""

from __future__ import annotations

import io
import re
import stat
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.paper import DEFAULTS, LatexExtraction, read_figures
from data_juicer_ext.latex.source.archive import safe_path
from data_juicer_ext.latex.source.paper_files import open_source
from tests.latex.archives import FILES, LATEX, header, member, record, sound_tar, tar_of, zip_of
from tests.latex.papers import png

END = bytes(1024)


def read(tmp_path: Path, data: bytes, options: LatexOptions = DEFAULTS) -> LatexExtraction:
    path = tmp_path / "p.bin"
    path.write_bytes(data)
    return read_figures(path, tmp_path / "images", options)


def names(tmp_path: Path, data: bytes) -> set[str]:
    path = tmp_path / "p.bin"
    path.write_bytes(data)
    return open_source(path, DEFAULTS)[0].names


def zip_with(info: zipfile.ZipInfo, data: bytes = b"x") -> bytes:
    """The zip of a paper with one more member."""
    out = io.BytesIO(zip_of(FILES))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(info, data)
    return out.getvalue()


def patched(data: bytes, name: bytes, local: int, central: int, value: bytes) -> bytes:
    """A zip whose headers of the member `name` hold `value` at these offsets before the name."""
    changed = bytearray(data)
    for found, offset in zip(re.finditer(re.escape(name), data), (local, central), strict=True):
        at = found.start() - offset
        changed[at : at + len(value)] = value
    return bytes(changed)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil.tex", "leaves the paper's folder"),
        ("a/../../b", "leaves the paper's folder"),
        ("..\\..\\b", "leaves the paper's folder"),
        ("/etc/evil", "leaves the paper's folder"),
        ("\\\\host\\share", "leaves the paper's folder"),
        ("C:\\x", "leaves the paper's folder"),
        ("c:x", "leaves the paper's folder"),
        ("two\nlines.tex", "control characters"),
        ("bell\x07.tex", "control characters"),
        ("nul\x00.tex", "control characters"),
        ("long/" * 300, "longer than 1000"),
        ("./.", "no name"),
    ],
)
def test_names_that_are_refused(tmp_path: Path, name: str, reason: str) -> None:
    assert reason in safe_path(name)[1]
    tars = member(b"x", record(b"path", name.encode()), kind=b"x") + member(b"x", b"evil")
    for data in (sound_tar() + tars + END, zip_of({**FILES, name: b"evil"})):
        if data.startswith(b"PK") and ("\x00" in name or name.endswith("/")):
            continue  # Python cannot write such a name
        extraction = read(tmp_path, data)
        assert len(extraction.figures) == 1
        assert [reason in note for note in extraction.notes] == [True]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["images", "p.bin"]


@given(st.text(st.sampled_from("./\\:Ca\n\x00é"), max_size=12))
def test_a_safe_path_stays_below_its_folder(name: str) -> None:
    path, reason = safe_path(name)
    assert bool(path) != bool(reason)
    parts = path.split("/")
    assert ".." not in parts and not path.startswith("/") and "\\" not in path and "\x00" not in path


def test_backslashes_are_folders(tmp_path: Path) -> None:
    assert names(tmp_path, zip_of({"sub\\ms.tex": LATEX.encode()})) == {"sub/ms.tex"}


def test_names_in_other_encodings(tmp_path: Path) -> None:
    tar = member("é.tex".encode("latin-1"), LATEX.encode()) + END
    assert names(tmp_path, tar) == {"é.tex"}
    unmarked = bytearray(zip_of({"\u00e9.tex": LATEX.encode()}))
    for at in [match.start() + 6 for match in re.finditer(b"PK\x03\x04", unmarked)]:
        unmarked[at + 1] &= 0xF7
    for at in [match.start() + 8 for match in re.finditer(b"PK\x01\x02", unmarked)]:
        unmarked[at + 1] &= 0xF7
    assert names(tmp_path, bytes(unmarked)) == {"\u00e9.tex"}


def test_of_names_found_twice_the_last_is_read(tmp_path: Path) -> None:
    old = {"ms.tex": b"\\documentclass{article} old"}
    for data in (
        b"".join(member(b"ms.tex", text) for text in (*old.values(), LATEX.encode())) + END,
        zip_of({"xs.tex": old["ms.tex"], "ms.tex": LATEX.encode()}).replace(b"xs.tex", b"ms.tex"),
    ):
        extraction = read(tmp_path, data)
        assert len(extraction.figures) == 1
        assert [note for note in extraction.notes if "more than once" in note] == [
            "archive member found more than once: 'ms.tex': the last one is read"
        ]


def test_names_that_differ_in_case_are_two_files(tmp_path: Path) -> None:
    files = {"ms.tex": LATEX.encode(), "A.png": png(colour="blue"), "a.png": png()}
    for data in (tar_of(files), zip_of(files)):
        (found,) = read(tmp_path, data).figures
        assert Path(found.images[0]).read_bytes() == png()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "it is a link"),
        (tarfile.LNKTYPE, "it is a link"),
        (tarfile.CHRTYPE, "it is a device"),
        (tarfile.BLKTYPE, "it is a device"),
        (tarfile.FIFOTYPE, "it is a pipe"),
        (b"V", "it is of a kind that is not read ('V')"),
    ],
)
def test_what_is_no_plain_file_in_a_tar_is_refused(tmp_path: Path, kind: bytes, reason: str) -> None:
    linked = bytearray(header(b"b.png", kind=kind))
    linked[157:163] = b"ms.tex"
    linked[148:156] = b" " * 8
    linked[148:156] = b"%06o\0 " % sum(linked)
    extraction = read(tmp_path, sound_tar() + bytes(linked) + END)
    assert extraction.notes == [f"archive member refused: 'b.png': {reason}"]
    assert len(extraction.figures) == 1


def test_a_sparse_file_that_claims_terabytes_is_left_out(tmp_path: Path) -> None:
    claims = (1 << 43).to_bytes(12, "big")
    old = header(b"old.dat", b"%o" % 512, b"S", b"ustar  \0", bytes(217) + b"\1" + claims) + bytes(504) + b"\0" * 8
    pax = record(b"GNU.sparse.major", b"1") + record(b"GNU.sparse.realsize", b"8796093022208")
    new = member(b"pax", pax, b"x") + member(b"new.dat", b"1\n0\n512\n" + bytes(504) + b"y" * 512)
    extraction = read(tmp_path, sound_tar() + old + b"x" * 512 + new + END)
    assert len(extraction.figures) == 1
    assert extraction.notes == [
        f"archive member refused: {name!r}: it is a sparse file" for name in ("old.dat", "new.dat")
    ]


@pytest.mark.parametrize("size", [b"%o" % (1 << 32), b"\x80" + (1 << 70).to_bytes(11, "big")])
def test_a_member_that_claims_more_than_there_is(tmp_path: Path, size: bytes) -> None:
    with pytest.raises(PaperError, match="unpacks to more than 20000000 bytes from"):
        read(tmp_path, sound_tar() + header(b"huge.tex", size) + b"x" * 512)
    with pytest.raises(PaperError, match=r"broken \(it ends in the middle of 'huge.tex'\); fetch it again"):
        read(tmp_path, sound_tar() + header(b"huge.tex", b"%o" % 1_000_000) + b"x" * 512)


def test_bombs_of_many_members_are_refused(tmp_path: Path) -> None:
    files = {f"{number}.tex": bytes(3_000_000) for number in range(10)}
    for data in (tar_of(files), zip_of(files)):
        with pytest.raises(PaperError, match="unpacks to more than 20000000 bytes from"):
            read(tmp_path, data)
    with pytest.raises(PaperError, match=r"unpacks to more than max_bytes \(50\)|larger than max_bytes"):
        read(tmp_path, zip_of(FILES), LatexOptions(max_bytes=50))


def overlapping_zip(copies: int) -> bytes:
    """A zip whose entries all point to the same data."""
    data = zip_of({"a.tex": bytes(100_000)})
    at = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entries = b"".join(data[at:end].replace(b"a.tex", b"%05d" % number) for number in range(copies))
    counts = struct.pack("<HHHHIIH", 0, 0, copies, copies, len(entries), at, 0)
    return data[:at] + entries + b"PK\x05\x06" + counts


def test_a_zip_whose_members_overlap_is_refused(tmp_path: Path) -> None:
    assert len(overlapping_zip(300)) < 20_000
    with pytest.raises(PaperError, match="members overlap"):
        read(tmp_path, overlapping_zip(300))


def test_a_zip_that_lies_about_sizes(tmp_path: Path) -> None:
    sound = zip_of({**FILES, "x.dat": bytes(50_000)})
    small = patched(sound, b"x.dat", 8, 22, struct.pack("<I", 10))
    extraction = read(tmp_path, small)
    assert len(extraction.figures) == 1
    assert ["it can't be unpacked (Bad CRC-32" in note for note in extraction.notes] == [True]
    large = patched(sound, b"x.dat", 8, 22, struct.pack("<I", 3_000_000_000))
    with pytest.raises(PaperError, match="unpacks to more than 20000000 bytes"):
        read(tmp_path, large)


def test_members_of_a_zip_that_are_not_read(tmp_path: Path) -> None:
    link, device = zipfile.ZipInfo("link.png"), zipfile.ZipInfo("device.png")
    link.external_attr, device.external_attr = (stat.S_IFLNK | 0o777) << 16, stat.S_IFBLK << 16
    squeezed = zipfile.ZipInfo("squeezed.dat")
    squeezed.compress_type = zipfile.ZIP_BZIP2
    encrypted = patched(zip_with(zipfile.ZipInfo("secret.dat")), b"secret.dat", 24, 38, b"\x01")
    for data, reason in [
        (zip_with(link, b"/etc/passwd"), "it is a link or a device"),
        (zip_with(device), "it is a link or a device"),
        (zip_with(squeezed), "it is compressed by a method that is not read (number 12)"),
        (encrypted, "it is encrypted"),
    ]:
        extraction = read(tmp_path, data)
        assert len(extraction.figures) == 1
        assert [note.endswith(reason) for note in extraction.notes] == [True]


def test_a_nul_in_the_name_of_a_zip_member(tmp_path: Path) -> None:
    data = zip_of({**FILES, "bXtex.png": b"x"}).replace(b"bXtex.png", b"b\0tex.png")
    assert ["control characters" in note for note in read(tmp_path, data).notes] == [True]


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    options = LatexOptions(max_members=50)
    files = {f"{number}.tex": b"" for number in range(60)}
    folders = b"".join(header(b"%d/" % number, kind=b"5") for number in range(60)) + END
    for data in (tar_of(files), tar_of(files, "w"), zip_of(files), folders):
        with pytest.raises(PaperError, match="more than 50 members; raise max_members"):
            read(tmp_path, data, options)


def test_a_hundred_thousand_members_are_refused_at_the_bound(tmp_path: Path) -> None:
    empty = header(b"x.tex")
    for data in (empty * 100_000 + END, zip_of({"x.tex": b""}).replace(b"PK\x01\x02", b"PK\x01\x02" * 100_000)):
        with pytest.raises(PaperError, match="more than 20000 members"):
            read(tmp_path, data)


def test_what_was_refused_is_told_where_no_latex_is_left(tmp_path: Path) -> None:
    inner = {"inner.zip": zip_of(FILES)}
    for data in (zip_of(inner), tar_of(inner)):
        with pytest.raises(PaperError, match=r"no LaTeX file that can be read .*archives inside an archive"):
            read(tmp_path, data)
    with pytest.raises(PaperError, match=r"no files that can be read .*leaves the paper's folder"):
        read(tmp_path, tar_of({"/abs.tex": LATEX.encode()}))


def test_an_archive_in_a_paper_is_noted(tmp_path: Path) -> None:
    extraction = read(tmp_path, tar_of({**FILES, "data.zip": zip_of(FILES)}))
    assert extraction.notes == ["archive member kept closed: 'data.zip': archives inside an archive are not opened"]
    assert len(extraction.figures) == 1


def test_notes_stay_few(tmp_path: Path) -> None:
    links = b"".join(header(b"%d.png" % number, kind=b"2") for number in range(500))
    notes = read(tmp_path, sound_tar() + links + END).notes
    assert len(notes) == 51 and notes[-1] == "archive members: 450 more notes like these"


def test_what_follows_the_last_whole_member_is_noted(tmp_path: Path) -> None:
    extraction = read(tmp_path, sound_tar() + b"no header at all" * 40)
    assert len(extraction.figures) == 1
    assert ["is no header; the rest was not read" in note for note in extraction.notes] == [True]


SOUND = [tar_of(FILES, "w"), tar_of(FILES), zip_of(FILES), sound_tar() + overlapping_zip(5)]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SOUND), st.data())
def test_broken_archives_end_in_figures_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, sound: bytes, data: st.DataObject
) -> None:
    changed = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(bytes(changed[: data.draw(st.integers(len(changed) // 2, len(changed)))]))
    try:
        tree, _ = open_source(path, DEFAULTS)
    except PaperError as error:
        assert str(path) in str(error)
    else:
        assert all(isinstance(tree.read(name), bytes) and not safe_path(name)[1] for name in tree.names)
