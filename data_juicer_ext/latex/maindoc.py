"""Which file of a paper is its main document."""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass

from data_juicer_ext.latex.options import PaperError
from data_juicer_ext.latex.source import TEX_SUFFIXES, SourceTree

_MOST_READ = 200
_HEAD = 2_000_000
_COMMENT = re.compile(rb"(?<!\\)%[^\n\r]*")
_CLASS = re.compile(rb"\\document(?:class|style)\s*(?:\[[^\]]{0,1000}\])?\s*\{?\s*([A-Za-z0-9_./\\-]+)")
_BEGIN = re.compile(rb"\\begin\s*\{document\}")
_INPUT = re.compile(rb"\\(?:input|include|subfile|subfileinclude)\s*\{?\s*\"?([^\s{}\"\\%]+)")
_FIGURE = re.compile(rb"\\(?:begin\s*\{[A-Za-z]*figure|includegraphics|caption)")
_TOP_LEVEL = re.compile(r"^\s*(\S+\.(?:tex|ltx))\s+toplevelfile", re.MULTILINE)
_GOOD = {"main": 30, "ms": 30, "paper": 30, "article": 25, "manuscript": 25, "preprint": 20, "arxiv": 20, "root": 10,
         "submission": 15, "thesis": 10, "draft": 5, "final": 8, "camera": 8}  # fmt: skip
_BAD = ("slide", "talk", "poster", "response", "reply", "rebuttal", "referee", "reviewer", "cover", "letter", "diff",
        "highlight", "supp", "appendix", "beamer", "present", "template", "sample", "example", "old", "backup",
        "abstract", "changes", "test", "figure", "tikz", "si_")  # fmt: skip
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
    files = sorted(name for name in tree.names if name.lower().endswith(TEX_SUFFIXES))
    files = files or sorted(name for name in tree.names if "." not in posixpath.basename(name) or name.endswith(".txt"))
    contents = {name: _COMMENT.sub(b"", _head(tree, name)) for name in files[:_MOST_READ]}
    documents = {name: text for name, text in contents.items() if _CLASS.search(text) and _BEGIN.search(text)}
    candidates = documents or {name: text for name, text in contents.items() if _CLASS.search(text)}
    candidates = candidates or {name: text for name, text in contents.items() if _BEGIN.search(text)}
    if not candidates:
        candidates = {name: text for name, text in contents.items() if name.lower().endswith(TEX_SUFFIXES)}
    if not candidates:
        raise PaperError(f"{tree.name} holds no LaTeX file; a .tex file is expected")
    if len(candidates) == 1:
        only = next(iter(candidates))
        return only, "the only document" if documents else "no \\documentclass anywhere; the only LaTeX file"
    return _best(tree, candidates, contents)


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
class _Part:
    """What is known of one LaTeX file: bytes, figure commands, and the stems of what it reads in."""

    size: int
    figures: int
    inputs: tuple[str, ...]


def _part(text: bytes) -> _Part:
    stems = (_stem(match.group(1).decode("utf-8", "replace")) for match in _INPUT.finditer(text))
    return _Part(len(text), len(_FIGURE.findall(text)), tuple(dict.fromkeys(stems)))


def _best(tree: SourceTree, candidates: dict[str, bytes], contents: dict[str, bytes]) -> tuple[str, str]:
    parts = {name: _part(text) for name, text in contents.items()}
    included = {stem for part in parts.values() for stem in part.inputs}
    scores = {name: _score(tree, name, text, parts, included) for name, text in candidates.items()}
    best = max(sorted(scores), key=lambda name: scores[name])
    others = ", ".join(name for name in sorted(scores) if name != best)
    return best, f"most like a paper of {len(scores)} documents (the others: {others[:300]})"


def _score(tree: SourceTree, name: str, text: bytes, parts: dict[str, _Part], included: set[str]) -> float:
    """How much a document is like the paper: by length, figures, name, class, and who reads it in."""
    stem = _stem(name)
    own_class = _CLASS.search(text)
    size, figures = _reach(name, parts)
    score = min(40.0, size / 2500) + min(40, 3 * figures)
    score += max((value for word, value in _GOOD.items() if word in stem), default=0)
    score -= 30 * any(word in stem for word in _BAD)
    score -= 60 * (own_class is not None and own_class.group(1).lower().startswith(_BAD_CLASSES))
    score -= 40 * (stem in included)
    base = posixpath.splitext(name)[0]
    score += 15 * (tree.exists(f"{base}.bbl") or tree.exists(f"{base}.pdf"))
    copies = [other for other in parts if posixpath.basename(other) == posixpath.basename(name)]
    score -= 30 * any(other.count("/") < name.count("/") for other in copies)
    return score - 4 * name.count("/")


def _reach(name: str, parts: dict[str, _Part]) -> tuple[int, int]:
    """Bytes and figure commands of a document with what it reads in."""
    by_stem = {_stem(other): other for other in sorted(parts, reverse=True)}
    seen, todo, size, figures = {name}, [name], 0, 0
    while todo:
        part = parts[todo.pop()]
        size += part.size
        figures += part.figures
        fresh = {by_stem[stem] for stem in part.inputs if stem in by_stem} - seen
        seen |= fresh
        todo += fresh
    return size, figures


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0].lower()
