"""Where an \\input, \\include, \\subfile or \\import leads: names read, files found, cycles known."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass

from data_juicer_ext.latex.expand.macros import Macro, expand_text
from data_juicer_ext.latex.expand.tex_buffer import Buffer
from data_juicer_ext.latex.source.encoding import declared_encoding, decode
from data_juicer_ext.latex.source.paper_files import SourceTree, join, resolve

_BARE_NAME = re.compile(r'\s*("[^"\n]{1,300}"|[^\s{}%]{1,300})')
_BODY = re.compile(r"^[^%\n]*?\\begin\s*\{document\}", re.MULTILINE)
_END = re.compile(r"\\end\s*\{document\}")
_TWO_NAMES = ("import", "subimport", "includefrom", "subincludefrom")
# Packages that papers ship a copy of: the extraction knows what they do.
_KNOWN_PACKAGES = frozenset(
    ("subfigure", "subfig", "subcaption", "caption", "caption2", "caption3", "cleveref", "epsfig", "graphicx",
     "graphics", "natbib", "hyperref", "float", "wrapfig", "algorithm", "algorithmic", "algpseudocode", "overpic",
     "algorithmicx", "algorithm2e", "rotating", "floatrow", "sidecap", "psfig", "import", "subfiles", "xr",
     "fancyhdr", "geometry", "listings", "minted", "xcolor", "amsmath", "comment", "verbatim", "tikz", "article")
)  # fmt: skip


@dataclass(frozen=True)
class InputCall:
    """One call: the name as written (macros in it written out), its folder, and the offset after it."""

    name: str
    folder: str | None
    after: int


class Inputs:
    """The files of a paper as its text asks for them."""

    def __init__(self, tree: SourceTree, main: str) -> None:
        self.tree = tree
        self.main = main
        self.main_folder = posixpath.dirname(main)
        self.only: set[str] | None = None
        self.stack: list[str] = []
        self.folders: list[str] = []
        self.declared: set[str] = set()
        self.files: list[str] = []
        self.sources: list[str] = []
        self._buffers: dict[str, Buffer] = {}
        self._virtual: dict[str, Buffer] = {}
        self._encoding = declared_encoding(tree.read(main))

    def buffer(self, path: str) -> Buffer:
        """The text of a file; read once. Raises PaperError if it cannot be read."""
        if path not in self._buffers:
            text = decode(self.tree.read(path), self._encoding)
            self._buffers[path] = Buffer.of_file(text, len(self.files), declared=self.declared)
            self.files.append(path)
            self.sources.append(text)
        return self._buffers[path]

    def call(self, command: str, buffer: Buffer, at: int, macros: Mapping[str, Macro]) -> InputCall | None:
        """The name (and folder) that follows `command`, None if there is none."""
        at += buffer.text.startswith("*", at) and command in _TWO_NAMES
        group = buffer.group(at)
        if group is None:
            bare = _BARE_NAME.match(buffer.text, at) if command in ("input", "include") else None
            return InputCall(self._name(bare.group(1), macros), None, bare.end()) if bare else None
        name = self._name(buffer.text[group[0] : group[1]], macros)
        if command not in _TWO_NAMES:
            return InputCall(name, None, group[2])
        second = buffer.group(group[2])
        if second is None:
            return None
        outer = self.folders[-1] if self.folders and command.startswith("sub") else self.main_folder
        folder = join(outer, name)
        name = self._name(buffer.text[second[0] : second[1]], macros)
        return InputCall(name, outer if folder is None else folder, second[2])

    def _name(self, written: str, macros: Mapping[str, Macro]) -> str:
        if "\\" not in written:
            return written.strip().strip('"').strip()
        name = expand_text(written.strip(), macros, 500)
        job = posixpath.splitext(posixpath.basename(self.main))[0]
        return name.replace("\\jobname", job).replace("\\string", "").strip().strip('"').strip()

    def wanted(self, command: str, name: str) -> bool:
        """Whether an \\includeonly, if there is one, lets this file in."""
        return command != "include" or self.only is None or name in self.only

    def find(self, name: str, folder: str | None = None) -> str | None:
        """The path of the file that is meant. Raises PermissionError if it leaves the paper's folder."""
        if not name or name.startswith("|") or "\\" in name:
            return None
        current = posixpath.dirname(self.stack[-1]) if self.stack else ""
        folders = [*([folder] if folder is not None else []), *self.folders[-1:], self.main_folder, current, ""]
        found = resolve(self.tree, name, list(dict.fromkeys(folders)), (".tex", "", ".ltx", ".latex"))
        # Papers are often built with search paths that their source does not tell.
        return found or self.tree.elsewhere(name if name.endswith(".tex") else f"{name}.tex", self.main_folder)

    def find_package(self, name: str, suffix: str) -> str | None:
        """The paper's own package or class file, None for what a TeX installation brings."""
        if not name or "\\" in name or name in _KNOWN_PACKAGES:
            return None
        try:
            path = resolve(self.tree, name, [self.main_folder, ""], (suffix,))
        except PermissionError:
            return None
        return None if path in self.stack else path

    def write(self, name: str, buffer: Buffer, start: int, end: int) -> None:
        """The paper writes buffer[start:end] to the file `name` while it is typeset."""
        start += buffer.text.startswith("\n", start)
        parts = buffer.origins(start, end)
        if parts and parts[0][2].moves:
            piece = parts[0][2]
            text = buffer.text[start:end]
            self._virtual[_plain_name(name)] = Buffer.of_file(
                text, piece.file, piece.offset + start - piece.start, self.declared
            )

    def virtual(self, name: str) -> Buffer | None:
        """What the paper wrote to the file `name`."""
        return self._virtual.get(_plain_name(name))

    def body_start(self, text: str) -> int:
        """Where the part of an included file begins that counts: after its own preamble, if it has one."""
        match = _BODY.search(text) if "{document}" in text else None
        return match.end() if match and _END.search(text, match.end()) else 0

    def is_document(self, path: str) -> bool:
        """Whether the file at `path` is a document of its own."""
        return self.body_start(self._buffers[path].text) > 0

    def place(self, buffer: Buffer, at: int) -> str:
        """ "file:line" of an offset in a buffer."""
        file, offset = buffer.origin(at)
        return f"{self.files[file]}:{self.sources[file].count(chr(10), 0, offset) + 1}"


def _plain_name(name: str) -> str:
    name = name.strip().strip('"').replace("./", "").replace(" ", "")
    return name.removesuffix(".tex")
