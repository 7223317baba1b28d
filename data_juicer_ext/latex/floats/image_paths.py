"""The image files that a figure shows: paths as written, options, and the file that is meant."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from data_juicer_ext.latex.expand.macros import Macro, expand_text
from data_juicer_ext.latex.expand.tex_buffer import Buffer
from data_juicer_ext.latex.source.paper_files import SourceTree, resolve

# pdfLaTeX's order of preference, then what only other engines read, then what only we read.
EXTENSIONS = (".pdf", ".png", ".jpg", ".mps", ".jpeg", ".jbig2", ".jb2", ".PDF", ".PNG", ".JPG", ".JPEG",
              ".eps", ".ps", ".EPS", ".svg", ".gif", ".tif", ".tiff", ".bmp", ".webp", ".pdf_tex")  # fmt: skip
_KNOWN = frozenset(extension.lower() for extension in EXTENSIONS)
_CONVERTED = "-eps-converted-to.pdf"
_FOLDERS = ("\\graphicspath", "\\svgpath")
_FILE_KEY = re.compile(r"(?:file|figure)\s*=\s*([^,\s{}]+|\{[^{}]*\})")
_OPTION = re.compile(r"(page|trim|viewport|angle|bb)\s*=\s*(\{[^{}]*\}|[^,]*)|(clip)(?:\s*=\s*(true|false))?")
# A name that TeX computes while it runs (a loop's variable, a definition's argument) names no file.
_COMPUTED = re.compile(r"\\[A-Za-z@]+|#[1-9]")
_PLAIN_PATH = re.compile(r"[\w./-]+")
_INNER = re.compile(r"\{\s*([^{},]+?)\s*\}")


@dataclass(frozen=True)
class Image:
    """An image as a figure asks for it: path as written, options of the command, place in the text."""

    path: str
    options: str
    at: int
    end: int


@dataclass(frozen=True)
class Found:
    """The file that an image means: `path` in the paper (or as written), and why there is none.

    `drawn_from` is the file to read: `path`, or a conversion of it that the paper brings.
    """

    path: str
    flag: str = ""
    drawn_from: str = ""


def image_at(command: str, buffer: Buffer, position: int) -> list[Image]:
    """The image (two for \\plottwo) of the command that ends at `position`."""
    text = buffer.text
    at = position + text.startswith("*", position)
    options = ""
    while (bracket := buffer.bracket(at, 1000)) is not None:
        options = text[bracket[0] : bracket[1]]
        at = bracket[2]
        if command == "figcaption":
            return [Image(options.strip(), "", position, at)]
    images = []
    for _ in range({"plottwo": 2, "plotfour": 4}.get(command, 1)):
        group = buffer.group(at)
        if group is None or group[1] - group[0] > 1000:
            break
        inner = text[group[0] : group[1]]
        if command in ("epsfig", "psfig"):
            key = _FILE_KEY.search(inner)
            options, inner = inner, key.group(1) if key else ""
        if inner.strip():
            images.append(Image(inner.strip(), options, position, group[2]))
        at = group[2]
    return images


def written_path(image: Image, macros: Mapping[str, Macro], job: str) -> str:
    """The path of an image without macros, quotes, doubled braces and the like."""
    if _PLAIN_PATH.fullmatch(image.path):
        return image.path
    path = expand_text(image.path, macros, 1000).replace("\\jobname", job)
    path = re.sub(r"\\(?:detokenize|string|protect|unexpanded|relax|space)(?![A-Za-z])", "", path)
    path = re.sub(r"[{}\"]|\\ ", lambda match: " " if match.group() == "\\ " else "", path)
    return re.sub(r"\s+", " ", path.replace("\\_", "_")).strip()


def is_computed(path: str) -> bool:
    """Whether the file's own name in a path (see `written_path`) holds a macro or an argument that is not known."""
    return _COMPUTED.search(path.rsplit("/", 1)[-1]) is not None


def search_folders(mask: str, buffer: Buffer, macros: Mapping[str, Macro]) -> list[str]:
    """The folders of the last \\graphicspath (and \\svgpath), in order."""
    folders: list[str] = []
    for command in _FOLDERS:
        last: list[str] = []
        at = -1
        while (at := mask.find(command, at + 1)) >= 0:
            group = buffer.group(at + len(command))
            if group is not None and group[1] - group[0] < 5000:
                inner = expand_text(mask[group[0] : group[1]], macros, 5000)
                last = [part.strip() for part in _INNER.findall(inner)] or [inner.strip()]
        folders += last
    return [folder for folder in folders if folder][:50]


def find_image(tree: SourceTree, path: str, bases: list[str], folders: list[str]) -> Found:
    """The file that `path` means, looked for as LaTeX does, then in any case, then as a
    conversion, then by its name alone below the main folder.

    `bases` are where LaTeX may have been started (main folder first), `folders` the graphics paths.
    """
    if not path:
        return Found("", "image_missing")
    places = _places(tuple(bases), tuple(folders))
    stem, extension = posixpath.splitext(path)
    known = extension.lower() in _KNOWN
    try:
        found = resolve(tree, path, places, ("", *EXTENSIONS))
        # A path made for another engine: a.eps beside a.pdf, or converted by epstopdf.
        other = resolve(tree, stem, places, (_CONVERTED, *EXTENSIONS)) if found is None and known else None
        converted = resolve(tree, f"{path}{_CONVERTED}", places, ("",)) if found is None and not known else other
    except PermissionError:
        return Found(path, "image_path_refused")
    if found is None and converted is None:
        names = [path] if known else [path + extension for extension in EXTENSIONS]
        found = next(filter(None, (tree.elsewhere(name, bases[0]) for name in names)), None)
    if found is not None:
        return Found(found, drawn_from=_conversion(tree, found))
    if converted is None:
        return Found(path, "image_missing")
    source = converted.removesuffix(_CONVERTED) + extension if converted.endswith(_CONVERTED) else converted
    return Found(source, drawn_from=converted)


@lru_cache(maxsize=64)
def _places(bases: tuple[str, ...], folders: tuple[str, ...]) -> list[str]:
    joined = [posixpath.join(base, folder) if folder else base for base in bases for folder in ("", *folders)]
    places = [place for place in map(_clean, joined) if place is not None] or [""]
    return list(dict.fromkeys(places))


def _conversion(tree: SourceTree, path: str) -> str:
    """The file to draw in place of `path`: what the paper made of an EPS or of an Inkscape drawing."""
    stem, extension = posixpath.splitext(path)
    candidates: tuple[str, ...] = ()
    if extension.lower() in (".eps", ".ps"):
        candidates = (f"{stem}{_CONVERTED}", f"{stem}.pdf", f"{stem}.png")
    elif extension == ".pdf_tex":
        candidates = (f"{stem}.pdf",)
    return next((candidate for candidate in candidates if tree.exists(candidate)), path)


def _clean(folder: str) -> str | None:
    normal = posixpath.normpath(folder) if folder else ""
    return None if normal.startswith(("..", "/", "~")) else "" if normal == "." else normal


def view_of(options: str) -> dict[str, str]:
    """The options of an image that change what is seen: page, trim, viewport, clip, angle."""
    view: dict[str, str] = {}
    for match in _OPTION.finditer(options[:1000]):
        if match.group(3):
            view["clip"] = match.group(4) or "true"
        else:
            view[match.group(1)] = match.group(2).strip("{} ")
    return view
