"""The dataset card: what an export is, how it came about, what is in it, and what it can't be trusted with."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import yaml

from data_juicer_ext import __version__
from data_juicer_ext.export.card import card_texts as words
from data_juicer_ext.export.card.counted_contents import Contents
from data_juicer_ext.export.card.front_matter import front_matter, title
from data_juicer_ext.export.card.tables import cell, table
from data_juicer_ext.export.options import ExportOptions
from data_juicer_ext.export.rows.left_out import REASONS, LeftOut
from data_juicer_ext.export.rows.selection import UNKNOWN
from data_juicer_ext.report.funnel import FunnelStep, share_of_whole, whole
from data_juicer_ext.report.shortcut_audit import Baseline
from data_juicer_ext.siqa.dimensions import ASPECTS
from data_juicer_ext.siqa.rating_levels import LEVELS

SOURCES, LEFT_OUT = "sources.jsonl", "left_out.jsonl"


@dataclass(frozen=True)
class RunFacts:
    """What is known of the run; all empty for rows that no run folder tells of (`known` is then false).

    `recipe` is the name of a file, `undecided` the number of undecided rows, `notes` hold no path of this machine.
    `file` is the name of the file or folder that the rows are from, where it is not the run's own export.
    """

    known: bool = False
    recipe: str = ""
    executor: str = ""
    steps: Sequence[FunnelStep] = ()
    blind: Sequence[Baseline] = ()
    undecided: int = 0
    notes: Sequence[str] = ()
    file: str = ""


@dataclass(frozen=True)
class WrittenExport:
    """An export as it was made: `files` by split, `columns` of the rows with their types in lines of JSON.

    `digest` is the SHA-256 of the files.
    `joined` counts how often a picture put papers together, `moved` the rows whose options have a new order.
    """

    order: ExportOptions
    run: RunFacts
    contents: Contents
    left_out: LeftOut
    files: Mapping[str, Sequence[str]]
    columns: Mapping[str, str]
    digest: str
    joined: int = 0
    moved: int = 0


def card(made: WrittenExport) -> str:
    """The card as Markdown with its YAML head."""
    told = front_matter(made.contents, made.order, made.files, made.columns, made.digest)
    head = yaml.safe_dump(told, sort_keys=False, allow_unicode=True)
    parts = [f"---\n{head}---", f"# {title(made.contents)}", _what(made), *_sections(made)]
    return "\n\n".join(parts) + "\n"


def _what(made: WrittenExport) -> str:
    """What the rows are, and what was checked of them, as far as the run's own filters say so."""
    checks = list(dict.fromkeys(cell(step.words.kept_if) for step in made.run.steps if step.words.kept_if))
    told = f" A row was kept if {', and if '.join(checks)}." if checks else ""
    return words.WHAT[made.contents.kind.name] + told


def _sections(made: WrittenExport) -> Iterator[str]:
    sections = {
        "Splits": _splits(made), "Files": _files(made), "How it was made": _making(made), "Funnel": _funnel(made),
        "Left out": _left_out(made), "Models and prompts": _makers(made.contents), "Licences": _licences(made.contents),
        "What is in it": _composition(made.contents), "Scores": _scores(made.contents),
        "Shortcut audit": _shortcuts(made), "Known limits": _limits(made),
    }  # fmt: skip
    for heading, text in sections.items():
        if text:
            yield f"## {heading}\n\n{text}"


def _splits(made: WrittenExport) -> str:
    contents = made.contents
    rows = [
        (name, f"{share:.1%}", contents.rows[name], contents.papers_in(name), len(contents.figures.get(name, ())))
        for name, share in made.order.splits
    ]
    told = words.SPLITS if len(made.order.splits) > 1 else ""
    if made.joined:
        told += f" {made.joined:,} times the same picture put papers (or images without a paper) together."
    empty = [name for name, *_ in rows if not contents.rows[name]]
    if empty:
        told += f" There are too few papers for {' and '.join(empty)}: no file is there."
    return "\n\n".join(filter(None, (table(("split", "asked for", "rows", "papers", "figures"), rows), told.strip())))


def _files(made: WrittenExport) -> str:
    order = made.order
    told = [
        words.FILES[order.format],
        words.IMAGES_EMBEDDED if order.embeds else words.IMAGES_COPIED,
        words.OTHER_FILES,
    ]
    if order.format in ("ms-swift", "llava"):
        told.insert(1, words.ESCAPED)
    if order.format == "llava" and made.contents.several_images:
        told.insert(1, f"{made.contents.several_images:,} rows have several images. {words.SEVERAL_IMAGES}")
    return "\n\n".join(told)


def _making(made: WrittenExport) -> str:
    order, run = made.order, made.run
    by = f"the recipe {cell(run.recipe)}" if run.recipe else "a run whose recipe is not known"
    on = f" on the {cell(run.executor)} executor" if run.executor else ""
    lines = [f"Rows of {by}{on}, exported by data-juicer-ext {__version__} (`dj-ext export`)."]
    if not run.known:
        lines = [f"Rows of a file that no run tells of, exported by data-juicer-ext {__version__} (`dj-ext export`)."]
    settings = [
        ("format", order.format),
        ("kind", made.contents.kind.name),
        ("seed", order.seed),
        ("near questions", order.near_questions or "not looked at"),
        ("rows per figure", order.max_per_figure or "any number"),
        ("licences", ", ".join(order.licences) or "any"),
        ("rows", "accepted by most reviewers" if order.accepted else f"all of {run.file or 'what the run kept'}"),
        ("options", f"{made.moved:,} rows in a new order" if order.shuffle_options else "in the run's order"),
    ]
    return "\n\n".join([*lines, *map(cell, run.notes), table(("setting", "value"), settings)])


