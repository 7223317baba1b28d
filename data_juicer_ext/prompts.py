"""Prompt templates: found, rendered and fingerprinted.

A template is a Jinja2 file `prompts/<system>/<name>.jinja` of one or two parts: what stands before
a line `=== user ===` is the system message, the rest the user message. The file is cut at that line
before anything is filled in, so no text of a paper can move the cut. A template may include others
by name (`{% include "<system>/<name>.jinja" %}`), on either side of the cut. Templates
stand in the folder `prompts/` of a checkout and inside the installed package; other packages add
their folders (`add_folder`). A folder named by the environment variable `DJ_EXT_PROMPTS` is looked at
first, so that users can bring their own.
"""

import hashlib
import os
import re
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, TemplateError, meta

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.models.types import Message, Request
from data_juicer_ext.rows import visible

_SPLIT = re.compile(r"^=== user ===[ \t]*$", re.M)
# Tag-like text: whole tags of any name, and our own names even where the tag is not finished.
_TAG = re.compile(
    r"[<＜﹤](?=[\s/]{0,8}(?:[|｜]|[A-Za-z_][\w:.-]{0,40}\s{0,8}/?[>＞﹥]"
    r"|(?:paper_text|paper_data|paragraphs?|captions?|questions?|options?|answers?|claims?|labels?|patterns?"
    r"|analysis|rationale|think|image|img|video|audio)\b))",
    re.I,
)
_BRACKET_TOKEN = re.compile(r"\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w{1,20}|IMG(?:_\w{1,20})?)\])")


class PromptError(DjExtError, ValueError):
    """A template is missing, or does not render with what it was given."""


