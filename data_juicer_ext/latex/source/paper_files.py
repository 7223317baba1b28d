"""The files of one paper, whatever it comes as: a folder, an archive, one TeX file, or plain text."""

import contextlib
import errno
import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

from data_juicer_ext.latex.options import LatexOptions, PaperError
from data_juicer_ext.latex.source.archive import Unpacked, is_archive, is_zip, most_bytes, read_tar, read_zip, refusing
from data_juicer_ext.latex.source.decompression import Decompressed, is_compressed
from data_juicer_ext.latex.source.folder import list_files
from data_juicer_ext.latex.source.tar_members import BLOCK, is_tar
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import is_remote

TEX_SUFFIXES = (".tex", ".ltx", ".latex")
_LATEX = re.compile(rb"\\(?:documentclass|documentstyle|begin\s*\{|section|input|chapter|includegraphics|caption)")
_HEAD = 2048
_MAX_FILE = 300_000_000
_MAX_TEX = 100_000_000  # of a paper that is one compressed file
_BUFFER = 1 << 17


class SourceTree:
    """Reads the files of a paper by their path relative to its folder; nothing outside is reached."""

    def __init__(
        self,
        name: str,
        files: dict[str, bytes] | None = None,
        folder: Path | None = None,
        on_disk: dict[str, str] | None = None,
    ) -> None:
        """The tree `name` of `files` (contents by path), or of the paths in `folder` that `on_disk` maps names to."""
        self.name = name
        self.notes: list[str] = []
        self._contents = files if files is not None else {}
        self._folder = folder
        self._on_disk = on_disk or {}
        self._names: set[str] = {*self._contents, *self._on_disk}
        self._lower: dict[str, str] | None = None
        self._own_names: set[str] | None = None
        self._by_name: dict[str, list[str]] | None = None

    @property
    def names(self) -> set[str]:
        """The paths of all files."""
        return self._names

    def exists(self, path: str) -> bool:
        """Whether the paper has this very path."""
        return path in self._names

    def same_but_case(self, path: str) -> str | None:
        """A path that differs from `path` in upper and lower case only, or in how Unicode spells its accents."""
        if self._lower is None:
            self._lower = {_folded(name): name for name in sorted(self._names, reverse=True)}
        return self._lower.get(_folded(path))

    def endings(self, name: str, suffixes: Iterable[str]) -> list[str]:
        """Those of `suffixes` with which `name` is the own name of any file, in whatever folder and case."""
        if self._own_names is None:
            self._own_names = {_folded(path.rsplit("/", 1)[-1]) for path in self._names}
        name = _folded(name)
        return [suffix for suffix in suffixes if name + suffix.lower() in self._own_names]

    def elsewhere(self, name: str, folder: str) -> str | None:
        """The one file below `folder` whose own name is that of `name`, whatever its folder; None if several."""
        if self._by_name is None:
            self._by_name = {}
            for path in sorted(self._names):
                self._by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)
        prefix = f"{folder}/" if folder else ""
        found = [path for path in self._by_name.get(name.rsplit("/", 1)[-1], [])[:100] if path.startswith(prefix)]
        return found[0] if len(found) == 1 else None

    def read(self, path: str) -> bytes:
        """The content of a file. Raises PaperError if it cannot be read."""
        if self._folder is None or path in self._contents:
            return self._contents[path]
        file = self._folder / self._on_disk.get(path, path)
        try:
            if file.stat().st_size <= _MAX_FILE:
                return file.read_bytes()
        except OSError as error:
            raise PaperError(f"{path} of {self.name} cannot be read ({error.strerror})") from error
        raise PaperError(f"{path} of {self.name} is larger than {_MAX_FILE} bytes")

    def write_virtual(self, path: str, data: bytes) -> None:
        """A file that the paper itself writes while it is typeset."""
        self._contents[path] = data
        self._names.add(path)
        self._lower = self._by_name = self._own_names = None


@contextlib.contextmanager
def sources(place: str | Path, options: LatexOptions) -> Iterator[tuple[SourceTree, str]]:
    """What `open_source` gives for the paper at a path or an address; its files can be read within the block.

    Raises PaperError, and StorageError where object storage fails.
    """
    with contextlib.ExitStack() as stack:
        try:
            path = stack.enter_context(papers.here(place, options.max_bytes, options.max_members))
        except papers.StorageError:
            raise
        except FileNotFoundError as error:
            raise PaperError(_not_there(place)) from error
        except OSError as error:
            told = "; raise max_bytes or max_members if it is to be trusted" if error.errno == errno.EFBIG else ""
            raise PaperError(f"{place} cannot be read ({error.strerror}){told}") from error
        yield open_source(path, options, str(place) if is_remote(place) else "")


def open_source(path: Path, options: LatexOptions, name: str = "") -> tuple[SourceTree, str]:
    """The tree of the paper at `path`, and the main file where the path itself names it.

    What `path` holds is decided by its content; messages call it `name`. Raises PaperError for what is no LaTeX paper.
    """
    name = name or str(path)
    if not path.exists():
        raise PaperError(_not_there(name))
    if path.is_dir():
        return _folder(path, options, name), ""
    if not path.is_file():
        raise PaperError(f"{name} is a device, a pipe or a socket; an archive, a folder or a .tex is expected")
    try:
        file = path.open("rb")
    except OSError as error:
        raise PaperError(f"{name} cannot be read ({error.strerror}); check its permissions") from error
    with file:
        packed = path.stat().st_size
        if packed > options.max_bytes:
            raise PaperError(f"{name} is larger than max_bytes ({options.max_bytes} bytes)")
        with refusing(name, packed, options):
            return _from_file(path, name, file, packed, options)


