"""What a card's head tells `datasets` of the columns of JSON files.

`datasets` reads the columns off the first lines, and fails at a later line or split whose nested values are of another
form. Told that a column is its type Json (of 4.7 and later), it takes any value.
"""

from collections.abc import Mapping
from typing import Any

from data_juicer_ext.export.formats.format_samples import NESTED
from data_juicer_ext.export.rows.columns import MIXED, TEXT, TEXTS

Feature = dict[str, Any]


def features(form: str, columns: Mapping[str, str], several_images: bool) -> list[Feature]:
    """The features of a format's files, as the head of a card lists them; [] where the files tell them.

    `columns` are those of the rows, with their types. `several_images`: some rows have more than one.
    """
    if form == "jsonl":
        own = {name: MIXED if name in NESTED else kind for name, kind in columns.items() if name != "images"}
        return [_feature(name, kind) for name, kind in {**own, "images": TEXTS}.items()]
    if form == "openai":
        return [{"name": "messages", "list": [_feature("role", TEXT), _feature("content", MIXED)]}]
    if form == "llava" and several_images:
        turns = {"name": "conversations", "list": [_feature("from", TEXT), _feature("value", TEXT)]}
        return [_feature("id", TEXT), _feature("image", MIXED), turns]
    return []


def _feature(name: str, kind: str) -> Feature:
    return {"name": name, "list": TEXT} if kind == TEXTS else {"name": name, "dtype": kind}
