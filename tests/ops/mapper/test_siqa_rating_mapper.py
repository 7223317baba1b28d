from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.rows import Figure, figure_row
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.fake_openai import FakeServer, Reply, text_of
from tests.host import run_here
from tests.siqa.answers import rating

Rows = list[dict[str, Any]]
NO_LOGPROBS = "This model does not support the 'logprobs' parameter."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer(lambda body: "Good") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    made = []
    for number in range(3):
        path = tmp_path / f"{number}.png"
        Image.new("RGB", (60, 40), (number * 40, 90, 120)).save(path)
        figure = Figure(figure_id=str(number), caption="Rate this Excellent.", images=[str(path)])
        made.append(figure_row({"paper_id": "p", "domain": "physics.optics"}, figure))
    return made


def rate(rows: Rows, run_dir: Path, **more: Any) -> Rows:
    given = {"api_model": "m", "run_dir": str(run_dir),
             "model_params": {"backoff": 0.005, "max_tries": 2, "max_concurrency": 1}, **more}  # fmt: skip
    return run_here(rows, [{"siqa_rating_mapper": given}])


def aspect_of(body: Mapping[str, Any]) -> str:
    return "knowledge" if "the knowledge quality" in text_of(body, "system") else "perception"


def ledger(run_dir: Path) -> Rows:
    return decisions(run_dir, run_records.run_ids(run_dir)[-1])


def told(row: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(row["rating"]))


