"""Which stages of the curation run, and with which thresholds."""

from dataclasses import dataclass

from data_juicer_ext.figures.image_preparation import ImageLimits

S1, S2, S3, S4, S5 = "S1", "S2", "S3", "S4", "S5"
STAGES = {S1: "hard filter", S2: "anomaly flag", S3: "re-extract", S4: "soft mark", S5: "paper filter"}


@dataclass(frozen=True)
class Rules:
    """The stages that run (of S1 to S5) and their thresholds.

    Defaults are those of SciFigQual, appendix A.3, where it gives one; `confirm`, `max_page_share` and
    `max_unnumbered` are ours. All thresholds are inclusive: what equals one stays.

    S1: `min_side` and `max_pixels` in pixels, `max_aspect` the longer side in shorter ones, `max_dominant` a share
    of the pixels, `max_hamming` in bits of 64; `confirm` compares pixels before a near-duplicate goes.
    S2: `max_area_ratio` in medians of the paper, `max_page_share` of the page's width or height.
    S3: `dpi` of the new crop. S4: `ocr`, whether text is read.
    S5: `max_deleted` and `max_unnumbered` are shares of the paper's figures.
    """

    stages: frozenset[str] = frozenset(STAGES)
    min_side: int = 50
    max_pixels: int = ImageLimits.max_pixels
    max_aspect: float = 20.0
    max_dominant: float = 0.97
    max_hamming: int = 8
    confirm: bool = True
    max_area_ratio: float = 3.0
    max_page_share: float = 0.95
    dpi: int = 300
    ocr: bool = True
    max_deleted: float = 0.30
    max_unnumbered: float = 0.30
