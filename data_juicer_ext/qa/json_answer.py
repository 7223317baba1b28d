"""JSON objects in model answers, with LaTeX in their strings left as it is.

Models write `"\nu rises"` where they mean the Greek letter. JSON reads that as a line feed and a
"u", and `"\frac"` as a form feed. Here a backslash that starts a LaTeX command stays one.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from data_juicer_ext.rows import scrub

# Commands whose first letter is also a JSON escape, as far as the escape could be meant: a line feed
# or tab before a word. (A backspace, form feed or carriage return before a letter is never meant.)
_N_COMMANDS = frozenset(
    re.findall(
        r"\S+",
        "nabla natural ncong ne nearrow neg neq newcommand newline nexists ngeq ngtr nleftarrow nleq nless "
        "nmid nobreak noindent nolimits nonumber normalfont normalsize not notag notin nparallel nprec "
        "nrightarrow nsim nsubseteq nsucc nsupseteq nu nvdash nwarrow",
    )
)
_T_COMMANDS = frozenset(
    re.findall(
        r"\S+",
        "tag tan tanh tau tbinom tera text textbf textcolor textdegree textit textmu textnormal textrm textsc "
        "textsf textstyle textsubscript textsuperscript texttt textup textwidth tfrac theta "
        "therefore thickapprox thicksim thinspace tilde times tiny to top triangle triangledown triangleleft "
        "triangleq triangleright tt twoheadrightarrow",
    )
)
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|["\\/]|[A-Za-z]{1,40}|[\s\S]|$)')


def parse_json_object(text: str) -> dict[str, Any] | None:
    """The last JSON object that stands in `text` (prose and code fences around it are fine), or None.

    Single backslashes of LaTeX commands are kept, raw line ends inside strings are accepted, and no
    string has control characters other than line feed and tab.
    """
    found: dict[str, Any] | None = None
    for candidate in _balanced(text):
        value = _decode(candidate)
        if isinstance(value, dict):
            found = value
    return found


def _balanced(text: str) -> Iterator[str]:
    """The outermost `{...}` of `text`, braces inside JSON strings not counted; linear."""
    depth, start, quoted = 0, 0, False
    for token in re.finditer(r'\\[\s\S]|[{}"]', text):
        mark = token.group()
        if mark[0] == "\\" or (not depth and mark != "{"):
            continue
        if mark == '"':
            quoted = not quoted
        elif not quoted:
            start = token.start() if depth == 0 else start
            depth += 1 if mark == "{" else -1
            if depth == 0:
                yield text[start : token.end()]


def _decode(candidate: str) -> Any:
    try:
        return _scrubbed(json.loads(_ESCAPE.sub(_kept_escape, candidate), strict=False))
    except (ValueError, RecursionError):
        return None


def _kept_escape(match: re.Match[str]) -> str:
    """The escape as JSON text; a LaTeX command, or what JSON does not know, with its backslash doubled."""
    body = match.group(1)
    if body[:1] in ('"', "\\", "/") or re.fullmatch(r"u[0-9a-fA-F]{4}", body):
        return match.group()
    known = {"n": len(body) == 1 or body not in _N_COMMANDS, "t": len(body) == 1 or body not in _T_COMMANDS}
    return match.group() if known.get(body[:1], body in ("b", "f", "r")) else "\\\\" + body


def _scrubbed(value: Any) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, list):
        return [_scrubbed(item) for item in value]
    if isinstance(value, dict):
        return {scrub(key): _scrubbed(item) for key, item in value.items()}
    return value
