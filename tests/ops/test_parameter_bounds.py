"""Numbers that operators take: the least and the largest are taken, the next ones stop the run with one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from data_juicer.ops import OPERATORS

import data_juicer_ext  # noqa: F401 - registers the operators
from data_juicer_ext.ops.host.running_recipe import trying

WHOLE = [
    ("vision_vote_filter", "draws", 1, 25, {"majority": 1}),
    ("vision_vote_filter", "majority", 1, 5, {"draws": 5}),
    ("visual_dependence_filter", "blind_draws", 1, 25, {"blind_hits": 1}),
    ("visual_dependence_filter", "blind_hits", 1, 3, {"blind_draws": 3}),
    ("paper_corpus_filter", "min_year", 0, 9999, {}),
    ("paper_corpus_filter", "max_year", 0, 9999, {}),
    ("diagram_judge_mapper", "runs", 1, 20, {}),
    ("diagram_judge_mapper", "max_paper_tokens", 100, 1_000_000, {}),
    ("diagram_judge_mapper", "max_hash_distance", 0, 64, {}),
    ("figure_features_mapper", "max_pixels", 1000, 178_000_000, {}),
    ("figure_quality_mapper", "max_context_tokens", 50, 100_000, {}),
    ("image_rows_mapper", "max_pixels", 1000, 178_000_000, {}),
    ("latex_figure_context_mapper", "dpi", 0, 1200, {}),
    ("latex_figure_context_mapper", "max_members", 0, 10**7, {}),
    ("latex_figure_context_mapper", "max_bytes", 0, 10**12, {}),
    ("mcq_label_vote_mapper", "majority", 0, 2, {}),
    ("mcq_label_vote_mapper", "audit_seed", 0, 2**63, {}),
    ("pdf_figure_context_mapper", "dpi", 20, 1200, {}),
    ("pdf_figure_context_mapper", "max_side", 64, 20_000, {}),
    ("pdf_figure_context_mapper", "max_pages", 1, 10**6, {}),
    ("pdf_figure_context_mapper", "max_bytes", 1, 10**9, {}),
    ("pdf_figure_context_mapper", "layout_threads", 1, 256, {}),
    ("pdf_figure_context_mapper", "time_limit", 1, 36_000, {}),
    ("siqa_mcq_mapper", "per_combination", 1, 20, {}),
    ("siqa_rating_mapper", "draws", 1, 25, {}),
    ("siqa_refine_mapper", "seed", 0, 2**31, {}),
    ("claim_extractor_mapper", "max_calls", 0, 10**12, {}),
]  # fmt: skip
REAL = [
    ("diagram_judge_mapper", "min_pixel_similarity", 0.0, 1.0),
    ("figure_curation_mapper", "max_dominant", 0.0, 1.0),
    ("figure_curation_mapper", "max_page_share", 0.0, 1.0),
    ("figure_curation_mapper", "max_deleted", 0.0, 1.0),
    ("figure_curation_mapper", "max_unnumbered", 0.0, 1.0),
    ("figure_curation_mapper", "max_aspect", 1.0, 1e6),
    ("figure_curation_mapper", "max_area_ratio", 1.0, 1e6),
    ("figure_quality_filter", "min_overall", 0.0, 10.0),
    ("latex_figure_context_mapper", "caption_matching_threshold", 0.0, 1.0),
    ("mcq_label_vote_mapper", "audit_share", 0.0, 1.0),
    ("claim_extractor_mapper", "max_cost", 0.0, 1e9),
]
CHOICES = [
    ("vision_vote_filter", "vote_mode"), ("figure_quality_filter", "null_dimension"),
    ("figure_quality_mapper", "protocol"), ("figure_rows_mapper", "granularity"),
    ("latex_figure_context_mapper", "granularity"), ("siqa_rating_mapper", "method"),
    ("siqa_description_mapper", "dimensions"), ("siqa_mcq_mapper", "dimensions"), ("siqa_mcq_mapper", "question_types"),
]  # fmt: skip


def made(operator: str, tmp_path: Path, **given: Any) -> Any:
    return OPERATORS.modules[operator](run_dir=str(tmp_path / "run"), **given)


def stopped(operator: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], **given: Any) -> str:
    """The one line that the run is stopped with."""
    with pytest.raises(SystemExit):
        made(operator, tmp_path, **given)
    [line] = [line for line in capfd.readouterr().err.splitlines() if line.startswith("data_juicer_ext: ")]
    assert line.startswith(f"data_juicer_ext: {operator}: ")
    return line


@pytest.mark.parametrize(("operator", "name", "least", "most", "beside"), WHOLE)
def test_whole_numbers(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], operator: str, name: str, least: int, most: int,
    beside: dict[str, Any],
) -> None:  # fmt: skip
    with trying():
        for value in (least, most):
            made(operator, tmp_path, **{**beside, name: value})
    for value in (least - 1, most + 1):
        assert f"{name}: {value}" in stopped(operator, tmp_path, capfd, **{**beside, name: value})


@pytest.mark.parametrize(("operator", "name", "least", "most"), REAL)
def test_other_numbers(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], operator: str, name: str, least: float, most: float
) -> None:
    with trying():
        for value in (least, most):
            made(operator, tmp_path, **{name: value})
    for value in (least - 0.01, most * 1.01 + 0.001):
        assert f"{name}: {value}" in stopped(operator, tmp_path, capfd, **{name: value})


@pytest.mark.parametrize(("operator", "name"), CHOICES)
def test_choices(tmp_path: Path, capfd: pytest.CaptureFixture[str], operator: str, name: str) -> None:
    value: Any = "nothing" if name[-1] != "s" else ["nothing"]
    assert f"{name}: " in stopped(operator, tmp_path, capfd, **{name: value})


def test_years_and_columns_of_a_corpus(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    operator = "paper_corpus_filter"
    assert "min_year: 2021 is after" in stopped(operator, tmp_path, capfd, min_year=2021, max_year=2020)
    assert "required: [3]" in stopped(operator, tmp_path, capfd, required=[3])
    with trying():
        made(operator, tmp_path, min_year=2020, max_year=2020)
        made(operator, tmp_path, min_year=2021, max_year=0)


def test_draws_that_would_all_be_alike(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cold: dict[str, Any] = {"method": "draws", "sampling_params": {"temperature": 0}}
    assert "at temperature 0 all draws are alike" in stopped("siqa_rating_mapper", tmp_path, capfd, draws=2, **cold)
    with trying():
        made("siqa_rating_mapper", tmp_path, draws=1, **cold)
        made("siqa_rating_mapper", tmp_path, draws=2, method="draws")


def test_listed_categories(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "categories" in stopped("image_category_mapper", tmp_path, capfd, categories=[])
