"""The fenced blocks of a Markdown page, each with what the page says about running it.

A block that can't run as it stands has a comment before it that says why:

    <!-- not run: needs a cluster -->

One that stands in a file which a command of the page writes names the file:

    <!-- from: tests/test_caption_topic_mapper.py -->
"""

from __future__ import annotations

import re
import shlex
import textwrap
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

# Blocks in these languages are checked; a block without a language is output.
LANGUAGES = ("bash", "python", "yaml", "json", "jinja")
SHOWN = ("", "text", "console")

_FENCE = re.compile(r"^([ ]*)(`{3,})([\w+-]*)[^\n]*\n(.*?)^\1\2[ ]*$", re.M | re.S)
_MARK = re.compile(r"<!--\s*(not run|from):\s*(.*?)\s*-->\s*\Z", re.S)


@dataclass(frozen=True)
class Block:
    """One block: `line` is that of its fence, `not_run` why it can't be run ("": it can), `file` where it is from."""

    page: str
    line: int
    language: str
    text: str
    not_run: str = ""
    file: str = ""

    @property
    def place(self) -> str:
        """Page and line, as messages name it."""
        return f"{self.page}:{self.line}"


def blocks_of(page: Path, name: str) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        mark = _MARK.search(text[: fence.start()][-300:])
        line = text.count("\n", 0, fence.start()) + 1
        said = {mark[1].replace(" ", "_").replace("from", "file"): mark[2]} if mark else {}
        found.append(Block(name, line, fence[3], textwrap.dedent(fence[4]), **said))
    return found


def commands(script: str) -> list[list[str]]:
    """The simple commands of a shell script as words: no comments, no assignments before them, no here-documents."""
    found: list[list[str]] = []
    for line in _without_here_documents(script).replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";|&")
        lexer.whitespace_split = True
        parts: list[list[str]] = [[]]
        for word in lexer:
            if set(word) <= set(";|&"):
                parts.append([])
            elif parts[-1] or not re.match(r"[A-Za-z_]\w*=", word):
                parts[-1].append(word)
        found += [words for part in parts if (words := list(takewhile(lambda word: word[:1] not in ("<", ">"), part)))]
    return found


def _without_here_documents(script: str) -> str:
    return re.sub(r"<<-?'?(\w+)'?([^\n]*)\n.*?^\1$", r"\2", script, flags=re.M | re.S)
