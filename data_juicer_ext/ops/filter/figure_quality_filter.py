"""Keeps figures whose quality scores are high enough."""

from typing import Any

from data_juicer_ext.judging.score_selection import NULLS, load_quality, verdict_on
from data_juicer_ext.ops.authoring import Outcome, RuleFilter, between, one_of, operator

OP_NAME = "figure_quality_filter"

_UNSCORED = "the row has no quality scores; list figure_quality_mapper before this filter"


@operator(OP_NAME)
class FigureQualityFilter(RuleFilter):
    """Keeps a figure by its overall score, by single dimensions, or by both.

    A dimension that is null for want of text passes unless `null_dimension` says otherwise. Rows without scores are
    undecided, never refused. No model is called.

    Input columns: rows of `figure_quality_mapper`.
    Output columns: those of the input; stats `<tag>_verdict` and `<tag>_reason`.
    """

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
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param min_overall: the least overall score, 0 to 10; 0 asks for none.
        :param min_vc: the least visual clarity, 0 to 10; 0 asks for none.
        :param min_sl: the same for structure and layout.
        :param min_c: the same for caption consistency.
        :param min_ctx: the same for context consistency.
        :param min_mr: the same for misleading risk (10 is the lowest risk).
        :param null_dimension: what a null does where a least score is asked for: `pass`, as missing text is
            no low quality, or `drop`, to keep only figures that have the text.
        """
        self.least = {"overall": min_overall, "VC": min_vc, "SL": min_sl, "C": min_c, "CTX": min_ctx, "MR": min_mr}
        self.null_dimension = null_dimension
        with self.checked_parameters():
            for name, least in self.least.items():
                between(f"min_{name.lower()}", least, 0.0, 10.0)
            one_of("null_dimension", null_dimension, NULLS)
        super().__init__(*args, **kwargs)

    def decide(self, row: dict[str, Any]) -> Outcome:
        """One scored row to its verdict."""
        quality = load_quality(row.get("quality"))
        verdict, reason = verdict_on(quality, self.least, self.null_dimension)
        if quality is None:
            return Outcome(verdict, reason, message=_UNSCORED)
        return Outcome(verdict, reason, detail={name: quality[name] for name in ("scores", "overall")})
