"""Figure row to the same row with the side features of its figure."""

from typing import Any

from data_juicer.ops.base_op import OPERATORS, Mapper

from data_juicer_ext.figures.features.features import FeatureError, figure_features
from data_juicer_ext.figures.image_preparation import ImageLimits, UnreachableImageError
from data_juicer_ext.figures.ocr import ocr_problem
from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.ops.base.column_batches import replace_rows, to_rows
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS, OwnOp, count
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.rows import scrub, to_json

OP_NAME = "figure_features_mapper"
OWN_OPERATORS.append(OP_NAME)

# A figure takes seconds where its text is read: small batches keep all processes busy.
FIGURES_A_BATCH = 16


@OPERATORS.register_module(OP_NAME)
class FigureFeaturesMapper(OwnOp, Mapper):
    """Measures a figure: sharpness, whitespace, edges, colours, and by OCR its text and what its caption shares.

    Input: figure rows (`images`, `caption`). Output: the same rows with `features` (JSON; its keys
    and their ranges in docs/curation.md). A figure that can't be measured keeps its row; its
    `features` then hold `error`. One whose images lie on object storage that fails is undecided.
    Source: SciFigQual, protocol sidecar.
    """

    _batched_op = True
    needs = ("images", "caption")
    makes = ("features",)

    def __init__(
        self,
        ocr: bool = True,
        max_pixels: int = ImageLimits.max_pixels,
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param ocr: read the text of the figures (needs the extra `ocr`; seconds a figure).
        :param max_pixels: images with more pixels are not decoded.
        :param run_dir: the run folder.
        :param tag: the name of this listing in the ledger; where empty, the operator's without `_mapper`.
        """
        super().__init__(*args, **kwargs)
        try:
            self.max_pixels = count("max_pixels", max_pixels, 1000, 178_000_000)
            if ocr and (problem := ocr_problem()):
                raise ConfigError(f"ocr: {problem}; or write `ocr: false`")
        except ConfigError as error:
            stop(f"{OP_NAME}: {error}")
        self.ocr = ocr
        if kwargs.get("batch_size") in (None, 1000):
            self.batch_size = FIGURES_A_BATCH
        self.join_run(run_dir, tag, kwargs.get("ray_execution_mode"))

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of figure rows, each with its features; those that are undecided are left out."""
        columns = tuple(dict.fromkeys((*samples, "features")))
        measured = ((row, self._measured(row)) for row in to_rows(samples))
        return replace_rows(samples, [{**row, "features": text} for row, text in measured if text], columns)

    def _measured(self, row: dict[str, Any]) -> str:
        """The features of a row as its column holds them; "" for a row that is undecided."""
        try:
            images = [image for image in row.get("images") or [] if image]
            found = figure_features(images, str(row.get("caption") or ""), self.ocr, self.max_pixels)
        except UnreachableImageError as error:
            return self._undecided(row, str(error))
        except FeatureError as error:
            return self._without(row, "unreadable_image", str(error))
        except Exception as error:  # a figure that breaks a measure must cost its own features only
            return self._without(row, f"error:{type(error).__name__}", str(error))
        self._note(row, "features", {})
        return to_json(found)

    def _without(self, row: dict[str, Any], reason: str, why: str) -> str:
        about = f"paper {row.get('paper_id', '')}, figure {row.get('number') or row.get('figure_id', '')}"
        message = scrub(f"{about}: no features: {why}"[:300])
        self._note(row, reason, {"message": message})
        return to_json({"error": message})

    def _undecided(self, row: dict[str, Any], why: str) -> str:
        """Set a row aside whose images lie on object storage that fails."""
        row_id, *ids = _ids(row)
        self.record_undecided(row, row_id, "storage", {"message": scrub(why[:300])}, *ids)
        return ""

    def _note(self, row: dict[str, Any], reason: str, detail: dict[str, Any]) -> None:
        row_id, paper_id, figure_id = _ids(row)
        self.record(row_id, "keep", reason, detail, paper_id, figure_id)


def _ids(row: dict[str, Any]) -> tuple[str, str, str]:
    return str(row.get("row_id") or ""), str(row.get("paper_id") or ""), str(row.get("figure_id") or "")
