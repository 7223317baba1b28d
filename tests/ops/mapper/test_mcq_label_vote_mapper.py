from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.annotation.label_votes import in_audit
from data_juicer_ext.models.budget.prices import PRICES_VARIABLE
from data_juicer_ext.ops.host.running_recipe import literal_keys
from data_juicer_ext.ops.mapper.mcq_label_vote_mapper import MCQLabelVoteMapper
from data_juicer_ext.report.ledger_decisions import count
from data_juicer_ext.report.run_selection import select_runs
from tests.fake_openai import FakeServer, Reply, images_of, text_of
from tests.ops.mapper.annotating import QUICK, Rows, annotated, aside, drawn, ledger, question

OP = "mcq_label_vote_mapper"
COLOURS = ["red", "blue", "green", "black"]


class Voters:
    """Three models; each names the colour that it is told for a question, as the letter that it sees it by."""

    def __init__(self) -> None:
        self.colours: dict[tuple[str, int], str] = {}
        self.usual = {"one": "green", "two": "green", "three": "red"}
        self.down: set[str] = set()

    def __call__(self, body: dict[str, Any]) -> Reply | str:
        model, user = body["model"], text_of(body, "user")
        if model in self.down:
            return Reply("overloaded", status=500)
        number = int(user.partition("is number ")[2].partition("?")[0])
        said = self.colours.get((model, number), self.usual[model])
        letter = next((line[0] for line in user.split("\n") if line.endswith(f". {said}")), said)
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return Reply(f"<rationale>seen</rationale><option>{letter}</option>", usage=usage)


@pytest.fixture
def voters() -> Voters:
    return Voters()


