"""What a paper may come as, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.paper import DEFAULTS, Extraction, read_figures
from data_juicer_ext.latex.source import SourceTree, join, resolve
from tests.latex.papers import document, figure, pdf, png, write

LATEX = document(figure() + "\nFigure~\\ref{fig:a} shows it.\n")
FILES: dict[str, bytes] = {"ms.tex": LATEX.encode(), "a.png": png()}


def tar_of(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zip_of(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def read_bytes(tmp_path: Path, name: str, data: bytes, options: LatexOptions = DEFAULTS) -> Extraction:
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


def test_single_gzipped_tex(tmp_path: Path) -> None:
    extraction = read_bytes(tmp_path, "2101.00001.gz", gzip.compress(LATEX.encode()))
    assert extraction.figures[0].context_places == ["2101.00001.tex:10"]
    assert extraction.figures[0].flags == ["image_missing"]


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


def test_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(PaperError, match="no files"):
        read_figures(tmp_path, tmp_path / "images")


def test_paths_that_leave_an_archive_are_refused_and_noted(tmp_path: Path) -> None:
    bad = {"../evil.tex": b"x", "/etc/evil": b"x", "a/../../b": b"x", "C:\\x": b"x"}
    for data in (tar_of(FILES | bad), zip_of(FILES | bad)):
        extraction = read_bytes(tmp_path, "p.bin", data)
        assert len(extraction.figures) == 1
        assert sum("leaves the paper's folder" in note for note in extraction.notes) == len(bad)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["images", "p.bin"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path, kind: bytes) -> None:
    out = io.BytesIO(tar_of(FILES, "w"))
    with tarfile.open(fileobj=out, mode="a") as archive:
        member = tarfile.TarInfo("link.png")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    extraction = read_bytes(tmp_path, "p.tar", out.getvalue())
    assert any("link or a device" in note for note in extraction.notes)
    assert len(extraction.figures) == 1


def test_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    out = io.BytesIO(zip_of(FILES))
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo("link.png")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert any("link or a device" in note for note in read_bytes(tmp_path, "p.zip", out.getvalue()).notes)


def test_links_out_of_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    folder = write(tmp_path / "p", {"ms.tex": LATEX})
    (folder / "a.png").symlink_to(tmp_path / "secret.png")
    extraction = read_figures(folder, tmp_path / "images")
    assert extraction.figures[0].flags == ["image_missing"]
    assert any("link out" in note for note in extraction.notes)


def packed_tar(data: bytes) -> bytes:
    return tar_of({"x.tex": data})


def packed_zip(data: bytes) -> bytes:
    return zip_of({"x.tex": data})


@pytest.mark.parametrize("pack", [packed_tar, packed_zip, gzip.compress])
def test_bombs_end_in_an_error(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    with pytest.raises(PaperError, match="unpacks to more"):
        read_bytes(tmp_path, "bomb", pack(b"\0" * 30_000_000))


def test_a_tar_of_tens_of_thousands_of_members_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PaperError, match="more than 50 members"):
        read_bytes(tmp_path, "many.tar", tar_of({f"{n}.tex": b"" for n in range(60)}), LatexOptions(max_members=50))
    with pytest.raises(PaperError, match="more than 50 members"):
        read_bytes(tmp_path, "many.zip", zip_of({f"{n}.tex": b"" for n in range(60)}), LatexOptions(max_members=50))


def test_an_archive_in_an_archive_stays_closed(tmp_path: Path) -> None:
    with pytest.raises(PaperError, match="no LaTeX file"):
        read_bytes(tmp_path, "outer.zip", zip_of({"inner.zip": zip_of(FILES)}))


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
