from __future__ import annotations

import hashlib
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from data_juicer_ext.annotation.image_fingerprint import glance_at
from data_juicer_ext.export.rows.paper_splits import Groups, assign, join_same_pictures, rank
from tests.annotation.pictures import chart, rendered_anew
from tests.export.made_runs import exported, lines, row, run_of

THREE = (("train", 0.8), ("validation", 0.1), ("test", 0.1))


def test_groups_join_whatever_the_order() -> None:
    pairs = [("a", "b"), ("c", "d"), ("b", "c"), ("e", "f")]
    for order in (pairs, pairs[::-1]):
        groups = Groups()
        for pair in order:
            groups.join(pair)
        assert {name: groups.of(name) for name in "abcdefg"} == {
            **dict.fromkeys("abcd", "a"),
            "e": "e",
            "f": "e",
            "g": "g",
        }


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.integers(0, 40).map(lambda n: f"p{n}"), st.integers(1, 9), min_size=1),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=10),
    st.integers(0, 5),
)
def test_papers_that_belong_together_are_never_apart(
    papers: dict[str, int], joined: list[tuple[int, int]], seed: int
) -> None:
    groups = Groups()
    for pair in joined:
        groups.join(f"p{number}" for number in pair)
    found = assign(papers, groups, THREE, seed)
    assert found.keys() == papers.keys()
    for first in papers:
        for second in papers:
            assert groups.of(first) != groups.of(second) or found[first] == found[second]
    shuffled = dict(random.Random(seed).sample(list(papers.items()), len(papers)))
    assert assign(shuffled, groups, THREE, seed) == found, "the order of the papers plays no part"
    if len({groups.of(paper) for paper in papers}) >= 3:
        assert set(found.values()) == {"train", "validation", "test"}, "no split is empty that need not be"


def test_shares_are_met_as_nearly_as_papers_allow() -> None:
    papers = {f"p{number}": 1 + number % 7 for number in range(400)}
    found = assign(papers, Groups(), THREE, 0)
    total = sum(papers.values())
    for name, share in THREE:
        assert abs(sum(rows for paper, rows in papers.items() if found[paper] == name) - share * total) <= 7
    assert found != assign(papers, Groups(), THREE, 1)


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Charts of three papers' own data, and two of them drawn anew for other papers."""
    folder = tmp_path_factory.mktemp("charts")
    made = {f"own-{seed}": chart(folder, seed) for seed in range(3)}
    return made | {f"anew-{seed}": rendered_anew(folder, seed) for seed in (0, 1)}


@pytest.mark.parametrize("backwards", [False, True])
def test_pictures_rendered_anew_are_one_and_charts_of_one_template_are_not(
    charts: dict[str, str], backwards: bool
) -> None:
    names = sorted(charts, reverse=backwards)
    groups = Groups()
    assert join_same_pictures({name: glance_at(charts[name]) for name in names}, groups) == 2
    assert groups.of("own-0") == groups.of("anew-0") and groups.of("own-1") == groups.of("anew-1")
    assert len({groups.of(name) for name in charts}) == 3


@settings(max_examples=15, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.sets(st.integers(0, 7), min_size=1, max_size=2)), min_size=1,
                  max_size=14),
    seed=st.integers(0, 3),
)  # fmt: skip
def test_whatever_papers_show_no_paper_and_no_picture_is_in_two_splits(
    rows: list[tuple[int, set[int]]], seed: int, figures: Path
) -> None:
    """Pictures 0 to 3 are 4 to 7 in another rendering; paper 0 stands for none."""
    given_rows = [
        row(n, str(figures / "0.png"), paper_id=f"p{paper}" if paper else "", figure_id=f"f{n}",
            images=[str(next(figures.glob(f"{number}.*"))) for number in sorted(shown)])
        for n, (paper, shown) in enumerate(rows)
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        exported(run_of(Path(folder), given_rows), Path(folder) / "out", seed=seed, splits=THREE)
        split_of = {one["row_id"]: name for name, _ in THREE for one in found_lines(Path(folder) / "out" / name)}
    assert len(split_of) == len(rows)
    for first, (paper, shown) in enumerate(rows):
        for second, (other, also) in enumerate(rows):
            same_paper = paper == other and paper > 0
            if same_paper or {number % 4 for number in shown} & {number % 4 for number in also}:
                assert split_of[f"qa-{first}"] == split_of[f"qa-{second}"]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four charts, and each again: smaller, as JPEG, with a wider margin, without any."""
    folder = tmp_path_factory.mktemp("figures")
    for seed in range(4):
        plain = Image.open(chart(folder, seed)).convert("RGB")
        plain.save(folder / f"{seed}.png")
        half = plain.resize((plain.width // 2, plain.height // 2), Image.Resampling.LANCZOS)
        ink = ImageOps.invert(plain.convert("L")).point(lambda level: 255 * (level > 20)).getbbox()
        again = (half, plain, ImageOps.expand(plain, 40, "white"), plain.crop(ink))[seed]
        again.save(folder / f"{seed + 4}.{'jpg' if seed == 1 else 'png'}")
    return folder


def found_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a split, none where it is empty."""
    file = path.with_name(f"{path.name}.jsonl")
    return lines(file) if file.exists() else []


@pytest.mark.parametrize("seed", [0, 1])
def test_each_group_goes_where_most_rows_are_missing_in_the_order_of_the_seed(seed: int) -> None:
    first, second, third, fourth = sorted("abcd", key=lambda name: rank(seed, name))
    found = assign({first: 3, second: 1, third: 1, fourth: 1}, Groups(), (("train", 0.5), ("test", 0.5)), seed)
    assert found == {first: "train", second: "test", third: "test", fourth: "test"}


def test_a_split_without_a_paper_gets_one_of_the_split_that_has_two() -> None:
    wanted = (("train", 0.98), ("test", 0.01), ("more", 0.01))
    assert sorted(assign({"a": 1, "b": 1}, Groups(), wanted, 0).values()) == ["test", "train"]
    assert sorted(assign({"a": 1, "b": 1, "c": 1}, Groups(), wanted, 0).values()) == ["more", "test", "train"]
    assert list(assign({"a": 9}, Groups(), wanted, 0).values()) == ["train"]
    assert assign({}, Groups(), wanted, 0) == {}


def test_ranks_hang_on_seed_and_name() -> None:
    assert rank(0, "a") == (hashlib.sha256(b"0\x1fa").digest(), "a")
    assert rank(1, "a") != rank(0, "a") and rank(0, "\ud800") == rank(0, "\ud800")


def test_pictures_of_one_group_are_not_counted_as_joined(charts: dict[str, str]) -> None:
    groups = Groups()
    groups.join(("own-0", "anew-0"))
    assert join_same_pictures({name: glance_at(path) for name, path in charts.items()}, groups) == 1