def _not_there(place: str | Path) -> str:
    return f"{place} does not exist; check paper_path (and paper_root, if it is relative)"


def _from_file(
    path: Path, name: str, file: BufferedReader, packed: int, options: LatexOptions
) -> tuple[SourceTree, str]:
    head = file.peek(BLOCK)[:BLOCK]
    if not head:
        raise PaperError(f"{name} is empty; fetch it again")
    if is_zip(head):
        return _archive(name, read_zip(file, name, options, packed)), ""
    if is_tar(head):
        return _archive(name, read_tar(file, name, options, packed)), ""
    if is_compressed(head):
        return _from_compressed(name, path.name, Decompressed(file, most_bytes(packed, options)), packed, options)
    data = _single(name, file)
    tree = _folder(path.parent, options, name.rpartition("/")[0] if is_remote(name) else "", one_level=True)
    if is_remote(name):
        tree.notes.append("of a lone .tex on object storage no other file is read; name the paper's folder for its own")
    tree.write_virtual(path.name, data)
    return tree, path.name


def _from_compressed(
    path: str, own: str, layer: Decompressed, packed: int, options: LatexOptions
) -> tuple[SourceTree, str]:
    stream: BufferedReader = BufferedReader(cast(Any, layer), _BUFFER)
    head = stream.peek(BLOCK)[:BLOCK]
    if is_tar(head):
        unpacked = read_tar(stream, path, options, packed)
        unpacked.remarks += _rest(stream, layer)
        return _archive(path, unpacked), ""
    if is_archive(head):
        raise PaperError(f"{path} is an archive inside an archive; unpack it once")
    data = _single(path, stream)
    name = own.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz")
    name = name if name.endswith(TEX_SUFFIXES) else f"{name}.tex"
    tree = SourceTree(path, {name: data})
    tree.notes += _rest(stream, layer)
    return tree, name


def _rest(stream: BufferedReader, layer: Decompressed) -> list[str]:
    """Read what stands behind the end of a tar or a file, so that checksums are compared; a note on garbage."""
    stream.read(_BUFFER)
    return ["archive: what follows the compressed data is garbage and was not read"] if layer.garbage else []


def _single(path: str, stream: BufferedReader) -> bytes:
    """The content of a paper that is one file. Raises PaperError for what is not LaTeX."""
    _refuse_known(path, stream.peek(_HEAD)[:_HEAD])
    data = stream.read(_MAX_TEX + 1)
    if len(data) > _MAX_TEX:
        raise PaperError(f"{path} holds a single file of more than {_MAX_TEX} bytes, which is no LaTeX")
    if _LATEX.search(data) is None:
        raise PaperError(f"{path} is neither an archive nor LaTeX; a .tar, .tar.gz, .zip, .gz or .tex is expected")
    return data


def _folder(path: Path, options: LatexOptions, name: str = "", one_level: bool = False) -> SourceTree:
    name = name or str(path)
    # A lone .tex may lie in a folder of thousands of papers: its own files are found all the same.
    files, notes = list_files(path, min(options.max_members, 5000) if one_level else options.max_members)
    tree = SourceTree(name, folder=path, on_disk=files)
    tree.notes += notes
    if not files:
        raise PaperError(f"{name} holds no files{_first(notes)}; a paper's folder holds its .tex files")
    return tree


def _archive(path: str, unpacked: Unpacked) -> SourceTree:
    tree = SourceTree(path, unpacked.files)
    tree.notes += unpacked.notes
    if not unpacked.files:
        raise PaperError(f"{path} holds no files that can be read{_first(tree.notes)}; fetch it again")
    if tree.notes and not any(_may_be_latex(name) for name in unpacked.files):
        raise PaperError(f"{path} holds no LaTeX file that can be read{_first(tree.notes)}")
    return tree


def _first(notes: list[str]) -> str:
    return f" ({notes[0]}{' and more' * (len(notes) > 1)})" if notes else ""


def _may_be_latex(name: str) -> bool:
    return name.lower().endswith((*TEX_SUFFIXES, ".txt")) or "." not in posixpath.basename(name)


def _refuse_known(path: str, head: bytes) -> None:
    head = head.lstrip().lower()
    if head.startswith(b"%pdf"):
        raise PaperError(f"{path} is a PDF, not LaTeX; read it with the PDF extractor")
    if head.startswith((b"<!doctype html", b"<html")):
        raise PaperError(f"{path} is a web page, not LaTeX; the download was answered by an error page")
    if head.startswith(b"%!ps"):
        raise PaperError(f"{path} is PostScript, not LaTeX; no source was submitted for this paper")


def _folded(path: str) -> str:
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).lower()


def resolve(tree: SourceTree, name: str, folders: list[str], suffixes: tuple[str, ...]) -> str | None:
    """The path of the file that `name` means: folders and suffixes in order, then any case.

    Raises PermissionError for a name that leaves the paper's folder.
    """
    paths = [path for path in (join(folder, name) for folder in folders) if path is not None]
    if folders and not paths:
        raise PermissionError(name)
    own = name.replace("\\", "/").rsplit("/", 1)[-1]
    ends = tree.endings(own, suffixes)
    candidates = [path + suffix for path in paths for suffix in ends]
    found = next(filter(tree.exists, candidates), None)
    return found or next(filter(None, map(tree.same_but_case, candidates)), None)


def join(folder: str, name: str) -> str | None:
    """`name` below `folder`, both relative to the paper's folder; None if that leaves it."""
    if name.startswith(("/", "~")) or name[1:2] == ":" or "\x00" in name:
        return None
    parts = [part for part in folder.split("/") if part not in ("", ".")]
    for part in name.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or None