def _funnel(made: WrittenExport) -> str:
    run = made.run
    if not run.known:
        return "No run folder was named, so nothing is known of what was refused or is undecided."
    base = whole(run.steps)
    head = ("step", "decided", "went on", f"of {base.name}" if base else "share", "refused", "undecided", "why")
    rows = [(step.name, step.rows, step.out, _share(step, run.steps), step.refused, step.undecided, _why(step))
            for step in run.steps]  # fmt: skip
    told = f"{run.undecided:,} rows of the run are undecided: {words.UNDECIDED}" if run.undecided else words.DECIDED
    return f"{table(head, rows)}\n\n{told}" if rows else told


def _share(step: FunnelStep, steps: Sequence[FunnelStep]) -> str:
    share = share_of_whole(step, steps)
    return "" if share is None or share > 1 else f"{share:.1%}"  # several questions can be made of one figure


def _why(step: FunnelStep) -> str:
    return ", ".join(f"{reason} {count:,}" for reason, count in step.reasons.most_common(4))


def _left_out(made: WrittenExport) -> str:
    rows = [(REASONS[reason], count) for reason, count in made.left_out.counts().items()]
    return f"{table(('rows', 'number'), rows)}\n\nEach is named in `{LEFT_OUT}`." if rows else ""


def _makers(contents: Contents) -> str:
    rows = [(*maker, count) for maker, count in sorted(contents.makers.items())]
    if not rows:
        return words.NO_MAKERS
    offline = any(model == "offline" for _, model, *_ in contents.makers)
    told = f"\n\n{words.OFFLINE}" if offline else ""
    return f"{table(('step', 'model', 'prompt@version', 'sampling', 'rows'), rows)}{told}"


def _licences(contents: Contents) -> str:
    counted = contents.licences()
    told = f"{words.LICENCES} `{SOURCES}` lists the papers."
    unknown = sum(rows for name, _, rows in counted if name == UNKNOWN)
    if unknown:
        told += f" {words.LICENCE_UNKNOWN.format(rows=f'{unknown:,} of {contents.total:,}')}"
    return f"{table(('licence of the paper', 'papers', 'rows'), counted)}\n\n{told}"


def _composition(contents: Contents) -> str:
    parts = [table((heading, "rows"), counted) for heading, counted in contents.composition.parts.items()
             if heading != "Licence"]  # fmt: skip
    if contents.dimensions:
        parts.append(table(("Dimension", "rows"), contents.dimensions.most_common()))
    most = contents.composition.most_of_a_figure
    parts.append(f"{len(contents.images):,} images; a figure has {most:,} rows at most.")
    if contents.flags:
        flags = ", ".join(f"{words.FLAGS.get(flag, flag)} {count:,}" for flag, count in sorted(contents.flags.items()))
        parts.append(f"Images that were changed to look as the models saw them: {flags}.")
    return "\n\n".join(parts)


def _scores(contents: Contents) -> str:
    rows = [(name, number, f"{total / number:.2f}") for name, (number, total) in contents.scores.items()]
    if not rows:
        return ""
    levels = [(level, *(contents.levels[aspect, level] for aspect in ASPECTS)) for level in reversed(LEVELS)]
    told = table(("answer of a dialogue", *ASPECTS), levels) if contents.levels else ""
    return "\n\n".join(filter(None, (table(("score", "rows", "mean"), rows), told)))


def _shortcuts(made: WrittenExport) -> str:
    audit = made.contents.shortcuts
    if not audit.rows:
        return ""
    shown = ascii_uppercase[: max(audit.letters)]
    letters = [
        (options, *(f"{counted[letter]:,} ({counted[letter] / counted.total():.0%})" if place < options else ""
                    for place, letter in enumerate(shown)))
        for options, counted in sorted(audit.letters.items())
    ]  # fmt: skip
    rules = [(rule.name, f"{rule.accuracy:.1%}", f"{rule.chance:.1%}", "yes" if rule.above_chance else "no")
             for rule in (*audit.baselines(), *made.run.blind)]  # fmt: skip
    right, wrong = audit.mean_lengths
    even = audit.position_p()
    told = f"A right option has {right:.0f} characters on average, a wrong one {wrong:.0f}."
    if even is not None:
        told += f" Letters at least this uneven come about by chance with a probability of {even:.2g}."
    return "\n\n".join((
        words.SHORTCUTS, table(("options", *shown), letters),
        table(("without the figure", "right", "chance", "above chance"), rules), told,
    ))  # fmt: skip


def _limits(made: WrittenExport) -> str:
    found = [*words.LIMITS[made.contents.kind.name], *words.LIMITS_OF_ALL]
    if not made.order.accepted:
        found.insert(0, words.NOT_REVIEWED)
    if made.run.undecided:
        found.append(words.UNDECIDED_LIMIT)
    return "\n".join(f"- {text}" for text in found)


def licence_file(contents: Contents) -> str:
    """What stands in the file on licences."""
    names = "\n".join(
        f"- {cell(name)}: {rows:,} rows of {papers:,} papers" for name, papers, rows in contents.licences()
    )
    return f"# Licences\n\n{words.LICENCES} `{SOURCES}` lists the papers.\n\n{names}\n"
