"""Which file of a paper is its main document."""

import json
import posixpath
import re
from dataclasses import dataclass
from functools import cached_property

from data_juicer_ext.latex.options import PaperError
from data_juicer_ext.latex.source.paper_files import TEX_SUFFIXES, SourceTree

_MOST_READ = 200
_HEAD = 2_000_000
_COMMENT = re.compile(rb"%(?<!\\%)[^\n\r]*")
_CLASS = re.compile(rb"\\document(?:class|style)\s*(?:\[[^\]]{0,1000}\])?\s*\{?\s*([A-Za-z0-9_./\\-]+)")
_BEGIN = re.compile(rb"\\begin\s*\{document\}")
_INPUT = re.compile(rb"\\(?:input|include|subfile|subfileinclude)\s*\{?\s*\"?([^\s{}\"\\%]+)")
_FIGURE = re.compile(rb"\\(?:begin\s*\{[A-Za-z]*figure|includegraphics|caption)")
_TOP_LEVEL = re.compile(r"^\s*(\S+\.(?:tex|ltx))\s+toplevelfile", re.MULTILINE)
_GOOD = {"main": 30, "ms": 30, "paper": 30, "article": 25, "manuscript": 25, "preprint": 20, "arxiv": 20, "root": 10,
         "submission": 15, "thesis": 28, "dissertation": 28}  # fmt: skip
_LATEST = ("final", "camera")
_BAD = ("slide", "talk", "poster", "response", "reply", "rebuttal", "referee", "reviewer", "cover", "letter", "diff",
        "highlight", "supp", "appendix", "beamer", "present", "template", "sample", "example", "old", "backup",
        "abstract", "changes", "test", "figure", "tikz", "si_", "biograph")  # fmt: skip
_BAD_CLASSES = (b"beamer", b"letter", b"standalone", b"subfiles", b"minimal", b"slides", b"tikzposter", b"moderncv")


def choose_main(tree: SourceTree, named: str = "") -> tuple[str, str]:
    """The path of the main document and the reason for the choice.

    Raises PaperError if `named` is not there, or if nothing in the paper looks like LaTeX.
    """
    if named:
        return _named(tree, named)
    told = _told_by_arxiv(tree)
    if told:
        return told, "named by the paper's 00README"
    files = [name for name in tree.names if name.lower().endswith(TEX_SUFFIXES)]
    files = files or [name for name in tree.names if "." not in posixpath.basename(name) or name.endswith(".txt")]
    files.sort(key=lambda name: (name.count("/"), name))
    contents = {name: _COMMENT.sub(b"", _head(tree, name)) for name in files[:_MOST_READ]}
    parts = _TexFiles({name: _TexFile(text) for name, text in contents.items()})
    documents = {name: text for name, text in contents.items() if _is_document(name, parts)}
    candidates = documents or {name: text for name, text in contents.items() if _CLASS.search(text)}
    candidates = candidates or {name: text for name, text in contents.items() if _BEGIN.search(text)}
    if not candidates:
        candidates = {name: text for name, text in contents.items() if name.lower().endswith(TEX_SUFFIXES)}
    if not candidates:
        raise PaperError(f"{tree.name} holds no LaTeX file; a .tex file is expected")
    if len(candidates) == 1:
        only = next(iter(candidates))
        return only, "the only document" if documents else "no \\documentclass anywhere; the only LaTeX file"
    return _best(tree, candidates, parts)


def _named(tree: SourceTree, named: str) -> tuple[str, str]:
    for name in (named, f"{named}.tex"):
        if tree.exists(name):
            return name, "named by main_file"
    raise PaperError(f"{tree.name} has no file {named!r}; main_file is a path inside the paper")


def _told_by_arxiv(tree: SourceTree) -> str:
    for name in ("00README.json", "00README.yaml", "00README.yml", "00README.XXX", "00README"):
        if not tree.exists(name):
            continue
        text = tree.read(name)[:100_000].decode("utf-8", "replace")
        match = _TOP_LEVEL.search(text)
        found = match.group(1) if match else _from_json(text) if name.endswith("json") else _from_yaml(text)
        if found and tree.exists(found):
            return found
    return ""


def _from_json(text: str) -> str:
    try:
        sources = json.loads(text).get("sources", [])
        return next(str(source["filename"]) for source in sources if source.get("usage") == "toplevel")
    except (ValueError, AttributeError, KeyError, TypeError, StopIteration, RecursionError):
        return ""


