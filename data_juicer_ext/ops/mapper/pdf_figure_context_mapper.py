"""Paper row to the same row with the figures of its PDF."""

from typing import Any

from data_juicer.ops.base_op import OPERATORS, Mapper

from data_juicer_ext.ops.base.column_batches import set_column, to_rows
from data_juicer_ext.ops.base.input_roots import root
from data_juicer_ext.ops.base.paper_mapper import PaperMapper
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS, between, count
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.pdf.paper import Extraction, PdfError, PdfOptions, read_figures
from data_juicer_ext.rows import dump_figures, scrub, to_json
from data_juicer_ext.storage.addresses import under
from data_juicer_ext.storage.papers import StorageError

OP_NAME = "pdf_figure_context_mapper"
OWN_OPERATORS.append(OP_NAME)

# A paper takes seconds: small batches keep all processes busy and lose little when one dies.
PAPERS_A_BATCH = 4
_NOTES = 50  # in the ledger, of a paper


@OPERATORS.register_module(OP_NAME)
class PdfFigureContextMapper(PaperMapper, Mapper):
    """Finds the figures of a PDF paper with captions, images and citing paragraphs.

    Input: a row a paper with `paper_id` and `paper_path` (a PDF); other columns, such as `venue` and `year`,
    stay as they are. Output: the same row with `figures` (a JSON array: number, page, box, caption, image, citing
    paragraphs with page and section, flags), `paper_error` ("" or why the PDF could not be read), `paper_notes`
    (a JSON list), `paper_sha256` (of the file; "" if it could not be read) and `paper_pages`. A PDF that can't be
    read keeps its row, with no figures. Source: SciFigQual, sections on acquisition and context binding.
    """

    _batched_op = True
    makes = ("@figures_key", "paper_error", "paper_notes", "paper_sha256", "paper_pages")

    def __init__(
        self,
        paper_root: str = ".",
        dpi: int = 300,
        max_side: int = 5000,
        time_limit: float = 300.0,
        max_pages: int = 2000,
        max_bytes: int = 300_000_000,
        layout_threads: int = 1,
        paper_id_key: str = "paper_id",
        paper_path_key: str = "paper_path",
        figures_key: str = "figures",
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param paper_root: the folder that relative paths in `paper_path` start from, or an address of object
            storage (s3://...); may be `${NAME}` or `${NAME:-default}`.
        :param dpi: the resolution of the images of figures.
        :param max_side: the longest side in pixels of an image; larger figures are drawn at less than `dpi`.
        :param time_limit: seconds for one document; one that takes longer is given up, with a reason.
        :param max_pages: the most pages of a document that are read.
        :param max_bytes: the most bytes that a PDF may have.
        :param layout_threads: threads of the layout model in each process.
        :param paper_id_key: the column with the paper's id.
        :param paper_path_key: the column with the path of its PDF.
        :param figures_key: the column that is written.
        :param run_dir: the run folder; images go to `images/` in it.
        :param tag: the name of this listing in the ledger; where empty, the operator's without `_mapper`.
        """
        super().__init__(*args, **kwargs)
        self.paper_id_key, self.paper_path_key, self.figures_key = paper_id_key, paper_path_key, figures_key
        self.source_keys = (paper_path_key,)
        try:
            between("time_limit", time_limit, 1, 36_000)
            self.options = PdfOptions(
                count("dpi", dpi, 20, 1200), count("max_side", max_side, 64, 20_000), float(time_limit),
                count("max_pages", max_pages, 1, 10**6), count("max_bytes", max_bytes, 1, 10**9),
                count("layout_threads", layout_threads, 1, 256),
            )  # fmt: skip
            self.paper_root = root("paper_root", paper_root)
            self.check_dataset()
        except ValueError as error:
            stop(f"{OP_NAME}: {error}")
        if kwargs.get("batch_size") in (None, 1000):
            self.batch_size = PAPERS_A_BATCH
        self.join_run(run_dir, tag, kwargs.get("ray_execution_mode"))
        self.note_lines_without_id()

    def process_batched(self, samples: dict[str, Any]) -> dict[str, Any]:
        """A batch of paper rows, each with its figures."""
        columns = [self._read(row) for row in to_rows(samples)]
        names = (self.figures_key, *self.makes[1:])
        for index, name in enumerate(names):
            set_column(samples, name, [values[index] for values in columns])
        return samples

    def _read(self, row: dict[str, Any]) -> tuple[str, str, str, str, int]:
        """What one paper has in the columns that this operator writes."""
        paper_id, reason = str(row.get(self.paper_id_key) or ""), "unreadable_paper"
        try:
            found = self._extract(row)
        except PdfError as problem:
            reason, message = problem.reason, f"paper {paper_id or '(no paper_id)'}: {problem}"
        except StorageError as error:
            stop(f"{OP_NAME}: {error}; put the storage in order, and run the same command again")
        except Exception as error:  # a paper that breaks the reader must cost this paper only
            message = self.why_unread(row, error)
        else:
            self.note(row, "keep", "read" if found.figures else "no_figures",
                       {"figures": len(found.figures), "pages": found.pages, "sha256": found.sha256,
                        "notes": found.notes[:_NOTES]})  # fmt: skip
            return dump_figures(found.figures), "", to_json(found.notes), found.sha256, found.pages
        self.note(row, "drop", reason, {"message": scrub(message)})
        return "[]", scrub(message), "[]", "", 0

    def _extract(self, row: dict[str, Any]) -> Extraction:
        path = str(row.get(self.paper_path_key) or "")
        if problem := self.no_id(row):
            raise PdfError("unreadable_paper", problem)
        if not path:
            raise PdfError("missing_file", f"the row has no {self.paper_path_key}")
        return read_figures(under(self.paper_root, path), self.run_info.images, self.options)
