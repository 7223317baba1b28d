"""What every operator does where a recipe says nothing: its parameters with their defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from data_juicer_ext.ops.recipe.operator_reference import own_classes

RUN: dict[str, Any] = {"run_dir": "./dj_ext_run", "tag": ""}
MODEL: dict[str, Any] = {"api_model": "offline", "api_endpoint": None, "model_params": None, "sampling_params": None,
                         "max_cost": 0.0, "max_calls": 0, **RUN}  # fmt: skip
PAPER: dict[str, Any] = {"paper_root": ".", "paper_id_key": "paper_id", "paper_path_key": "paper_path", **RUN}

DEFAULTS: dict[str, dict[str, Any]] = {
    "claim_extractor_mapper": MODEL,
    "diagram_judge_mapper": {"criteria_file": "", "weights": None, "both_orders": False, "runs": 1,
                             "json_schema": False, "judge_development": False, "max_paper_tokens": 30_000,
                             "max_hash_distance": 12, "min_pixel_similarity": 0.62, **MODEL},
    "diagram_type_mapper": {"pairs": True, **MODEL},
    "figure_curation_mapper": {"hard_filter": True, "anomaly_flag": True, "re_extract": True, "soft_mark": True,
                               "paper_filter": True, "min_side": 50, "max_aspect": 20.0, "max_dominant": 0.97,
                               "max_hamming": 8, "confirm": True, "max_pixels": 80_000_000, "max_area_ratio": 3.0,
                               "max_page_share": 0.95, "dpi": 300, "ocr": True, "max_deleted": 0.3,
                               "max_unnumbered": 0.3, "figures_key": "figures", **PAPER},
    "figure_features_mapper": {"ocr": True, "max_pixels": 80_000_000, **RUN},
    "figure_quality_filter": {**{f"min_{name}": 0.0 for name in ("overall", "vc", "sl", "c", "ctx", "mr")},
                              "null_dimension": "pass", **RUN},
    "figure_quality_mapper": {"protocol": "direct", "text_api_model": "", "text_model_params": None,
                              "json_schema": False, "max_context_tokens": 1000, "figure_map": True, "run_id": "",
                              **MODEL},
    "figure_rows_mapper": {"granularity": "figure", "keep_without_image": False, "figure_map": False,
                           "figures_key": "figures", **RUN},
    "figure_type_mapper": MODEL,
    "image_category_mapper": {"categories": None, **MODEL},
    "image_rows_mapper": {"image_root": ".", "keep_columns": None, "max_pixels": 80_000_000, **RUN},
    "latex_figure_context_mapper": {"main_file": "", "granularity": "figure", "citation_commands": None,
                                    "paragraph_separator": "", "plain_numbers": False,
                                    "caption_matching_threshold": 0.9, "dpi": 0, "images_from_pdf": True,
                                    "compiled_pdf": "", "max_members": 0, "max_bytes": 0, "latex_key": "text",
                                    "figures_key": "figures", **PAPER},
    "mcq_answer_mapper": {"with_image": True, "with_caption": True, "permute_options": False, **MODEL},
    "mcq_generator_mapper": MODEL,
    "mcq_label_vote_mapper": {"models": None, "majority": 0, "permute_options": True, "with_caption": True,
                              "audit_share": 0.05, "audit_seed": 0, **MODEL},
    "paper_corpus_filter": {"min_year": 0, "max_year": 0, "required": None, "allow_missing": False,
                            "drop_duplicates": True, "year_key": "year", **PAPER},
    "pdf_figure_context_mapper": {"dpi": 300, "max_side": 5000, "time_limit": 300.0, "max_pages": 2000,
                                  "max_bytes": 300_000_000, "layout_threads": 1, "figures_key": "figures", **PAPER},
    "question_type_mapper": MODEL,
    "siqa_description_mapper": {"dimensions": None, **MODEL},
    "siqa_mcq_mapper": {"per_combination": 1, "dimensions": None, "question_types": None, **MODEL},
    "siqa_rating_mapper": {"method": "auto", "draws": 1, **MODEL},
    "siqa_refine_mapper": {"seed": 0, **MODEL},
    "source_consistency_filter": MODEL,
    "vision_vote_filter": {"draws": 3, "majority": 2, "vote_mode": "fast", "permute_options": False, **MODEL},
    "visual_dependence_filter": {"blind_draws": 1, "blind_hits": 1, "permute_options": False, **MODEL},
}  # fmt: skip


def defaults(operator: type[Any]) -> dict[str, Any]:
    """The parameters of an operator and of what it stands on here, the host's left out."""
    found: dict[str, Any] = {}
    for kind in operator.__mro__:
        made = vars(kind).get("__init__") if kind.__module__.startswith("data_juicer_ext.") else None
        for parameter in inspect.signature(made).parameters.values() if made else ():
            if parameter.default is not inspect.Parameter.empty:
                found.setdefault(parameter.name, parameter.default)
    return found


@pytest.mark.parametrize("name", DEFAULTS)
def test_where_a_recipe_says_nothing(name: str) -> None:
    assert defaults(own_classes()[name]) == DEFAULTS[name]


def test_no_operator_is_left_out() -> None:
    assert set(own_classes()) == set(DEFAULTS)
