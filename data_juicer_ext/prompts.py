"""Prompt templates: found, rendered and fingerprinted.

A template is a Jinja2 file `prompts/<system>/<name>.jinja` that renders to one or two parts: what
stands before a line `=== user ===` is the system message, the rest the user message. Templates
stand in the folder `prompts/` of a checkout and inside the installed package; a folder named by
the environment variable `DJ_EXT_PROMPTS` is looked at first, so that users can bring their own.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from data_juicer_ext.models.types import Message, Request
from data_juicer_ext.rows import scrub

_SPLIT = "=== user ==="
_FENCE = re.compile(r"<(?=/?\s*(?:paper_text|caption|question|options|option|answer|claim|patterns)\b)", re.I)


class PromptError(ValueError):
    """A template is missing, or does not render with what it was given."""


def shipped_folder(name: str) -> Path:
    """The folder `prompts` or `recipes`, inside the installed package or at the top of a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "shipped" / name
    return inside if inside.is_dir() else package.parent / name


@lru_cache(maxsize=8)
def _environment(own: str) -> Environment:
    folders = [own] if own else []
    loader = FileSystemLoader([*folders, str(shipped_folder("prompts"))])
    environment = Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    environment.filters["data"] = fence
    return environment


def fence(text: str) -> str:
    """Paper text made safe to stand inside a tag of a prompt.

    Control characters go, and a `<` that would open or close one of our own tags becomes a
    look-alike, so that no text of a paper can end its fence or fake an answer.
    """
    return _FENCE.sub("‹", scrub(str(text)))


def _source(name: str) -> str:
    environment = _environment(os.environ.get("DJ_EXT_PROMPTS", ""))
    try:
        loader = environment.loader
        assert loader is not None
        return loader.get_source(environment, f"{name}.jinja")[0]
    except TemplateError as error:
        raise PromptError(f"prompt template {name}.jinja: not found ({error})") from error


def fingerprint(name: str) -> str:
    """12 hex digits that change whenever the template's text changes."""
    return hashlib.sha256(_source(name).encode()).hexdigest()[:12]


def render(name: str, **fields: Any) -> tuple[Message, ...]:
    """The chat messages of template `name` (without suffix), images not yet attached.

    Raises PromptError for an unknown template or a field that the template needs and did not get.
    """
    environment = _environment(os.environ.get("DJ_EXT_PROMPTS", ""))
    _source(name)
    try:
        text = environment.get_template(f"{name}.jinja").render(**fields)
    except TemplateError as error:
        raise PromptError(f"prompt template {name}.jinja: {error}") from error
    system, found, user = text.partition(_SPLIT)
    if not found:
        return (Message("user", text.strip()),)
    return (Message("system", system.strip()), Message("user", user.strip()))


def request(
    name: str, sampling: dict[str, Any], images: tuple[str, ...] = (), draw: int = 0, **fields: Any
) -> Request:
    """A `Request` for template `name`; `images` go with the user message."""
    messages = render(name, **fields)
    last = messages[-1]
    messages = (*messages[:-1], Message(last.role, last.text, images))
    return Request(messages, task=name, fields=fields, sampling=dict(sampling), draw=draw,
                   prompt_version=fingerprint(name))  # fmt: skip
