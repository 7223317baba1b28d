"""LaTeX papers on object storage: the same figures as from a folder."""

from __future__ import annotations

import gzip
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from data_juicer_ext.latex import paper
from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.paper import LatexExtraction, figures_from_text, read_figures
from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import own_name
from data_juicer_ext.storage.papers import StorageError
from tests.latex.archives import tar_of, zip_of
from tests.latex.papers import document, figure, pdf, png, write
from tests.s3_server import S3
from tests.storage.down import take_down

BODY = (
    figure() + figure("b", "\\includegraphics{f/b}") + figure("c", "\\includegraphics{gone}") + "\n\nSee \\ref{fig:a}."
)
FILES: dict[str, str | bytes] = {"ms.tex": document(BODY), "a.png": png(), "f/b.pdf": pdf()}
PACKED = {name: content.encode() if isinstance(content, str) else content for name, content in FILES.items()}


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies are made."""
    folder = tmp_path / "room"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def put(s3: S3, files: dict[str, bytes]) -> None:
    for key, data in files.items():
        file_access.write(s3.at(key), data)


def same(there: LatexExtraction, local: LatexExtraction) -> None:
    """The two are alike in all but where their images lie, and those hold the same bytes."""
    for mine, its in zip(there.figures, local.figures, strict=True):
        assert list(map(file_access.read, mine.images)) == [Path(image).read_bytes() for image in its.images]
        assert list(map(own_name, mine.images)) == list(map(own_name, its.images))
        assert replace(mine, images=its.images) == its
    assert (there.main_file, there.main_reason) == (local.main_file, local.main_reason)


@pytest.mark.parametrize("name", ["2101.00001.tar.gz", "p.zip"])
def test_archives(s3: S3, tmp_path: Path, room: Path, name: str) -> None:
    data = tar_of(PACKED) if "tar" in name else zip_of(PACKED)
    put(s3, {f"papers/{name}": data})
    (tmp_path / name).write_bytes(data)
    there, local = read_figures(s3.at(f"papers/{name}"), s3.at("run/images")), read_figures(tmp_path / name, tmp_path)
    same(there, local)
    assert there.notes == local.notes and sum(len(found.images) for found in there.figures) == 2
    assert all(image.startswith(s3.at("run/images/")) for found in there.figures for image in found.images)
    assert not list(room.iterdir())


def test_a_folder(s3: S3, tmp_path: Path, room: Path) -> None:
    put(s3, {f"papers/p/{name}": data for name, data in PACKED.items()} | {"papers/p/../../evil.tex": b"\\section{x}"})
    folder = write(tmp_path / "p", FILES)
    there, local = read_figures(s3.at("papers/p"), tmp_path / "images"), read_figures(folder, tmp_path / "images")
    same(there, local)
    assert there.notes == local.notes and there.figures[0].context_places == local.figures[0].context_places
    assert not list(room.iterdir())


def test_one_file(s3: S3, tmp_path: Path) -> None:
    folder = write(tmp_path / "p", FILES)
    packed = gzip.compress(PACKED["ms.tex"])
    put(s3, {"p/ms.tex": PACKED["ms.tex"], "p/a.png": png(), "p/2101.gz": packed})
    there = read_figures(s3.at("p/ms.tex"), tmp_path / "images")
    local = read_figures(folder / "ms.tex", tmp_path / "images")
    assert [found.caption for found in there.figures] == [found.caption for found in local.figures]
    assert [found.images for found in there.figures] == [[], [], []]
    assert any("no other file is read; name the paper's folder" in note for note in there.notes)
    (tmp_path / "2101.gz").write_bytes(packed)
    same(read_figures(s3.at("p/2101.gz"), tmp_path), read_figures(tmp_path / "2101.gz", tmp_path))


def test_messages_name_the_address(s3: S3, tmp_path: Path, room: Path) -> None:
    put(s3, {"p.pdf": pdf(), "empty": b"", "broken.tar.gz": tar_of(PACKED)[:-60], "none/a.png": png()})
    for key, words in (
        ("gone.tar.gz", "does not exist; check paper_path"), ("p.pdf", "is a PDF, not LaTeX"), ("empty", "is empty"),
        ("broken.tar.gz", "broken"),
    ):  # fmt: skip
        with pytest.raises(PaperError, match=words) as error:
            read_figures(s3.at(key), tmp_path / "images")
        assert s3.at(key) in str(error.value) and str(room) not in str(error.value)
    with pytest.raises(PaperError) as error:
        read_figures(s3.at("none"), tmp_path / "images")
    assert str(room) not in str(error.value)
    with pytest.raises(PaperError, match="gs://x cannot be read"):
        read_figures("gs://x", tmp_path)


def test_bounds(s3: S3, tmp_path: Path) -> None:
    put(s3, {f"p/{name}": data for name, data in PACKED.items()})
    for options in (LatexOptions(max_bytes=100), LatexOptions(max_members=2)):
        with pytest.raises(PaperError, match=r"p cannot be read \(more than .* raise max_bytes or max_members"):
            read_figures(s3.at("p"), tmp_path, options)


def test_given_images_at_addresses(s3: S3, tmp_path: Path) -> None:
    put(s3, {"given/a.png": png()})
    latex = document(figure("a", "") + figure("b", "", "Another caption."))
    images = [s3.at("given/a.png"), s3.at("given/gone.png")]
    found = figures_from_text(latex, s3.at("images"), LatexOptions(), ["A caption.", "Another caption."], images)
    assert [len(one.images) for one in found.figures] == [1, 0]
    assert file_access.read(found.figures[0].images[0]) == png()
    assert any("gone.png" in note for note in found.notes)


def test_a_storage_that_fails_is_not_the_papers_fault(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(s3, {"p.tar.gz": tar_of(PACKED)})
    with pytest.raises(StorageError, match="no such bucket"):
        read_figures(s3.at("p.tar.gz"), "s3://no-such-bucket/images")
    take_down(monkeypatch)
    with pytest.raises(StorageError, match=r"p\.tar\.gz can't be read at the moment"):
        read_figures(s3.at("p.tar.gz"), tmp_path)
    latex = document(figure("a", ""))
    with pytest.raises(StorageError, match=r"a\.png can't be read at the moment"):
        figures_from_text(latex, tmp_path, LatexOptions(), ["A caption."], [s3.at("a.png")])


def test_a_copy_stays_while_the_paper_is_read(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are read where they are needed, not when the folder is listed."""
    put(s3, {f"p/{name}": data for name, data in PACKED.items()})
    extract, seen = paper._extract, []

    def looking(tree: object, *rest: object) -> LatexExtraction:
        seen.append(tree.read("a.png"))  # type: ignore[attr-defined]
        return extract(tree, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(paper, "_extract", looking)
    read_figures(s3.at("p"), tmp_path)
    assert seen == [png()]