def _from_yaml(text: str) -> str:
    match = re.search(r"filename:\s*['\"]?([^\s'\"]+)['\"]?\s*\n\s*usage:\s*toplevel", text)
    match = match or re.search(r"usage:\s*toplevel\s*\n\s*filename:\s*['\"]?([^\s'\"]+)", text)
    return match.group(1) if match else ""


def _head(tree: SourceTree, name: str) -> bytes:
    try:
        return tree.read(name)[:_HEAD]
    except PaperError:
        return b""


@dataclass(frozen=True)
class _TexFile:
    """One LaTeX file without its comments, and what is in it, looked for when it is asked."""

    text: bytes

    @cached_property
    def has_class(self) -> bool:
        """Whether it names a document class."""
        return _CLASS.search(self.text) is not None

    @cached_property
    def begins(self) -> bool:
        """Whether it begins the document."""
        return _BEGIN.search(self.text) is not None

    @property
    def whole(self) -> bool:
        """Whether it is a document without what it reads in."""
        return self.has_class and self.begins

    @cached_property
    def figures(self) -> int:
        """How many commands of figures it has."""
        return len(_FIGURE.findall(self.text))

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The stems of the files that it reads in."""
        stems = (_stem(match.group(1).decode("utf-8", "replace")) for match in _INPUT.finditer(self.text))
        return tuple(dict.fromkeys(stems))


class _TexFiles(dict[str, _TexFile]):
    """The LaTeX files of a paper by path."""

    @cached_property
    def by_stem(self) -> dict[str, str]:
        """The path that a stem means: the first of them."""
        return {_stem(path): path for path in sorted(self, reverse=True)}

    @cached_property
    def depths(self) -> dict[str, int]:
        """How deep the highest file of each name lies."""
        found: dict[str, int] = {}
        for path in self:
            name, depth = posixpath.basename(path), path.count("/")
            found[name] = min(depth, found.get(name, depth))
        return found


def _is_document(name: str, parts: _TexFiles) -> bool:
    """Whether a file is a document: class and beginning are its own, or of fragments that it reads in."""
    if parts[name].whole:
        return True
    if not parts[name].inputs:
        return False
    fragments = [part for part in map(parts.__getitem__, _reached(name, parts)) if not part.whole]
    return any(part.has_class for part in fragments) and any(part.begins for part in fragments)


def _best(tree: SourceTree, candidates: dict[str, bytes], parts: _TexFiles) -> tuple[str, str]:
    included = {stem for part in parts.values() for stem in part.inputs}
    scores = {name: _score(tree, name, text, parts, included) for name, text in candidates.items()}
    best = max(sorted(scores), key=lambda name: scores[name])
    others = ", ".join(name for name in sorted(scores) if name != best)
    return best, f"most like a paper of {len(scores)} documents (the others: {others[:300]})"


def _score(tree: SourceTree, name: str, text: bytes, parts: _TexFiles, included: set[str]) -> float:
    """How much a document is like the paper: by length, figures, name, class, and who reads it in."""
    stem = _stem(name)
    own_class = _CLASS.search(text)
    reached = [parts[part] for part in _reached(name, parts)]
    size, figures = sum(len(part.text) for part in reached), sum(part.figures for part in reached)
    score = min(40.0, size / 2500) + min(40, 3 * figures)
    score += max((value for word, value in _GOOD.items() if word in stem), default=0)
    score += 5 * (stem in _GOOD) + 8 * any(word in stem for word in _LATEST)
    score -= 30 * any(word in stem for word in _BAD)
    score -= 60 * (own_class is not None and own_class.group(1).lower().startswith(_BAD_CLASSES))
    score -= 40 * (stem in included)
    base = posixpath.splitext(name)[0]
    score += 15 * (tree.exists(f"{base}.bbl") or tree.exists(f"{base}.pdf"))
    score -= 30 * (parts.depths[posixpath.basename(name)] < name.count("/"))
    return score - 4 * name.count("/")


def _reached(name: str, parts: _TexFiles) -> set[str]:
    seen, todo = {name}, [name]
    while todo:
        stems = parts[todo.pop()].inputs
        fresh = {parts.by_stem[stem] for stem in stems if stem in parts.by_stem} - seen
        seen |= fresh
        todo += fresh
    return seen


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0].lower()
