"""The dataset card: README.md of an export, with everything that who uses the set has to know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from data_juicer_ext.export.contents import UNKNOWN, Contents
from data_juicer_ext.export.front_matter import front_matter
from data_juicer_ext.export.order import DIALOGUES, PAIRS, RATED, SCORED, Order
from data_juicer_ext.report.funnel import share_of_whole

REASONS = {
    "undecided": "not decided: a model call failed",
    "not_whole": "lacks what its kind consists of",
    "no_row_id": "has no row_id",
    "not_accepted": "not accepted by a majority of reviewers",
    "licence": "of another licence than asked for",
    "image": "an image is missing or does not decode",
    "near_duplicate_question": "asks nearly the same as another question of its figure",
    "over_the_limit": "over the limit of rows a figure",
}
"""Why rows are left out, in words."""

_USE = {
    "hf": "`datasets.load_dataset` of this folder needs nothing else; `images` are of the feature Image.",
    "parquet": "Plain Parquet: `images` holds the bytes of the files that `image_files` names.",
    "ms-swift": "Lines of `messages` and `images`. Paths start at this folder: run `swift` from inside it.",
    "llava": "`--data_path` is a split's file, `--image_folder` this folder.",
    "openai": "Chat lines with the images inside, as data URLs.",
    "jsonl": "Plain JSON Lines; `images` are paths that start at this folder.",
}
_LIMITS = {
    PAIRS: (
        "Questions, answers and checks are made by models; a person has seen them only as far as said above.",
        "A question is about what a paper says of its figure; where the paper is wrong, so is the answer.",
        "The filters refuse good pairs as well: of 50 refusals of each, VeriSciQA found 28%, 34% and 18% wrong.",
    ),
    RATED: ("Ratings are a model's, not people's; they say how an image looks to that model.",),
    SCORED: (
        "Scores are a model's, under the protocol and call budget that each row names; null means gated for lack of "
        "evidence, not a low score.",
    ),
}
_TOKENS = (
    "A text that itself holds a token such as `<image>` or `<|image_pad|>` has a backslash behind its first bracket "
    "(`<\\image>`), so that one placeholder an image is left. Take one backslash away there to have the text again; "
    "`provenance.jsonl` holds it as it was."
)


@dataclass(frozen=True)
class _Table:
    head: Sequence[str]
    rows: Iterable[Sequence[object]]

    def __str__(self) -> str:
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        return "\n".join("| " + " | ".join(_cell(value) for value in line) + " |" for line in lines)


def card(contents: Contents, order: Order) -> str:
    """The card of an export as Markdown, with its YAML head."""
    parts = {
        "": f"{contents.rows:,} {contents.kind} about figures of scientific papers. {_USE[order.format]}",
        "Splits": _splits(contents, order),
        "How the rows came about": _funnel(contents),
        "Not in this set": _left_out(contents, order),
        "Models and prompts": _makers(contents),
        "Licences": _licences(contents),
        "What the rows are made of": _composition(contents),
        "Shortcut audit": _shortcuts(contents) if contents.kind == PAIRS else "",
        "Image tokens in text": _TOKENS if order.format in DIALOGUES else "",
        "Known limits": "\n".join(f"- {limit}" for limit in _limits(contents, order)),
    }
    body = [f"## {title}\n\n{text}" if title else f"# Scientific figures: {contents.kind}\n\n{text}"
            for title, text in parts.items() if text]  # fmt: skip
    return front_matter(contents) + "\n" + "\n\n".join(body) + "\n"


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Reasons with their counts on one line."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return "; ".join(f"{count:,} {REASONS.get(reason, reason)}" for reason, count in ordered)


def _splits(contents: Contents, order: Order) -> str:
    rows = [(name, f"{of.rows:,}", f"{len(of.papers):,}", f"{len(of.figures):,}")
            for name, of in contents.splits.items()]  # fmt: skip
    shares = ", ".join(f"{name} {share:g}" for name, share in order.splits)
    told = (
        f"Asked for: {shares}; seed {order.seed}. No paper is in two splits, and papers that show the same picture "
        "(by perceptual hash, then pixel by pixel) are in the same one."
    )
    return f"{_Table(('split', 'rows', 'papers', 'figures'), rows)}\n\n{told}"


def _funnel(contents: Contents) -> str:
    lines = []
    for step in contents.steps:
        share = share_of_whole(step, contents.steps)
        told = "" if share is None else f"{share:.1%}"
        lines.append((step.name, f"{step.out:,}", told, f"{step.refused:,}", f"{step.undecided:,}"))
    notes = "".join(f"\n\n{note}" for note in contents.notes)
    if not lines:
        return "The run has left no ledger." + notes
    return f"{_Table(('step', 'rows', 'share', 'refused', 'undecided'), lines)}{notes}"


def _left_out(contents: Contents, order: Order) -> str:
    counted = sorted(contents.left_out.items(), key=lambda item: (-item[1], item[0]))
    rows = [(REASONS.get(reason, reason), f"{count:,}") for reason, count in counted]
    told = f"The run has {contents.undecided:,} rows that are undecided; undecided rows are never exported."
    if order.accepted:
        told += " Only rows that more reviewers accepted than rejected are in the set."
    return f"{_Table(('why', 'rows'), rows)}\n\n{told}" if rows else told


def _makers(contents: Contents) -> str:
    rows = [(tag, model, prompt, f"{count:,}") for (tag, model, prompt), count in sorted(contents.makers.items())]
    return str(_Table(("step", "model", "prompts@version", "rows"), rows)) if rows else "The rows name no model."


def _licences(contents: Contents) -> str:
    counted = sorted(contents.licences.items(), key=lambda item: (item[0] == UNKNOWN, -item[1], item[0]))
    table = _Table(("licence of the source", "rows"), [(name, f"{count:,}") for name, count in counted])
    told = "\n\nFigures and captions stay under the licence of the paper that they are from (column `licence`)."
    if unknown := contents.licences[UNKNOWN]:
        told += f" Of {unknown:,} rows the licence is not known: do not pass them on before it is."
    return f"{table}{told}"


def _composition(contents: Contents) -> str:
    parts = contents.composition.parts
    return "\n\n".join(
        str(_Table((heading, "rows"), [(value, f"{count:,}") for value, count in counted]))
        for heading, counted in parts.items()
        if heading != "Licence"
    )


def _shortcuts(contents: Contents) -> str:
    audit = contents.shortcuts
    right, wrong = audit.mean_lengths
    letters = "; ".join(
        f"{options} options: " + ", ".join(f"{letter} {counted[letter]}" for letter in sorted(counted))
        for options, counted in sorted(audit.letters.items())
    )
    rows = [
        (rule.name, f"{rule.accuracy:.1%}", f"{rule.chance:.1%}", "yes" if rule.above_chance else "no")
        for rule in (*audit.baselines(), *contents.blind)
    ]
    table = _Table(("without the figure", "right", "chance", "above chance"), rows)
    told = f"Right letters: {letters}. A right option has {right:.0f} characters on average, a wrong one {wrong:.0f}."
    return f"{table}\n\n{told} Rows of models count all questions that the run asked them without the figure."


def _limits(contents: Contents, order: Order) -> list[str]:
    found = list(_LIMITS[contents.kind])
    if not order.accepted:
        found.append("The set is what the run kept; no acceptance by people was asked for.")
    empty = [name for name, of in contents.splits.items() if not of.rows]
    if empty:
        found.append(f"There were too few papers for {' and '.join(empty)}: no row is there.")
    return found


def _cell(value: object) -> str:
    return " ".join(str(value).replace("|", "\\|").replace("<", "&lt;").split()) or " "
