"""Names of annotators: plain text that is safe to show, to write and to compare."""

import unicodedata
from collections.abc import Iterable

from data_juicer_ext.review.forms.form import FormError

MOST = 60
_BESIDE = frozenset(" .-_'@+")
_BLANK = frozenset("\u115f\u1160\u3164\uffa0")  # letters that nobody sees


def annotator_name(text: object, known: Iterable[str] = ()) -> str:
    """A name in normal form; as it is spelt in `known`, where it differs in capitals alone. Raises FormError."""
    name = " ".join(unicodedata.normalize("NFC", str(text))[: 4 * MOST].split()) if isinstance(text, str) else ""
    if not 0 < len(name) <= MOST or not all(_allowed(character) for character in name):
        raise FormError(f"A name has 1 to {MOST} letters, digits, spaces, and . - _ ' @ +")
    if not any(map(str.isalnum, name)) or _piled(name):
        raise FormError("A name has at least one letter or digit, and no pile of marks.")
    return next((other for other in known if other.casefold() == name.casefold()), name)


def _allowed(character: str) -> bool:
    return character in _BESIDE or (unicodedata.category(character)[0] in "LNM" and character not in _BLANK)


def _piled(name: str) -> bool:
    """Whether marks stand on top of one another, as no name has them."""
    return any(all(map(unicodedata.combining, name[place : place + 3])) for place in range(len(name) - 2))
