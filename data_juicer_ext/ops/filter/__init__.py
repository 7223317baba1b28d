from data_juicer_ext.ops.filter import (
    source_consistency_filter,
    vision_vote_filter,
    visual_dependence_filter,
)

__all__ = ["source_consistency_filter", "vision_vote_filter", "visual_dependence_filter"]
