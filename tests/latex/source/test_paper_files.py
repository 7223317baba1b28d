"""What a paper may come as, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.paper import DEFAULTS, LatexExtraction, read_figures
from data_juicer_ext.latex.source import paper_files
from data_juicer_ext.latex.source.paper_files import SourceTree, join, resolve
from tests.latex.archives import FILES, LATEX, tar_of, zip_of
from tests.latex.papers import pdf, png, write


def read_bytes(tmp_path: Path, name: str, data: bytes, options: LatexOptions = DEFAULTS) -> LatexExtraction:
    path = tmp_path / name
    path.write_bytes(data)
    return read_figures(path, tmp_path / "images", options)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("p.tar.gz", tar_of(FILES)),
        ("p.tgz", tar_of(FILES)),
        ("p.tar", tar_of(FILES, "w")),
        ("p.zip", zip_of(FILES)),
        ("p.tar.bz2", bz2.compress(tar_of(FILES, "w"))),
        ("p.tar.xz", lzma.compress(tar_of(FILES, "w"))),
        ("wrong-suffix.zip", tar_of(FILES)),
        ("no-suffix", zip_of(FILES)),
    ],
)
def test_archives_are_read_by_content(tmp_path: Path, name: str, data: bytes) -> None:
    extraction = read_bytes(tmp_path, name, data)
    (found,) = extraction.figures
    assert found.label == "fig:a"
    assert found.image_sources == ["a.png"]
    assert Path(found.images[0]).read_bytes() == png()
    assert extraction.main_file == "ms.tex"


@pytest.mark.parametrize(("suffix", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_single_compressed_tex(tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]) -> None:
    extraction = read_bytes(tmp_path, f"2101.00001.{suffix}", compress(LATEX.encode()))
    assert extraction.figures[0].context_places == ["2101.00001.tex:10"]
    assert extraction.figures[0].flags == ["image_missing"]


def test_garbage_behind_the_compressed_data_is_left_out_and_noted(tmp_path: Path) -> None:
    for data in (gzip.compress(LATEX.encode()), tar_of(FILES)):
        extraction = read_bytes(tmp_path, "p.gz", data + b"<html>" * 20)
        assert len(extraction.figures) == 1
        assert any("garbage" in note for note in extraction.notes)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    for content in (LATEX.encode() * 50, tar_of(FILES, "w")):
        with pytest.raises(PaperError, match=r"p.gz is broken \(.*\); fetch it again"):
            read_bytes(tmp_path, "p.gz", compress(content)[:-30])


def test_a_flipped_bit_is_found_by_the_checksum(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(tar_of({**FILES, "note.txt": b"a plain sentence"}, "w"), 0))
    data[data.index(b"plain")] ^= 1
    with pytest.raises(PaperError, match="broken"):
        read_bytes(tmp_path, "p.tar.gz", bytes(data))


@pytest.mark.parametrize("inner", [tar_of(FILES), zip_of(FILES), gzip.compress(LATEX.encode())])
def test_what_is_packed_twice_stays_closed(tmp_path: Path, inner: bytes) -> None:
    with pytest.raises(PaperError, match="archive inside an archive; unpack it once"):
        read_bytes(tmp_path, "p.gz", gzip.compress(inner))


def test_a_compressed_file_of_a_gigabyte_is_no_paper(tmp_path: Path) -> None:
    with pytest.raises(PaperError, match="unpacks to more than 20000000 bytes from"):
        read_bytes(tmp_path, "bomb.gz", gzip.compress(b"\0" * 30_000_000))
    with pytest.raises(PaperError, match=r"unpacks to more than max_bytes \(1000000\)"):
        read_bytes(tmp_path, "bomb.gz", gzip.compress(b"\0" * 30_000_000), LatexOptions(max_bytes=1_000_000))


def test_folder_and_tex_file_read_their_images(tmp_path: Path) -> None:
    folder = write(tmp_path / "p", {"ms.tex": LATEX, "a.png": png(), "other.tex": LATEX})
    for path in (folder, folder / "ms.tex"):
        extraction = read_figures(path, tmp_path / "images")
        assert extraction.main_file == "ms.tex"
        assert extraction.figures[0].images


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (pdf(), "PDF"),
        (b"<!DOCTYPE html><html>not found</html>", "web page"),
        (b"%!PS-Adobe-3.0\n", "PostScript"),
        (b"just words", "neither an archive nor LaTeX"),
        (tar_of(FILES)[:100], "broken"),
        (b"PK\x03\x04 broken", "broken"),
        (gzip.compress(b"words only"), "neither"),
        (gzip.compress(pdf()), "PDF"),
        (tar_of({"a.png": png()}), "no LaTeX file"),
        (zip_of({}), "no files"),
    ],
)
def test_what_is_no_paper_is_refused_by_name(tmp_path: Path, data: bytes, words: str) -> None:
    with pytest.raises(PaperError, match=words) as error:
        read_bytes(tmp_path, "thing.bin", data)
    assert "thing.bin" in str(error.value)


def test_missing_path(tmp_path: Path) -> None:
    with pytest.raises(PaperError, match="does not exist"):
        read_figures(tmp_path / "nowhere.tar.gz", tmp_path)


def test_a_pipe_is_no_paper(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.tar.gz")
    with pytest.raises(PaperError, match="a device, a pipe or a socket"):
        read_figures(tmp_path / "p.tar.gz", tmp_path / "images")
    with pytest.raises(PaperError, match="a device, a pipe or a socket"):
        read_figures(Path("/dev/zero"), tmp_path / "images")


def test_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(PaperError, match="no files"):
        read_figures(tmp_path, tmp_path / "images")


def test_links_out_of_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    folder = write(tmp_path / "p", {"ms.tex": LATEX})
    (folder / "a.png").symlink_to(tmp_path / "secret.png")
    extraction = read_figures(folder, tmp_path / "images")
    assert extraction.figures[0].flags == ["image_missing"]
    assert any("link out" in note for note in extraction.notes)


def test_accents_are_found_however_unicode_spells_them(tmp_path: Path) -> None:
    name = unicodedata.normalize("NFD", "Ergebnis-\u00fc.png")
    latex = LATEX.replace("{a}", "{Ergebnis-\u00fc}")
    extraction = read_bytes(tmp_path, "p.tar", tar_of({"ms.tex": latex.encode(), name: png()}, "w"))
    assert extraction.figures[0].images


def test_names_that_are_no_utf_8_are_read_as_latin_1(tmp_path: Path) -> None:
    folder = write(tmp_path / "p", {"ms.tex": LATEX.replace("{a}", "{\u00e9t\u00e9}").encode("latin-1")})
    Path(os.fsdecode(os.fsencode(folder) + b"/\xe9t\xe9.png")).write_bytes(png())
    (found,) = read_figures(folder, tmp_path / "images").figures
    assert found.images and found.image_sources == ["\u00e9t\u00e9.png"]


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/x", "~/x", "C:/x", "\x00"])
def test_join_never_leaves_the_folder(name: str) -> None:
    assert join("", name) is None


def test_resolve_prefers_the_exact_path_then_any_case() -> None:
    tree = SourceTree("t", {"fig/A.PNG": b"", "fig/b.pdf": b"", "fig/b.png": b""})
    assert resolve(tree, "fig/b", [""], (".pdf", ".png")) == "fig/b.pdf"
    assert resolve(tree, "a", ["", "fig"], (".pdf", ".png")) == "fig/A.PNG"
    assert resolve(tree, "../fig/b.png", ["sub"], ("",)) == "fig/b.png"
    with pytest.raises(PermissionError):
        resolve(tree, "../../x", ["sub"], ("",))


def test_beside_a_lone_file_not_all_of_thousands_of_papers_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"ms.tex": LATEX})
    asked, listed = list[int](), paper_files.list_files
    monkeypatch.setattr(paper_files, "list_files", lambda path, most: asked.append(most) or listed(path, most))
    for path in (tmp_path / "ms.tex", tmp_path):
        read_figures(path, tmp_path / "images", LatexOptions(max_members=20_000))
    assert asked == [5000, 20_000]
