from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from data_juicer_ext.review.calibration import Calibration

CONSENSUS = [1.2, 2.0, 2.8, 3.1, 4.0, 4.7]


def file_of(tmp_path: Path, *changed: Any) -> Path:
    lines = [{"image": f"{n}.png", "perception": score, "knowledge": 6 - score} for n, score in enumerate(CONSENSUS)]
    path = tmp_path / "calibration.jsonl"
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in [*lines, *changed]))
    return path


def given(calibration: Calibration, perception: list[int], knowledge: list[int]) -> dict[str, dict[str, int]]:
    levels = zip(perception, knowledge, strict=True)
    return {
        item.row_id: {"perception": p, "knowledge": k} for item, (p, k) in zip(calibration.items, levels, strict=True)
    }


def test_both_dimensions_have_to_agree(tmp_path: Path) -> None:
    calibration = Calibration(file_of(tmp_path), tmp_path / "results.jsonl")
    first = calibration.finish("A", given(calibration, [1, 2, 3, 3, 4, 5], [1, 2, 3, 3, 4, 5]))
    expected = stats.spearmanr([1, 2, 3, 3, 4, 5], CONSENSUS).statistic
    assert first.srcc["perception"] == pytest.approx(expected) and first.srcc["knowledge"] == pytest.approx(-expected)
    assert not first.passed and not calibration.passed("A")
    second = calibration.finish("A", given(calibration, [1, 2, 3, 3, 4, 5], [5, 4, 3, 3, 2, 1]))
    assert second.passed and second.round == 2 and calibration.passed("A") and not calibration.passed("B")
    again = Calibration(file_of(tmp_path), tmp_path / "results.jsonl")
    assert [result.passed for result in again.rounds("A")] == [False, True]
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert [(line["passed"], line["above"], line["images"]) for line in lines] == [(False, 0.8, 6), (True, 0.8, 6)]


def test_one_level_for_all_ranks_nothing(tmp_path: Path) -> None:
    calibration = Calibration(file_of(tmp_path), tmp_path / "results.jsonl")
    result = calibration.finish("A", given(calibration, [3] * 6, [5, 4, 3, 3, 2, 1]))
    assert result.srcc["perception"] is None and "same level" in result.notes["perception"] and not result.passed


def test_thirty_images_of_a_longer_file(tmp_path: Path) -> None:
    more = [{"images": [f"more-{n}.png"], "perception": 1 + n % 5, "knowledge": 1 + n % 4} for n in range(40)]
    one, other = (Calibration(file_of(tmp_path, *more), tmp_path / "r.jsonl", seed) for seed in (0, 1))
    assert len(one.items) == 30 and {i.row_id for i in one.items} != {i.row_id for i in other.items}
    assert one.items[0].row["images"][0].startswith(str(tmp_path))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("{\n", ":7: not JSON"),
        ("5\n", ":7: not a JSON object"),
        ("{}\n", ":7: write image"),
        ('{"image": "x.png", "perception": 3}\n', "knowledge is None"),
        ('{"image": "x.png", "perception": "3", "knowledge": 3}\n', "perception is '3'"),
    ],
)
def test_lines_that_are_no_reference(tmp_path: Path, changed: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Calibration(file_of(tmp_path, changed), tmp_path / "r.jsonl")


def test_files_that_rank_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"image": "x.png", "perception": 3, "knowledge": 3}\n' * 9)
    with pytest.raises(ValueError, match="1 images; at least 5"):
        Calibration(path, tmp_path / "r.jsonl")
    path.write_text("".join(f'{{"image": "{n}.png", "perception": 3, "knowledge": {n}}}\n' for n in range(6)))
    with pytest.raises(ValueError, match="same perception"):
        Calibration(path, tmp_path / "r.jsonl")
