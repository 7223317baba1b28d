"""The kinds of operators that can be written: with or without a model, mapper or filter."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Template

_MODEL_FURTHER = (
    "The others are those of every operator that calls a model: `api_model`, `api_endpoint`, `model_params`,\n"
    "`sampling_params`, `max_cost`, `max_calls`, `run_dir`, `tag`."
)
_RULE_FURTHER = "The others are those of every operator: `run_dir`, `tag`."


@dataclass(frozen=True)
class Variant:
    """One kind: its templates start with `key`. `exports` is what its test imports from the operator's module."""

    key: str
    headline: str
    parameter: str
    setting: str
    exports: str
    has_model: bool

    @property
    def further(self) -> str:
        """The sentence in the docs on the parameters that all operators have."""
        return _MODEL_FURTHER if self.has_model else _RULE_FURTHER


VARIANTS = {
    variant.key: variant
    for variant in (
        Variant(
            "model_mapper", "Names what the caption of a figure is about",
            "| `max_words` | int | `6` | how many words the answer may have, 1 to 50 |",
            "max_words: 4", "COLUMN, OP_NAME, parse", True,
        ),
        Variant(
            "model_filter", "Keeps figures whose caption can be understood alone",
            "| `min_words` | int | `3` | captions of fewer words are refused without a call, 0 to 1000 |",
            "min_words: 3", "OP_NAME, parse", True,
        ),
        Variant(
            "rule_mapper", "Measures how long the caption of a figure is",
            "| `unit` | str | `'words'` | what is counted, `words` or `characters` |",
            "unit: words", "COLUMN, OP_NAME", False,
        ),
        Variant(
            "rule_filter", "Keeps figures whose caption is long enough",
            "| `min_words` | int | `3` | captions of fewer words are refused, 0 to 1000 |",
            "min_words: 3", "OP_NAME", False,
        ),
    )
}  # fmt: skip


def variant_of(kind: str, model: bool) -> Variant:
    """The variant for a kind, `mapper` or `filter`, with or without a model."""
    return VARIANTS[f"{'model' if model else 'rule'}_{kind}"]


def text(template: str, fields: Mapping[str, object]) -> str:
    """A template of `scaffold/templates/` (without `.txt`), filled in."""
    source = (files("data_juicer_ext.scaffold") / "templates" / f"{template}.txt").read_text(encoding="utf-8")
    return Template(source).substitute({key: str(value) for key, value in fields.items()})


def operator_files(variant: Variant, fields: Mapping[str, object], places: Mapping[str, str]) -> dict[str, str]:
    """The texts of an operator's own files by path; `places` says where `code`, `prompt`, `test` and `recipe` go."""
    kind = "model" if variant.has_model else "rule"
    made = {
        places["code"]: text(f"{variant.key}.py", fields),
        places["test"]: text(f"{variant.key}_test.py", fields),
        places["recipe"]: text(f"{kind}_recipe.yaml", fields),
    }
    if variant.has_model:
        made[places["prompt"]] = text(f"{variant.key}.jinja", fields)
    return made
