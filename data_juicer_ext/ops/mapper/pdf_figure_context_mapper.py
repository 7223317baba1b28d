"""Finds the figures of a PDF paper and the text that cites them."""

from collections.abc import Mapping
from typing import Any

from data_juicer_ext.ops.authoring import between, count, operator
from data_juicer_ext.ops.base.paper_mapper import PaperMapper
from data_juicer_ext.pdf.paper import PdfError, PdfOptions, read_figures
from data_juicer_ext.rows import dump_figures, to_json
from data_juicer_ext.storage.addresses import under

OP_NAME = "pdf_figure_context_mapper"

_NOTES = 50  # in the ledger, of a paper


@operator(OP_NAME)
class PdfFigureContextMapper(PaperMapper):
    """Finds the figures of a PDF paper with captions, images and citing paragraphs.

    A PDF that can't be read keeps its row, with no figures.

    Input columns: one row per paper with `paper_id` and `paper_path` (a PDF); other columns, such as `venue` and
        `year`, stay as they are.
    Output columns: the same row with `figures` (a JSON array: number, page, box, caption, image, citing paragraphs
        with page and section, flags), `paper_error` ("" or why the PDF could not be read), `paper_notes` (a JSON
        list), `paper_sha256` (of the file; "" if it could not be read) and `paper_pages`.
    Source: SciFigQual, sections on acquisition and context binding.
    """

    funnel_label = "papers read"
    table_1_line = "Papers"
    rows_per_batch = rows_per_ray_batch = 4
    refusal = PdfError
    unread: Mapping[str, Any] = {"figures": "[]", "paper_notes": "[]", "paper_sha256": "", "paper_pages": 0}
    makes = ("@figures_key", "paper_error", "paper_notes", "paper_sha256", "paper_pages")

    def __init__(
        self,
        dpi: int = 300,
        max_side: int = 5000,
        time_limit: float = 300.0,
        max_pages: int = 2000,
        max_bytes: int = 300_000_000,
        layout_threads: int = 1,
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param dpi: the resolution of the images of figures.
        :param max_side: the longest side in pixels of an image; larger figures are drawn at less than `dpi`.
        :param time_limit: seconds for one document; one that takes longer is given up, with a reason.
        :param max_pages: the most pages of a document that are read.
        :param max_bytes: the most bytes that a PDF may have.
        :param layout_threads: threads of the layout model in each process.
        """
        with self.checked_parameters():
            between("time_limit", time_limit, 1, 36_000)
            self.options = PdfOptions(
                count("dpi", dpi, 20, 1200), count("max_side", max_side, 64, 20_000), float(time_limit),
                count("max_pages", max_pages, 1, 10**6), count("max_bytes", max_bytes, 1, 10**9),
                count("layout_threads", layout_threads, 1, 256),
            )  # fmt: skip
        super().__init__(*args, **kwargs)

    def read(self, row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The figures and notes of one paper, and what its file is."""
        path = str(row.get(self.paper_path_key) or "")
        if not path:
            raise PdfError("missing_file", f"the row has no {self.paper_path_key}")
        found = read_figures(under(self.paper_root, path), self.run_info.images, self.options)
        columns = {"figures": dump_figures(found.figures), "paper_notes": to_json(found.notes),
                   "paper_sha256": found.sha256, "paper_pages": found.pages}  # fmt: skip
        detail = {"figures": len(found.figures), "pages": found.pages, "sha256": found.sha256,
                  "notes": found.notes[:_NOTES]}  # fmt: skip
        return columns, detail
