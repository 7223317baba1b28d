"""What an export holds, counted while its rows are written."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.export.formats.dialogues import level
from data_juicer_ext.export.images.exported_images import ExportedImage
from data_juicer_ext.export.rows.row_kinds import FIGURES, SIQA_S, SIQA_U, RowKind
from data_juicer_ext.export.rows.selection import licence_text
from data_juicer_ext.report.composition import Composition
from data_juicer_ext.report.shortcut_audit import Shortcuts
from data_juicer_ext.rows import object_in, to_json
from data_juicer_ext.siqa.dimensions import ASPECTS

Maker = tuple[str, str, str, str]  # tag of the step, model, prompt with its version, sampling parameters as JSON
_ABOUT = ("licence", "venue", "year", "domain")


@dataclass
class Origin:
    """One paper (or all rows without one, of one licence): what is stated of it, and its rows by split."""

    stated: dict[str, str]
    figures: set[str] = field(default_factory=set)
    rows: Counter[str] = field(default_factory=Counter)


@dataclass
class Contents:
    """The rows of an export and what they are made of.

    `sources` are by paper id and licence; `figures` are by split. `scores` are (number, sum) of scores by what is
    scored, `levels` are by aspect and level of rated images. `flags` count what was done to images, each image once.
    """

    kind: RowKind
    rows: Counter[str] = field(default_factory=Counter)
    figures: dict[str, set[str]] = field(default_factory=dict)
    sources: dict[tuple[str, str], Origin] = field(default_factory=dict)
    composition: Composition = field(default_factory=Composition)
    shortcuts: Shortcuts = field(default_factory=Shortcuts)
    makers: Counter[Maker] = field(default_factory=Counter)
    scores: dict[str, tuple[int, float]] = field(default_factory=dict)
    levels: Counter[tuple[str, str]] = field(default_factory=Counter)
    dimensions: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    images: set[str] = field(default_factory=set)
    several_images: int = 0

    @property
    def total(self) -> int:
        """How many rows there are in all splits."""
        return self.rows.total()

    def add(self, split: str, row: Mapping[str, Any], pictures: Sequence[ExportedImage], figure: str) -> None:
        """Count one row that was written."""
        self.rows[split] += 1
        self.composition.add(row)
        self.shortcuts.add(row)
        self.makers.update(set(_makers(row)))
        self.figures.setdefault(split, set()).add(figure)
        key = str(row.get("paper_id") or ""), licence_text(row.get("licence"))
        origin = self.sources.get(key)
        if origin is None:
            stated = {name: str(row.get(name) or "") for name in _ABOUT}
            origin = self.sources[key] = Origin({**stated, "licence": key[1]})
        origin.figures.add(figure)
        origin.rows[split] += 1
        self.several_images += len(pictures) > 1
        for picture in pictures:
            if picture.name not in self.images:
                self.images.add(picture.name)
                self.flags.update(picture.flags)
        if self.kind is SIQA_S:
            self.levels.update((aspect, level(row, aspect)) for aspect in ASPECTS)
        if self.kind is SIQA_U:
            self.dimensions[str(row["dimension"])] += 1
        for name, score in _scores(row, self.kind):
            number, total = self.scores.get(name, (0, 0.0))
            self.scores[name] = number + 1, total + score

    def papers_in(self, split: str) -> int:
        """How many papers a split's rows are from."""
        return len({paper for (paper, _), origin in self.sources.items() if paper and origin.rows[split]})

    def licences(self) -> list[tuple[str, int, int]]:
        """Each licence with its papers and rows, the most rows first."""
        papers, rows = Counter[str](), Counter[str]()
        for (paper, licence), origin in self.sources.items():
            papers[licence] += bool(paper)
            rows[licence] += origin.rows.total()
        return [(name, papers[name], count) for name, count in sorted(rows.items(), key=lambda it: (-it[1], it[0]))]

    def source_lines(self) -> Iterator[dict[str, Any]]:
        """A plain object per paper, for who has to give credit."""
        for (paper, _), origin in sorted(self.sources.items()):
            rows = {split: origin.rows[split] for split in self.rows if origin.rows[split]}
            yield {"paper_id": paper, **origin.stated, "figures": len(origin.figures), "rows": rows}


def _makers(row: Mapping[str, Any]) -> Iterator[Maker]:
    steps = object_in(row.get("provenance")).get("steps")
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict):
            sampling = step.get("sampling")
            about = str(step.get("prompt") or ""), to_json(sampling) if sampling else ""
            models = step.get("models")
            for model in models if isinstance(models, list) and models else [step.get("model") or ""]:
                yield (str(step.get("tag") or ""), str(model), *about)


def _scores(row: Mapping[str, Any], kind: RowKind) -> Iterator[tuple[str, float]]:
    if kind is SIQA_S:
        yield from ((aspect, float(row[f"rating_{aspect}"])) for aspect in ASPECTS)
    if kind is FIGURES:
        for name, score in {**row["scores"], "overall": row.get("overall")}.items():
            if isinstance(score, (int, float)) and not isinstance(score, bool):
                yield name, float(score)
