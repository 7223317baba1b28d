"""The YAML head of a dataset card, as the Hugging Face Hub reads it.

Keys: https://github.com/huggingface/hub-docs/blob/main/datasetcard.md
Licences: https://github.com/huggingface/hub-docs/blob/main/docs/hub/repositories-licenses.md
Splits: https://github.com/huggingface/hub-docs/blob/main/docs/hub/datasets-manual-configuration.md
"""

from collections.abc import Mapping, Sequence
from typing import Any

from data_juicer_ext.export.card.counted_contents import Contents
from data_juicer_ext.export.formats.format_samples import NESTED
from data_juicer_ext.export.options import ExportOptions
from data_juicer_ext.export.rows.columns import MIXED, TEXT, TEXTS
from data_juicer_ext.export.rows.row_kinds import FIGURES, PAIRS, SIQA_S, SIQA_U
from data_juicer_ext.export.rows.selection import UNKNOWN

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


LICENCE_FILE = "LICENSE.md"
_TASKS = {
    PAIRS.name: ["visual-question-answering", "multiple-choice"],
    SIQA_U.name: ["visual-question-answering", "multiple-choice"],
    SIQA_S.name: ["image-text-to-text"],
    FIGURES.name: ["other"],
}
_NAMES = {
    PAIRS.name: "Multiple-choice questions about scientific figures",
    SIQA_U.name: "Questions about the quality of scientific images",
    SIQA_S.name: "Quality levels of scientific images",
    FIGURES.name: "Scientific figures with quality scores",
}
_SIZES = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"),
)  # fmt: skip
_HUB = frozenset((
    "cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-2.0",
    "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0",
    "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "apache-2.0", "mit", "bsd", "bsd-2-clause", "bsd-3-clause", "odc-by", "odbl",
    "pddl", "unlicense",
))  # fmt: skip


def front_matter(
    contents: Contents,
    order: ExportOptions,
    files: Mapping[str, Sequence[str]],
    columns: Mapping[str, str],
    digest: str,
) -> dict[str, Any]:
    """The head of the card: licence, task, size, and for `datasets` the files of each split and what is in them.

    No other file of the folder is taken for data then. `columns` are those of the rows, with their types, `digest` is
    that of the files.
    """
    head: dict[str, Any] = {
        "pretty_name": _NAMES[contents.kind.name],
        **_licence([name for name, _, _ in contents.licences()]),
        "task_categories": _TASKS[contents.kind.name],
        "size_categories": [size_category(contents.total)],
        "annotations_creators": ["machine-generated"],
        "tags": ["scientific-figures", "data-juicer"],
    }
    # `datasets` keeps what it has read by the name of the folder and by what stands here. Without the digest it would
    # give the rows of an earlier export of the same name.
    told = {"config_name": "default", "description": f"SHA-256 of the files: {digest}"}
    head["configs"] = [{**told, "data_files": _data_files(files)}]
    if found := features(order.format, columns, contents.several_images > 0):
        head["dataset_info"] = {"features": found}
    return head


def size_category(rows: int) -> str:
    """The Hub's word for a number of rows."""
    return next((name for limit, name in _SIZES if rows < limit), "100M<n<1B")


def title(contents: Contents) -> str:
    """What the set is called."""
    return _NAMES[contents.kind.name]


def _licence(names: Sequence[str]) -> dict[str, Any]:
    """The licences by the Hub's identifiers; what has none is "other", with a name and the file that says more."""
    found = [name if name in _HUB else "unknown" if name == UNKNOWN else "other" for name in map(str.casefold, names)]
    ids = list(dict.fromkeys(found))
    head: dict[str, Any] = {"license": ids[0] if len(ids) == 1 else ids}
    if "other" in ids:
        others = [name for name, one in zip(names, found, strict=True) if one == "other"]
        head["license_name"] = _slug(others[0]) if len(others) == 1 else "several"
        head["license_link"] = LICENCE_FILE
    return head


def _slug(text: str) -> str:
    plain = "".join(one if one.isascii() and (one.isalnum() or one in ".-") else "-" for one in text.casefold())
    return "-".join(part for part in plain.split("-") if part)[:60] or "other"


def _data_files(files: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    return [{"split": split, "path": _path(split, names)} for split, names in files.items()]


def _path(split: str, names: Sequence[str]) -> str | list[str]:
    if names[0].endswith(".parquet"):
        return f"data/{split}-*.parquet"
    return names[0] if len(names) == 1 else list(names)
