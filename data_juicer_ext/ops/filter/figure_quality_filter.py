"""Keeps figures whose quality scores are high enough."""

from typing import Any

from data_juicer.ops.base_op import OPERATORS, Filter
from data_juicer.utils.constant import Fields

from data_juicer_ext.judging.score_selection import NULLS, load_quality, verdict_on
from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.ops.base.column_batches import to_rows
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS, OwnOp, between, one_of
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.runs.ledger import Entry

OP_NAME = "figure_quality_filter"
OWN_OPERATORS.append(OP_NAME)

_UNSCORED = "the row has no quality scores; list figure_quality_mapper before this filter"


@OPERATORS.register_module(OP_NAME)
class FigureQualityFilter(OwnOp, Filter):
    """Keeps a figure by its overall score, by single dimensions, or by both.

    Input: rows of `figure_quality_mapper`. A dimension that is null for want of text passes unless
    `null_dimension` says otherwise. Rows without scores are undecided, never refused. No model is called.
    """

    _batched_op = True
    needs = ("row_id", "quality")

    def __init__(
        self,
        min_overall: float = 0.0,
        min_vc: float = 0.0,
        min_sl: float = 0.0,
        min_c: float = 0.0,
        min_ctx: float = 0.0,
        min_mr: float = 0.0,
        null_dimension: str = "pass",
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param min_overall: the least overall score, 0 to 10; 0 asks for none.
        :param min_vc: the least visual clarity, 0 to 10; 0 asks for none.
        :param min_sl: the same for structure and layout.
        :param min_c: the same for caption consistency.
        :param min_ctx: the same for context consistency.
        :param min_mr: the same for misleading risk (10 is the lowest risk).
        :param null_dimension: what a null does where a least score is asked for: `pass`, as missing text is
            no low quality, or `drop`, to keep only figures that have the text.
        :param run_dir: the run folder.
        :param tag: the name of this listing in ledger and stats; where empty, `figure_quality_filter`.
        """
        super().__init__(*args, **kwargs)
        self.least = {"overall": min_overall, "VC": min_vc, "SL": min_sl, "C": min_c, "CTX": min_ctx, "MR": min_mr}
        self.null_dimension = null_dimension
        try:
            for name, least in self.least.items():
                between(f"min_{name.lower()}", least, 0.0, 10.0)
            one_of("null_dimension", null_dimension, NULLS)
        except ConfigError as error:
            stop(f"{OP_NAME}: {error}")
        self.run_in_process()
        self.join_run(run_dir, tag or OP_NAME, kwargs.get("ray_execution_mode"))

    def compute_stats_batched(self, samples: dict[str, Any], context: bool = False) -> dict[str, Any]:
        """Decide a batch; sets `<tag>_verdict` and `<tag>_reason` in the rows' stats."""
        for index, row in enumerate(to_rows(samples)):
            quality = load_quality(row.get("quality"))
            verdict, reason = verdict_on(quality, self.least, self.null_dimension)
            stats = dict(samples[Fields.stats][index] or {})
            stats[f"{self.tag}_verdict"], stats[f"{self.tag}_reason"] = verdict, reason
            samples[Fields.stats][index] = stats
            told = {"message": _UNSCORED} if quality is None else {k: quality[k] for k in ("scores", "overall")}
            self._note(row, Entry(
                str(row.get("row_id") or ""), self._name, self.tag, verdict, reason, str(row.get("paper_id") or ""),
                str(row.get("figure_id") or ""), made=int(verdict == "keep"), detail=told,
            ))  # fmt: skip
        return samples

    def _note(self, row: dict[str, Any], entry: Entry) -> None:
        try:
            self.run_info.ledger.record(entry)
            if entry.verdict == "undecided":
                self.set_aside(row, entry)
        except OSError as error:
            self.unwritable(error)

    def process_single(self, sample: dict[str, Any]) -> bool:
        """True for `keep` alone."""
        return bool(sample[Fields.stats].get(f"{self.tag}_verdict") == "keep")
