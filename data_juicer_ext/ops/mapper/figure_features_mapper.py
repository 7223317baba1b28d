"""Measures the side features of a figure."""

from typing import Any

from data_juicer_ext.figures.features.figure_features import FeatureError, figure_features
from data_juicer_ext.figures.image_preparation import ImageLimits, UnreachableImageError
from data_juicer_ext.figures.ocr import ocr_problem
from data_juicer_ext.ops.authoring import ConfigError, Outcome, RuleMapper, count, operator
from data_juicer_ext.rows import scrub, to_json

OP_NAME = "figure_features_mapper"


@operator(OP_NAME)
class FigureFeaturesMapper(RuleMapper):
    """Measures a figure: sharpness, whitespace, edges, colours, and by OCR its text and what its caption shares.

    A figure that can't be measured keeps its row; its `features` then hold `error`. One whose images lie on object
    storage that fails is undecided.

    Input columns: figure rows (`images`, `caption`).
    Output columns: the same rows with `features` (JSON; its keys and their ranges in docs/curation.md).
    Source: SciFigQual, protocol sidecar.
    """

    funnel_label = "figures measured"
    needs = ("images", "caption")
    makes = ("features",)
    # A figure takes seconds where its text is read: small batches keep all processes busy.
    rows_per_batch = rows_per_ray_batch = 16
    in_driver = False

    def __init__(self, ocr: bool = True, max_pixels: int = ImageLimits.max_pixels, *args: Any, **kwargs: Any):
        """
        :param ocr: read the text of the figures (needs the extra `ocr`; takes seconds per figure).
        :param max_pixels: images with more pixels are not decoded.
        """
        with self.checked_parameters():
            self.max_pixels = count("max_pixels", max_pixels, 1000, 178_000_000)
            if ocr and (problem := ocr_problem()):
                raise ConfigError(f"ocr: {problem}; or write `ocr: false`")
        self.ocr = ocr
        super().__init__(*args, **kwargs)

    def decide(self, row: dict[str, Any]) -> Outcome:
        """One figure row to its features."""
        try:
            images = [image for image in row.get("images") or [] if image]
            found = figure_features(images, str(row.get("caption") or ""), self.ocr, self.max_pixels)
        except UnreachableImageError as error:
            return Outcome("undecided", "storage", message=scrub(str(error)[:300]))
        except FeatureError as error:
            return self._without(row, "unreadable_image", str(error))
        except Exception as error:  # a figure that breaks a measure must cost its own features only
            return self._without(row, f"error:{type(error).__name__}", str(error))
        return self.kept(row, "features", {}, features=to_json(found))

    def _without(self, row: dict[str, Any], reason: str, why: str) -> Outcome:
        about = f"paper {row.get('paper_id', '')}, figure {row.get('number') or row.get('figure_id', '')}"
        message = scrub(f"{about}: no features: {why}"[:300])
        return self.kept(row, reason, {"message": message}, features=to_json({"error": message}))