@lru_cache(maxsize=8)  # asked for with every prompt, and nobody moves a package in the middle of a run
def shipped_folder(name: str) -> Path:
    """The folder `prompts`, `recipes` or `examples`, inside the installed package or at the top of a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "shipped" / name
    return inside if inside.is_dir() else package.parent / name


# The systems that other packages have added, each with the folder that it stands in.
_added: dict[str, Path] = {}


def add_folder(folder: Path) -> None:
    """Find templates of another package too: `folder` holds its `<system>/<name>.jinja`.

    A system has one home, so that no package changes another's prompts unseen. Raises PromptError for a
    folder that is not there or holds no system, and for a system that this package or another one has.
    """
    folder = folder.resolve()
    systems = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not systems:
        raise PromptError(f"prompts: {folder} has no folder of templates in it (<system>/<name>.jinja)")
    for system in systems:
        if (shipped_folder("prompts") / system).is_dir() or _added.get(system, folder) != folder:
            home = _added.get(system, shipped_folder("prompts"))
            raise PromptError(f"prompts: {folder / system} has the name of {home / system}; name it otherwise")
    _added.update(dict.fromkeys(systems, folder))


def _folders() -> tuple[str, ...]:
    own = os.environ.get("DJ_EXT_PROMPTS", "")
    return (*([own] if own else []), str(shipped_folder("prompts")), *map(str, dict.fromkeys(_added.values())))


@lru_cache(maxsize=8)
def _environment(folders: tuple[str, ...]) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(folders), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        autoescape=False,
    )  # fmt: skip
    environment.filters["data"] = fence
    environment.filters["line"] = fence_line
    return environment


def fence(text: str) -> str:
    """Paper text made safe to stand inside a tag of a prompt.

    Control and invisible characters go. The first character of whatever could be read as a tag or
    as a special token of a chat template (`</paper_text>`, `<option>`, `<image>`, `<|im_end|>`,
    `[/INST]`) becomes a look-alike, so that no paper can end its fence, fake an answer or an image.
    """
    return _BRACKET_TOKEN.sub("［", _TAG.sub("‹", visible(str(text))))


def fence_line(text: str) -> str:
    """`fence`, all on one line, for the items of a list: an item cannot pretend to be the next one."""
    return " ".join(fence(text).split())


@dataclass
class _Read:
    """A template as it was read, and when its file was last seen to be the same."""

    source: str
    is_current: Callable[[], bool]
    seen: float


# Each template that was read, by the folders it was looked for in, and its name.
_read: dict[tuple[tuple[str, ...], str], _Read] = {}
LOOK_AGAIN_S = 0.5  # a template's file is looked at no more often


def _source(name: str) -> str:
    folders = _folders()
    known, now = _read.get((folders, name)), time.monotonic()
    if known is not None:
        if now - known.seen < LOOK_AGAIN_S:
            return known.source
        if known.is_current():
            known.seen = now
            return known.source
    environment = _environment(folders)
    try:
        loader = environment.loader
        assert loader is not None
        source, _, is_current = loader.get_source(environment, f"{name}.jinja")
    except TemplateError as error:
        raise PromptError(f"prompt template {name}.jinja: not found ({error})") from error
    _read[folders, name] = _Read(source, is_current or (lambda: False), now)
    return source


def fingerprint(name: str) -> str:
    """12 hex digits that change whenever the text of the template, or of one that it includes, changes."""
    return _fingerprint(_sources(name))


@lru_cache(maxsize=256)
def _fingerprint(sources: tuple[str, ...]) -> str:
    return hashlib.sha256("\x1f".join(sources).encode()).hexdigest()[:12]


def _sources(name: str) -> tuple[str, ...]:
    """The texts of a template and of all that it includes, each once, in the order they are met."""
    found: dict[str, str] = {}
    _collect(_folders(), name, (), found)
    return tuple(found.values())


def _collect(folders: tuple[str, ...], name: str, within: tuple[str, ...], found: dict[str, str]) -> None:
    if name in within:
        raise PromptError(f"prompt template {name}.jinja includes itself")
    found[name] = _source(name)
    for other in _included(folders, name, found[name]):
        _collect(folders, other, (*within, name), found)


@lru_cache(maxsize=256)
def _included(folders: tuple[str, ...], name: str, source: str) -> tuple[str, ...]:
    try:
        found = list(meta.find_referenced_templates(_environment(folders).parse(source)))
    except TemplateError as error:
        raise PromptError(f"prompt template {name}.jinja: {error}") from error
    if wrong := [other for other in found if other is None or not other.endswith(".jinja")]:
        raise PromptError(f"prompt template {name}.jinja includes {wrong[0]!r}; name a file that ends in .jinja")
    return tuple(other.removesuffix(".jinja") for other in found if other)


def check(name: str, fields: Collection[str]) -> None:
    """Raise PromptError unless the template is there, compiles, and uses no other fields than `fields`.

    What it includes is checked with it.
    """
    own = os.environ.get("DJ_EXT_PROMPTS", "")
    if own and not Path(own).is_dir():
        raise PromptError(f"DJ_EXT_PROMPTS names {own}, which is no folder")
    folders, sources = _folders(), _sources(name)
    if any(map(_SPLIT.search, sources[1:])):
        raise PromptError(f"prompt template {name}.jinja: the line '=== user ===' stands in a file that it includes")
    try:
        _parts(folders, name, sources[0])
        used = set().union(*(meta.find_undeclared_variables(_environment(folders).parse(source)) for source in sources))
    except TemplateError as error:
        raise PromptError(f"prompt template {name}.jinja: {error}") from error
    if unknown := sorted(used - set(fields)):
        raise PromptError(
            f"prompt template {name}.jinja uses {', '.join(unknown)}, which it is not given; it is given: "
            f"{', '.join(sorted(fields))}"
        )


@lru_cache(maxsize=256)
def _parts(folders: tuple[str, ...], name: str, source: str) -> tuple[Template, ...]:
    """The compiled parts of a template; a second cut line is an error of its author."""
    sources = _SPLIT.split(source)
    if len(sources) > 2:
        raise PromptError(f"prompt template {name}.jinja: more than one line '=== user ==='")
    environment = _environment(folders)
    return tuple(environment.from_string(part) for part in sources)


def render(name: str, **fields: Any) -> tuple[Message, ...]:
    """The chat messages of template `name` (without suffix), images not yet attached.

    Raises PromptError for an unknown template or a field that the template needs and did not get.
    """
    source = _source(name)
    try:
        parts = _parts(_folders(), name, source)
        texts = [part.render(**fields).strip() for part in parts]
    except TemplateError as error:
        raise PromptError(f"prompt template {name}.jinja: {error}") from error
    if len(texts) == 1:
        return (Message("user", texts[0]),)
    return (Message("system", texts[0]), Message("user", texts[1]))


def request(name: str, sampling: dict[str, Any], images: tuple[str, ...] = (), draw: int = 0, **fields: Any) -> Request:
    """A `Request` for template `name`; `images` go with the user message.

    A `seed` in `sampling` moves on by one per draw: the same seed would make all draws of a vote one.
    """
    if draw and isinstance(sampling.get("seed"), int):
        sampling = {**sampling, "seed": sampling["seed"] + draw}
    messages = render(name, **fields)
    last = messages[-1]
    messages = (*messages[:-1], Message(last.role, last.text, images))
    return Request(messages, task=name, fields=fields, sampling=dict(sampling), draw=draw,
                   prompt_version=fingerprint(name))  # fmt: skip
