"""Makes figure rows out of plain image rows."""

from collections.abc import Sequence
from typing import Any

from data_juicer_ext.annotation.image_rows import NoImageError, image_row, named
from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, UnreachableImageError
from data_juicer_ext.models.types import Verdict
from data_juicer_ext.ops.authoring import ConfigError, Outcome, RuleMapper, count, operator
from data_juicer_ext.ops.base.paper_mapper import root
from data_juicer_ext.rows import FIGURE_ROW, content_id, scrub

OP_NAME = "image_rows_mapper"


@operator(OP_NAME)
class ImageRowsMapper(RuleMapper):
    """Makes a figure row out of a plain image row, for images that come from no paper.

    A row whose image can't be read is left out, with the reason in the ledger; one whose image lies on object storage
    that fails is undecided.

    Input columns: `image` (a path) or `images` (a list of paths), and any of `caption`, `paper_id`, `figure_id`,
        `domain`, `licence`, `venue`, `year`, `label`, `number`, `context` (paragraphs with a blank line between).
    Output columns: figure rows (columns in docs/rows.md); `row_id` hangs on the images' bytes, caption and ids, and
        `provenance` holds their SHA-256 and where they came from.
    """

    funnel_label = "figures"
    needs: tuple[str, ...] = ()
    makes = FIGURE_ROW
    replaces = True
    # Every image is decoded: small batches keep all processes busy.
    rows_per_batch = rows_per_ray_batch = 64
    in_driver = False

    def __init__(
        self,
        image_root: str = ".",
        keep_columns: list[str] | None = None,
        max_pixels: int = ImageLimits.max_pixels,
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param image_root: the folder that relative paths start from, or an address of object storage (s3://...);
            may be `${NAME}` or `${NAME:-default}`.
        :param keep_columns: further columns of the input that come along, in `provenance` as `given` (such as a
            benchmark's own scores).
        :param max_pixels: images with more pixels are not decoded.
        """
        with self.checked_parameters():
            self.max_pixels = count("max_pixels", max_pixels, 1000, 178_000_000)
            self.keep = _names(keep_columns)
            self.image_root = root("image_root", image_root)
        super().__init__(*args, **kwargs)

    def decide(self, row: dict[str, Any]) -> Outcome:
        """One image row to its figure row."""
        try:
            made = image_row(row, self.image_root, self.keep, self.max_pixels)
        except NoImageError as error:
            return self._without_image(row, "no_image", error)
        except UnreachableImageError as error:
            return self._without_image(row, "storage", error, "undecided")
        except ImageError as error:
            return self._without_image(row, "unreadable_image", error)
        except Exception as error:  # a row that breaks the rules must cost this row only
            return self._without_image(row, f"error:{type(error).__name__}", error)
        seen = {"images": made["images"], "number": made["number"], "caption": made["caption"][:200]}
        return Outcome("keep", "image", [made], detail=seen)

    def _without_image(self, row: dict[str, Any], reason: str, why: Exception, verdict: Verdict = "drop") -> Outcome:
        return Outcome(verdict, reason, message=scrub(f"{named(row)}: {why}"[:400]))

    def ids(self, row: dict[str, Any], outcome: Outcome) -> tuple[str, str, str]:
        """The ids of the figure row that was made, else a hash of what the row says of its image."""
        if outcome.made:
            return super().ids(outcome.made[0], outcome)
        told = {key: scrub(str(row.get(key) or "")) for key in ("image", "images", "paper_id", "figure_id", "caption")}
        return content_id("image", *told.values()), told["paper_id"], told["figure_id"]


def _names(columns: Sequence[str] | None) -> tuple[str, ...]:
    names = list(columns or [])
    if not all(isinstance(name, str) and name for name in names):
        raise ConfigError(f"keep_columns: {columns!r} is not a list of column names")
    return tuple(dict.fromkeys(names))
