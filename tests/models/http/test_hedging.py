"""Second copies of slow calls: when they go out, how many, and what they count."""

from __future__ import annotations

import random
from typing import Any

import pytest

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.config.endpoint import ConfigError, parse_model_params
from data_juicer_ext.models.event_loop import drive
from data_juicer_ext.models.http.hedging import ENOUGH, EXTRA_SHARE, UNKNOWN_S, WINDOW, Hedging, Latencies
from data_juicer_ext.models.types import Answer, Usage
from tests.fake_openai import FakeServer, Reply, text_of
from tests.models.calling import answered, config_for, question, reraise


def on_last(*replies: Reply) -> Any:
    """A responder that gives these replies to calls named "last", one after the other, and B to others.

    The last of them is given again where there are more calls: a busy machine makes a call slow.
    """
    waiting = list(replies)

    def reply(body: dict[str, Any]) -> Reply:
        if text_of(body, "user") != "last":
            return Reply("B", delay=0.01)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return reply


def one_after_the_other(server: FakeServer, **params: Any) -> list[Answer]:
    """The answers to 40 calls and to one more that is named "last"."""
    model = get_model(config_for(server, timeout=60, deadline=60, **params))
    texts = [*(f"q{number}" for number in range(40)), "last"]
    return [answered(result) for result in drive(texts, lambda text: model.ask(question(text)), reraise, width=1)]


def sent_as_last(server: FakeServer) -> int:
    return sum(sent.user_text == "last" for sent in server.requests)


def test_quantiles() -> None:
    latencies = Latencies()
    for number in range(ENOUGH - 1):
        latencies.add(number)
    assert latencies.quantile(0.5) is None
    latencies.add(ENOUGH - 1)
    assert latencies.quantile(0.5) == ENOUGH // 2
    assert latencies.quantile(0.95) == ENOUGH - 1


def test_old_latencies_are_forgotten() -> None:
    latencies = Latencies()
    for seconds in [9.0] * WINDOW + [1.0] * WINDOW:
        latencies.add(seconds)
    assert latencies.quantile(0.999) == 1.0


def known(quantile: float = 0.9, burst: float = 8) -> Hedging:
    """A rule that knows a task "t" of which nine tenths take less than 1.9 seconds."""
    hedging = Hedging(quantile, burst)
    for number in range(100):
        hedging.answered("t", 1.0 + number / 100)
    return hedging


def test_patience_is_known_for_each_task() -> None:
    hedging = known()
    assert hedging.patience("t") == pytest.approx(1.9)
    assert hedging.patience("other") is None
    assert hedging.look("other", 1000.0) == UNKNOWN_S
    assert not Hedging(0.0, burst=4).on


def test_a_slow_call_waits_for_a_full_bucket_and_a_hung_one_for_any() -> None:
    hedging = known()
    assert hedging.look("t", 0.5) == pytest.approx(1.4)
    assert hedging.look("t", 9.0) > 0  # nothing in the bucket
    for _ in range(round(1 / EXTRA_SHARE) + 1):
        hedging.began()
    assert hedging.look("t", 2.0) > 0
    assert hedging.look("t", 4.0) == 0.0
    for _ in range(round(6 / EXTRA_SHARE)):
        hedging.began()
    assert hedging.look("t", 2.0) == 0.0


def test_second_copies_are_bounded() -> None:
    hedging, sent = known(), 0
    for _ in range(1000):
        hedging.began()
        sent += hedging.look("t", 9.0) == 0.0
    assert sent == pytest.approx(1000 * EXTRA_SHARE, abs=1)
    for _ in range(1000):
        hedging.began()
    assert sum(hedging.look("t", 9.0) == 0.0 for _ in range(100)) == 8  # the bucket holds no more


def test_a_hung_call_is_answered_by_its_second_copy(server: FakeServer) -> None:
    server.responder = on_last(Reply(hang=True), Reply("C"))
    *others, last = one_after_the_other(server, hedge=0.95)
    assert last.text == "C" and last.usage == Usage(11 * last.tries, 7 * last.tries, estimated=True)
    assert last.tries == sent_as_last(server) in (2, 3)
    assert all(result.usage == Usage(11, 7) for result in others if result.tries == 1)


def test_a_call_that_hangs_twice_is_answered_by_a_third_copy_and_no_fourth(server: FakeServer) -> None:
    server.responder = on_last(Reply(hang=True), Reply(hang=True), Reply("C", delay=0.5), Reply("D"))
    model = get_model(config_for(server, timeout=60, deadline=60, hedge=0.95))
    texts = [*(f"q{number}" for number in range(100)), "last"]
    *_, last = [answered(result) for result in drive(texts, lambda text: model.ask(question(text)), reraise, width=1)]
    assert (last.text, last.tries, last.usage) == ("C", 3, Usage(33, 21, estimated=True))
    assert sent_as_last(server) == 3


def test_without_hedging_nothing_is_sent_twice(server: FakeServer) -> None:
    rng = random.Random(3)
    server.responder = lambda body: Reply("B", delay=rng.choice([0.0, 0.0, 0.0, 0.05]))
    model = get_model(config_for(server))
    drive(range(100), lambda _: model.ask(question()), reraise)
    assert len(server.requests) == 100


def test_the_first_copy_may_win_after_all(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else a busy machine spends the copies on other calls.
    monkeypatch.setattr("data_juicer_ext.models.http.hedging.LEAST_PATIENCE_S", 0.3)
    server.responder = on_last(Reply("C", delay=1.0), Reply("D", delay=30))
    last = one_after_the_other(server, hedge=0.9)[-1]
    assert last.text == "C" and last.tries == sent_as_last(server) in (2, 3)
    assert last.seconds < 15


def test_copies_keep_within_the_slots_and_the_share(server: FakeServer) -> None:
    rng = random.Random(11)
    server.responder = lambda body: Reply("B", delay=rng.choice([0.01] * 8 + [0.1, 0.15]))
    model = get_model(config_for(server, hedge=0.75, max_concurrency=4))
    results = drive(range(200), lambda _: model.ask(question()), reraise)
    assert server.in_flight_peak <= 5  # the server sees a cancelled call end a moment after its client
    assert 200 < len(server.requests) <= 200 * (1 + EXTRA_SHARE) + 1
    assert sum(answered(result).tries for result in results) == len(server.requests)


def test_one_slot_is_no_deadlock(server: FakeServer) -> None:
    server.responder = on_last(Reply("boom", status=500, delay=0.2), Reply("C"))
    last = one_after_the_other(server, hedge=0.9, max_concurrency=1)[-1]
    assert (last.text, last.tries, sent_as_last(server)) == ("C", 2, 2)  # the second is a retry


def test_a_failed_copy_does_not_end_the_other(server: FakeServer) -> None:
    server.responder = on_last(Reply("C", delay=0.3), Reply("boom", status=500))
    last = one_after_the_other(server, hedge=0.9)[-1]
    assert (last.text, last.tries, last.usage) == ("C", 2, Usage(11, 7))


@pytest.mark.parametrize("share", [1.0, -0.1])
def test_the_share_is_checked(share: float) -> None:
    with pytest.raises(ConfigError, match=r"model_params\.hedge"):
        parse_model_params("m", None, {"hedge": share})
