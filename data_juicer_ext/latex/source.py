"""The files of one paper, whatever it comes as: a folder, an archive, one TeX file, or plain text."""

from __future__ import annotations

import os
import re
from pathlib import Path

from data_juicer_ext.latex.archive import Unpacked, decompressed, read_tar, read_zip
from data_juicer_ext.latex.options import LatexOptions, PaperError

TEX_SUFFIXES = (".tex", ".ltx", ".latex")
_LATEX = re.compile(rb"\\(?:documentclass|documentstyle|begin\s*\{|section|input|chapter|includegraphics|caption)")
_MAX_FILE = 300_000_000


class SourceTree:
    """Reads the files of a paper by their path relative to its folder; nothing outside is reached."""

    def __init__(self, name: str, files: dict[str, bytes] | None = None, folder: Path | None = None) -> None:
        self.name = name
        self.notes: list[str] = []
        self._contents = files if files is not None else {}
        self._folder = folder
        self._names: set[str] = set(self._contents)
        self._lower: dict[str, str] | None = None
        self._by_name: dict[str, list[str]] | None = None

    @property
    def names(self) -> set[str]:
        """The paths of all files."""
        return self._names

    def exists(self, path: str) -> bool:
        """Whether the paper has this very path."""
        return path in self._names

    def same_but_case(self, path: str) -> str | None:
        """A path that differs from `path` in upper and lower case only."""
        if self._lower is None:
            self._lower = {name.lower(): name for name in sorted(self._names, reverse=True)}
        return self._lower.get(path.lower())

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
        file = self._folder / path
        try:
            if file.stat().st_size > _MAX_FILE:
                raise PaperError(f"{path} of {self.name} is larger than {_MAX_FILE} bytes")
            return file.read_bytes()
        except OSError as error:
            raise PaperError(f"{path} of {self.name} cannot be read ({error.strerror})") from error

    def write_virtual(self, path: str, data: bytes) -> None:
        """A file that the paper itself writes while it is typeset."""
        self._contents[path] = data
        self._names.add(path)
        self._lower = self._by_name = None

    def list_folder(self, folder: Path, limit: int) -> None:
        """Take in the files under `folder`: no links out of it, at most `limit`."""
        root = folder.resolve()
        for parent, folders, files in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                file = Path(parent) / name
                relative = file.relative_to(folder).as_posix()
                if file.is_symlink() and not file.resolve().is_relative_to(root):
                    self.notes.append(f"file refused: {relative!r}: it is a link out of the paper's folder")
                elif len(self._names) >= limit:
                    self.notes.append(f"the folder holds more than {limit} files; the rest was not looked at")
                    return
                elif file.is_file():
                    self._names.add(relative)


def open_source(path: Path, options: LatexOptions) -> tuple[SourceTree, str]:
    """The tree of the paper at `path`, and the main file where the path itself names it.

    What `path` holds is decided by its content. Raises PaperError for what is no LaTeX paper.
    """
    if not path.exists():
        raise PaperError(f"{path} does not exist; check paper_path (and paper_root, if it is relative)")
    if path.is_dir():
        return _folder(path, options), ""
    try:
        if path.stat().st_size > options.max_bytes:
            raise PaperError(f"{path} is larger than max_bytes ({options.max_bytes} bytes)")
        data = path.read_bytes()
    except OSError as error:
        raise PaperError(f"{path} cannot be read ({error.strerror}); check its permissions") from error
    return _from_bytes(path, data, options)


def _from_bytes(path: Path, data: bytes, options: LatexOptions) -> tuple[SourceTree, str]:
    packed = len(data)
    if not data:
        raise PaperError(f"{path} is empty; fetch it again")
    if data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        return _archive(path, read_zip(data, str(path), options)), ""
    compressed = data.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"))
    if compressed:
        data = decompressed(data, str(path), options)
    if data[257:262] == b"ustar" or _old_tar(data):
        return _archive(path, read_tar(data, str(path), options, packed)), ""
    _refuse_other(path, data)
    if compressed:
        name = path.name.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz")
        name = name if name.endswith(TEX_SUFFIXES) else f"{name}.tex"
        return SourceTree(str(path), {name: data}), name
    tree = _folder(path.parent, options, one_level=True)
    tree.write_virtual(path.name, data)
    return tree, path.name


def _folder(path: Path, options: LatexOptions, one_level: bool = False) -> SourceTree:
    tree = SourceTree(str(path), folder=path)
    # A lone .tex may lie in a folder of thousands of papers: its own files are found all the same.
    tree.list_folder(path, min(options.max_members, 5000) if one_level else options.max_members)
    if not tree.names:
        raise PaperError(f"{path} holds no files; a paper's folder holds its .tex files")
    return tree


def _archive(path: Path, unpacked: Unpacked) -> SourceTree:
    tree = SourceTree(str(path), unpacked.files)
    tree.notes += unpacked.notes
    if not unpacked.files:
        raise PaperError(f"{path} holds no files that can be read; fetch it again")
    return tree


def _old_tar(data: bytes) -> bool:
    """A tar without the ustar mark: its header's checksum says so."""
    header = data[:512]
    if len(header) < 512 or not header[148:156].strip(b" \x00").isdigit():
        return False
    try:
        return int(header[148:156].strip(b" \x00"), 8) == sum(header[:148]) + 256 + sum(header[156:])
    except ValueError:
        return False


def _refuse_other(path: Path, data: bytes) -> None:
    head = data[:2048].lstrip().lower()
    if head.startswith(b"%pdf"):
        raise PaperError(f"{path} is a PDF, not LaTeX; read it with the PDF extractor")
    if head.startswith((b"<!doctype html", b"<html")):
        raise PaperError(f"{path} is a web page, not LaTeX; the download was answered by an error page")
    if head.startswith(b"%!ps"):
        raise PaperError(f"{path} is PostScript, not LaTeX; no source was submitted for this paper")
    if _LATEX.search(data) is None:
        raise PaperError(f"{path} is neither an archive nor LaTeX; a .tar, .tar.gz, .zip, .gz or .tex is expected")


def resolve(tree: SourceTree, name: str, folders: list[str], suffixes: tuple[str, ...]) -> str | None:
    """The path of the file that `name` means: folders and suffixes in order, then any case.

    Raises PermissionError for a name that leaves the paper's folder.
    """
    outside = 0
    candidates = []
    for folder in folders:
        for suffix in suffixes:
            path = join(folder, name + suffix)
            if path is None:
                outside += 1
            else:
                candidates.append(path)
    for path in candidates:
        if tree.exists(path):
            return path
    for path in candidates:
        if (found := tree.same_but_case(path)) is not None:
            return found
    if not candidates and outside:
        raise PermissionError(name)
    return None


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
