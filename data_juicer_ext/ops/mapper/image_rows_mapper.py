"""Plain image row to a figure row."""

from collections.abc import Sequence
from typing import Any

from data_juicer.ops.base_op import OPERATORS, Mapper

from data_juicer_ext.annotation.image_rows import NoImageError, image_row, named
from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, UnreachableImageError
from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.models.types import Verdict
from data_juicer_ext.ops.base.column_batches import replace_rows, to_rows
from data_juicer_ext.ops.base.input_roots import root
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS, OwnOp, count
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.rows import FIGURE_ROW, content_id, scrub

OP_NAME = "image_rows_mapper"
OWN_OPERATORS.append(OP_NAME)

# Every image is decoded: small batches keep all processes busy.
IMAGES_A_BATCH = 64


@OPERATORS.register_module(OP_NAME)
class ImageRowsMapper(OwnOp, Mapper):
    """Makes a figure row out of a plain image row, for images that come from no paper.

    Input: `image` (a path) or `images` (a list of paths), and any of `caption`, `paper_id`, `figure_id`, `domain`,
    `licence`, `venue`, `year`, `label`, `number`, `context` (paragraphs with a blank line between). Output: figure
    rows (columns in docs/rows.md); `row_id` hangs on the images' bytes, caption and ids, and `provenance` holds
    their SHA-256 and where they came from. A row whose image can't be read is left out, with the reason in the
    ledger; one whose image lies on object storage that fails is undecided.
    """

    _batched_op = True
    needs: tuple[str, ...] = ()
    makes = FIGURE_ROW
    replaces = True

    def __init__(
        self,
        image_root: str = ".",
        keep_columns: list[str] | None = None,
        max_pixels: int = ImageLimits.max_pixels,
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param image_root: the folder that relative paths start from, or an address of object storage (s3://...);
            may be `${NAME}` or `${NAME:-default}`.
        :param keep_columns: further columns of the input that come along, in `provenance` as `given` (such as a
            benchmark's own scores).
        :param max_pixels: images with more pixels are not decoded.
        :param run_dir: the run folder.
        :param tag: the name of this listing in the ledger; where empty, the operator's without `_mapper`.
        """
        super().__init__(*args, **kwargs)
        try:
            self.max_pixels = count("max_pixels", max_pixels, 1000, 178_000_000)
            self.keep = _names(keep_columns)
            self.image_root = root("image_root", image_root)
        except ConfigError as error:
            stop(f"{OP_NAME}: {error}")
        if kwargs.get("batch_size") in (None, 1000):
            self.batch_size = IMAGES_A_BATCH
        self.join_run(run_dir, tag, kwargs.get("ray_execution_mode"))

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of image rows as figure rows."""
        made = [figure for row in to_rows(samples) if (figure := self._figure(row)) is not None]
        return replace_rows(samples, made, FIGURE_ROW)

    def _figure(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """The row of one figure; None, and the reason in the ledger, where there is nothing to see."""
        try:
            made = image_row(row, self.image_root, self.keep, self.max_pixels)
        except NoImageError as error:
            self._leave_out(row, "no_image", str(error))
            return None
        except UnreachableImageError as error:
            self._leave_out(row, "storage", str(error), "undecided")
            return None
        except ImageError as error:
            self._leave_out(row, "unreadable_image", str(error))
            return None
        except Exception as error:  # a row that breaks the rules must cost this row only
            self._leave_out(row, f"error:{type(error).__name__}", str(error))
            return None
        seen = {"images": made["images"], "number": made["number"], "caption": made["caption"][:200]}
        self.record(made["row_id"], "keep", "image", seen, made["paper_id"], made["figure_id"])
        return made

    def _leave_out(self, row: dict[str, Any], reason: str, why: str, verdict: Verdict = "drop") -> None:
        message = scrub(f"{named(row)}: {why}"[:400])
        told = {key: scrub(str(row.get(key) or "")) for key in ("image", "images", "paper_id", "figure_id", "caption")}
        row_id = content_id("image", *told.values())
        ids, detail = (told["paper_id"], told["figure_id"]), {"message": message}
        if verdict == "undecided":
            self.record_undecided(row, row_id, reason, detail, *ids)
        else:
            self.record(row_id, verdict, reason, detail, *ids)


def _names(columns: Sequence[str] | None) -> tuple[str, ...]:
    names = list(columns or [])
    if not all(isinstance(name, str) and name for name in names):
        raise ConfigError(f"keep_columns: {columns!r} is not a list of column names")
    return tuple(dict.fromkeys(names))
