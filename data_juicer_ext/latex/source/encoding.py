"""TeX bytes to text: byte order marks, UTF-8, the encoding that the file declares, then CP1252."""

import codecs
import re

_DECLARED = re.compile(rb"\\(?:usepackage|RequirePackage)\s*\[([a-zA-Z0-9]+)\]\s*\{inputenc\}")
_CODECS = {
    "latin1": "latin-1", "latin2": "iso8859-2", "latin3": "iso8859-3", "latin4": "iso8859-4",
    "latin5": "iso8859-9", "latin9": "iso8859-15", "latin10": "iso8859-16", "ansinew": "cp1252",
    "cp1250": "cp1250", "cp1251": "cp1251", "cp1252": "cp1252", "cp1257": "cp1257", "koi8-r": "koi8-r",
    "koi8r": "koi8-r", "cp850": "cp850", "cp437": "cp437", "cp866": "cp866", "applemac": "mac-roman",
}  # fmt: skip
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decode(data: bytes, declared: str = "") -> str:
    """The text of a TeX file, line ends as line feeds (one for one, so line numbers hold).

    `declared`: the `inputenc` option of the main document, for files that do not name their own.
    Never fails: what no codec explains is read as CP1252 and then Latin-1.
    """
    return _one_line_end(_decode(data, declared))


def declared_encoding(data: bytes) -> str:
    """The option of \\usepackage[...]{inputenc} in `data`, or ""."""
    match = _DECLARED.search(data) if b"{inputenc}" in data else None
    return match.group(1).decode("ascii").lower() if match else ""


def _decode(data: bytes, declared: str) -> str:
    for mark, unicode in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(unicode, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        own = _CODECS.get(declared_encoding(data) or declared)
    for codec in (own or "cp1252", "cp1252"):
        try:
            return data.decode(codec)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _one_line_end(text: str) -> str:
    # NUL and the other controls would end a Data-Juicer run; a form feed is a \par for TeX.
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", " ").replace("\x0c", " ") if "\x00" in text or "\x0c" in text else text
