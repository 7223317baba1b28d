from __future__ import annotations

import random
from pathlib import Path

from data_juicer_ext.report.ledger_decisions import count
from data_juicer_ext.report.run_selection import select_runs
from data_juicer_ext.report.sample_choice import Spread, choose
from tests.report.run_folders import RunFolder


def test_the_choice_hangs_on_names_not_on_the_order() -> None:
    offers = [(f"figure-{n % 40}", f"row-{n}") for n in range(200)]
    chosen = []
    for seed in range(3):
        random.Random(seed).shuffle(offers)
        spread: Spread[str] = Spread(5)
        for group, name in offers:
            spread.offer(group, name, name)
        chosen.append(spread.chosen)
    assert chosen[0] == chosen[1] == chosen[2] and len({int(name[4:]) % 40 for name in chosen[0]}) == 5


def test_preferred_things_come_first_and_others_fill_up() -> None:
    spread: Spread[int] = Spread(4)
    for number in range(50):
        spread.offer(str(number), "", number, preferred=number in (7, 9))
    assert set(spread.chosen[:2]) == {7, 9} and len(spread.chosen) == 4


def test_nothing_is_chosen_where_nothing_is_asked_for() -> None:
    spread: Spread[int] = Spread(0)
    spread.offer("a", "a", 1)
    assert spread.chosen == []


def test_each_reason_of_each_step_gets_its_turn(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for number in range(30):
        folder.note("source_consistency", f"q{number}", "drop", "other_option", paper_id="p", figure_id=f"{number}")
    folder.note("source_consistency", "r", "drop", "several", paper_id="p", figure_id="r")
    folder.note("vision_vote", "u", "undecided", "call_failed:server", paper_id="p", figure_id="u")
    folder.note("vision_vote", "k", "keep", "majority_agrees", paper_id="p", figure_id="k")
    counted = count(select_runs(folder.path))
    groups = choose(counted, 3, {("p", "5"), ("p", "r")}, kept_too=False)
    assert [(group.listing[1], group.verdict, group.total) for group in groups] == [
        ("source_consistency", "drop", 31), ("vision_vote", "undecided", 1),
    ]  # fmt: skip
    assert [row.row_id for row in groups[0].rows][:2] == ["q5", "r"] and len(groups[0].rows) == 3
    kept = choose(counted, 3, (), kept_too=True)[0]
    assert (kept.verdict, [row.row_id for row in kept.rows]) == ("keep", ["k"])
    assert all(group.rows == [] and group.total for group in choose(counted, 0, (), kept_too=False))
