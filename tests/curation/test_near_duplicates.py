"""Which figures repeat an earlier one: hashes make candidates, pixels confirm them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageOps

from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.hard_filter import hard_filter, repeated
from data_juicer_ext.curation.thresholds import Rules
from data_juicer_ext.figures.image_appearance import hamming, look_at
from data_juicer_ext.figures.same_picture import same_picture
from tests.figures.charts import as_jpeg, bars, figure, heat_map, item, lines, render, saved, texture

PAPER = Rules(confirm=False)
VALUES = [0.3, 0.8, 0.55, 0.9, 0.4]
CURVE = [0.2, 0.5, 0.45, 0.8, 0.75, 0.9, 0.7]
CELLS = [[0.1 * ((row * 7 + column * 3) % 10) for column in range(6)] for row in range(6)]


def test_eight_bits_apart_repeat_and_nine_do_not() -> None:
    first = item("1")
    assert repeated(item("2", phash=0b1111_1111), [first], PAPER) == Finding("S1", "near_duplicate", 8, 8, "f1")
    assert repeated(item("2", phash=0b1_1111_1111), [first], PAPER) is None


def test_the_threshold_is_a_parameter_and_minus_one_keeps_duplicates() -> None:
    assert repeated(item("2"), [item("1")], Rules(max_hamming=-1, confirm=False)) is None
    assert repeated(item("2", phash=1), [item("1")], Rules(max_hamming=0, confirm=False)) is None


def test_figures_are_compared_image_by_image_and_panels_with_panels() -> None:
    two = item("2")
    two.looks = two.looks * 2
    assert repeated(two, [item("1")], PAPER) is None
    panel = item("1a", panel="a", parent_label="fig:1")
    assert repeated(panel, [item("1")], PAPER) is None
    assert repeated(panel, [item("2a", panel="a", parent_label="fig:2")], PAPER) is not None


def test_the_first_in_the_paper_stays(tmp_path: Path) -> None:
    paths = [saved(render(bars(VALUES), dpi), tmp_path / f"{dpi}.png") for dpi in (100, 150, 200)]
    items = [Item(figure(str(number), path)) for number, path in enumerate(paths)]
    hard_filter(items, Rules())
    assert items[0].deleted is None
    assert [(i.deleted.reason, i.deleted.other) for i in items[1:] if i.deleted] == [("near_duplicate", "f0")] * 2


DRAWN = {"bars": bars(VALUES), "lines": lines(CURVE, VALUES), "heat map": heat_map(CELLS)}


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize(
    "again",
    [
        lambda document: render(document, 72),
        lambda document: render(document, 300),
        lambda document: as_jpeg(render(document, 150), 30),
        lambda document: as_jpeg(render(document, 100), 60),
        lambda document: render(document, 150).resize((300, 200), Image.Resampling.BILINEAR),
        lambda document: ImageOps.expand(render(document, 150), border=(3, 12, 9, 2), fill="white"),
        lambda document: render(document, 150).convert("RGBA"),
    ],
    ids=["72 dpi", "300 dpi", "jpeg 30", "jpeg 60 of 100 dpi", "scaled", "padded", "alpha"],
)
def test_renderings_of_one_chart_are_the_same(name: str, again: object, tmp_path: Path) -> None:
    assert callable(again)
    first = saved(render(DRAWN[name], 150), tmp_path / "a.png")
    assert same_picture(first, saved(again(DRAWN[name]), tmp_path / "b.png"))


def changed(values: list[float], place: int, by: float) -> list[float]:
    return [value + by * (index == place) for index, value in enumerate(values)]


OTHERS = {
    "one bar 3 % higher": (bars(VALUES), bars(changed(VALUES, 2, 0.03))),
    "other bars": (bars(VALUES), bars(VALUES[::-1])),
    "other colour": (bars(VALUES), bars(VALUES, (0.7, 0.3, 0.2))),
    "one point of a curve": (lines(CURVE, VALUES), lines(changed(CURVE, 3, 0.06), VALUES)),
    "a curve more": (lines(CURVE), lines(CURVE, VALUES)),
    "one cell": (heat_map(CELLS), heat_map([*CELLS[:5], changed(CELLS[5], 1, 0.15)])),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("dpi", [(150, 150), (300, 300), (100, 150)], ids=str)
def test_charts_of_one_template_with_other_data_are_not(name: str, dpi: tuple[int, int], tmp_path: Path) -> None:
    paths = [
        saved(render(document, value), tmp_path / f"{place}.png")
        for place, (document, value) in enumerate(zip(OTHERS[name], dpi, strict=True))
    ]
    assert not same_picture(*paths)


def test_confirm_keeps_what_the_paper_rule_deletes(tmp_path: Path) -> None:
    paths = [
        saved(render(bars(values), 150), tmp_path / f"{number}.png")
        for number, values in enumerate((VALUES, changed(VALUES, 2, 0.05)))
    ]
    first, second = (look_at(path, PAPER.max_pixels) for path in paths)
    assert hamming(first.phash, second.phash) <= 8
    for rules, expected in ((PAPER, 1), (Rules(confirm=True), 0)):
        items = [Item(figure(str(number), path)) for number, path in enumerate(paths)]
        hard_filter(items, rules)
        assert sum(one.deleted is not None for one in items) == expected


def test_different_pictures_and_missing_files_are_not_the_same(tmp_path: Path) -> None:
    first, second = (saved(texture(seed), tmp_path / f"{seed}.png") for seed in (1, 2))
    assert same_picture(first, first) and not same_picture(first, second)
    assert not same_picture(first, str(tmp_path / "none.png"))
    assert not same_picture(first, saved(texture(1).resize((240, 200)), tmp_path / "squeezed.png"))


def test_a_file_that_was_replaced_is_looked_at_again(tmp_path: Path) -> None:
    import os

    first, second = (saved(texture(1), tmp_path / name) for name in ("a.png", "b.png"))
    assert same_picture(first, second)
    saved(texture(2), tmp_path / "b.png")
    os.utime(second, ns=(1, 1))
    assert not same_picture(first, second)
