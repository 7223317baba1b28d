from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.estimate.assumptions import AssumptionError, load_assumptions
from data_juicer_ext.estimate.uncertain_amounts import Range


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "own.yaml"


def test_the_shipped_shares_are_those_of_table_1() -> None:
    found = load_assumptions()
    keep = found.keep
    assert keep["mcq_generator_mapper"].likely == pytest.approx(261_116 / 680_877, abs=0.001)
    text = ("source_consistency_filter", "visual_dependence_text", "visual_dependence_vision")
    product = keep[text[0]].likely * keep[text[1]].likely * keep[text[2]].likely
    assert product == pytest.approx(55_372 / 261_116, abs=0.001)
    assert keep["vision_vote_filter"].likely == pytest.approx(20_351 / 55_372, abs=0.001)


def test_the_shipped_shares_give_the_calls_a_pair_that_the_paper_tells() -> None:
    found = load_assumptions()
    claims, questions, kept = 680_877, 261_116, 20_351
    checked = questions * found.keep["source_consistency_filter"].likely
    text_calls = claims / found.claims_per_figure.likely + claims + questions + checked
    blind = checked * found.keep["visual_dependence_text"].likely
    votes = 3 * found.frugal_draws.likely * blind * found.keep["visual_dependence_vision"].likely
    assert text_calls / kept == pytest.approx(59, rel=0.05)
    assert (blind + votes) / kept == pytest.approx(9, rel=0.05)


def test_own_assumptions_go_before_name_by_name(own: Path) -> None:
    own.write_text("claims_per_figure: [1, 2, 3]\nkeep: {vision_vote_filter: [0.5, 0.5, 0.5], my_tag: [0, 0.1, 0.2]}\n")
    found = load_assumptions(own)
    assert found.claims_per_figure == Range(1, 2, 3)
    assert found.kept_by("vision_vote_filter", "vote") == Range.exact(0.5)
    assert found.kept_by("vision_vote_filter", "my_tag") == Range(0, 0.1, 0.2)
    assert found.kept_by("mcq_generator_mapper", "x") == load_assumptions().keep["mcq_generator_mapper"]
    assert str(own) in found.sources


def test_operators_without_a_share_have_that_of_their_kind() -> None:
    found = load_assumptions()
    assert found.kept_by("some_new_filter", "x") == found.keep["filter"]
    assert found.kept_by("some_new_mapper", "x") == found.keep["mapper"]
    assert found.completion_of("some_new_mapper") == found.completion_tokens["others"]


@pytest.mark.parametrize(
    ("model", "thinks"),
    [("o4-mini", True), ("openai/gpt-5-mini", True), ("DeepSeek-R1", True), ("gpt-4o", False), ("o4x", False),
     ("deepseek-chat", False)],
)  # fmt: skip
def test_reasoning_models_are_known_by_name(model: str, thinks: bool) -> None:
    assert load_assumptions().thinks(model) is thinks


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("claims_per_figur: [1, 2, 3]", "did you mean claims_per_figure"),
        ("claims_per_figure: [3, 2, 1]", "rising numbers"),
        ("claims_per_figure: 4", "write \\[low, likely, high\\]"),
        ("keep: {vision_vote_filter: [0.5, 0.9, 1.5]}", "from 0 to 1"),
        ("keep: {vision_vote_filter: [true, true, true]}", "keep: vision_vote_filter"),
        ("keep: 3", "not a mapping"),
        ("characters: {claim: 0, question: 1, option: 1}", "whole numbers from 1"),
        ("thinking_models: o4", "not a list"),
        ("[1, 2", "not YAML"),
        ("- 1", "no mapping"),
    ],
)
def test_wrong_files_say_what_is_wrong(own: Path, text: str, says: str) -> None:
    own.write_text(text)
    with pytest.raises(AssumptionError, match=says):
        load_assumptions(own)


def test_a_missing_file_is_named(own: Path) -> None:
    with pytest.raises(AssumptionError, match=r"own\.yaml can't be read"):
        load_assumptions(own)


def test_what_an_operator_says_of_itself_counts_where_the_files_do_not_name_it() -> None:
    found, own = load_assumptions(), Range(1, 2, 3)
    assert found.kept_by("some_new_mapper", "x", own) == own and found.completion_of("some_new_mapper", own) == own
    assert found.kept_by("vision_vote_filter", "x", own) == found.keep["vision_vote_filter"]
    assert found.completion_of("vision_vote_filter", own) == found.completion_tokens["vision_vote_filter"]
