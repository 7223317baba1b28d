"""The calibration round of the SIQA form: who does not rank reference images as the consensus does, does not go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.evaluation.statistics.score_agreement import spearman
from data_juicer_ext.ratings.line_file import LineFile, append_line, number_in
from data_juicer_ext.ratings.rating_file import now
from data_juicer_ext.review.forms.form import images_of
from data_juicer_ext.review.review_sample import ReviewItem, sampled
from data_juicer_ext.rows import content_id
from data_juicer_ext.storage.json_lines import json_objects

IMAGES = 30  # of the paper
FEWEST = 5  # with fewer, a rank correlation above the threshold is mostly luck
ABOVE = 0.8
DIMENSIONS = ("perception", "knowledge")


@dataclass(frozen=True)
class Result:
    """How a round went: SRCC with the consensus by dimension (None where there is none, and why in `notes`)."""

    annotator: str
    round: int
    images: int
    srcc: Mapping[str, float | None]
    notes: Mapping[str, str]

    @property
    def passed(self) -> bool:
        """Whether every dimension is above the threshold."""
        return all((self.srcc.get(name) or 0.0) > ABOVE for name in DIMENSIONS)


class Calibration:
    """Reference images with their consensus scores, and the rounds that annotators have been through.

    Raises UsageError for a file with fewer than five images, or a consensus that ranks nothing.
    """

    def __init__(self, file: Path, results: Path, seed: int = 0) -> None:
        read = _read(file)
        if len(read) < FEWEST:
            raise UsageError(f"{file}: {len(read)} images; at least {FEWEST} are needed, and the paper has {IMAGES}")
        chosen = sampled(
            [ReviewItem(row_id, row, place) for place, (row_id, row) in enumerate(read.items())], IMAGES, seed
        )
        self.items: Sequence[ReviewItem] = chosen
        for name in DIMENSIONS:
            if len({item.row[name] for item in chosen}) < 2:
                raise UsageError(f"{file}: all images have the same {name}, so there is nothing to rank")
        self._results, self._lines = results, LineFile(results)
        self._known: dict[str, list[Result]] = {}

    def rounds(self, annotator: str) -> list[Result]:
        """The finished rounds of an annotator, oldest first."""
        anew, lines = self._lines.fresh()
        if anew:
            self._known.clear()
        for result in filter(None, map(_result, lines)):
            self._known.setdefault(result.annotator, []).append(result)
        return self._known.get(annotator, [])

    def passed(self, annotator: str) -> bool:
        """Whether an annotator may rate."""
        return any(result.passed for result in self.rounds(annotator))

    def finish(self, annotator: str, given: Mapping[str, Mapping[str, Any]]) -> Result:
        """Compare a round's levels (by row and dimension) with the consensus, and write down how it went."""
        found = {name: self._srcc(name, given) for name in DIMENSIONS}
        srcc, notes = ({name: one[place] for name, one in found.items()} for place in (0, 1))
        result = Result(annotator, len(self.rounds(annotator)) + 1, len(self.items), srcc, notes)  # type: ignore[arg-type]
        append_line(self._results, {"time": now(), **vars(result), "above": ABOVE, "passed": result.passed})
        return result

    def _srcc(self, name: str, given: Mapping[str, Mapping[str, Any]]) -> tuple[float | None, str]:
        levels = [float(given[item.row_id][name]) for item in self.items]
        if len(set(levels)) < 2:
            return None, "all images got the same level"
        return spearman(levels, [item.row[name] for item in self.items])


def _read(file: Path) -> dict[str, dict[str, Any]]:
    """The reference images of a file by their ids, each once; the order of the file."""
    found = {}
    with file.open("rb") as lines:
        for number, line in json_objects(lines, file):
            images, scores = _reference(line, f"{file}:{number}")
            row = {"images": [str(file.parent / image) for image in images], **scores}
            found[content_id("calibration", *images)] = row
    return found


def _reference(row: Mapping[str, Any], where: str) -> tuple[tuple[str, ...], dict[str, float]]:
    images = (str(row["image"]),) if row.get("image") else images_of(row)
    if not images:
        raise UsageError(f"{where}: write image (a path), perception and knowledge")
    scores = {name: number_in(row, name) for name in DIMENSIONS}
    for name, score in scores.items():
        if score is None:
            raise UsageError(f"{where}: {name} is {row.get(name)!r}; write the consensus as a number")
    return images, {name: score for name, score in scores.items() if score is not None}


def _result(line: Mapping[str, Any]) -> Result | None:
    srcc, notes = line.get("srcc"), line.get("notes")
    if not isinstance(srcc, dict) or not isinstance(line.get("annotator"), str):
        return None
    numbers = {name: number_in(srcc, name) for name in srcc}
    return Result(
        line["annotator"], int(number_in(line, "round") or 0), int(number_in(line, "images") or 0), numbers,
        notes if isinstance(notes, dict) else {},
    )  # fmt: skip
