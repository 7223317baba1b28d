"""What is asked about a pair, and what its row says in the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from data_juicer_ext.diagrams.criteria import criteria_of
from data_juicer_ext.diagrams.dimensions import PARTS
from data_juicer_ext.diagrams.judgement import FIELDS, ImageFacts, asked_fields, told
from data_juicer_ext.diagrams.pair_row import DiagramPair, pair_of
from data_juicer_ext.diagrams.scoring import OrderScores, Sides, judged
from tests.diagrams.judges import pair_row
from tests.diagrams.test_criteria import broken
from tests.diagrams.test_scoring import AF, GENERATED, REFERENCE, order

SEEN = ImageFacts(
    ("g.png", "d.png"), "16:9", 1.234567, 0.3654321, 12, 0.25, True, ("scaled_down",), ("scaled_up", "jpeg")
)  # fmt: skip


def pair() -> DiagramPair:
    return pair_of(pair_row("r", "g.png", "d.png"))


def judgement(*orders: OrderScores) -> dict[str, Any]:
    return told(pair(), AF, "abc123", SEEN, orders, judged(AF, orders))


def test_a_judge_is_told_the_type_its_criteria_by_part_and_the_texts() -> None:
    told_more = broken("types.AF.dimensions.Aesthetics.0.instructions", ["Mind the lines."])
    asked = asked_fields(pair(), criteria_of(told_more, "x").of("AF"))
    assert tuple(asked) == FIELDS
    assert asked["type"]["code"] == "AF" and asked["type"]["name"] and asked["type"]["about"]
    assert (asked["caption"], asked["paper_text"]) == (pair().caption, pair().paper_text)
    assert [part["key"] for part in asked["parts"]] == list(PARTS)
    by_part = {part["key"]: part for part in asked["parts"]}
    assert by_part["VOL"]["criteria"] == [
        {"id": f"AF-VOL-{n}", "text": f"criterion {n} of VOL", "instructions": []} for n in (1, 2)
    ]
    assert by_part["Aesthetics"]["criteria"][0]["instructions"] == ["Mind the lines."]
    assert (by_part["VOL"]["dimension"], by_part["VOL"]["name"]) == ("Structure", PARTS["VOL"].name)
    assert by_part["VOL"]["about"] == PARTS["VOL"].about


def test_a_judgement_says_what_was_seen_and_with_what_it_was_judged() -> None:
    row = judgement(order(GENERATED, REFERENCE))
    assert (row["diagram_type"], row["criteria"], row["instance_id"]) == ("AF", "abc123", "instance of r")
    assert row["weights"] == {"Structure": 0.5, "Content": 0.35, "Aesthetics": 0.15}
    assert row["contamination"] == {"hash_distance": 12, "pixel_similarity": 0.25, "flagged": True}
    assert row["aspect_ratio"] == {"target": "16:9", "generated": 1.2346, "misfit": 0.3654}
    assert row["image_flags"] == {"generated": ["scaled_down"], "reference": ["scaled_up", "jpeg"]}
    assert row["paper_text_cut"] is False
    cut = replace(pair(), cut=True)
    scores = order(GENERATED, REFERENCE)
    assert told(cut, AF, "", SEEN, [scores], judged(AF, [scores]))["paper_text_cut"] is True


def test_the_scores_of_a_judgement_are_those_of_the_pair_and_of_each_order() -> None:
    first = replace(order(GENERATED, REFERENCE), reasons={"AF-CA-1": "a box is missing"})
    row = judgement(first, order(REFERENCE, GENERATED, False))
    assert (row["s_gen"], row["s_ref"], row["s_final"], row["direction"]) == (6.54375, 6.54375, 0.5, "tie")
    assert row["order_flipped"] is True
    assert row["dimensions"]["Aesthetics"] == {"generated": 7.0, "reference": 7.0, "relative": 0.5}
    assert row["scores"]["AF-CA-1"] == {"generated": 5.0, "reference": 5.0}
    one, other = row["orders"]
    assert (one["first"], other["first"]) == ("generated", "reference")
    assert (one["s_gen"], one["s_ref"], one["s_final"]) == (5.5, 7.5875, round(5.5 / 13.0875, 6))
    assert one["scores"]["AF-CA-1"] == {"generated": 2.0, "reference": 8.0}
    assert (one["reasons"], other["reasons"]) == ({"AF-CA-1": "a box is missing"}, {})


def test_sums_are_rounded_to_six_digits() -> None:
    thirds = {name: Sides(10 / 3, 20 / 3) for name in AF.ids}
    row = judgement(OrderScores(True, thirds))
    assert (row["s_gen"], row["s_ref"], row["direction"]) == (3.333333, 6.666667, "reference")
    assert row["scores"]["AF-CA-1"] == {"generated": 3.333333, "reference": 6.666667}
    assert row["order_flipped"] is None


def test_orders_and_their_scores_run_parallel() -> None:
    scores = order(GENERATED, REFERENCE)
    with pytest.raises(ValueError, match="zip"):
        told(pair(), AF, "", SEEN, [scores, scores], judged(AF, [scores]))


def test_a_pair_whose_images_were_not_compared_is_no_copy() -> None:
    facts = ImageFacts(("g.png", "r.png"))
    assert not facts.copied and (facts.hash_distance, facts.pixel_similarity) == (64, 0.0)
    assert (facts.aspect_ratio, facts.shape, facts.misfit) == ("", 0.0, 0.0)