@pytest.fixture
def server(voters: Voters, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer(voters) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


@pytest.fixture
def image(tmp_path: Path) -> str:
    return drawn(tmp_path / "one.png")


def voted(rows: Rows, run_dir: Path, *names: str, **parameters: Any) -> Rows:
    models = [{"api_model": name, "model_params": QUICK} for name in names or ("one", "two", "three")]
    return annotated(rows, OP, run_dir, models=models, **parameters)


def test_the_majority_is_the_label_and_the_former_answer_is_kept(server: FakeServer, image: str, run_dir: Path) -> None:
    [row] = voted([question(image, 1)], run_dir)
    assert (row["answer"], row["answer_before"]) == ("C", "B")
    told = json.loads(row["provenance"])
    assert told["answer_before"] == "B"
    assert [(vote["model"], vote["vote"]) for vote in told["label_votes"]] == [
        ("one", "C"),
        ("two", "C"),
        ("three", "A"),
    ]
    assert told["steps"][-1]["models"] == ["one", "three", "two"] and told["steps"][-1]["calls"] == 3
    assert all(len(images_of(request.body)) == 1 for request in server.requests) and len(server.requests) == 3


def test_each_model_sees_an_order_of_its_own_and_letters_come_back(
    server: FakeServer, image: str, run_dir: Path
) -> None:
    voted([question(image, number) for number in range(8)], run_dir)
    orders = Counter(
        tuple(line[3:] for line in request.user_text.split("\n") if line[1:3] == ". ") for request in server.requests
    )
    assert len(orders) > 6 and all(sorted(order) == sorted(COLOURS) for order in orders)
    server.clear()
    voted([question(image, 1)], run_dir / "plain", permute_options=False)
    assert len({request.user_text for request in server.requests}) == 1


def test_ties_and_questions_without_a_majority_are_refused(
    server: FakeServer, voters: Voters, image: str, run_dir: Path
) -> None:
    for number, colours in ((1, ("red", "blue", "green")), (2, ("red", "None", "None")), (3, ("blue",) * 3)):
        voters.colours |= {
            (name, number): colour for name, colour in zip(("one", "two", "three"), colours, strict=True)
        }
    labelled = voted([question(image, number) for number in (1, 2, 3)], run_dir)
    assert [row["answer"] for row in labelled] == ["B"]
    assert Counter((entry["verdict"], entry["reason"]) for entry in ledger(run_dir)) == {
        ("keep", "labelled"): 1, ("drop", "tie"): 1, ("drop", "no_majority"): 1,
    }  # fmt: skip
    assert voted([question(image, 2)], run_dir / "one", majority=1)[0]["answer"] == "A"


def test_a_failed_call_leaves_undecided_what_it_could_have_turned(
    server: FakeServer, voters: Voters, image: str, run_dir: Path
) -> None:
    voters.down = {"two"}
    voters.colours = {("three", 1): "green"}
    labelled = voted([question(image, number) for number in (1, 2)], run_dir)
    assert [row["answer"] for row in labelled] == ["C"], "one and three agree, whatever two would have said"
    assert [(row["undecided"]["reason"], "number 2?" in row["question"]) for row in aside(run_dir)] == [
        ("call_failed:server", True)
    ]
    voters.down = set()
    server.clear()
    assert len(voted([question(image, number) for number in (1, 2)], run_dir)) == 2
    assert {request.body["model"] for request in server.requests} == {"two"}, "only what failed is asked again"


def test_each_model_is_counted_and_priced_on_its_own(
    server: FakeServer, image: str, run_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = "models:\n  one: {input: 1, output: 10}\n  two: {input: 2, output: 20}\n  three: {input: 0.5, output: 0}\n"
    (tmp_path / "prices.yaml").write_text(prices)
    monkeypatch.setenv(PRICES_VARIABLE, str(tmp_path / "prices.yaml"))
    from data_juicer_ext.models import client

    client._prices.cache_clear()
    try:
        voted([question(image, number) for number in range(4)], run_dir)
    finally:
        client._prices.cache_clear()
    found = count(select_runs(run_dir))
    spent = {key[3]: spending for key, spending in found.spent.items()}
    assert {name: spending.calls for name, spending in spent.items()} == {"one": 4, "two": 4, "three": 4}
    costs = {name: spending.cost for name, spending in spent.items()}
    assert costs == pytest.approx({"one": 4 * 200e-6, "two": 4 * 400e-6, "three": 4 * 50e-6})
    assert sum(entry["spending"]["cost"] for entry in ledger(run_dir)) == pytest.approx(sum(costs.values()))


def test_a_model_that_is_listed_twice_makes_two_draws(server: FakeServer, image: str, run_dir: Path) -> None:
    [row] = voted([question(image, 1)], run_dir, "one", "one", permute_options=False)
    assert row["answer"] == "C" and len(server.requests) == 2


def test_the_audit_sample_is_the_same_in_any_order(server: FakeServer, image: str, run_dir: Path) -> None:
    rows = [question(image, number) for number in range(60)]
    there = {row["row_id"]: row["audit"] for row in voted(rows, run_dir, audit_share=0.3, audit_seed=4)}
    back = {row["row_id"]: row["audit"] for row in voted(rows[::-1], run_dir, audit_share=0.3, audit_seed=4)}
    assert there == back == {row["row_id"]: "yes" if in_audit(row["row_id"], 0.3, 4) else "no" for row in rows}
    assert 5 < list(there.values()).count("yes") < 35


def test_rows_that_cannot_be_put_to_a_vote_are_left_out(server: FakeServer, image: str, run_dir: Path) -> None:
    rows = [question("", 1), question(image, 2, options=["only"]), question(image, 3, answer="")]
    labelled = voted(rows, run_dir)
    assert [(row["answer"], row["answer_before"]) for row in labelled] == [("C", "")]
    assert Counter(entry["reason"] for entry in ledger(run_dir)) == {"no_image": 1, "bad_question": 1, "labelled": 1}


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"models": [{"api_model": "one"}]}, "2 to 15"),
        ({"models": "one"}, "2 to 15"),
        ({"models": [{"api_model": "one"}, {"model_params": {}}]}, "number 2 has no `api_model`"),
        ({"models": [{"api_model": "one", "name": "x"}] * 2}, "name is unknown, allowed: api_model"),
        ({"models": [{"api_model": "one"}, {"api_model": "b", "model_params": {"api_key_env": "NO_KEY_HERE"}}]},
         "number 2"),
        ({"models": [{"api_model": "one"}, {"api_model": "b", "sampling_params": {"n": 2}}]}, "number 2"),
        ({"majority": 3}, "majority: 3"),
        ({"audit_share": 1.5}, "audit_share: 1.5"),
        ({"audit_seed": -1}, "audit_seed: -1"),
    ],
)  # fmt: skip
def test_a_wrong_parameter_stops_the_run_plainly(
    parameters: dict[str, Any],
    says: str,
    run_dir: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-sent")
    with pytest.raises(SystemExit):
        MCQLabelVoteMapper(run_dir=str(run_dir), **parameters)
    assert says in capfd.readouterr().err


def test_a_key_in_the_recipe_is_refused_wherever_it_stands() -> None:
    given = [{"api_model": "one"}, {"api_model": "two", "model_params": {"api_key": "secret"}}]
    [complaint] = literal_keys([{OP: {"models": given}}])
    assert "does not belong in a recipe" in complaint and literal_keys([{OP: {"models": [{"api_model": "one"}]}}]) == []
