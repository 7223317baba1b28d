from data_juicer_ext.ops.filter import (
    figure_quality_filter,
    paper_corpus_filter,
    source_consistency_filter,
    vision_vote_filter,
    visual_dependence_filter,
)

__all__ = [
    "figure_quality_filter",
    "paper_corpus_filter",
    "source_consistency_filter",
    "vision_vote_filter",
    "visual_dependence_filter",
]
