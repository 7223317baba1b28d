"""Numbers with units in running text, and wrong ones beside them."""

from __future__ import annotations

import pytest

from data_juicer_ext.offline.text.quantities import as_quantity, nearby, quantities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is 3.5 m/s at 20 °C and 1,234.5 kg", [("3.5 m/s", 3.5, 1, "m/s"), ("20 °C", 20.0, 0, "°C"),
                                                   ("1,234.5 kg", 1234.5, 1, "kg")]),
        ("5 percent of 10 μm", [("5 percent", 5.0, 0, "%"), ("10 μm", 10.0, 0, "µm")]),
        ("-3 to +4", [("-3", -3.0, 0, ""), ("+4", 4.0, 0, "")]),
        ("at 300K, 0.50", [("300K", 300.0, 0, "K"), ("0.50", 0.5, 2, "")]),
        ("GPT-4, v2.0, 2024-01, x^2, 3.1.2, 1e5, 0,5 and m2", []),
    ],
)  # fmt: skip
def test_numbers_with_their_units(text: str, found: list[tuple[str, float, int, str]]) -> None:
    quantity = quantities(text)
    assert [(each.text, each.value, each.decimals, each.unit) for each in quantity] == found
    assert all(text[each.start : each.end].strip() == each.text for each in quantity)


def test_forty_are_enough() -> None:
    assert len(quantities(" 1" * 60)) == 40 and quantities("5 percent")[0].key == quantities("5.0%")[0].key


@pytest.mark.parametrize(
    ("text", "whole"),
    [("12 layers", "12"), ("12", "12"), ("12 hidden layers", "12"), ("3.5 m/s", "3.5 m/s"), ("12 Layers", None),
     ("a 12", None), ("12 and 13", None), ("12 small hidden layers", None)],
)  # fmt: skip
def test_a_text_that_is_one_quantity(text: str, whole: str | None) -> None:
    found = as_quantity(text)
    assert (found and found.text) == whole


@pytest.mark.parametrize(
    ("right", "others", "seed", "count", "wrong"),
    [
        ("12.5%", "1.5% 2% 30.5% 12.5%", 0, 3, ["1.5%", "30.5%", "11.2%"]),  # those of the text come first
        ("12.5%", "1.5% 2.5% 3.5% 4.5%", 0, 2, ["1.5%", "2.5%"]),
        ("12.5%", "", 3, 3, ["15.6%", "8.1%", "17.5%"]),
        ("1,200 kg", "", 1, 4, ["1,344 kg", "936 kg", "1,500 kg", "780 kg"]),
        ("0", "", 0, 3, ["2", "3", "4"]),
        ("99%", "", 0, 3, ["89%", "77%", "64%"]),
        ("-4", "", 2, 3, ["-3", "-5", "-6"]),
        ("1", "", 0, 5, ["2", "3", "4", "5", "6"]),
    ],
)
def test_wrong_ones_are_written_like_the_right_one(
    right: str, others: str, seed: int, count: int, wrong: list[str]
) -> None:
    assert nearby(quantities(right)[0], quantities(others), seed, count) == wrong
