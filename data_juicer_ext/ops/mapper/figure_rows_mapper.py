"""Paper row to a row a figure."""

import hashlib
from pathlib import Path
from typing import Any

from data_juicer.ops.base_op import OPERATORS, Mapper

from data_juicer_ext.models.endpoint import ConfigError
from data_juicer_ext.models.ledger import Entry
from data_juicer_ext.ops.batches import replace_rows, to_rows
from data_juicer_ext.ops.own_op import DEFAULT_RUN_DIR, OWN_OPERATORS, OwnOp, one_of
from data_juicer_ext.ops.recipe import stop
from data_juicer_ext.rows import FIGURE_ROW, Figure, add_provenance, figure_row, load_figures

OP_NAME = "figure_rows_mapper"
OWN_OPERATORS.append(OP_NAME)


@OPERATORS.register_module(OP_NAME)
class FigureRowsMapper(OwnOp, Mapper):
    """Makes one row a figure out of a paper's row.

    Input: `paper_id`, `figures` (a JSON array), optional `domain`. Output: figure rows (columns in
    docs/rows.md). Figures without a readable image are left out, with their flags as the
    reason in the ledger, unless `keep_without_image` is set.
    """

    _batched_op = True

    def __init__(
        self,
        granularity: str = "figure",
        keep_without_image: bool = False,
        figures_key: str = "figures",
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param granularity: `figure` for a row a whole figure, `panel` for a row a panel (and a row
            for each figure that has none).
        :param keep_without_image: keep figures that have no readable image; their `images` then
            holds one empty string.
        :param figures_key: the column with the figures.
        :param run_dir: the run folder.
        :param tag: the name of this listing in the ledger; where empty, the operator's without `_mapper`.
        """
        super().__init__(*args, **kwargs)
        try:
            one_of("granularity", granularity, ("figure", "panel"))
        except ConfigError as error:
            stop(f"{OP_NAME}: {error}")
        self.granularity, self.keep_without_image, self.figures_key = granularity, keep_without_image, figures_key
        self.run_in_process()
        self.join_run(run_dir, tag, kwargs.get("ray_execution_mode"))

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of paper rows as figure rows."""
        made = [row for paper in to_rows(samples) for row in self._figures(paper)]
        return replace_rows(samples, made, FIGURE_ROW)

    def _figures(self, paper: dict[str, Any]) -> list[dict[str, Any]]:
        try:
            figures = load_figures(paper.get(self.figures_key) or "[]")
        except (ValueError, TypeError) as error:
            self._note(paper, Figure(), "drop", "bad_figures_column", {"message": str(error)[:300]})
            return []
        rows = []
        for figure in self._wanted(figures):
            row = figure_row(paper, figure)
            if figure.images or self.keep_without_image:
                row["images"] = figure.images or [""]
                row["provenance"] = add_provenance(row["provenance"], image_sha256=_hashes(figure.images))
                self._note(paper, figure, "keep", "image" if figure.images else "no_image", {}, row["row_id"])
                rows.append(row)
            else:
                detail = {"flags": figure.flags, "sources": figure.image_sources,
                          "message": f"paper {paper.get('paper_id', '')}, figure {figure.number or figure.figure_id}: "
                                     f"no readable image ({', '.join(figure.flags) or 'no image file'})"}  # fmt: skip
                broken = any(flag in ("image_unreadable", "image_too_large") for flag in figure.flags)
                reason = "unreadable_image" if broken else "no_image"
                self._note(paper, figure, "drop", reason, detail, row["row_id"])
        return rows

    def _wanted(self, figures: list[Figure]) -> list[Figure]:
        if self.granularity == "figure":
            return [figure for figure in figures if not figure.panel and not figure.parent_label]
        parents = {figure.parent_label for figure in figures if figure.parent_label}
        return [figure for figure in figures if figure.parent_label or figure.label not in parents]

    def _note(
        self, paper: dict[str, Any], figure: Figure, verdict: Any, reason: str, detail: dict[str, Any], row_id: str = ""
    ) -> None:
        paper_id = str(paper.get("paper_id") or "")
        self.run_info.ledger.record(
            Entry(row_id=row_id or paper_id, operator=OP_NAME, tag=self.tag, verdict=verdict, reason=reason,
                  paper_id=paper_id, figure_id=figure.figure_id, detail=detail)
        )  # fmt: skip


def _hashes(images: list[str]) -> list[str]:
    """The SHA-256 of each image file; "" for one that has gone since it was written."""
    return [hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for path in map(Path, images)]
