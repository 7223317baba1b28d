"""Makes figure rows out of a paper row."""

import hashlib
from typing import Any

from data_juicer_ext.figures.image_preparation import MAX_FILE_BYTES
from data_juicer_ext.judging.judge_inputs import figure_map
from data_juicer_ext.models.types import Verdict
from data_juicer_ext.ops.authoring import Mapper, RunOp, one_of, operator, replace_rows, to_rows
from data_juicer_ext.rows import FIGURE_ROW, Figure, add_provenance, figure_row, load_figures, to_json
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import is_remote

OP_NAME = "figure_rows_mapper"


@operator(OP_NAME)
class FigureRowsMapper(RunOp, Mapper):
    """Makes one row per figure out of a paper's row.

    Figures without a readable image are left out, with their flags as the reason in the ledger, unless
    `keep_without_image` is set; those whose images lie on object storage that fails are undecided.

    Input columns: `paper_id`, `figures` (a JSON array), optional `domain`.
    Output columns: figure rows (columns in docs/rows.md).
    """

    funnel_label = "figures"
    _batched_op = True
    needs = ("paper_id", "@figures_key")
    makes: tuple[str, ...] = FIGURE_ROW
    replaces = True
    in_driver = True

    def __init__(
        self,
        granularity: str = "figure",
        keep_without_image: bool = False,
        figure_map: bool = False,
        figures_key: str = "figures",
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param granularity: `figure` for a row a whole figure, `panel` for one row per panel (and a row
            for each figure that has none).
        :param keep_without_image: keep figures that have no readable image; their `images` then holds one empty string.
        :param figure_map: add the column `figure_map` (JSON): number and shortened caption of each figure of
            the paper, for operators that judge a figure beside the others.
        :param figures_key: the column with the figures.
        """
        with self.checked_parameters():
            one_of("granularity", granularity, ("figure", "panel"))
        self.granularity, self.keep_without_image, self.figures_key = granularity, keep_without_image, figures_key
        self.figure_map = figure_map
        self.makes = (*FIGURE_ROW, "figure_map") if figure_map else FIGURE_ROW
        super().__init__(*args, **kwargs)

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of paper rows as figure rows."""
        made = [row for paper in to_rows(samples) for row in self._figures(paper)]
        return replace_rows(samples, made, self.makes)

    def _figures(self, paper: dict[str, Any]) -> list[dict[str, Any]]:
        try:
            figures = load_figures(paper.get(self.figures_key) or "[]")
        except (ValueError, TypeError) as error:
            message = f"paper {paper.get('paper_id', '')}: the column {self.figures_key} can't be read: {error}"
            self._note(paper, Figure(), "drop", "bad_figures_column", {"message": message[:300]})
            return []
        if self.figure_map:
            paper = {**paper, "figure_map": to_json(figure_map(figures))}
        rows = (self._figure(paper, figure) for figure in self._wanted(figures))
        return [row for row in rows if row is not None]

    def _figure(self, paper: dict[str, Any], figure: Figure) -> dict[str, Any] | None:
        """The row of one figure; None, and the reason in the ledger, if there is nothing to see."""
        row = figure_row(paper, figure)
        try:
            hashes = _hashes(figure.images)
        except papers.StorageError as error:
            self._undecided(paper, figure, row, error)
            return None
        if all(hashes) and (hashes or self.keep_without_image):
            row["images"] = figure.images or [""]
            if self.figure_map:
                row["figure_map"] = paper["figure_map"]
            row["provenance"] = add_provenance(row["provenance"], image_sha256=hashes)
            seen = {"images": row["images"], "number": row["number"], "caption": row["caption"][:200]}
            self._note(paper, figure, "keep", "image" if hashes else "no_image", seen, row["row_id"])
            return row
        gone = [image for image, digest in zip(figure.images, hashes, strict=True) if not digest]
        flags = [*figure.flags, *(f"file is gone: {image}" for image in gone)]
        broken = gone or any(flag in ("image_unreadable", "image_too_large") for flag in flags)
        detail = {"flags": flags, "sources": figure.image_sources,
                  "message": f"paper {row['paper_id']}, figure {figure.number or figure.figure_id}: "
                             f"no readable image ({', '.join(flags) or 'no image file'})"}  # fmt: skip
        self._note(paper, figure, "drop", "unreadable_image" if broken else "no_image", detail, row["row_id"])
        return None

    def _undecided(
        self, paper: dict[str, Any], figure: Figure, row: dict[str, Any], error: papers.StorageError
    ) -> None:
        """Set a figure's row aside whose images lie on object storage that fails: they may well be there."""
        message = f"paper {row['paper_id']}, figure {figure.number or figure.figure_id}: {error}"[:400]
        whole, detail = {**row, "images": figure.images}, {"message": message}
        self.record(row["row_id"], "undecided", "storage", detail, row["paper_id"], figure.figure_id, row=whole)

    def _wanted(self, figures: list[Figure]) -> list[Figure]:
        if self.granularity == "figure":
            return [figure for figure in figures if not figure.panel and not figure.parent_label]
        parents = {figure.parent_label for figure in figures if figure.parent_label}
        return [figure for figure in figures if figure.parent_label or figure.label not in parents]

    def _note(
        self,
        paper: dict[str, Any],
        figure: Figure,
        verdict: Verdict,
        reason: str,
        detail: dict[str, Any],
        row_id: str = "",
    ) -> None:
        paper_id = str(paper.get("paper_id") or "")
        self.record(row_id or paper_id, verdict, reason, detail, paper_id, figure.figure_id)


def _hashes(images: list[str]) -> list[str]:
    """The SHA-256 of each image file; "" for one that can't be read any more. Raises StorageError."""
    found = []
    for image in images:
        try:
            found.append(hashlib.sha256(papers.read(image, MAX_FILE_BYTES if is_remote(image) else None)).hexdigest())
        except papers.StorageError:
            raise
        except (OSError, ValueError):
            found.append("")
    return found