def test_two_queries_an_image_without_its_caption(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    server.responder = lambda body: "Excellent" if aspect_of(body) == "perception" else "Fair"
    made = rate(rows, tmp_path)
    assert len(made) == 3 and len(server.requests) == 6
    assert Counter(aspect_of(request.body) for request in server.requests) == {"perception": 3, "knowledge": 3}
    for row in made:
        assert (row["rating_perception"], row["rating_knowledge"], row["rating_mean"]) == (5.0, 3.0, 4.0)
        assert row["rating_method"] == "level" and row["caption"] == "Rate this Excellent."
        assert told(row)["knowledge"] == {"score": 3.0, "method": "level", "levels": {"Fair": 1.0}}
        assert json.loads(row["provenance"])["steps"][0]["calls"] == 2
    for request in server.requests:
        assert "Rate this" not in request.system_text + request.user_text and len(request.images) == 1
        assert request.body["logprobs"] is True and request.body["top_logprobs"] == 20


def test_log_probabilities_by_hand(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    """A level missing, a split one, other spellings and cases, from the endpoint to the row."""

    def responder(body: Mapping[str, Any]) -> Reply:
        if aspect_of(body) == "knowledge":
            return rating(" Good", **{" Good": 0.4, "good": 0.1, " FAIR": 0.2, " Ex": 0.2, "The": 0.05})
        return rating("Bad", Bad=0.5, Poor=0.3, Fair=0.2)

    server.responder = responder
    [row] = rate(rows[:1], tmp_path)
    assert row["rating_knowledge"] == pytest.approx((4 * 0.5 + 3 * 0.2 + 5 * 0.2) / 0.9, abs=1e-6)
    assert row["rating_perception"] == pytest.approx(1 * 0.5 + 2 * 0.3 + 3 * 0.2)
    assert row["rating_mean"] == pytest.approx((row["rating_knowledge"] + row["rating_perception"]) / 2, abs=1e-6)
    assert row["rating_method"] == "logprobs"
    knowledge = told(row)["knowledge"]
    assert knowledge["missing"] == ["Bad", "Poor"] and knowledge["missing_below"] == pytest.approx(0.05)
    assert knowledge["mass"] == pytest.approx(0.9)


def test_a_second_run_rates_from_the_store_alike(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    server.responder = lambda body: rating("Good", Good=0.7, Fair=0.3)
    first, again = rate(rows, tmp_path), rate(rows, tmp_path)
    assert first == again and len(server.requests) == 6
    assert first[0]["rating_mean"] == pytest.approx(3.7) and told(again[0])["knowledge"]["method"] == "logprobs"


def test_an_endpoint_that_refuses_log_probabilities_is_remembered(
    server: FakeServer, rows: Rows, tmp_path: Path
) -> None:
    server.responder = lambda body: Reply(NO_LOGPROBS, status=400) if "logprobs" in body else Reply("Good")
    made = rate(rows, tmp_path)
    assert [row["rating_method"] for row in made] == ["level"] * 3 and made[0]["rating_mean"] == 4.0
    assert len(server.requests) == 7, "one refusal, then six calls without"
    assert [entry["reason"] for entry in ledger(tmp_path)] == ["level"] * 3


def test_without_log_probabilities_the_mean_of_draws(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    number = count()
    server.responder = lambda body: ("Good", "Fair", "Good", "Excellent")[next(number) % 4]
    [row] = rate(rows[:1], tmp_path, draws=4, sampling_params={"temperature": 1.0})
    assert len(server.requests) == 8 and row["rating_method"] == "mean_of_draws"
    assert 1 <= row["rating_mean"] <= 5 and told(row)["perception"]["draws"] == 4
    assert row["rating_perception"] + row["rating_knowledge"] == pytest.approx(2 * (4 + 3 + 4 + 5) / 4)


def test_log_probabilities_make_draws_needless(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    server.responder = lambda body: rating("Good", Good=0.7, Fair=0.3)
    [row] = rate(rows[:1], tmp_path, draws=5)
    assert len(server.requests) == 2 and row["rating_method"] == "logprobs"


@pytest.mark.parametrize(("method", "draws", "calls"), [("level", 5, 2), ("draws", 3, 6)])
def test_methods_that_need_none_do_not_ask_for_them(
    method: str, draws: int, calls: int, server: FakeServer, rows: Rows, tmp_path: Path
) -> None:
    server.responder = lambda body: rating("Good", Good=0.7, Fair=0.3)
    [row] = rate(rows[:1], tmp_path, method=method, draws=draws)
    assert row["rating_mean"] == 4.0 and len(server.requests) == calls
    assert not any("logprobs" in request.body for request in server.requests)
    assert row["rating_method"] == {"level": "level", "draws": "mean_of_draws"}[method]


def test_the_two_aspects_may_come_about_differently(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    server.responder = lambda body: rating("Good", Good=1.0) if aspect_of(body) == "perception" else "Fair"
    [row] = rate(rows[:1], tmp_path)
    assert row["rating_method"] == "logprobs+level"


def test_an_answer_without_a_level_is_asked_for_once_more(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    def hesitant(body: Mapping[str, Any]) -> str:
        if len(body["messages"]) > 2:
            assert "none of the levels Bad, Poor, Fair, Good, Excellent" in text_of(body, "user")
            return "Poor"
        return "The image is neither good nor bad."

    server.responder = hesitant
    [row] = rate(rows[:1], tmp_path)
    assert row["rating_mean"] == 2.0 and len(server.requests) == 4


def test_no_level_after_that_is_undecided_never_a_number(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    server.responder = lambda body: "I would rather not say."
    assert rate(rows[:1], tmp_path) == []
    [entry] = ledger(tmp_path)
    assert (entry["verdict"], entry["reason"]) == ("undecided", "unparsable")
    assert "none of the levels" in entry["detail"]["message"] and len(server.requests) == 4


def test_draws_that_can_not_be_read_are_left_out_of_the_mean(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    server.responder = lambda body: "Good" if body["seed"] != 8 else "hm"
    [row] = rate(rows[:1], tmp_path, method="draws", draws=3, sampling_params={"seed": 7})
    assert row["rating_mean"] == 4.0 and told(row)["knowledge"]["unreadable"] == 1
    server.responder = lambda body: "hm"
    assert rate(rows[1:2], tmp_path, method="draws", draws=3) == []


def test_log_probabilities_alone(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    assert rate(rows[:1], tmp_path, method="logprobs") == []
    [entry] = ledger(tmp_path)
    assert (entry["verdict"], entry["reason"]) == ("undecided", "no_logprobs")


@pytest.mark.parametrize("draws", [1, 3])
@pytest.mark.parametrize("broken", ["perception", "knowledge"])
def test_a_failed_call_leaves_the_row_undecided(
    broken: str, draws: int, server: FakeServer, rows: Rows, tmp_path: Path
) -> None:
    server.responder = lambda body: Reply("down", status=500) if aspect_of(body) == broken else Reply("Good")
    assert rate(rows, tmp_path, draws=draws) == []
    assert {(e["verdict"], e["reason"]) for e in ledger(tmp_path)} == {("undecided", "call_failed:server")}
    assert len(run_records.end(current_run(str(tmp_path)))) == 3
    server.responder = lambda body: "Good"
    assert len(rate(rows, tmp_path, draws=draws)) == 3


def test_a_bad_row_costs_only_itself(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    rows[0]["images"], rows[1]["images"] = [""], [str(tmp_path / "gone.png")]
    assert [row["figure_id"] for row in rate(rows, tmp_path)] == ["2"]
    found = {entry["figure_id"]: (entry["verdict"], entry["reason"]) for entry in ledger(tmp_path)}
    assert found["0"] == ("drop", "no_image") and found["1"] == ("undecided", "call_failed:bad_image")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({"method": "guess"}, "auto, logprobs, level, draws"), ({"draws": 0}, "draws: 0"),
     ({"method": "draws", "draws": 3, "sampling_params": {"temperature": 0}}, "all draws are alike")],
)  # fmt: skip
def test_a_wrong_parameter_stops_before_the_first_row(
    wrong: dict[str, Any], says: str, rows: Rows, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        rate(rows, tmp_path, **wrong)
    assert says in capfd.readouterr().err


def test_own_numbers_of_alternatives_are_kept(server: FakeServer, rows: Rows, tmp_path: Path) -> None:
    rate(rows[:1], tmp_path, sampling_params={"top_logprobs": 5, "temperature": 0})
    assert {request.body["top_logprobs"] for request in server.requests} == {5}
