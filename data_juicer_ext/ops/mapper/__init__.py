from data_juicer_ext.ops.mapper import (
    claim_extractor_mapper,
    figure_curation_mapper,
    figure_features_mapper,
    figure_quality_mapper,
    figure_rows_mapper,
    latex_figure_context_mapper,
    mcq_generator_mapper,
    pdf_figure_context_mapper,
)

__all__ = [
    "claim_extractor_mapper",
    "figure_curation_mapper",
    "figure_features_mapper",
    "figure_quality_mapper",
    "figure_rows_mapper",
    "latex_figure_context_mapper",
    "mcq_generator_mapper",
    "pdf_figure_context_mapper",
]
