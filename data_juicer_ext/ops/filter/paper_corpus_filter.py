"""Keeps the paper rows of a corpus: metadata, years, and each file once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data_juicer.utils.constant import Fields

from data_juicer_ext.models.types import Verdict
from data_juicer_ext.ops.authoring import ConfigError, Filter, count, operator, to_rows
from data_juicer_ext.ops.base.paper_mapper import PaperOp
from data_juicer_ext.ops.host.running_recipe import only_trying, running, stop
from data_juicer_ext.pdf.paper_corpus import Claims, CorpusRules, sha256_of
from data_juicer_ext.rows import content_id, scrub
from data_juicer_ext.storage.addresses import as_path, is_remote, under
from data_juicer_ext.storage.json_lines import leave_out, read_json_lines
from data_juicer_ext.storage.papers import StorageError

OP_NAME = "paper_corpus_filter"

_MOST_BYTES = 256 * 1024 * 1024  # of the dataset file that are looked at before the run


@operator(OP_NAME)
class PaperCorpusFilter(PaperOp, Filter):
    """Keeps papers of the right years that have their metadata, and of rows with the same file one.

    Of several rows with one file the one with the smallest `paper_id` stays, as far as the dataset is a JSON Lines
    file that can be looked at before the run; else the first that is met. What was decided stays decided in the run
    folder (`claims/`), over shards, reruns and both executors: delete that folder to decide anew.

    Input columns: `paper_id`, `paper_path` (a file; of a folder no copies are looked for), and the columns that are
        required.
    Output columns: those of the input; stats `<tag>_verdict`, `<tag>_reason`, `<tag>_sha256` (of the file's bytes).
    Source: SciFigQual, section on acquisition.
    """

    funnel_label = "papers accepted"
    _batched_op = True
    in_driver = True
    needs = ("paper_id", "paper_path")

    def __init__(
        self,
        min_year: int = 0,
        max_year: int = 0,
        required: list[str] | None = None,
        allow_missing: bool = False,
        drop_duplicates: bool = True,
        year_key: str = "year",
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param min_year: the first year that is kept; 0 for no bound.
        :param max_year: the last year that is kept; 0 for no bound.
        :param required: the columns that must hold something; where empty, `venue` and `year`.
        :param allow_missing: keep rows in which a required column is empty.
        :param drop_duplicates: of rows whose files have the same bytes keep one.
        :param year_key: the column with the year.
        """
        self.drop_duplicates = drop_duplicates
        with self.checked_parameters():
            bounds = count("min_year", min_year, 0, 9999), count("max_year", max_year, 0, 9999)
            if bounds[1] and bounds[0] > bounds[1]:
                raise ConfigError(f"min_year: {min_year} is after max_year, {max_year}")
            names = tuple(required or ("venue", year_key))
            if not all(isinstance(name, str) for name in names):
                raise ConfigError(f"required: {required!r} is not a list of column names such as [venue, year]")
            self.rules = CorpusRules(*bounds, () if allow_missing else names, year_key)
        super().__init__(*args, **kwargs)
        if drop_duplicates and not only_trying():
            self._settle()

    def _claims(self) -> Claims:
        return Claims(under(self.run_info.place, "claims"))

    def _settle(self) -> None:
        """Before the first row: files that several rows of the dataset share go to the smallest id."""
        papers = (
            (self._owner(row), self._path(row)) for row in _dataset_rows(str(running().get("dataset_path") or ""))
            if row.get(self.paper_path_key) and not self.rules.refusal(row)[0]
        )  # fmt: skip
        try:
            self._claims().settle(papers)
        except StorageError as error:
            self.storage_failed(error)
        except OSError as error:
            stop(f"{self._name}: the run folder {self.run_info.place} can't be written: {error}")

    def _owner(self, row: dict[str, Any]) -> str:
        where = str(row.get(self.paper_path_key) or "")
        return scrub(str(row.get(self.paper_id_key) or content_id("paper", where)))

    def _path(self, row: dict[str, Any]) -> str:
        return under(self.paper_root, str(row.get(self.paper_path_key) or ""))

    def compute_stats_batched(self, samples: dict[str, Any], context: bool = False) -> dict[str, Any]:
        """Decide a batch of paper rows."""
        for index, row in enumerate(to_rows(samples)):
            verdict, reason, message, digest = self._decide(row)
            stats = dict(samples[Fields.stats][index] or {})
            stats |= {f"{self.tag}_verdict": verdict, f"{self.tag}_reason": reason, f"{self.tag}_sha256": digest}
            samples[Fields.stats][index] = stats
            paper_id = str(row.get(self.paper_id_key) or "")
            detail = {"sha256": digest, **({"message": scrub(f"paper {paper_id}: {message}")} if message else {})}
            self.record(self._owner(row), verdict, reason, detail, paper_id)
        return samples

    def process_single(self, sample: dict[str, Any]) -> bool:
        """True for a row that is kept."""
        return bool(sample[Fields.stats].get(f"{self.tag}_verdict") == "keep")

    def _decide(self, row: dict[str, Any]) -> tuple[Verdict, str, str, str]:
        """Verdict, reason in one word and in a sentence, and SHA-256."""
        reason, message = self.rules.refusal(row)
        if reason:
            return "drop", reason, message, ""
        path = self._path(row)
        named = bool(row.get(self.paper_path_key))
        try:
            if named and not is_remote(path) and as_path(path).is_dir():
                return "keep", "folder", "", ""
            digest = sha256_of(path)
        except StorageError as error:
            self.storage_failed(error)
        except (OSError, ValueError) as error:
            if isinstance(error, IsADirectoryError) and named and is_remote(path):
                return "keep", "folder", "", ""
            why = getattr(error, "strerror", None) or error
            return "drop", "missing_file", f"{self.paper_path_key} {path[:300]} can't be read ({why})", ""
        if not self.drop_duplicates:
            return "keep", "taken", "", digest
        try:
            owner = self._claims().claim(digest, self._owner(row))
        except OSError as error:
            stop(f"{self._name}: the run folder {self.run_info.place} can't be written: {error}")
        if owner != self._owner(row):
            return "drop", "duplicate_file", f"its file is the same, byte for byte, as that of paper {owner}", digest
        return "keep", "taken", "", digest


def _dataset_rows(dataset_path: str) -> Iterator[dict[str, Any]]:
    """The rows of a local JSON Lines file; nothing where it is another kind of dataset."""
    path = Path(dataset_path)
    if "://" in dataset_path or path.suffix not in (".jsonl", ".json") or not path.is_file():
        return
    yield from read_json_lines(path, leave_out, _MOST_BYTES)
