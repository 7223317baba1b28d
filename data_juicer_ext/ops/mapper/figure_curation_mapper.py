"""Curates the figures of a paper row."""

from typing import Any

from data_juicer_ext.curation.curate import Curation, curate
from data_juicer_ext.curation.recrop import CaptionAnchoredCrop, PdfSource, page_sizes
from data_juicer_ext.curation.thresholds import S1, S2, S3, S4, S5, Rules
from data_juicer_ext.errors import UsageError
from data_juicer_ext.figures.image_preparation import UnreachableImageError
from data_juicer_ext.figures.ocr import ocr_problem
from data_juicer_ext.ops.authoring import ConfigError, Mapper, between, count, operator, to_rows
from data_juicer_ext.ops.base.host_results import set_column
from data_juicer_ext.ops.base.paper_mapper import PaperOp
from data_juicer_ext.rows import Figure, content_id, dump_figures, figure_row_id, load_figures, scrub, to_json
from data_juicer_ext.storage.addresses import under
from data_juicer_ext.storage.papers import StorageError

OP_NAME = "figure_curation_mapper"


@operator(OP_NAME)
class FigureCurationMapper(PaperOp, Mapper):
    """Curates the figures of a paper in five stages: deletes what is no usable figure, marks what is odd.

    A paper that is dropped keeps its row, without figures. Near-duplicates are looked for within a paper. See
    docs/curation.md.

    Input columns: paper rows with `figures` (from LaTeX or PDF).
    Output columns: the same rows with `figures` curated, and `curation`, a JSON record: verdict on the paper, counts
        of each stage, every deleted figure with stage, reason, number measured and threshold, every mark.
    Source: SciFigQual, A.3.
    """

    funnel_label = "figures curated"
    _batched_op = True
    # Papers are heavy rows: small batches keep all processes busy and lose little when one dies.
    rows_per_batch = rows_per_ray_batch = 8
    needs = ("paper_id", "@figures_key")
    makes = ("@figures_key", "curation")

    def __init__(
        self,
        hard_filter: bool = True,
        anomaly_flag: bool = True,
        re_extract: bool = True,
        soft_mark: bool = True,
        paper_filter: bool = True,
        min_side: int = 50,
        max_aspect: float = 20.0,
        max_dominant: float = 0.97,
        max_hamming: int = 8,
        confirm: bool = True,
        max_pixels: int = Rules.max_pixels,
        max_area_ratio: float = 3.0,
        max_page_share: float = 0.95,
        dpi: int = 300,
        ocr: bool = True,
        max_deleted: float = 0.3,
        max_unnumbered: float = 0.3,
        figures_key: str = "figures",
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param hard_filter: S1, which deletes figures that do not decode, are tiny, strips or one
            colour, or repeat another one of the paper.
        :param anomaly_flag: S2, which flags figures that are far larger than usual in their paper,
            reach over their page, or are oddly numbered.
        :param re_extract: S3, which crops figures from the PDF again whose flags say that their crop
            is broken; left out for figures that are not from a PDF.
        :param soft_mark: S4, which notes text density, OCR confidence and hints at figures over
            several pages in `quality`.
        :param paper_filter: S5, which drops papers with too many unusable or unnumbered figures.
        :param min_side: S1: the least pixels of a side.
        :param max_aspect: S1: the most that the longer side is of the shorter one.
        :param max_dominant: S1: the most of its pixels, 0 to 1, that have an image's commonest colour.
        :param max_hamming: S1: the most bits, 0 to 64, by which the perceptual hashes of
            near-duplicates differ; -1 keeps duplicates.
        :param confirm: S1: compare the pixels before a near-duplicate is deleted, since charts of
            one template hash alike; false is the paper's rule.
        :param max_pixels: S1: images with more pixels are not decoded.
        :param max_area_ratio: S2: the largest area of a figure, in median areas of its paper.
        :param max_page_share: S2: the most of its page's width or height, 0 to 1, that a figure takes.
        :param dpi: S3: the resolution of new crops, 30 to 1200 dots per inch.
        :param ocr: S4: read the text of the figures (needs the extra `ocr`; seconds per figure).
        :param max_deleted: S5: the most of a paper's figures, 0 to 1, that S1 may delete.
        :param max_unnumbered: S5: the most of the figures left, 0 to 1, that may have no number.
        :param figures_key: the column with the figures, which is rewritten.
        """
        self.figures_key = figures_key
        switches = {S1: hard_filter, S2: anomaly_flag, S3: re_extract, S4: soft_mark, S5: paper_filter}
        with self.checked_parameters():
            for name, share in (("max_dominant", max_dominant), ("max_page_share", max_page_share),
                                ("max_deleted", max_deleted), ("max_unnumbered", max_unnumbered)):  # fmt: skip
                between(name, share, 0.0, 1.0)
            between("max_aspect", max_aspect, 1.0, 1e6)
            between("max_area_ratio", max_area_ratio, 1.0, 1e6)
            if soft_mark and ocr and (problem := ocr_problem()):
                raise ConfigError(f"ocr: {problem}; or write `ocr: false`")
            self.rules = Rules(
                stages=frozenset(stage for stage, on in switches.items() if on),
                min_side=count("min_side", min_side, 1, 10**6), max_aspect=max_aspect, max_dominant=max_dominant,
                max_pixels=count("max_pixels", max_pixels, 1000, 178_000_000),
                max_hamming=count("max_hamming", max_hamming, -1, 64), confirm=confirm,
                max_area_ratio=max_area_ratio, max_page_share=max_page_share, dpi=count("dpi", dpi, 30, 1200),
                ocr=ocr, max_deleted=max_deleted, max_unnumbered=max_unnumbered,
            )  # fmt: skip
        super().__init__(*args, **kwargs)

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of paper rows, each with its figures curated."""
        results = [self._row(row) for row in to_rows(samples)]
        set_column(samples, self.figures_key, [figures for figures, _ in results])
        set_column(samples, "curation", [record for _, record in results])
        return samples

    def _row(self, row: dict[str, Any]) -> tuple[str, str]:
        paper_id = str(row.get(self.paper_id_key) or "")
        row_id = paper_id or content_id("paper", str(row.get(self.figures_key) or ""))
        try:
            figures = load_figures(row.get(self.figures_key) or "[]")
        except UsageError as error:
            message = scrub(f"paper {paper_id}: the column {self.figures_key} can't be read: {error}"[:300])
            self.record(row_id, "drop", "bad_figures_column", {"message": message}, paper_id)
            return "[]", to_json({"verdict": "drop", "message": message})
        try:
            found = curate(figures, self.rules, self._source(row, figures))
        except StorageError as error:
            self.storage_failed(error)
        except UnreachableImageError as error:
            return self._undecided(row, row_id, "storage", str(error))
        except Exception as error:  # a paper that breaks a stage must cost this paper only
            why = f"{type(error).__name__} while curating it: {error}"
            return self._undecided(row, row_id, f"error:{type(error).__name__}", why)
        self._note(row_id, paper_id, found)
        return dump_figures(found.figures), to_json(found.record())

    def _source(self, row: dict[str, Any], figures: list[Figure]) -> PdfSource | None:
        place = str(row.get(self.paper_path_key) or "")
        pages = [figure.page for figure in figures if figure.page > 0]
        if not place.lower().endswith(".pdf") or not pages:
            return None
        path = under(self.paper_root, place)
        return PdfSource(path, CaptionAnchoredCrop(self.run_info.images), page_sizes(path, pages))

    def _undecided(self, row: dict[str, Any], row_id: str, reason: str, why: str) -> tuple[str, str]:
        paper_id = str(row.get(self.paper_id_key) or "")
        message = scrub(f"paper {paper_id}: {why}"[:300])
        self.record(row_id, "undecided", reason, {"message": message}, paper_id, row=row)
        return "[]", to_json({"verdict": "undecided", "message": message})

    def _note(self, row_id: str, paper_id: str, found: Curation) -> None:
        """A line of the ledger a figure, and one for the paper with the counts of its stages."""
        for item in found.items:
            figure, gone = item.figure, item.deleted
            seen = {"images": figure.images, "number": figure.number, "caption": figure.caption[:200]}
            marks = [mark.as_json() for mark in item.marks]
            detail = {**(gone.as_json() if gone else {}), "marks": marks, **seen}
            reason = f"{gone.stage}:{gone.reason}" if gone else "curated"
            self.record(figure_row_id(paper_id, figure), "drop" if gone else "keep", reason, detail, paper_id,
                        figure.figure_id)  # fmt: skip
        dropped = found.dropped
        detail = {"funnel": found.counts(), **(dropped.as_json() if dropped else {})}
        reason = f"{dropped.stage}:{dropped.reason}" if dropped else "curated"
        self.record(row_id, "drop" if dropped else "keep", reason, detail, paper_id, made=0)
